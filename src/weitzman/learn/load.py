"""A searcher from its file or bytes: the other half of :meth:`weitzman.Searcher.save`."""

import os
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.policies.prepared import given_rounds
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.searcher import Searcher
from weitzman.learn.settings import features_from
from weitzman.learn.storage.costs import restore_state
from weitzman.learn.storage.earlier import (
    explored_as_then,
    is_earlier,
    upgraded,
    upgraded_arrays,
)
from weitzman.learn.storage.format import read_saved, unpack
from weitzman.learn.storage.registry import learner_from, policy_from
from weitzman.search.numbers import whole_number


def load(source: str | os.PathLike[str] | bytes) -> Searcher:
    """Return the searcher that :meth:`Searcher.save` wrote, or :meth:`Searcher.to_bytes` returned.

    Bytes that are cut, changed or of a later version are refused.
    """
    data, subject = read_saved(source)
    settings, arrays = unpack(data, subject=subject)
    try:
        described: Any = settings.get("policy")
        seed = settings["rng"]
        if is_earlier(described):
            # A policy had a seed of its own
            seed = described.get("seed", seed)
            arrays = upgraded_arrays(described, arrays)
            described = upgraded(described)
        if described is not None:
            # What is written today says everything
            policy = policy_from(explored_as_then(described))
        else:
            parameters = settings["parameters"]
            if settings["learner"] == "FTRL":
                parameters = {"explore": "between"} | parameters
            learner = learner_from(settings["learner"], parameters)
            own = {name: settings[name] for name in ("optimism", "block")}
            policy = Weitzman(learner, **own, prepare=given_rounds(learner))
        searcher = Searcher(
            boxes=settings["names"],
            dimension=settings["dimension"],
            features=features_from(settings.get("features")),
            policy=policy,
            feedback=settings["feedback"],
            sense=settings["sense"],
            # Earlier versions know of no best possible value
            least=settings.get("least"),
            most=settings.get("most"),
            unit=settings.get("unit", ""),
            rng=seed,
        )
        restore_state(searcher._player, searcher._costs, arrays)
        searcher.rounds = whole_number(settings["rounds"], "The number of rounds", least=0)
        boxes = getattr(getattr(searcher._player, "bank", None), "boxes", len(searcher.names))
        if boxes != len(searcher.names):
            raise InvalidInputError("The names", f"be {boxes}", searcher.names)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFileError(subject, "hold a whole searcher", str(error)) from None
    return searcher
