"""Every peer that can be imported here; what cannot is listed with its reason."""

from importlib import import_module

from peers.peer import Peer
from peers.weitzman_entries import ours

MODULES = (
    "river_peer",
    "vw_peer",
    "mabwiser_peer",
    "coef_peer",
    "padasip_peer",
    "rls_peer",
    "gradient_peer",
)


def all_peers() -> tuple[list[Peer], dict[str, str]]:
    """weitzman's entries and the peers; and, per module that failed to import, why."""
    found, missing = ours(), {}
    for name in MODULES:
        try:
            found += import_module(f"peers.{name}").peers()
        except ImportError as error:
            missing[name] = str(error)
    return found, missing
