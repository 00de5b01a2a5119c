"""The router, from a path to its route: the route table as a tree, made once."""

from collections.abc import Iterable

from weitzman.serve.http.route import Route
from weitzman.serve.messages.refusal import Refusal

__all__ = ["Match", "Router"]


Match = tuple[Route, dict[str, str]]
"""The route of a request, and the names in its path."""


class _Node:
    """A place in the tree of paths."""

    __slots__ = ("any", "name", "parts", "routes")

    def __init__(self) -> None:
        self.parts: dict[str, _Node] = {}
        self.any: _Node | None = None
        self.name = ""
        self.routes: dict[str, Route] = {}


class Router:
    """The tree of all paths."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Node()
        for route in routes:
            self._plant(route)

    def match(self, method: str, path: str) -> Match:
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
        route = node.routes.get("GET" if method == "HEAD" else method)
        if route is None:
            if not node.routes:
                raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
            known = ", ".join(sorted(node.routes))
            raise Refusal("method", f"Use one of {known}.", "method", allow=known)
        return route, args

    def _plant(self, route: Route) -> None:
        node = self._root
        for part in route.path.split("/")[1:]:
            if part.startswith("{"):
                if node.any is None:
                    node.any = _Node()
                    node.any.name = part[1:-1]
                node = node.any
            else:
                node = node.parts.setdefault(part, _Node())
        node.routes[route.method] = route
