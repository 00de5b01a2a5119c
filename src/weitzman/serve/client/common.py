"""What both clients share: requests, answers, when to try again, and how far a search is."""

import math
import secrets
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
import numpy as np

from weitzman.errors import InvalidInputError, SearchStateError, WeitzmanError
from weitzman.search.rule import NO_BOX, next_box
from weitzman.serve.messages.finite import first_infinite
from weitzman.serve.messages.schema import Outcome, RoundReply, SeeReply, Wire

__all__ = ["Progress", "RefusedError", "Request", "UnreachableError", "pause", "reply_of"]

W = TypeVar("W", bound=Wire)
_AGAIN = frozenset({429, 502, 503, 504})


class RefusedError(WeitzmanError):
    """A request that the service does not carry out.

    Attributes
    ----------
    status, type, field
        As of the service's problem+json; the detail is the message.
    """

    def __init__(self, status: int, kind: str, detail: str, field: str | None) -> None:
        super().__init__(detail)
        self.status, self.type, self.field = status, kind, field

    def __reduce__(self) -> tuple[type["RefusedError"], tuple[int, str, str, str | None]]:
        return type(self), (self.status, self.type, str(self), self.field)


class UnreachableError(WeitzmanError):
    """A service that could not be reached, as often as it was tried."""


class Request(NamedTuple, Generic[W]):
    """A request, the same however often it is sent."""

    method: str
    path: str
    gives: type[W]
    content: bytes | None
    headers: dict[str, str]

    @classmethod
    def make(
        cls, method: str, parts: tuple[str, ...], gives: type[W], body: Any = None
    ) -> "Request[W]":
        """Return a request to a path of parts, with an idempotency key if it changes something."""
        path = "/v1/" + "/".join(quote(part, safe="") for part in parts)
        headers = {} if method == "GET" else {"Idempotency-Key": secrets.token_hex(16)}
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            found = first_infinite(body)
            if found is not None:
                # It would be sent as null, which means that no value came
                raise InvalidInputError(found[0], "be a finite number", found[1])
            content = msgspec.json.encode(body, enc_hook=_plain)
        return cls(method, path, gives, content, headers)


def _plain(thing: Any) -> Any:
    if isinstance(thing, np.ndarray | np.generic):
        return thing.tolist()
    raise TypeError(f"{type(thing).__name__} cannot be sent")


def reply_of(request: Request[W], status: int, content: bytes) -> W | None:
    """Return the reply; None if it is to be tried again."""
    if status < 300:
        return msgspec.json.decode(content, type=request.gives, strict=False)
    if status in _AGAIN:
        return None
    try:
        told = msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.DecodeError:
        told = {}
    detail, field = str(told.get("detail", f"The service answered {status}.")), told.get("field")
    detail = detail if field is None else f"{field}: {detail}"
    raise RefusedError(status, str(told.get("type", "")), detail, field)


def pause(attempt: int) -> float:
    """Return how many seconds to wait before trying again, longer every time."""
    return min(5.0, 0.05 * 2.0**attempt) * (0.5 + secrets.randbelow(1000) / 1000.0)


class Progress:
    """How far a search is: what it waits for, and what comes next.

    Parameters
    ----------
    reply
        What the service told when the round was opened.
    alone
        Whether the search goes on by the rule alone, and reports once at its end.
    sign
        −1 where larger values are better.
    """

    def __init__(self, reply: RoundReply, *, alone: bool, sign: float) -> None:
        if alone and reply.order is None:
            raise SearchStateError("The policy decides anew after every look: it has to be asked.")
        self.reply, self.alone = reply, alone
        self.next = reply.next
        self.pending: str | None = None
        self.untold: dict[str, float | None] = {}
        self.outcome: Outcome | None = None
        self._sign = sign
        self._best = math.inf if reply.best is None else sign * reply.best

    def hand_out(self) -> str | None:
        """Return the next box, or None at the end."""
        if self.outcome is not None:
            raise SearchStateError("The search is closed.")
        if self.pending is not None:
            raise SearchStateError(
                f"The search waits for the value of box {self.pending!r}: call see(value) or miss()."
            )
        self.pending = self.next
        return self.pending

    def awaited(self) -> str:
        """Return the box whose value the search waits for."""
        if self.pending is None:
            raise SearchStateError("The search waits for no value.")
        return self.pending

    def told(self, reply: SeeReply) -> None:
        """Go on as the service says."""
        self.pending, self.next = None, reply.next

    def see_alone(self, value: float | None) -> None:
        """Go on by the rule."""
        self.untold[self.awaited()] = value
        self.pending = None
        if value is not None:
            self._best = min(self._best, self._sign * value)
        order, sigma = self.reply.order or [], self.reply.reservation_values or {}
        closed = [box for box in order if box not in self.untold]
        turned = [self._sign * sigma[box] for box in closed]
        place = next_box(range(len(closed)), turned, 0, self._best)
        self.next = None if place == NO_BOX else closed[place]

    def ready_to_close(self) -> None:
        """Refuse to close while a value is awaited."""
        if self.pending is not None:
            raise SearchStateError(
                f"The search cannot close while it waits for the value of box {self.pending!r}."
            )
