"""Studies: read from text, refused by name, keyed by what rows depend on."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import weitzman as wz
from weitzman.lab.study.contender import CONTENDERS, Contender
from weitzman.lab.study.study import Run, Study
from weitzman.lab.worlds.paper import Signed
from weitzman.lab.worlds.spread import Spread

TEXT = """
rounds = [100, 200]
seeds = 3
feedbacks = ["full", "probe"]
checkpoints = [50, 150]

[[world]]
name = "signed"
boxes = 4

[[world]]
name = "wide"
world = "spread"
cost = 0.5

[[searcher]]
name = "cpb"

[[searcher]]
name = "ω short"
learner = "FTRL"
window = 20
eta = 2
block = 7
optimism = 0.5
"""


def test_a_file_says_what_is_run(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(TEXT, encoding="utf-8")
    study = Study.from_toml(file)
    assert study == Study(
        worlds={"signed": Signed(boxes=4), "wide": Spread(cost=0.5)},
        contenders={
            "cpb": CONTENDERS["cpb"],
            "ω short": Contender(learner=wz.FTRL(window=20, eta=2), block=7, optimism=0.5),
        },
        feedbacks=("full", "probe"),
        seeds=(0, 1, 2),
        rounds=(100, 200),
        checkpoints=(50, 150),
    )
    runs = study.runs()
    assert len(runs) == 2 * 2 * 2 * 2 * 3
    first, last = runs[0], runs[-1]
    assert (first.world_name, first.name, first.rounds, first.seed) == ("signed", "cpb", 100, 0)
    assert (first.contender.feedback, first.checkpoints) == ("full", (50, 100))
    assert (last.world_name, last.name, last.rounds, last.seed) == ("wide", "ω short", 200, 2)
    assert (last.contender.feedback, last.checkpoints) == ("probe", (50, 150, 200))


def test_what_is_written_is_read_again() -> None:
    study = Study.from_text(TEXT)
    again = Study.from_text(study.to_toml())
    assert again.description() == study.description()
    assert [r.key for r in again.runs()] == [r.key for r in study.runs()]
    prior = Contender(learner=wz.FTRL(prior=[[0.5, 1e-9]], intercept=False), optimism="auto")
    odd = Study(worlds={'"\\\n\x7f': Signed(dimension=2)}, contenders={"p": prior}, expected=False)
    assert Study.from_text(odd.to_toml()).description() == odd.description()


SMALL = 'world = [{name = "signed"}]\nsearcher = [{name = "cpb"}]\n'
REFUSED = {
    "horizon = 3\n" + SMALL: r"keys of a study must be among \['rounds', .*Got 'horizon'",
    'world = [{name = "signed", box = 3}]\nsearcher = [{name = "cpb"}]': r"world 'signed' must be .*'box'",
    'world = [{name = "sined"}]\nsearcher = [{name = "cpb"}]': r"\[\[world\]\] must be one of .*'sined'",
    'world = [{name = "signed"}]\nsearcher = [{name = "cbp"}]': r"searcher 'cbp' must be one of .*None",
    'world = [{name = "signed"}]\nsearcher = [{name = "x", learner = "FTRL", etta = 1}]': r"'etta'",
    'world = [{name = "signed"}]\nsearcher = [{name = "cpb", optimism = 0.0}]': r"searcher 'cpb' must",
    'world = [{name = "signed"}]\nsearcher = [{name = "x", learner = "FTRL", eta = -1}]': r"eta must",
    'world = [{name = "signed"}]\nsearcher = [{name = "x", learner = "FTRL", shared = "yes"}]': (
        "'shared' of FTRL must be true or false. Got 'yes'"
    ),
    'world = [{name = "signed", boxes = 0}]\nsearcher = [{name = "cpb"}]': r"boxes of world 'signed'",
    'world = [{name = "signed"}, {name = "signed"}]\nsearcher = [{name = "cpb"}]': r"of its own.*'signed'",
    'searcher = [{name = "cpb"}]': r"\[\[world\]\] must be given at least once",
    'world = "signed"\nsearcher = [{name = "cpb"}]': r"\[\[world\]\] must be given",
    'world = [{}]\nsearcher = [{name = "cpb"}]': r"name of a \[\[world\]\] must be a text",
    "seeds = 0\n" + SMALL: r"number of seeds must be an integer >= 1",
    "seeds = [1, 1]\n" + SMALL: r"Each seed must be given once",
    "seeds = [-1]\n" + SMALL: r"A seed must be an integer >= 0",
    "rounds = [0]\n" + SMALL: r"number of rounds must be an integer >= 1",
    "rounds = 2.5\n" + SMALL: r"number of rounds must be an integer >= 1",
    "checkpoints = [0]\n" + SMALL: r"checkpoint must be an integer >= 1",
    'feedbacks = ["bandit"]\n' + SMALL: r"feedback must be one of .*'bandit'",
    "feedbacks = []\n" + SMALL: r"Each feedback must be given once",
    'expected = "yes"\n' + SMALL: r"expected must be true or false",
    "rounds = \n" + SMALL: r"'mine.toml' must be TOML",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text.splitlines()[0])
def test_slips_are_refused_by_name(text: str) -> None:
    with pytest.raises(wz.InvalidFileError, match=REFUSED[text]) as caught:
        Study.from_text(text, name="mine.toml")
    assert "mine.toml" in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(wz.InvalidFileError, match=r"none\.toml' must be readable"):
        Study.from_toml(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(wz.InvalidFileError, match="must be UTF-8"):
        Study.from_toml(tmp_path / "latin.toml")


CHANGES: dict[str, Callable[[Run], Any]] = {
    "world": lambda r: {"world": Signed(boxes=5)},
    "class": lambda r: {"world": Spread(boxes=4)},
    "label": lambda r: {"world_name": "other"},
    "name": lambda r: {"name": "other"},
    "learner": lambda r: {
        "contender": replace(r.contender, learner=wz.FTRL(eta=3.0, intercept=False))
    },
    "feedback": lambda r: {"contender": replace(r.contender, feedback="opened")},
    "optimism": lambda r: {"contender": replace(r.contender, optimism=0.1)},
    "seed": lambda r: {"seed": 9},
    "rounds": lambda r: {"rounds": 101},
    "checkpoints": lambda r: {"checkpoints": (50, 99, 100)},
    "expected": lambda r: {"expected": False},
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_key_of_a_run_changes_with_everything_in_it(what: str) -> None:
    run = Study.from_text(TEXT).runs()[0]
    assert replace(run).key == run.key
    assert replace(run, **CHANGES[what](run)).key != run.key


def test_the_key_of_a_run_does_not_depend_on_the_rest_of_the_study() -> None:
    study = Study.from_text(TEXT)
    keys = [r.key for r in study.runs()]
    assert len(set(keys)) == len(keys)
    smaller = replace(study, seeds=(2,), feedbacks=("probe",))
    assert {r.key for r in smaller.runs()} < set(keys)


def test_a_study_in_python_is_checked_too() -> None:
    with pytest.raises(wz.InvalidInputError, match="A study must have a world"):
        Study(worlds={}, contenders={"cpb": Contender()}).runs()


def test_a_learner_that_cannot_be_described_has_no_key() -> None:
    class Own:
        def start(self, *, boxes: int, dimension: int) -> wz.Bank:
            return wz.FTRL(intercept=False).start(boxes=boxes, dimension=dimension)

    study = Study(worlds={"signed": Signed()}, contenders={"own": Contender(learner=Own())})
    with pytest.raises(wz.InvalidInputError, match="learner of a study must be a dataclass"):
        study.runs()[0].key  # noqa: B018


def test_the_default_policy_in_a_study_file() -> None:
    text = """
    rounds = 10
    feedbacks = ["full"]
    world = [{name = "signed"}]
    searcher = [{name = "default"}, {name = "mine", policy = "default"}]
    """
    study = Study.from_text(text)
    assert study.contenders["mine"] == study.contenders["default"] == CONTENDERS["default"]
    assert Study.from_text(study.to_toml()) == study
    keys = {run.key for run in study.runs()}
    assert len(keys) == 2
    with pytest.raises(wz.InvalidFileError, match="The name of a policy must be 'default'; one of"):
        Study.from_text(text.replace('policy = "default"', 'policy = "other"'))
    with pytest.raises(wz.InvalidFileError, match="window"):
        Study.from_text(text.replace('policy = "default"', 'policy = "default", window = 3'))
    with pytest.raises(wz.InvalidFileError, match="policy of searcher 'mine' must be text"):
        Study.from_text(text.replace('policy = "default"', "policy = 3"))


NAMED: dict[str, wz.Policy] = {
    "mean": wz.Simple("mean"),
    "linear index 1": wz.Joint("linear", "index", 1.0),
    "Ridge": wz.Weitzman(wz.Ridge()),
    "paper": wz.Weitzman(wz.FTRL(intercept=False)),
    "aware": wz.Aware(),
}


@pytest.mark.parametrize("policy", NAMED)
def test_policies_by_name_in_a_study_file(policy: str) -> None:
    text = f"""
    rounds = 10
    feedbacks = ["full"]
    world = [{{name = "signed"}}]
    searcher = [{{name = "mine", policy = "{policy}"}}]
    """
    study = Study.from_text(text)
    assert study.contenders["mine"] == Contender(policy=policy)
    assert Study.from_text(study.to_toml()) == study
    assert study.contenders["mine"].decides == NAMED[policy]
    # A policy that is given whole is written by its name, and is the same run
    whole = replace(study, contenders={"mine": Contender(policy=NAMED[policy])})
    assert Study.from_text(whole.to_toml()) == study
    assert [r.key for r in whole.runs()] == [r.key for r in study.runs()]


@pytest.mark.parametrize(
    "policy",
    [wz.Simple("mean", prepare="contexts"), wz.Weitzman(wz.Ridge(eta=3.0, intercept=False))],
)
def test_a_policy_that_its_name_does_not_describe_is_not_written(policy: wz.Policy) -> None:
    study = Study(worlds={"signed": Signed()}, contenders={"mine": Contender(policy=policy)})
    assert study.runs()[0].key
    with pytest.raises(wz.InvalidInputError, match="policy of a study file must be one that"):
        study.to_toml()


def test_the_study_of_the_rivals_can_begin() -> None:
    """Every learner of another paper is in it, with the constants of its theorem where there is one."""
    study = Study.from_toml(Path(__file__).parents[3] / "examples/rivals.toml")
    assert len(study.worlds) == 8
    assert study.rounds == (300, 3000, 30_000)
    kinds = {type(c.learner) for c in study.contenders.values() if c.policy is None}
    assert kinds >= {wz.OptimisticLaw, wz.OptimisticResidual, wz.LinUCB, wz.Thompson}
    by_theorem = [
        c for c in study.contenders.values() if getattr(c.learner, "scale", 0) == "theorem"
    ]
    assert len(by_theorem) == 4
    assert len(study.runs()) == 8 * len(study.contenders) * 3 * 50
