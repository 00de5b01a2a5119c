"""What decides for a problem: the policy of its settings, running."""

from functools import lru_cache
from typing import Any

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.learn.features import Encoding
from weitzman.learn.policies.exploring import is_explored
from weitzman.learn.policies.prepared import given_rounds
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Player
from weitzman.learn.searcher import Searcher
from weitzman.learn.settings import started
from weitzman.learn.storage.earlier import (
    explored_as_then,
    is_earlier,
    upgraded,
    with_earlier_defaults,
)
from weitzman.learn.storage.registry import learner_from, policy_from
from weitzman.ledger.bodies import Created

Described = dict[str, Any]


def searcher_for(settings: Created, uploaded: Described | None = None) -> Searcher:
    """Return a searcher with the settings of a problem that has seen nothing.

    ``uploaded`` describes the policy of a state that was uploaded, if it takes the place of the settings'.
    """
    earlier = settings.defaults == 1
    decides: dict[str, Any] = {"policy": "default"}
    seed = settings.seed
    if earlier:
        # Laws of rounds: loaded where there is a portfolio, not with the first problem
        from weitzman.learn.policies.portfolio.portfolio import default_policy

        decides = {"policy": default_policy(prepare="contexts")}
    described = uploaded
    if described is None and settings.policy not in (None, "default"):
        described = {**settings.parameters, "class": settings.policy}
    if settings.policy is None:
        parameters = {"intercept": False} | settings.parameters if earlier else settings.parameters
        if settings.defaults < 3 and settings.learner == "FTRL":
            parameters = {"explore": "between"} | parameters
        learner = learner_from(settings.learner, parameters)
        decides = {"learner": learner, "optimism": settings.optimism}
        if earlier:
            # With an intercept a learner would be given prepared rounds
            prepare = given_rounds(learner)
            decides = {"policy": Weitzman(learner, optimism=settings.optimism, prepare=prepare)}
    elif described is not None:
        decides = {"optimism": settings.optimism}
        if is_earlier(described):
            # A policy had a seed of its own
            seed = described.get("seed", 0)
            described = upgraded(described)
        if earlier:
            described = with_earlier_defaults(described)
        if settings.defaults < 3 or uploaded is not None:
            # What is saved today says everything
            described = explored_as_then(described)
        decides["policy"] = policy_from(described)
    elif settings.parameters:
        rule = "be left to the policy 'default'"
        raise InvalidInputError("The parameters", rule, settings.parameters)
    return Searcher(
        boxes=settings.boxes,
        features=Encoding.named(settings.features),
        dimension=len(settings.features),
        feedback=settings.feedback,
        sense=settings.sense,
        least=settings.least,
        most=settings.most,
        unit=settings.unit,
        rng=seed,
        **decides,
    )


def draw_of(settings: Created, number: int) -> tuple[float, bool] | None:
    """Return the chance with which a round is drawn to open more boxes, and whether it is."""
    if settings.explore is None:
        return None
    return _draw(settings.explore, is_explored(settings.explore, seed=settings.seed, number=number))


@lru_cache
def _draw(chance: float, drawn: bool) -> tuple[float, bool]:
    """Return both: one for all rounds, as every open one has it."""
    return chance, drawn


def needs_for(settings: Created) -> Player | None:
    """Return the policy whose boxes draws open, running; None if they open all."""
    if settings.explore_for is None:
        return None
    # All learners and policies: loaded where one is named, not with the first problem
    from weitzman.learn.storage.registry import named_policy

    return started(
        named_policy(settings.explore_for, shared=False),
        boxes=len(settings.boxes),
        dimension=len(settings.features),
        feedback=settings.feedback,
        seed=settings.seed,
        sense=settings.sense,
    )


def player_for(settings: Created, uploaded: Described | None = None) -> Player:
    """Return the policy of a problem, or the one uploaded in its place, running; it has seen nothing."""
    try:
        searcher = searcher_for(settings, uploaded)
        return started(
            searcher.policy,
            boxes=len(settings.boxes),
            dimension=len(settings.features),
            feedback=settings.feedback,
            seed=searcher.rng,
            sense=settings.sense,
        )
    except (AttributeError, KeyError, TypeError) as error:
        rule = f"be those of {settings.policy or settings.learner}"
        raise InvalidInputError("The parameters", rule, str(error)) from None
    except InvalidInputError:
        raise
    except (ImportError, WeitzmanError) as error:
        rule = "be one whose packages are installed"
        subject = "The learner" if settings.policy is None else "The policy"
        raise InvalidInputError(subject, rule, str(error)) from None
