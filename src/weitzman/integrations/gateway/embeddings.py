"""What a text is about, as numbers: an endpoint of embeddings, as of OpenAI's interface.

Without a reply in time the numbers are missing, and the question is asked all the same.
"""

import msgspec

from weitzman.integrations.gateway.config import EmbeddingSection, secret
from weitzman.integrations.gateway.connections import Address, Connections, NoReplyError


class _Vector(msgspec.Struct):
    embedding: list[float]


class _Wanted(msgspec.Struct):
    data: list[_Vector]


_decode = msgspec.json.Decoder(_Wanted).decode
_LONGEST = 24_000
"""How many characters are sent: about as many as usual models read."""


class Embeddings:
    """The endpoint, and the way to it."""

    def __init__(self, described: EmbeddingSection, connections: Connections) -> None:
        self._about, self._connections = described, connections
        self._address = Address.of(described.url)
        self._head = self._address.head("/embeddings", secret(described.key))

    async def numbers(self, text: str) -> list[float]:
        """Return the first numbers of the embedding of a text; none if it did not come."""
        asked = {"model": self._about.model, "input": text[:_LONGEST]}
        body, within = msgspec.json.encode(asked), self._about.timeout
        try:
            reply = await self._connections.post(self._address, self._head, body, within)
            if reply.status != 200:
                return []
            found = _decode(reply.content).data
        except (NoReplyError, msgspec.DecodeError, UnicodeDecodeError):
            return []
        return found[0].embedding[: self._about.numbers] if found else []
