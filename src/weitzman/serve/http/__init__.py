"""HTTP: bytes, routes, guard, OpenAPI. What a request does is in :mod:`weitzman.serve.commands`."""
