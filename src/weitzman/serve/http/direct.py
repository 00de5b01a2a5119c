"""A request that was carried out directly: its answer, once everything that it rests on is stored."""

from collections.abc import Callable

from weitzman.errors import LedgerError
from weitzman.serve.engine.engine import Engine
from weitzman.serve.engine.writer import Then
from weitzman.serve.messages.response import Response, error_response

__all__ = ["Direct"]


class Direct:
    """The request.

    Parameters
    ----------
    count
        Called with label, path, status and when it began, when the answer is sent.
    label, path, began
        Those of the request.
    answer
        What is to be sent.
    engine
        Whose state the answer tells of; None if it tells of nothing.
    """

    __slots__ = ("_answer", "_began", "_count", "_engine", "_label", "_path")

    def __init__(
        self,
        count: Callable[[str, str, int, float], None],
        label: str,
        path: str,
        began: float,
        answer: Response,
        engine: Engine | None = None,
    ) -> None:
        self._count, self._label, self._path, self._began = count, label, path, began
        self._answer, self._engine = answer, engine

    def when_stored(self, then: Then) -> None:
        """Call back when the answer may be sent: with what went wrong, if it cannot be this one."""
        try:
            waits = self._engine is not None and self._engine.after(then)
        except LedgerError as error:
            then(error)
            return
        if not waits:
            then(None)

    def settle(self, error: LedgerError | None) -> Response:
        """Return the answer that is sent, and count it."""
        answer = self._answer if error is None else error_response(error, self._label)
        self._count(self._label, self._path, answer.status, self._began)
        return answer
