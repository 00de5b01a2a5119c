"""A searcher from its file: the other half of :meth:`weitzman.Searcher.save`."""

import os

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.learners import learner_from
from weitzman.learn.saved import read_saved
from weitzman.learn.searcher import Searcher
from weitzman.search.numbers import whole_number

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> Searcher:
    """Return the searcher that :meth:`Searcher.save` wrote.

    A file that is cut, changed or of a later version is refused.
    """
    settings, arrays = read_saved(path)
    try:
        searcher = Searcher(
            boxes=settings["names"],
            dimension=settings["dimension"],
            learner=learner_from(settings["learner"], settings["parameters"]),
            feedback=settings["feedback"],
            sense=settings["sense"],
            optimism=settings["optimism"],
            block=settings["block"],
            rng=settings["rng"],
        )
        searcher._bank.restore(arrays)
        searcher.rounds = whole_number(settings["rounds"], "The number of rounds", least=0)
        if searcher._bank.boxes != len(searcher.names):
            raise InvalidInputError("The names", f"be {searcher._bank.boxes}", searcher.names)
    except (KeyError, TypeError, ValueError) as error:
        subject = f"The file {os.fspath(path)!r}"
        raise InvalidFileError(subject, "hold a whole searcher", str(error)) from None
    return searcher
