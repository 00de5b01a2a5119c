"""Running a gateway: the service, with the routes of the gateway beside its own."""

import sys
from pathlib import Path

from weitzman.errors import InvalidInputError
from weitzman.integrations.gateway.config import read_config
from weitzman.integrations.gateway.gateway import Gateway
from weitzman.serve.run import is_postgres, serve
from weitzman.serve.settings import Settings


def run_gateway(place: Path, settings: Settings) -> None:
    """Serve a gateway until asked to stop."""
    if is_postgres(settings.data):
        raise InvalidInputError("The journal of a gateway", "be a file", settings.data)
    # Functions that the file names may stand beside it
    sys.path.insert(0, str(place.resolve().parent))
    gateway = Gateway(read_config(place))
    serve(settings, more=gateway.routes, begin=gateway.begin)
