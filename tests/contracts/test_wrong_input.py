"""Wrong input: the answer is a sentence of subject, rule and value, and nothing has changed."""

import datetime
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz

pd: Any = pytest.importorskip("pandas")
NAN, INF, HUGE = math.nan, math.inf, 10**400
DAY = datetime.date(2024, 1, 1)
SPAN = np.timedelta64(3)
# What is no number, or none that could be used
NO_NUMBER: tuple[Any, ...] = (
    NAN,
    INF,
    "1",
    b"1",
    True,
    np.True_,
    HUGE,
    DAY,
    SPAN,
    [1.0],
    np.array([1.0]),
    1j,
    {},
)
SENTENCE = re.compile(r"\w.+ must .+\. Got .+\.|The search (cannot|waits|is) .+\.", re.DOTALL)
X = [[1.0], [2.0]]
NORMAL: Any = scipy.stats.norm()
ZEROS = np.zeros((2, 2, 1))
TABLE: dict[str, list[Any]] = {
    "round": [1, 1, 2, 2],
    "box": ["a", "b", "a", "b"],
    "cost": [1.0, 1.0, 1.0, 1.0],
    "value": [1.0, 2.0, 3.0, 4.0],
    "x_size": [1.0, 2.0, 3.0, 4.0],
}


def any_of(*things: Any) -> tuple[Any, ...]:
    return things


def name_of(thing: Any) -> str:
    # A set is written in an order that changes from process to process
    shown = repr(thing).replace("{'b', 'a'}", "{'a', 'b'}")
    return f"{type(thing).__name__} {shown:.30}"


def refused(call: Callable[[], object]) -> None:
    with pytest.raises(wz.WeitzmanError) as caught:
        call()
    assert SENTENCE.fullmatch(str(caught.value)), str(caught.value)


@pytest.mark.parametrize("name", [None, 3, "", ["a"], NAN, DAY, b"a"], ids=name_of)
def test_the_name_of_a_box(name: Any) -> None:
    refused(lambda: wz.Box(name, 1.0, NORMAL))


@pytest.mark.parametrize("cost", [None, -1.0, 1e60, *NO_NUMBER], ids=name_of)
def test_the_cost_of_a_box(cost: Any) -> None:
    refused(lambda: wz.Box("a", cost, NORMAL))


@pytest.mark.parametrize(
    "value",
    [
        None,
        # A list of numbers is a sample
        *(one for one in NO_NUMBER if np.ndim(one) == 0),
        *([], [[1, 2]], ["1"], [NAN], np.zeros((2, 2)), [1, None]),
        *(scipy.stats.norm(0, -1), scipy.stats.norm([0, 1]), wz.Box, abs),
    ],
    ids=name_of,
)
def test_the_value_of_a_box(value: Any) -> None:
    refused(lambda: wz.Box("a", 1.0, value))


@pytest.mark.parametrize(
    "settings",
    [
        {"boxes": []},
        *({"boxes": one} for one in any_of(None, 5, "ab", [None], [wz.Box("a", 1.0, 1.0), "b"])),
        {"boxes": wz.Box("a", 1.0, 1.0)},
        {"boxes": {"a": wz.Box("a", 1.0, 1.0)}},
        {"boxes": [wz.Box("a", 1.0, 1.0), wz.Box("a", 1.0, 1.0)]},
        *({"outside": one} for one in (1e60, -1e60, *NO_NUMBER)),
        *({"sense": one} for one in ("mix", None, 1, ["min"])),
        {"reservation_values": {"a": 1.0}},
        {"reservation_values": {"a": NAN, "b": 1.0}},
        {"reservation_values": {"a": "1", "b": 1.0}},
    ],
    ids=name_of,
)
def test_a_plan(settings: dict[str, Any]) -> None:
    boxes = [wz.Box(name, 1.0, NORMAL) for name in "ab"]
    refused(lambda: wz.plan(**{"boxes": boxes, **settings}))


@pytest.mark.parametrize(
    "call",
    [
        *(
            lambda s=s: wz.expected_excess(NORMAL, s)
            for s in any_of(NAN, "1", None, [1, "a"], DAY, HUGE)
        ),
        *(
            lambda c=c: wz.reservation_value(NORMAL, c)
            for c in any_of(-1, NAN, "1", None, True, DAY)
        ),
        *(
            lambda v=v: wz.Discrete(v)
            for v in any_of([], [NAN], ["1"], [True], [HUGE], [DAY], [[1]], None)
        ),
        lambda: wz.Discrete([1, 2], [0.5]),
        lambda: wz.Discrete([1, 2], [0.5, 0.6]),
        lambda: wz.Discrete([1, 2], [-1, 2]),
        lambda: wz.Empirical([1, 2], [0, 0]),
        *(lambda v=v: wz.Mixture(v) for v in any_of([], None, 5, ["a"])),
        lambda: wz.Mixture([1, 2], weights=any_of("a", 1)),
        lambda: wz.Mixture([1, 2], weights=[1]),
        *(lambda e=e: wz.Truncated(NORMAL, upper=e) for e in any_of("1", None, NAN, True)),
        lambda: wz.Truncated(NORMAL, lower=2.0, upper=1.0),
        *(lambda n=n: wz.affine(NORMAL, shift=n) for n in NO_NUMBER),
        *(lambda n=n: _plan().simulate(n, 0) for n in any_of(0, -1, 2.5, "3", True, SPAN)),
        *(lambda n=n: _plan().simulate(9, n) for n in any_of(-1, "a", None, 1.5)),
    ],
)
def test_laws_and_what_is_asked_of_them(call: Callable[[], object]) -> None:
    refused(call)


def _plan() -> wz.Plan:
    return wz.plan([wz.Box("a", 1.0, NORMAL)])


@pytest.mark.parametrize(
    "settings",
    [
        *(
            {"boxes": b}
            for b in any_of([], 0, -1, True, 2.0, None, "ab", {"a", "b"}, ["a", "a"], [["a"]])
        ),
        *({"boxes": b} for b in any_of(10**12, HUGE, SPAN, iter("ab"))),
        *({"dimension": d} for d in any_of(0, -1, 1.0, "1", None, True, HUGE, SPAN)),
        *({"feedback": f} for f in any_of(None, "all", ["full"])),
        *({"sense": s} for s in any_of(None, "best", ["min"])),
        *({"rng": r} for r in any_of(-1, 1.5, None, "1", HUGE)),
        *({"least": n} for n in any_of(*NO_NUMBER, 1e60)),
        {"most": 1.0},
        *({"optimism": n} for n in any_of(*NO_NUMBER, -1.0, None, "much")),
        {"block": 3},
        *({"block": b, "feedback": "probe"} for b in any_of(0, "3", True, None)),
        *({"policy": p} for p in any_of(5, "", "x", b"default", ["default"], wz.FTRL(), wz.FTRL)),
        *({"learner": p} for p in any_of(5, "FTRL", wz.FTRL, wz.Aware(), wz.FTRL(eta=-1.0))),
        *({"learner": wz.Ridge(prior=p)} for p in any_of("x", [NAN], [[True]])),
        {"policy": wz.Portfolio(candidates=())},
    ],
    ids=name_of,
)
def test_a_searcher(settings: dict[str, Any]) -> None:
    refused(lambda: wz.Searcher(**{"boxes": ["a", "b"], "dimension": 1, **settings}))


UNKNOWN: Any = "some"


@pytest.mark.parametrize(
    "policy",
    [
        lambda: wz.Simple("all", prepare=UNKNOWN),
        lambda: wz.Joint("past", prepare=UNKNOWN),
        lambda: wz.Weitzman(prepare=UNKNOWN),
        lambda: wz.Aware(prepare=UNKNOWN),
        lambda: wz.default_policy(prepare=UNKNOWN),
    ],
)
def test_what_a_policy_prepares(policy: Callable[[], Any]) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"'prepare' must be one of .* Got 'some'"):
        wz.Searcher(boxes=2, dimension=1, policy=policy())


@pytest.mark.parametrize("policy", [None, "aware", "single"])
@pytest.mark.parametrize(
    "given",
    [
        *({"contexts": [[one], [1.0]]} for one in (INF, "a", None, HUGE, DAY, SPAN, 1j, 1e60)),
        *(
            {"contexts": c}
            for c in any_of([[NAN], [NAN]], [[1.0]], [[1, 2], [1, 2]], [1, 2], [], None)
        ),
        *({"contexts": c} for c in any_of("ab", 5, [[1], [1, 2]], {"a": [1], "c": [2]})),
        *(
            {"costs": c}
            for c in any_of(*NO_NUMBER, -1.0, [1.0, -1.0], [1, 2, 3], [None, 1], [], 1e60)
        ),
        *({"outside": one} for one in (1e60, -1e60, *NO_NUMBER)),
        *({"boxes": b} for b in any_of([], "ab", {"a", "b"}, ["a", "a"], ["a", "z"], [["a"], "b"])),
        *({"boxes": b} for b in any_of(["a"], 5, True, iter("ab"), [NAN, "a"])),
    ],
    ids=name_of,
)
def test_a_round(policy: Any, given: dict[str, Any]) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=1, policy=policy)
    before = searcher.to_bytes()
    for ask in any_of(searcher.open, searcher.explain, searcher.reservation_values):
        refused(partial(ask, **{"contexts": X, "costs": 1.0, **given}))
    assert searcher.to_bytes() == before


@pytest.mark.parametrize(
    "tell",
    [
        *(lambda search, v=v: search.see(v) for v in any_of(None, pd.NA, -1e60, *NO_NUMBER)),
        *(lambda search, c=c: search.see(1.0, cost=c) for c in any_of(-1.0, 1e60, *NO_NUMBER)),
        *(lambda search, c=c: search.miss(cost=c) for c in any_of(-1.0, *NO_NUMBER)),
        *(lambda search, b=b: search.see(1.0, box=b) for b in any_of("b", "z", [1], NAN, 5)),
        lambda search: search.miss(box="b"),
        lambda search: search.close(),
        lambda search: next(search),
    ],
)
def test_a_search_that_waits_for_a_value(tell: Callable[[Any], object]) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=1)
    search = searcher.open(X, [1.0, 2.0])
    assert next(search) == "a"
    before = search.to_bytes(), searcher.to_bytes()
    refused(lambda: tell(search))
    assert (search.to_bytes(), searcher.to_bytes()) == before


@pytest.mark.parametrize(
    "values",
    [[1.0], 5, "ab", {"z": 1.0}, *({"b": one} for one in NO_NUMBER if one is not NAN)],
    ids=name_of,
)
def test_values_at_the_end_of_a_round(values: Any) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=1, feedback="full")
    search = searcher.open(X, [1.0, 2.0])
    next(search)
    search.see(1.0)
    before = search.to_bytes(), searcher.to_bytes()
    refused(lambda: search.close(values=values))
    assert (search.to_bytes(), searcher.to_bytes()) == before


@pytest.mark.parametrize(
    "call",
    [
        *(
            lambda s, c=c: s.play(c, 1.0, np.zeros((2, 2)))
            for c in any_of(None, "a", [], NAN, ZEROS[:1])
        ),
        *(
            lambda s, c=c: s.play(ZEROS, c, np.zeros((2, 2)))
            for c in any_of(-1.0, NAN, "1", True, [1])
        ),
        *(
            lambda s, o=o: s.play(ZEROS, 1.0, ZEROS[0], outside=o)
            for o in any_of(1e60, [1, -1e60], NAN, "1")
        ),
        *(
            lambda s, v=v: s.play(ZEROS, 1.0, v)
            for v in any_of(None, "a", [[INF] * 2] * 2, [[1] * 3] * 2)
        ),
        *(lambda s, b=b: s.reopen(b) for b in any_of(None, 5, b"", b"abc", {})),
        *(lambda s, n=n: s.add_boxes(n) for n in any_of(None, 5, "c", ["a"], ["c", "c"], [["c"]])),
    ],
)
def test_what_else_a_searcher_is_asked(call: Callable[[wz.Searcher], object]) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=1, learner=wz.FTRL(intercept=False))
    before = searcher.to_bytes()
    refused(lambda: call(searcher))
    assert searcher.to_bytes() == before


@pytest.mark.parametrize(
    "columns",
    [
        *({"cost": [c, 1, 1, 1]} for c in any_of(NAN, INF, -1.0, "a", HUGE)),
        *({"value": [v, 1, 1, 1]} for v in any_of(INF, "x", HUGE)),
        *({"value": [v] * 4} for v in any_of(DAY, True)),
        {"x_size": [INF, 1, 1, 1]},
        {"x_size": [[1], [2], [3], [4]]},
        {"box": [None, "b", "a", "b"]},
        {"box": ["a", "a", "a", "b"]},
        {"round": [NAN, 1, 2, 2]},
        {"outside": [1.0, 2.0, 3.0, 3.0]},
        {"outside": ["q"] * 4},
        {"opened": ["maybe"] * 4},
        {"paid": [-1.0] * 4},
    ],
    ids=name_of,
)
def test_the_rows_of_a_log(columns: dict[str, Any]) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"must .+\. Got .+\."):
        wz.read_log(pd.DataFrame({**TABLE, **columns}))


@pytest.mark.parametrize(
    "call",
    [
        *(lambda s=s: wz.read_log(s) for s in any_of(None, 5, [], {}, TABLE, b"x", np.zeros(3))),
        *(lambda s=s: wz.read_log(s) for s in any_of("no.csv", "/tmp", "a.txt", pd.DataFrame())),
        lambda: wz.read_log(pd.DataFrame(TABLE).iloc[:0]),
        *(lambda s=s: _log(shared=s) for s in any_of(None, "yes")),
        *(lambda n=n: _log(least=n) for n in NO_NUMBER),
        *(
            lambda f=f: _log(features=f)
            for f in any_of("x_size", ["z"], ["value"], [1], 5, [["x_size"]])
        ),
        *(lambda c=c: _log(cost=c) for c in any_of("nope", None, 5, "value")),
    ],
)
def test_a_log(call: Callable[[], object]) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"must .+\. Got .+\."):
        call()


def _log(**settings: Any) -> wz.Log:
    return wz.read_log(pd.DataFrame(TABLE), **settings)


@pytest.mark.parametrize(
    "given",
    [
        *({"log": one} for one in (None, 5, TABLE)),
        *({"policies": p} for p in any_of([], None, 5, "x", b"all", [None], [wz.FTRL()], {"all"})),
        *({"policies": p} for p in any_of(["all", "all"], [wz.Portfolio(candidates=())])),
        *({"feedback": f} for f in any_of(None, "probe", ["full"])),
        *({"cost_scale": c} for c in any_of(None, 0, -1.0, *NO_NUMBER)),
        *({"workers": w} for w in any_of(None, 0, -1, 1.5, "1", True)),
        {"progress": 5},
    ],
    ids=name_of,
)
def test_a_replay(given: dict[str, Any]) -> None:
    refused(lambda: wz.replay(**{"log": _log(), "policies": ["all"], **given}))


@pytest.mark.parametrize("name", ["zz", 5, ["all"], NAN], ids=name_of)
def test_what_a_replay_is_asked(name: Any) -> None:
    replay = wz.replay(_log(), ["all"])
    refused(lambda: replay.of(name))
    refused(lambda: replay.rows(name))
