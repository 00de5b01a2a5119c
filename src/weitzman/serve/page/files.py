"""The page at ``/`` and the description of the routes at ``/docs``: their files, as they are sent.

They are the same for everybody and tell nothing; what the page shows it asks of the service like any other
client, with the reader's key where keys are needed. The charts are plotly's and the description is shown by
Swagger UI, both from installed packages.

*Policy.* Nothing but this server's own files is loaded, and no script or style stands in the page itself.
Plotly makes two style elements: one without text, which it fills rule by rule, and one for its maps. Both are
allowed by their hashes, the latter's taken from the bundle that is installed; no other inline style is.

A file is read and packed once. Its ETag is a hash of it: a browser that has it asks and hears 304.
"""

import asyncio
import base64
import gzip
import hashlib
import re
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from weitzman.figures.palette import COLOURS
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.response import Headers, Response

_FOLDER: Final = Path(__file__).parent / "static"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "style-src 'self' {}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_STYLE: Final = re.compile(rb"\.textContent='((?:[^'\\]|\\.)*)'")
_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class _File(NamedTuple):
    plain: bytes
    packed: bytes
    tag: bytes
    kind: bytes


def _palette() -> bytes:
    """Return the palette as it is for light ground, and a third lighter for dark ground."""
    light = "".join(f" --{name}: {colour};" for name, colour in COLOURS.items())
    dark = "".join(f" --{name}: {_lighter(colour)};" for name, colour in COLOURS.items())
    rule = f":root {{{light} }}\n@media (prefers-color-scheme: dark) {{ :root {{{dark} }} }}\n"
    return rule.encode()


def _lighter(colour: str) -> str:
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{part + (255 - part) // 3:02x}" for part in parts)


def _installed(package: str, *parts: str) -> bytes:
    """Return a file of an installed package."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        text = f"This page needs {package}: pip install 'weitzman[serve]'."
        raise Refusal("unknown", text, "file")
    return Path(found.submodule_search_locations[0]).joinpath(*parts).read_bytes()


_plotly = partial(_installed, "plotly", "package_data", "plotly.min.js")


FILES: Final[dict[str, Callable[[], bytes]]] = {
    **{p.name: p.read_bytes for p in sorted(_FOLDER.iterdir()) if p.suffix in _KINDS},
    "palette.css": _palette,
    "plotly.js": _plotly,
    "swagger.js": partial(_installed, "swagger_ui", "static", "swagger-ui-bundle.js"),
    "swagger.css": partial(_installed, "swagger_ui", "static", "swagger-ui.css"),
}
"""What makes each file of the page."""


@cache
def policy() -> bytes:
    """Return the Content-Security-Policy of every file."""
    styles = [b"", *(re.sub(rb"\\(.)", rb"\1", text) for text in _STYLE.findall(_plotly()))]
    hashes = (base64.b64encode(hashlib.sha256(style).digest()).decode() for style in styles)
    return _POLICY.format(" ".join(f"'sha256-{digest}'" for digest in hashes)).encode()


@cache
def _file(name: str) -> _File:
    plain = FILES[name]()
    tag = f'"{hashlib.sha256(plain).hexdigest()[:32]}"'.encode()
    return _File(plain, gzip.compress(plain, 6, mtime=0), tag, _KINDS[Path(name).suffix].encode())


async def send_docs(args: dict[str, str], headers: dict[bytes, bytes]) -> Response:
    """Return the page that shows the description of the routes."""
    return await send({**args, "file": "docs.html"}, headers)


async def send(args: dict[str, str], headers: dict[bytes, bytes]) -> Response:
    """Return a file of the page, packed if the reader takes that, or 304 if the reader has it."""
    name = args.get("file", "index.html")
    if name not in FILES:
        raise Refusal("unknown", f"The page has no file {name[:100]!r}.", "file")
    file, allowed = await asyncio.to_thread(lambda: (_file(name), policy()))
    sent: Headers = (
        (b"content-type", file.kind),
        (b"etag", file.tag),
        (b"cache-control", b"no-cache"),
        (b"vary", b"accept-encoding"),
        (b"content-security-policy", allowed),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
    )
    if file.tag in headers.get(b"if-none-match", b""):
        return Response(304, b"", sent)
    if b"gzip" in headers.get(b"accept-encoding", b""):
        return Response(200, file.packed, (*sent, (b"content-encoding", b"gzip")))
    return Response(200, file.plain, sent)
