"""The Python client of the service; :mod:`~weitzman.serve.client.aio` is the same for asyncio."""

from weitzman.serve.client.aio import AsyncClient
from weitzman.serve.client.common import RefusedError, UnreachableError
from weitzman.serve.client.sync import Client

__all__ = ["AsyncClient", "Client", "RefusedError", "UnreachableError"]
