"""A searcher from its file or bytes: the other half of :meth:`weitzman.Searcher.save`."""

import os
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.policies.prepared import given_rounds
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.searcher import Searcher
from weitzman.learn.storage.earlier import is_earlier, upgraded, upgraded_arrays
from weitzman.learn.storage.format import read_saved, unpack
from weitzman.learn.storage.registry import learner_from, policy_from
from weitzman.search.numbers import whole_number

__all__ = ["load"]


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
        decides: dict[str, Any]
        if described is not None:
            decides = {"policy": policy_from(described)}
        else:
            learner = learner_from(settings["learner"], settings["parameters"])
            decides = {
                "policy": Weitzman(
                    learner,
                    optimism=settings["optimism"],
                    block=settings["block"],
                    prepare=given_rounds(learner),
                )
            }
        searcher = Searcher(
            boxes=settings["names"],
            dimension=settings["dimension"],
            **decides,
            feedback=settings["feedback"],
            sense=settings["sense"],
            rng=seed,
        )
        searcher._player.restore(arrays)
        searcher.rounds = whole_number(settings["rounds"], "The number of rounds", least=0)
        boxes = getattr(getattr(searcher._player, "bank", None), "boxes", len(searcher.names))
        if boxes != len(searcher.names):
            raise InvalidInputError("The names", f"be {boxes}", searcher.names)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFileError(subject, "hold a whole searcher", str(error)) from None
    return searcher
