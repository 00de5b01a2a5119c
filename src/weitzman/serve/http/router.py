"""The router, from a path to its route: the route table as a tree, made once."""

from collections.abc import Iterable

import msgspec

from weitzman.serve.http.route import JSON, Route
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.response import Headers, media_headers

__all__ = ["Endpoint", "Router"]


class Endpoint:
    """A route with what each of its requests needs.

    ``is_direct`` tells whether a request is one command on the event loop, with nothing to await before it.
    """

    __slots__ = ("decode", "headers", "is_direct", "label", "route")

    def __init__(self, route: Route) -> None:
        self.route = route
        self.label = f"{route.method} {route.path}"
        self.decode = None if route.takes is None else msgspec.json.Decoder(route.takes).decode
        self.headers: Headers = media_headers(route.gives_type)
        commands = route.run is not None and route.prepare is None and route.file is None
        self.is_direct = commands and route.takes_type in (None, JSON)


class _Node:
    """A place in the tree of paths."""

    __slots__ = ("any", "name", "parts", "routes")

    def __init__(self) -> None:
        self.parts: dict[str, _Node] = {}
        self.any: _Node | None = None
        self.name = ""
        self.routes: dict[str, Endpoint] = {}


class Router:
    """The tree of all paths."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._plant(Endpoint(route))

    def match(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
        """Return the route of a request, and the names in its path."""
        node, args = self._root, {}
        for part in path.split("/")[1:]:
            following = node.parts.get(part)
            if following is None:
                following = node.any
                if following is None or not part:
                    raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
                args[following.name] = part
            node = following
        endpoint = node.routes.get("GET" if method == "HEAD" else method)
        if endpoint is None:
            if not node.routes:
                raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
            known = ", ".join(sorted(node.routes))
            raise Refusal("method", f"Use one of {known}.", "method", allow=known)
        return endpoint, args

    def _plant(self, endpoint: Endpoint) -> None:
        node = self._root
        for part in endpoint.route.path.split("/")[1:]:
            if part.startswith("{"):
                if node.any is None:
                    node.any = _Node()
                    node.any.name = part[1:-1]
                node = node.any
            else:
                node = node.parts.setdefault(part, _Node())
        node.routes[endpoint.route.method] = endpoint
