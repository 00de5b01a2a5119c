"""What decides for a problem: the policy of its settings, running."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.learn.searcher import Searcher
from weitzman.learn.settings import started
from weitzman.learn.storage.earlier import is_earlier, upgraded
from weitzman.learn.storage.registry import learner_from, policy_from
from weitzman.ledger.bodies import Created

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weitzman.learn.policy import Player

__all__ = ["described_in", "player_for", "searcher_for"]


def described_in(settings: Created) -> dict[str, Any] | None:
    """Return the description of a policy as the settings of a problem hold it; None if they do not."""
    if settings.policy in (None, "default"):
        return None
    return {**settings.parameters, "class": settings.policy}


def searcher_for(settings: Created) -> Searcher:
    """Return a searcher with the settings of a problem that has seen nothing."""
    decides: dict[str, Any] = {"policy": "default"}
    described = described_in(settings)
    if settings.policy is None:
        learner = learner_from(settings.learner, settings.parameters)
        decides = {"learner": learner, "optimism": settings.optimism}
    elif described is not None:
        now = upgraded(described) if is_earlier(described) else described
        decides = {"policy": policy_from(now), "optimism": settings.optimism}
    elif settings.parameters:
        rule = "be left to the policy 'default'"
        raise InvalidInputError("The parameters", rule, settings.parameters)
    return Searcher(
        boxes=settings.boxes,
        dimension=len(settings.features),
        feedback=settings.feedback,
        sense=settings.sense,
        **decides,
    )


def player_for(settings: Created) -> "Player":
    """Return the policy of a problem, running; it has seen nothing."""
    with _refused(settings):
        searcher = searcher_for(settings)
        return started(
            searcher.policy,
            boxes=len(settings.boxes),
            dimension=len(settings.features),
            feedback=settings.feedback,
            seed=searcher.rng,
            sense=settings.sense,
        )


@contextmanager
def _refused(settings: Created) -> "Iterator[None]":
    """Turn what cannot be started into one sentence about the settings."""
    try:
        yield
    except TypeError as error:
        rule = f"be those of {settings.policy or settings.learner}"
        raise InvalidInputError("The parameters", rule, str(error)) from None
    except InvalidInputError:
        raise
    except (ImportError, WeitzmanError) as error:
        rule = "be one whose packages are installed"
        subject = "The learner" if settings.policy is None else "The policy"
        raise InvalidInputError(subject, rule, str(error)) from None
