"""A route: one path and method, who may use it, what it takes and gives.

The router leads from a path to its route: the route table as a tree, made once.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import parse_qsl

import msgspec

from weitzman.ledger.state.problem import Problem
from weitzman.serve.engine.engine import Engine
from weitzman.serve.http.guard import Access
from weitzman.serve.messages.refusal import Refusal, unreadable
from weitzman.serve.messages.response import Headers, Response, media_headers
from weitzman.serve.messages.schema import Wire

if TYPE_CHECKING:
    from weitzman.serve.http.request import Request

JSON: Final = "application/json"
BINARY: Final = "application/octet-stream"
PARQUET: Final = "application/vnd.apache.parquet"
HTML: Final = "text/html"
ANY: Final = "*/*"
TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


class Call(msgspec.Struct, eq=False):
    """One request on its way: the engine, the names in its path, and its body.

    ``only`` is the one problem that its key is for, if it is not for all. ``query`` is the struct of what
    stands behind the question mark, for a route that has one.
    """

    engine: Engine
    args: dict[str, str]
    body: Any
    only: str | None = None
    query: Any = None

    @property
    def problem(self) -> Problem:
        """The problem that the path names."""
        return self.engine.problem(self.args["problem"])

    @property
    def name(self) -> str:
        """The round that the path names."""
        return self.args["round"]

    @property
    def place(self) -> str:
        """The place of a feature that the path names."""
        return self.args["place"]

    @property
    def key_id(self) -> str:
        """The key that the path names."""
        return self.args["key"]


@dataclass(frozen=True, kw_only=True)
class Route:
    """One path and method.

    Attributes
    ----------
    label
        Method and path, which is also what metrics and log call it; ``{names}`` stand for one part of the
        path each.
    access
        Who may use it: everybody (``"open"``), or keys of this scope or a wider one.
    summary
        One line for the documentation.
    run
        The command; None for what the app answers by itself.
    takes, gives
        The struct of the body and of the reply; None if there is none or it is bytes.
    asks
        The struct of what may stand behind the question mark; None: what stands there is passed over.
    takes_type, gives_type
        Their media types; ``takes_type`` is JSON if ``takes`` is a struct, and None if there is no body.
    status
        That of success.
    may_be_empty
        Whether a body may be left out.
    prepare
        What is to be awaited before the command, off the event loop; its result becomes the body.
    takes_long
        Whether the command may take long, and is carried out on a thread: for problems under a policy, or
        for all.
    repeatable
        Whether a reply is kept for its idempotency key.
    needs_all
        Whether the reply tells of what all problems have learned.
    lists
        Whether it lists problems: a key for one problem gets that one.
    answer
        What answers by itself, however long it takes: not a command, but it may carry out several.
    problem
        The problem that it is about, where the path does not say.
    strange_keys
        Whether keys that are not of the service are passed over where none is needed.
    file
        What answers with a file of the page, from the names in the path and the headers; None for all else.
    method, path, headers
        Those of its label, and the headers of its replies.
    is_direct
        Whether a request is one command on the event loop, with nothing to wait for before it.
    """

    label: str
    access: Access
    summary: str
    run: Callable[[Call], Any] | None = None
    takes: type[Wire] | None = None
    gives: type[Wire] | None = None
    asks: type[Wire] | None = None
    takes_type: str | None = None
    gives_type: str = JSON
    status: int = 200
    may_be_empty: bool = False
    prepare: Callable[[Call], Awaitable[Any]] | None = None
    takes_long: Literal["never", "policy", "always"] = "never"
    repeatable: bool = True
    needs_all: bool = False
    lists: bool = False
    answer: "Callable[[Request, Call], Awaitable[Response]] | None" = None
    problem: str | None = None
    strange_keys: bool = False
    file: Callable[[dict[str, str], dict[bytes, bytes]], Awaitable[Response]] | None = None
    method: str = field(init=False)
    path: str = field(init=False)
    headers: Headers = field(init=False)
    is_direct: bool = field(init=False)
    _decode: Callable[[bytes], Any] = field(init=False)

    def __post_init__(self) -> None:
        method, _, path = self.label.partition(" ")
        takes_type = self.takes_type if self.takes is None else JSON
        is_direct = self.run is not None and self.prepare is None and takes_type in (None, JSON)
        for name, value in {
            "method": method,
            "path": path,
            "takes_type": takes_type,
            "headers": media_headers(self.gives_type),
            "is_direct": is_direct,
            "_decode": msgspec.json.Decoder(self.takes).decode,
        }.items():
            object.__setattr__(self, name, value)

    def struct(self, content: bytes) -> Any:
        """Return the body of a request as its struct, or as it is."""
        if self.takes is None:
            return content
        try:
            return self._decode(content or b"{}")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise unreadable(error, content, self.takes) from None

    def question(self, query: bytes) -> Any:
        """Return what stands behind the question mark as its struct; None if the route has none."""
        if self.asks is None:
            return None
        given = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        found = dict(given)
        if len(found) < len(given):
            raise Refusal("invalid", "Expected every field once.", given[-1][0][:100])
        try:
            asked = msgspec.convert(found, self.asks, strict=False)
        except msgspec.ValidationError as error:
            raise unreadable(error, b"{}", self.asks) from None
        for name, text in found.items():
            # What is not wanted is left out
            if getattr(asked, name, text) is None:
                raise Refusal("invalid", f"Expected a value. Got {text!r}.", name)
        return asked

    def may_take_long(self, engine: Engine, args: dict[str, str]) -> bool:
        if self.takes_long == "never":
            return False
        problem = engine.state.problems.get(args["problem"])
        return problem is not None and (self.takes_long == "always" or problem.may_take_long)


Match = tuple[Route, dict[str, str]]
"""The route of a request, and the names in its path."""


@dataclass(slots=True)
class _Node:
    """A place in the tree of paths."""

    name: str = ""
    parts: dict[str, "_Node"] = field(default_factory=dict)
    any: "_Node | None" = None
    routes: dict[str, Route] = field(default_factory=dict)


class Router:
    """The tree of all paths."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._plant(route)

    def match(self, method: str, path: str) -> Match:
        """Return the route of a request, and the names in its path."""
        node, args = self._root, {}
        for part in path[1:].split("/"):
            known = node.parts.get(part)
            if known is not None:
                node = known
            elif part and node.any is not None:
                node = node.any
                args[node.name] = part
            else:
                raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
        route = node.routes.get("GET" if method == "HEAD" else method)
        if route is None:
            if not node.routes:
                raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
            methods = ", ".join(sorted(node.routes))
            raise Refusal("method", f"Use one of {methods}.", "method", allow=methods)
        return route, args

    def _plant(self, route: Route) -> None:
        node = self._root
        for part in route.path.split("/")[1:]:
            if part.startswith("{"):
                node.any = node.any or _Node(part[1:-1])
                node = node.any
            else:
                node = node.parts.setdefault(part, _Node())
        node.routes[route.method] = route
