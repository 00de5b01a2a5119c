"""A searcher from its file or bytes: the other half of :meth:`weitzman.Searcher.save`."""

import os
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.searcher import Searcher
from weitzman.learn.storage.format import read_saved, unpack
from weitzman.learn.storage.learners import learner_from
from weitzman.search.numbers import whole_number

__all__ = ["load"]


def load(source: str | os.PathLike[str] | bytes) -> Searcher:
    """Return the searcher that :meth:`Searcher.save` wrote, or :meth:`Searcher.to_bytes` returned.

    Bytes that are cut, changed or of a later version are refused.
    """
    data, subject = read_saved(source)
    settings, arrays = unpack(data, subject=subject)
    try:
        searcher = Searcher(
            boxes=settings["names"],
            dimension=settings["dimension"],
            **_what(settings),
            feedback=settings["feedback"],
            sense=settings["sense"],
            optimism=settings["optimism"],
            block=settings["block"],
            rng=settings["rng"],
        )
        searcher._by.restore(arrays)
        searcher.rounds = whole_number(settings["rounds"], "The number of rounds", least=0)
        if searcher._by.boxes != len(searcher.names):
            raise InvalidInputError("The names", f"be {searcher._by.boxes}", searcher.names)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFileError(subject, "hold a whole searcher", str(error)) from None
    return searcher


def _what(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the policy or the learner."""
    if "policy" in settings:
        from weitzman.learn.storage.policies import policy_from

        return {"policy": policy_from(settings["policy"])}
    return {"learner": learner_from(settings["learner"], settings["parameters"])}
