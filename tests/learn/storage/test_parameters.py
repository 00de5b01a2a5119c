"""Parameters in plain words: taken if they are those of a policy, refused if their type is another."""

from dataclasses import fields
from typing import Any

import pytest

import weitzman as wz
from weitzman.learn.storage.parameters import check_parameters
from weitzman.learn.storage.registry import LEARNERS, POLICIES, described_policy

SIMPLE = {"class": "Simple", "rule": "all"}


@pytest.mark.parametrize(
    "policy",
    [
        wz.default_policy(),
        wz.Aware(wz.FTRL(window=9, prior=[1.0, 2.0])),
        wz.Weitzman(wz.Fourier(features=7), optimism=1, block=None),
        wz.Weitzman(wz.Boosted(engine="sklearn", eta="theorem")),
        wz.Joint("past", "greedy", caution=2),
        wz.Weitzman(wz.LinUCB(noise=[-1.0, 1.0], scale=1)),
        wz.Weitzman(wz.OptimisticLaw(mass="uniform", scale="theorem", horizon=9, least=0)),
        wz.Portfolio(candidates=(wz.Simple("all"), wz.Simple("stay")), incumbent="all", clarity=3),
    ],
    ids=repr,
)
def test_what_describes_a_policy_is_taken(policy: Any) -> None:
    described = described_policy(policy)
    check_parameters(described.pop("class"), described)


def test_what_belongs_to_the_class_is_no_parameter() -> None:
    for key in ("own_optimism", "intercept"):
        with pytest.raises(wz.InvalidInputError, match=r"^A parameter of OptimisticLaw"):
            check_parameters("OptimisticLaw", {key: False})


def test_every_parameter_that_is_plain_refuses_another_type() -> None:
    """A list of lists of nothing is no value of a parameter but a prior, a noise, a learner or policies."""
    own = {"prior", "noise", "learner", "candidates", "policy", "needs"}
    for name, kind in {**LEARNERS, **POLICIES}.items():
        described: Any = kind
        for key in {field.name for field in fields(described)} - own:
            with pytest.raises(
                wz.InvalidInputError, match=f"^The parameter '{key}' of {name} must"
            ):
                check_parameters(name, {key: [[]]})


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("Ridge", {"eta": True}, r"'eta' of Ridge must be a finite number or 'auto' or 'theorem'"),
        ("FTRL", {"forget": float("nan")}, "'forget' of FTRL must be a finite number. Got nan"),
        ("FTRL", {"horizon": 1.5}, "'horizon' of FTRL must be an integer or null. Got 1.5"),
        ("Portfolio", {"candidates": [{**SIMPLE, "shared": 0}]}, "'shared' of Simple must be true"),
        (
            "Ridge",
            {"eta": 10**400},
            "'eta' of Ridge must be at most 4611686018427387904 in size. Got",
        ),
        (
            "LinearisedFTRL",
            {"horizon": -(2**62) - 1},
            "'horizon' of LinearisedFTRL must be at most",
        ),
        ("Weitzman", {"learner": {"class": "FTRL", "radius": 10**400}}, "'radius' of FTRL must be"),
        (
            "Simple",
            {"rule": "all", "standardise": "yes"},
            "'standardise' of Simple must be true or",
        ),
        ("Simple", {"rule": "all", "size": 3}, r"A parameter of Simple must be one of \['rule', "),
    ],
)
def test_what_is_refused_is_named(name: str, parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=sentence):
        check_parameters(name, parameters)


def test_what_earlier_versions_called_a_parameter_is_taken() -> None:
    check_parameters("Simple", {"rule": "all", "standardise": True})
    check_parameters("Portfolio", {"panels": [{"class": "Simple", "rules": ["all"]}], "seed": 3})
