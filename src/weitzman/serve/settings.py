"""The settings of the service."""

import ipaddress
import socket
from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of ``weitzman serve``; each is an option of the same name.

    Attributes
    ----------
    host, port
        Where it listens.
    data
        The journal: the path of a SQLite file, or ``postgresql://…``.
    address
        Where other processes that share a PostgreSQL journal reach this one, ``http://host:port``; from
        ``host`` and ``port`` if not given.
    key_file
        A file whose first line is a key with scope admin.
    require_keys
        Whether keys are needed on loopback too.
    body_limit, upload_limit
        The largest body of a request, and of a log or saved state, in bytes.
    boxes_limit, dimension_limit
        The most boxes and the longest context of a problem.
    problems_limit, rounds_limit, batch_limit
        The most problems, open rounds of a problem, and commands of a batch.
    rate
        The most requests a second of one key or address, on average over ten seconds; 0 for no limit.
    snapshot_every
        After how many events a snapshot is written; after more, if the state is large.
    log_requests
        Whether every request is logged.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    data: str = "weitzman.db"
    address: str | None = None
    key_file: str | None = None
    require_keys: bool = False
    body_limit: int = 1_048_576
    upload_limit: int = 268_435_456
    boxes_limit: int = 1_000
    dimension_limit: int = 1_000
    problems_limit: int = 10_000
    rounds_limit: int = 100_000
    batch_limit: int = 1_000
    rate: float = 0.0
    snapshot_every: int = 10_000
    log_requests: bool = False

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def own_address(self) -> str:
        """Where other processes reach this one."""
        if self.address is not None:
            return self.address.rstrip("/")
        host = socket.getfqdn() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def needs_keys(self) -> bool:
        """Whether a request without a valid key is refused."""
        return self.require_keys or self.key_file is not None or not self.is_loopback
