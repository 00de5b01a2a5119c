"""Running the service: journal, supervisor, guard, app and server, put together."""

import contextlib
from pathlib import Path

from weitzman.errors import InvalidInputError, LedgerError
from weitzman.ledger.journal import Journal
from weitzman.ledger.snapshots import FileSnapshots, Snapshots
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.serve.engine.supervisor import Supervisor
from weitzman.serve.http.app import App
from weitzman.serve.http.guard import Guard
from weitzman.serve.logs import log
from weitzman.serve.settings import Settings


def is_postgres(data: str) -> bool:
    """Whether the data are in a PostgreSQL database, not in a file."""
    return data.startswith(("postgresql://", "postgres://"))


def open_ledger(data: str) -> tuple[Journal, Snapshots]:
    """Return the journal at a place, and where its snapshots are."""
    if is_postgres(data):
        try:
            from weitzman.ledger.postgres.journal import PostgresJournal
            from weitzman.ledger.postgres.snapshots import TableSnapshots
        except ImportError:
            raise LedgerError(
                "A PostgreSQL journal needs psycopg. Install it with: pip install 'weitzman[postgres]'."
            ) from None
        return PostgresJournal(data), TableSnapshots(data)
    return SqliteJournal(data), FileSnapshots(data)


def make_app(settings: Settings, journal: Journal, snapshots: Snapshots) -> App:
    """Return the app over a journal; it begins when the server does."""
    supervisor = Supervisor(journal=journal, snapshots=snapshots, settings=settings)
    guard = Guard(
        needs_keys=settings.needs_keys, first_key=_first_key(settings), rate=settings.rate
    )
    if is_postgres(settings.data):
        from weitzman.ledger.postgres.journal import PostgresJournal
        from weitzman.serve.engine.peers import Peers

        assert isinstance(journal, PostgresJournal)
        if settings.port == 0 and settings.address is None:
            raise InvalidInputError("The port of a service with peers", "be given", 0)
        supervisor.peers = Peers(journal, supervisor)
    return App(supervisor=supervisor, guard=guard)


def serve(settings: Settings) -> None:
    """Serve until asked to stop; LedgerError if the journal cannot be used."""
    import logging

    import uvicorn

    from weitzman.serve.http.protocol import LogLines, Protocol

    logger = logging.getLogger("uvicorn.error")
    logger.handlers, logger.propagate = [LogLines(level=logging.WARNING)], False
    if settings.needs_keys:
        _refuse_without_keys(settings)
    journal, snapshots = open_ledger(settings.data)
    app = make_app(settings, journal, snapshots)
    lost: list[Exception] = []
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            loop="uvloop",
            http=Protocol,
            ws="none",
            lifespan="on",
            interface="asgi3",
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=10,
        )
    )

    def end(error: Exception) -> None:
        lost.append(error)
        server.should_exit = True

    app.supervisor.on_lost = end
    log("listening", host=settings.host, port=settings.port, data=journal.name)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if lost:
        raise lost[0]


def _first_key(settings: Settings) -> str | None:
    if settings.key_file is None:
        return None
    subject = f"The key file {settings.key_file!r}"
    try:
        lines = Path(settings.key_file).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(subject, "be a text file that can be read", str(error)) from None
    key = lines[0].strip()
    if len(key) < 32:
        raise InvalidInputError(subject, "begin with a key of at least 32 characters", len(key))
    return key


def _refuse_without_keys(settings: Settings) -> None:
    """Refuse to ask for keys that nobody has: while it runs, none can be made from outside."""
    if settings.key_file is not None:
        return
    from weitzman.ledger.state.fold import SERVICE, replay

    journal, _ = open_ledger(settings.data)
    with contextlib.closing(journal):
        state = replay(journal.read(problem=SERVICE))
    if not any(key.revoked is None for key in state.service.keys.values()):
        why = " under --require-keys" if settings.is_loopback else ""
        raise LedgerError(
            f"The service cannot listen on {settings.host!r} without keys{why}: make one with "
            f"'weitzman keys create --data {journal.name}', or give a --key-file."
        )
