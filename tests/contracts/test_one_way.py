"""One round, one rule, one preparation: the laws of the house, read off the source tree.

Each check is a function of a module's source that returns where something is done. Over all of src these are
the places that are listed here, no more and no fewer; and a few lines that break the law are found.
"""

import ast
import pathlib
from collections.abc import Callable, Iterator

import pytest

SOURCE = pathlib.Path(__file__).parents[2] / "src/weitzman"
MODULES = {
    path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(SOURCE.rglob("*.py"))
}

# What a round has shown: an attribute of this name, whatever its underscores, is a copy of the bookkeeping
BOOKS = {"best", "opened", "paid", "taken"}
STATE = "search/state.py RoundState"
# Sums over many rounds
OTHER_BOOKS = {
    "learn/policies/portfolio/earlier.py EarlierOpenedPlayer: paid",
    "ledger/state/tally.py Tally: opened",
    "ledger/state/tally.py Tally: paid",
}
# Where the attributes of a state are set at once: from a compiled round, and from arrays that were kept
SETTERS = {"learn/policy.py walk", "learn/live.py LiveSearch.restore"}

# Where a round moves on. A rule is applied to it in advance; the others open what somebody else chose:
# the caller of the service, the service, an agent; or look over the shoulder of a rule that may be broken
MOVERS = {
    "search/rule.py advance",
    "lab/gym.py SearchEnv.step",
    "ledger/state/open_round.py OpenRound.see",
    "serve/client/common.py BaseSearch._give_out",
    "learn/checks/policy.py _steps",
    "learn/checks/policy.py check_rule_is_a_function",
}
# Where a rule is asked; by advance, or to say what is next without doing it
ASKERS = {
    "search/rule.py advance",
    "ledger/state/open_round.py OpenRound.next",
    "serve/client/common.py BaseSearch._see_alone",
    "learn/checks/policy.py _steps",
    "learn/checks/policy.py check_rule_is_a_function",
    "learn/policies/exploring.py ExploringRule.next",
    "learn/probing.py Bought.next",
    "search/variants/hard/optional_inspection.py CommittedRule.next",
}
# Weitzman's rule is written once, in next_box: rules call it, and compiled loops call the same source
BY_NEXT_BOX = {
    "search/rule.py WeitzmanRule.next",
    "search/rule.py WeitzmanRule.followed",
    "learn/policies/aware_rule.py _opens",
    "search/kernels.py play_round",
    "search/variants/forest/rule.py ForestRule.next",
    "search/variants/draws.py DrawsRule.next",
    "search/variants/believed/rule.py next_draw",
    "learn/learners/parts/loop.py _search",
}
# Loops over a round that keep it in local variables: all of them compiled
LOOPS = {
    "search/kernels.py play_round",
    "learn/learners/parts/loop.py _search",
    "learn/models/sample_moves.py walk_moving",
    "learn/policies/joint_walk.py walk_rules",
}

# Running figures of features; and of numbers that are none, the totals of rounds
FIGURES = {"learn/preparation.py prepare_rows", "ledger/state/running_mean.py Spread.add"}
# Units of length that a learner settles once, from its first contexts
UNITS = {"learn/learners/fourier.py Waves.settle"}
# Who has a preparation: players that are given prepared contexts, the history that models share, and simple
# rules that are judged together
PREPARERS = {
    "learn/models/history.py History.__init__",
    "learn/policies/portfolio/portfolio.py Portfolio.started",
    "learn/policies/prepared.py PreparedPlayer.__init__",
    "replays/judgement/panel.py panel_traces",
}


def scopes(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node, with the names of the classes and the outermost function around it."""
    for node in ast.iter_child_nodes(tree):
        name = prefix
        if isinstance(node, ast.ClassDef):
            name = f"{prefix}.{node.name}" if prefix else node.name
            yield name, node
            yield from scopes(node, name)
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}.{node.name}" if prefix else node.name
            yield name, node
            yield from ((name, inner) for inner in ast.walk(node) if inner is not node)
            continue
        yield name, node
        yield from scopes(node, name)


def written(node: ast.AST) -> list[ast.Attribute]:
    """The attributes that a statement sets, in tuples too."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    return [
        part
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    ]


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def is_frozen(node: ast.ClassDef) -> bool:
    """Whether a class holds what never changes: a frozen dataclass or struct, a message, a tuple."""
    marks = [ast.unparse(mark) for mark in (*node.decorator_list, *node.keywords, *node.bases)]
    return any(mark in {"Wire", "NamedTuple"} or "frozen=True" in mark for mark in marks)


def books(where: str, source: str) -> set[str]:
    """Classes that keep what a round has shown, as attributes or as fields that may change."""
    found = set()
    for name, node in scopes(ast.parse(source)):
        holder = f"{where} {name.rpartition('.')[0] or name}"
        for attribute in written(node):
            if is_self(attribute.value) and attribute.attr.strip("_") in BOOKS:
                found.add(f"{holder}: {attribute.attr.strip('_')}")
        if isinstance(node, ast.ClassDef) and not is_frozen(node):
            fields = {
                part.target.id.strip("_")
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            }
            # One field of such a name says little; a copy of the books has several
            if len(fields & BOOKS) > 1:
                found |= {f"{where} {name}: {field}" for field in fields & BOOKS}
    return {one for one in found if not one.startswith(STATE)}


def settings_of_states(where: str, source: str) -> set[str]:
    """Functions that set an attribute of a state from outside."""
    return {
        f"{where} {name}"
        for name, node in scopes(ast.parse(source))
        for attribute in written(node)
        if is_state(attribute.value) and attribute.attr in BOOKS | {"asked", "kept", "values"}
    }


def is_state(node: ast.expr) -> bool:
    """Whether an expression is called a state of a round: ``state``, ``self._state``, ``round_state`` …"""
    last = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    made = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("RoundState")
    return made or last.strip("_").endswith("state")


def calls(source: str) -> Iterator[tuple[str, ast.Call]]:
    return ((name, node) for name, node in scopes(ast.parse(source)) if isinstance(node, ast.Call))


def moves(where: str, source: str) -> set[str]:
    """Functions that open or take a row of a state."""
    return {
        f"{where} {name}"
        for name, call in calls(source)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in {"open", "take"}
        and is_state(call.func.value)
    }


def questions(where: str, source: str) -> set[str]:
    """Functions that ask a rule what is next."""
    return {
        f"{where} {name}"
        for name, call in calls(source)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "next"
        and [is_state(argument) for argument in call.args] == [True]
    }


def next_boxes(where: str, source: str) -> set[str]:
    """Functions that call next_box, compiled or not."""
    return {
        f"{where} {name}"
        for name, call in calls(source)
        if ast.unparse(call.func).rpartition(".")[2].strip("_") == "next_box"
    }


def loops(where: str, source: str) -> set[str]:
    """Functions that sum what a round has paid in a variable of their own."""
    return {
        f"{where} {name}"
        for name, node in scopes(ast.parse(source))
        if isinstance(node, ast.AugAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == "paid"
    }


def figures(where: str, source: str) -> set[str]:
    """Functions with Welford's recurrence: m += d / n, then q += d · (x − m)."""
    found = set()
    for name, node in scopes(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        sums = [part for part in ast.walk(node) if isinstance(part, ast.AugAssign)]
        steps = {
            ast.unparse(one.value.left)
            for one in sums
            if isinstance(one.value, ast.BinOp) and isinstance(one.value.op, ast.Div)
        }
        for one in sums:
            value = one.value
            if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
                sides = {ast.unparse(value.left), ast.unparse(value.right)}
                apart = [
                    side
                    for side in (value.left, value.right)
                    if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Sub)
                ]
                if apart and sides & steps:
                    found.add(f"{where} {name}")
    return found


def deviations(where: str, source: str) -> set[str]:
    """Functions that take the deviation of contexts or features, and anything called a standardiser."""
    found = set()
    for name, node in scopes(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and "standardise" in node.name.lower():
            found.add(f"{where} {name}")
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {
            "nanstd",
            "nanvar",
            "std",
            "var",
        }:
            said = ast.unparse(node)
            if "context" in said or "feature" in said:
                found.add(f"{where} {name}")
    return found


def preparations(where: str, source: str) -> set[str]:
    """Functions that start a preparation."""
    return {
        f"{where} {name}"
        for name, call in calls(source)
        if ast.unparse(call.func).rpartition(".")[2] == "Preparation"
    }


Check = Callable[[str, str], set[str]]
LAWS: list[tuple[Check, set[str]]] = [
    (books, OTHER_BOOKS),
    (settings_of_states, SETTERS),
    (moves, MOVERS),
    (questions, ASKERS),
    (next_boxes, BY_NEXT_BOX),
    (loops, LOOPS),
    (figures, FIGURES),
    (deviations, UNITS),
    (preparations, PREPARERS),
]


@pytest.mark.parametrize(("check", "places"), LAWS, ids=[check.__name__ for check, _ in LAWS])
def test_the_source_keeps_the_law(check: Check, places: set[str]) -> None:
    assert {one for where, source in MODULES.items() for one in check(where, source)} == places


COPY = """
class Copy:
    def __init__(self, costs):
        self._best, self.n = math.inf, 0
        self._paid = 0.0
        self._opened: list[int] = []

    def go(self, row, value):
        self._paid += self.costs[row]
"""
FIELDS = """
@dataclass
class Copy:
    opened: list[int]
    paid: float
"""
RESULT = """
@dataclass(frozen=True)
class Result:
    opened: tuple[int, ...]
    paid: float
"""
SETS = """
def forget(search):
    search._state.best, n = math.inf, 0
"""
LOOP = """
class Player:
    def play(self, rule, shown):
        state = RoundState(shown.costs)
        while (action := rule.next(state)) is not STOP:
            state.open(action.box)
        self._state.take(3)
"""
BY_HAND = """
def play(order, sigma, costs, values, best):
    paid = 0.0
    while (row := rules.next_box(order, sigma, 0, best)) != NO_BOX:
        paid += costs[row]
    return best + paid
"""
WELFORD = """
class Scale:
    def add(self, x):
        self.count += 1.0
        apart = x - self.mean
        self.mean += apart / self.count
        self.squares += apart * (x - self.mean)
"""
BY_NUMPY = """
def standardised(contexts):
    return (contexts - contexts.mean(axis=0)) / np.std(contexts, axis=0)
"""
OWN = """
def rows(shown):
    return Preparation(2).rows(shown)
"""
BROKEN: list[tuple[Check, str, int]] = [
    (books, COPY, 3),
    (books, FIELDS, 2),
    (books, RESULT, 0),
    (settings_of_states, SETS, 1),
    (moves, LOOP, 1),
    (questions, LOOP, 1),
    (next_boxes, BY_HAND, 1),
    (loops, BY_HAND, 1),
    (figures, WELFORD, 1),
    (deviations, BY_NUMPY, 1),
    (preparations, OWN, 1),
]


@pytest.mark.parametrize("where", ["learn/copy.py", "ledger/state/copy.py", "serve/client/copy.py"])
@pytest.mark.parametrize(
    ("check", "source", "count"), BROKEN, ids=lambda part: getattr(part, "__name__", "")
)
def test_a_check_finds_what_breaks_its_law(
    check: Check, source: str, count: int, where: str
) -> None:
    assert len(check(where, source)) == count


def test_there_is_one_state_of_a_round() -> None:
    """The class that the checks let pass is there, and holds all that they look for."""
    (state,) = (
        node
        for where, source in MODULES.items()
        for _, node in scopes(ast.parse(source))
        if isinstance(node, ast.ClassDef) and f"{where} {node.name}" == STATE
    )
    own = {a.attr for _, node in scopes(state) for a in written(node) if is_self(a.value)}
    assert own >= BOOKS | {"asked", "kept", "values"}
