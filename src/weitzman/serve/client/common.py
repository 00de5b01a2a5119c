"""What both clients share, which is everything but the waiting.

A request is a value; a reply is read into the struct that its request names; a problem and a search make
their requests and keep their state here. A client sends, waits, and tries again.
"""

import math
import secrets
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

import msgspec
import numpy as np

from weitzman.errors import (
    InvalidInputError,
    SearchStateError,
    UnknownLevelWarning,
    WeitzmanError,
)
from weitzman.learn.intake.given import unknown_words
from weitzman.search.numbers import checked_cost
from weitzman.search.round import FIRST
from weitzman.search.rule import Open, WeitzmanRule
from weitzman.search.state import RoundState
from weitzman.serve.client.tables import has_labels, sent_contexts, sent_costs
from weitzman.serve.messages.refusal import first_infinite
from weitzman.serve.messages.schema import Outcome, ProblemView, RoundReply, SeeReply, Wire

C = TypeVar("C")
W = TypeVar("W", bound=Wire)
_AGAIN = frozenset({429, 502, 503, 504})


class RefusedError(WeitzmanError):
    """A request that the service does not carry out.

    ``status``, ``type`` and ``field`` are those of its problem+json, whose detail is the message.
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
        cls,
        method: str,
        parts: tuple[str, ...],
        gives: type[W],
        body: Any = None,
        query: Mapping[str, Any] | None = None,
    ) -> "Request[W]":
        """Return a request to a path of parts, with an idempotency key if it changes something."""
        path = "/v1/" + "/".join(quote(part, safe="") for part in parts)
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        if asked:
            path = f"{path}?{urlencode(asked)}"
        headers = {}
        if method != "GET":
            # The type also without a body: a service without keys asks for it
            headers = {
                "Idempotency-Key": secrets.token_hex(16),
                "Content-Type": "application/json",
            }
        content = None
        if body is not None:
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


def key_header(key: str | None) -> dict[str, str]:
    """Return the header that shows a key."""
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def reply_of(request: Request[W], status: int, content: bytes) -> W | None:
    """Return the reply; None if it is to be tried again."""
    if status < 300:
        return msgspec.json.decode(content, type=request.gives, strict=False)
    if status in _AGAIN:
        return None
    try:
        details = msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.DecodeError:
        details = {}
    detail, field = details.get("detail", f"The service answered {status}."), details.get("field")
    text = str(detail) if field is None else f"{field}: {detail}"
    raise RefusedError(status, str(details.get("type", "")), text, field)


def pause(attempt: int) -> float:
    """Return how many seconds to wait before trying again, longer every time."""
    return min(5.0, 0.05 * 2.0**attempt) * (0.5 + secrets.randbelow(1000) / 1000.0)


class BaseProblem(Generic[C]):
    """A problem of the service, which a client asks; ``name`` is its name."""

    def __init__(self, client: C, name: str) -> None:
        self.name = name
        self._client = client
        self._known: ProblemView | None = (
            None  # its boxes, features and sense, once they are asked for
        )

    def _request(
        self, method: str, gives: type[W], *parts: str, body: Any = None, query: Any = None
    ) -> Request[W]:
        return Request.make(method, ("problems", self.name, *parts), gives, body, query)

    def _has_to_ask(self, contexts: Any, costs: Any, *, alone: bool) -> bool:
        """Whether a round can be begun only by one who knows the boxes, the features or the sense."""
        return self._known is None and (alone or has_labels(contexts, costs))

    def _opening(
        self, contexts: Any, costs: Any, boxes: Sequence[str] | None, **given: Any
    ) -> Request[RoundReply]:
        """Return the request that begins a round, with what is given and not None.

        Tables and series go by label, as they do for a searcher.
        """
        given |= {"costs": costs, "boxes": None if boxes is None else list(boxes)}
        if self._known is not None:
            names = given["boxes"] or self._known.boxes
            contexts = sent_contexts(contexts, self._known.features, names)
            given["costs"] = sent_costs(costs, names)
        body = {"contexts": contexts, **{k: v for k, v in given.items() if v is not None}}
        return self._request("POST", RoundReply, "rounds", body=body)


class BaseSearch(Generic[C]):
    """A round of the service: iterate over it to get boxes, and say what each holds.

    It knows the state of the round and what comes next. If it is ``alone`` it goes on by the rule without
    asking, and reports once at its end.
    """

    def __init__(self, problem: BaseProblem[C], reply: RoundReply, *, alone: bool) -> None:
        if alone and reply.order is None and not reply.drawn:
            raise SearchStateError("The rule looks again after every box: it has to be asked.")
        self._problem, self._client = problem, problem._client
        # What a draw opens for another policy is asked for
        self._reply, self._alone = reply, alone and reply.order is not None
        self._next = reply.next
        self._outcome: Outcome | None = None
        self._sign = -1.0 if problem._known is not None and problem._known.sense == "max" else 1.0
        for level in reply.unknown_levels:
            # At the line that opens the round
            warnings.warn(unknown_words(level), UnknownLevelWarning, stacklevel=3)
        # Rows are the places in the order of the rule; costs are the service's business
        self._boxes = list(reply.order or [])
        known = reply.reservation_values or {}
        self._rule = WeitzmanRule(np.array([self._sign * known[box] for box in self._boxes]))
        outside = math.inf if reply.best is None else self._sign * reply.best
        self._state = RoundState([0.0] * len(self._boxes), outside)

    @property
    def round_id(self) -> str:
        """The id of the round."""
        return self._reply.round

    @property
    def reservation_values(self) -> dict[str, float] | None:
        """By what the boxes are searched; None if the policy decides again after every look."""
        return self._reply.reservation_values

    def _unreported(self) -> dict[str, float | None]:
        """Return what the opened boxes showed, None where nothing came; nothing if the service knows."""
        if not self._alone:
            return {}
        values = self._state.values
        found = {row: values.get(row) for row in self._state.opened}
        return {self._boxes[r]: None if v is None else self._sign * v for r, v in found.items()}

    def _give_out(self) -> str | None:
        """Return the next box, or None at the end."""
        if self._outcome is not None:
            raise SearchStateError("The search is closed.")
        if self._state.asked is not None:
            raise SearchStateError(
                f"The search waits for the value of box {self._awaited()!r}: call see(value) or miss()."
            )
        if self._next is not None:
            self._state.open(self._row(self._next))
        return self._next

    def _awaited(self) -> str:
        """Return the box whose value the search waits for."""
        if self._state.asked is None:
            raise SearchStateError(f"The search waits for no value: {FIRST}.")
        return self._boxes[self._state.asked]

    def _go_on(self, reply: SeeReply) -> None:
        """Go on as the service says."""
        self._state.miss()
        self._next = reply.next

    def _spent(self) -> dict[str, float]:
        """Return what looks really cost, where that was said."""
        return {self._boxes[row]: cost for row, cost in self._state.spent.items()}

    def _see_alone(self, value: float | None, cost: float | None) -> None:
        """Go on by the rule."""
        if cost is not None:
            self._state.spend(self._state.opened[-1], checked_cost(cost, self._awaited()))
        if value is None:
            self._state.miss()
        else:
            self._state.see(self._state.opened[-1], self._sign * value)
        action = self._rule.next(self._state)
        self._next = self._boxes[action.box] if isinstance(action, Open) else None

    def _check_nothing_awaited(self) -> None:
        """Refuse to close while a value is awaited."""
        if self._state.asked is not None:
            raise SearchStateError(
                f"The search cannot close while it waits for the value of box {self._awaited()!r}."
            )

    def _row(self, box: str) -> int:
        if box not in self._boxes:
            # A rule that looks again after every box has no order: rows come as they are named
            self._boxes.append(box)
            self._state.costs = [0.0] * len(self._boxes)
        return self._boxes.index(box)

    def _request(
        self,
        gives: type[W],
        part: str,
        values: Mapping[str, Any] | None,
        costs: Mapping[str, float] | None = None,
    ) -> Request[W]:
        """Return the request that says what boxes hold and looks cost, or that ends the round."""
        parts, body = ("rounds", self.round_id, part), {"values": dict(values or {})}
        if costs:
            body["costs"] = dict(costs)
        return self._problem._request("POST", gives, *parts, body=body)
