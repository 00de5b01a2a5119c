"""What a round reveals when it is over, and how a player is given it: the feedback.

``full``
    all values.
``opened``
    those of the opened boxes.
``probe``, ``opened+probe``
    those of looks that are bought to learn (:mod:`weitzman.learn.probing`), alone or beside the opened ones.
``chosen``
    which boxes were opened, and the value of the one that was kept.
``total``
    which boxes were opened, and the total.

**During the search** the rule needs the values of opened boxes, to stop; they may be predictions, or seen by
a person. ``chosen`` and ``total`` say what *remains*: what the policy learns from, and what a log has to
hold.

**chosen.** Let Weitzman's rule at σ open o_1, …, o_K, in this order, and keep w. The best value in hand
falls, σ along the order rises, and the rule goes on while the former is above the latter. So what is seen is
the event

    v = w              for the kept box,
    v > max(w, σ_K)    for the other boxes opened before K,
    v ≥ w              for K, if it is not kept,

and what depends on w and σ alone. Values are *right-censored*, box by box, at bounds that are known. Ties:
the first of equal values is kept, so a box that was opened after the kept one has v ≥ w, one that was opened
before it has v > w; and where nothing is kept but the outside option o, w = o and v ≥ o for all. As ``v ≥
w`` is ``v >`` the next number below w, all bounds are given as strict ones.

**The bound does not depend on what it hides.** Let C be the supremum of the values at which box l, opened,
is kept, all else being as it is. It depends on the other boxes alone, since a smaller value of l stops the
search sooner and beats more. If l is not kept, C = max(w, σ_K), or w for K: the bound above. And C ≥ σ_l,
because l was opened. docs/explanation/hidden-values.md has the proofs, and what follows.

Of a search that was not Weitzman's, or whose caller opened boxes in another order, only v ≥ w is known of
the others. That is true, but it may depend on what it hides. A value that never came says nothing, and one
that came too late to stop the search says v ≥ w.

**total.** The total is the least of several values plus what they cost, and says of no single box what it
holds, unless one box alone is opened whatever it holds: then it is its value, or an outside option that was
better.
"""

from functools import cache
from math import inf, nan, nextafter
from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.feedback import BOUNDED, Feedback
from weitzman.learn.policy import Floats, Player, Round
from weitzman.search.rule import Rule, WeitzmanRule
from weitzman.search.state import RoundState


@cache
def _no_values(count: int) -> Floats:
    return np.full(count, np.nan)


def unknown(count: int) -> Floats:
    """Return the values of rows of which nothing is known: NaN."""
    # A copy takes a tenth of the time of np.full
    return _no_values(count).copy()


def sigma_of(rule: Rule | None) -> Floats | None:
    """Return the reservation values that a rule goes by, if they stay as they are in a round."""
    if isinstance(rule, WeitzmanRule):
        return rule.sigma
    inner = getattr(rule, "inner", None)
    return inner.sigma if isinstance(inner, WeitzmanRule) else None


def revealed(rule: Rule | None, state: RoundState, values: Floats, feedback: Feedback) -> Floats:
    """Return what a round reveals of its values, NaN for the rest."""
    if feedback == "full":
        return values
    if feedback in BOUNDED:
        said = feedback == "chosen" or _is_alone(rule, state)
        rows = [state.kept] if said and state.kept is not None else list[int]()
    else:
        rows = state.revealed if "opened" in feedback else list(getattr(rule, "rows", ()))
    shown = unknown(len(values))
    shown[rows] = values[rows]
    return shown


def bounds_of(rule: Rule | None, state: RoundState, feedback: Feedback) -> Floats:
    """Return what values that are not revealed are known to be above, NaN where nothing is known.

    Examples
    --------
    >>> rule, state = WeitzmanRule(np.array([1.0, 3.0, 9.0])), RoundState([1.0, 1.0, 1.0])
    >>> for row, value in enumerate([4.0, 2.0]):
    ...     state.open(row)
    ...     state.see(row, value)
    >>> bounds_of(rule, state, "chosen").tolist()
    [3.0, nan, nan]
    """
    bounds = unknown(len(state.costs))
    best, opened = state.best, state.opened
    if best == inf or (feedback == "total" and not _is_alone(rule, state)):
        return bounds
    sigma, below = sigma_of(rule), nextafter(best, -inf)
    followed = isinstance(rule, WeitzmanRule) and rule.order[: len(opened)].tolist() == opened
    # What was in hand before the last look was above its σ
    limit = float(sigma[opened[-1]]) if followed and sigma is not None and opened else -inf
    earlier = state.kept is not None
    for row in opened:
        if row == state.kept:
            earlier = False
            continue
        known = state.values.get(row, nan)
        bound = best if earlier else below
        if row != opened[-1]:
            bound = max(bound, limit)
        if known == known:  # noqa: PLR0124  NaN is not itself
            # A value that came late has not let the search go on
            bounds[row] = bound if known > bound else below
    return bounds


def _is_alone(rule: Rule | None, state: RoundState) -> bool:
    """Whether one box was opened, and no other would have been, whatever it holds."""
    sigma = sigma_of(rule)
    if sigma is None or len(state.opened) != 1:
        return False
    others = np.delete(sigma, state.opened[0])
    return bool((others == inf).all())


def learn_round(player: Player, shown: Round, values: Floats, bounds: Floats | None) -> None:
    """Let a player learn a round; ``bounds`` are None where the feedback has none."""
    if bounds is None:
        player.learn(shown, values)
    else:
        learner: Any = player
        learner.learn_bounded(shown, values, bounds)


def teach(
    player: Player, shown: Round, rule: Rule, state: RoundState, values: Floats, feedback: Feedback
) -> Floats:
    """Let a player learn what a round reveals of its values; return that, NaN for the rest."""
    found = revealed(rule, state, values, feedback)
    bounds = bounds_of(rule, state, feedback) if feedback in BOUNDED else None
    learn_round(player, shown, found, bounds)
    return found


def check_learns(player: Any, feedback: Feedback) -> None:
    """Refuse a player that cannot learn from bounds where there is nothing else."""
    if feedback in BOUNDED and not hasattr(player, "learn_bounded"):
        rule = (
            f"be 'full' or 'opened' for this policy; from {feedback!r} learns "
            f"{'Weitzman(FTRL())' if feedback == 'chosen' else 'ExploreThenCommit()'}"
        )
        raise InvalidInputError("The feedback", rule, feedback)


def check_learner_learns(learner: Any, feedback: Feedback) -> None:
    """Refuse a learner whose reservation values no bound can teach."""
    if feedback == "total":
        rule = "be another under a learner: from 'total' learns the policy ExploreThenCommit()"
        raise InvalidInputError("The feedback", rule, feedback)
    if feedback == "chosen" and not getattr(learner, "bounded", False):
        rule = (
            "be 'full' or 'opened' for this learner: from 'chosen' learn FTRL, LinearisedFTRL, "
            "NewtonStep and OptimisticLaw"
        )
        raise InvalidInputError("The feedback", rule, feedback)


def filled(values: Floats, bounds: Floats) -> Floats:
    """Return values, and bounds in the place of those that are not known."""
    return np.where(np.isnan(values), bounds, values)
