"""A contender: how to make a searcher for a world, so that a study can make many.

A searcher remembers what it has seen; a contender is the description from which a fresh one is made
for every run. What the theorems take from the run is filled in:

- ``eta="theorem"``: the horizon T, and the radius M of the world unless the learner has its own;
- ``scale="theorem"``: the horizon T;
- ``block="theorem"``, feedback with ``"probe"``: k = :func:`weitzman.block_length` of T, the cost and
  M, clipped to an integer ≥ 1.

``CONTENDERS`` are those that are compared everywhere, under fixed names: ``cpb`` is the paper's
algorithm with the optimism that it was reproduced with, ``cpb-theorem`` has the paper's η,
``cpb-tuned`` 1/η = 0.1, ``linear-regression`` is the paper's baseline, least squares with the same
1/η, and ``ftrl-given`` has the defaults of FTRL on rounds as the world has them. ``ftrl`` and
``default`` are the learner and the policy of these names in any units; all others take rounds as
the world has them.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, cast

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.learner import Learner
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.linearised import LinearisedFTRL
from weitzman.learn.learners.newton import NewtonStep
from weitzman.learn.learners.residual import Residual
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.learners.rivals.linucb import LinUCB
from weitzman.learn.learners.rivals.optimistic_law import OptimisticLaw
from weitzman.learn.learners.rivals.optimistic_residual import OptimisticResidual
from weitzman.learn.learners.rivals.thompson import Thompson
from weitzman.learn.policy import Policy
from weitzman.learn.probing import block_length
from weitzman.learn.searcher import Searcher
from weitzman.learn.storage.registry import named_policy
from weitzman.search.numbers import whole_number


def _paper() -> FTRL:
    """Return the learner of the paper, for contexts and values as the world has them."""
    return FTRL(intercept=False)


@dataclass(frozen=True, kw_only=True)
class Contender:
    """How to make a searcher.

    Parameters
    ----------
    learner, feedback, optimism
        As for :class:`weitzman.Searcher`.
    policy
        What decides in the place of a learner, as a policy or by name (``"default"``, ``"mean"``,
        ``"linear fixed"``, …); the seed of the run is that of its draws.
    block
        k, for feedback with ``"probe"`` and ignored otherwise; the theorem's if None.

    Examples
    --------
    >>> contender = Contender(learner=FTRL(eta="theorem"), feedback="probe")
    >>> run = {"boxes": 10, "dimension": 5, "rounds": 10**6, "cost": 1.0, "radius": 4.0}
    >>> contender.searcher(**run, rng=0).policy.block
    12
    """

    learner: Learner = field(default_factory=_paper)
    policy: Policy | str | None = None
    feedback: Feedback = "opened"
    optimism: float | Literal["auto"] = "auto"
    block: int | Literal["theorem"] | None = None

    @property
    def decides(self) -> Policy | None:
        """The policy, found by its name if it has one; None where a learner takes its place."""
        if isinstance(self.policy, str):
            return named_policy(self.policy, shared=False)
        return self.policy

    def searcher(
        self,
        *,
        boxes: int,
        dimension: int,
        rounds: int,
        cost: float,
        rng: int,
        radius: float | None = None,
    ) -> Searcher:
        """Return a searcher that has seen nothing, for T = ``rounds`` in a world of n boxes.

        ``cost`` is the largest c of the world and ``radius`` its M, None if it has none; ``rng`` is
        the seed of the bought looks, or of a policy's draws.
        """
        rounds = whole_number(rounds, "The number of rounds", least=1)
        given: dict[str, Any] = {"policy": self.decides}
        if self.policy is None:
            learner = _at_horizon(self.learner, rounds, radius)
            given = {"learner": learner, "optimism": self.optimism}
            if "probe" in self.feedback:
                given["block"] = self._length(learner, rounds, cost, radius)
        elif self.learner != _paper():
            raise InvalidInputError("A contender", "have a policy or a learner, not both", self)
        return Searcher(boxes=boxes, dimension=dimension, feedback=self.feedback, rng=rng, **given)

    def _length(self, learner: Learner, rounds: int, cost: float, radius: float | None) -> int:
        if self.block is not None and self.block != "theorem":
            return whole_number(self.block, "The block", least=1)
        known = getattr(learner, "radius", None)
        known = radius if known is None else known
        if known is None:
            rule = "be a number for a world and a learner without a radius"
            raise InvalidInputError("The block", rule, self.block)
        return block_length(horizon=rounds, cost=cost, radius=known)


def _at_horizon(learner: Learner, rounds: int, radius: float | None) -> Learner:
    """Return the learner with what its theorem needs to know about the run."""
    if "theorem" not in (getattr(learner, "eta", None), getattr(learner, "scale", None)):
        return learner
    described = cast("Any", learner)
    missing = {
        name: value
        for name, value in (("horizon", rounds), ("radius", radius))
        if name in {f.name for f in fields(described)} and getattr(described, name) is None
    }
    return cast("Learner", replace(described, **missing))


CONTENDERS: Final[dict[str, Contender]] = {
    "cpb": Contender(learner=FTRL(intercept=False, explore="between")),
    "cpb-theorem": Contender(learner=FTRL(eta="theorem", intercept=False), optimism=0.0),
    "cpb-tuned": Contender(learner=FTRL(eta=10.0, intercept=False), optimism=0.0),
    "default": Contender(policy="default"),
    "ftrl": Contender(learner=FTRL()),
    "ftrl-given": Contender(),
    "linear-regression": Contender(learner=Ridge(eta=10.0, intercept=False), optimism=0.0),
    "linearised": Contender(learner=LinearisedFTRL(intercept=False)),
    "linucb": Contender(learner=LinUCB(intercept=True)),
    "newton": Contender(learner=NewtonStep(intercept=False)),
    "optimistic-law": Contender(learner=OptimisticLaw()),
    "optimistic-residual": Contender(learner=OptimisticResidual(intercept=True)),
    "residual": Contender(learner=Residual(intercept=False)),
    "ridge-optimistic": Contender(learner=Ridge(intercept=False)),
    "thompson": Contender(learner=Thompson(intercept=True)),
}
