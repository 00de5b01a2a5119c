"""The settings of the service."""

import ipaddress
import socket
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of ``weitzman serve``; each is an option of the same name, described in its reference."""

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
