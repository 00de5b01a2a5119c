"""Running the service: journal, supervisor, guard, app and server, put together.

What can be refused is refused before anything is made: a port that is taken, a key file that cannot be read,
a path where no journal can be.
"""

import contextlib
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from weitzman.errors import InvalidInputError, LedgerError
from weitzman.ledger.journal import Journal
from weitzman.ledger.snapshots import FileSnapshots, Snapshots
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.serve.commands.first import begin_with, first_problems
from weitzman.serve.engine.engine import Engine
from weitzman.serve.engine.supervisor import Supervisor
from weitzman.serve.http.app import App
from weitzman.serve.http.guard import Guard
from weitzman.serve.http.route import Route
from weitzman.serve.logs import log
from weitzman.serve.settings import Settings

Begin = Callable[[Engine], Awaitable[None]]
"""What is awaited before the first engine is there for callers."""

_BACKLOG = 2_048
"""The most connections that wait to be taken, as uvicorn has it."""


def is_postgres(data: str) -> bool:
    """Whether the data are in a PostgreSQL database, not in a file."""
    return data.startswith(("postgresql://", "postgres://"))


def open_ledger(data: str, *, new: bool = True) -> tuple[Journal, Snapshots]:
    """Return the journal at a place and where its snapshots are; LedgerError if neither there nor ``new``."""
    if is_postgres(data):
        try:
            from weitzman.ledger.postgres.journal import PostgresJournal
            from weitzman.ledger.postgres.snapshots import TableSnapshots
        except ImportError:
            raise LedgerError(
                "A PostgreSQL journal needs psycopg. Install it with: pip install 'weitzman[postgres]'."
            ) from None
        return PostgresJournal(data), TableSnapshots(data)
    if not new and not Path(data).exists():
        raise LedgerError(f"There is no journal {data!r}.")
    return SqliteJournal(data), FileSnapshots(data)


def make_guard(settings: Settings) -> Guard:
    """Return what decides who may pass."""
    first_key = _first_key(settings)
    return Guard(needs_keys=settings.needs_keys, first_key=first_key, rate=settings.rate)


def make_app(
    settings: Settings,
    guard: Guard,
    journal: Journal,
    snapshots: Snapshots,
    more: tuple[Route, ...] = (),
) -> App:
    """Return the app over a journal, with more routes perhaps; it begins when the server does."""
    supervisor = Supervisor(journal=journal, snapshots=snapshots, settings=settings)
    if is_postgres(settings.data):
        from weitzman.ledger.postgres.journal import PostgresJournal
        from weitzman.serve.engine.peers import Peers

        assert isinstance(journal, PostgresJournal)
        if settings.port == 0 and settings.address is None:
            raise InvalidInputError("The port of a service with peers", "be given", 0)
        supervisor.peers = Peers(journal, supervisor)
    return App(supervisor=supervisor, guard=guard, more=more)


def listening(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen at a port, one for each address of the host."""
    subject, found = f"The port of {host!r}", list[socket.socket]()
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InvalidInputError("The host", f"have an address ({error.strerror})", host) from None
    try:
        for family, place in dict.fromkeys((family, place) for family, *_, place in addresses):
            # Where any port will do, all addresses get the same one
            free = found[0].getsockname()[1] if found else port
            found.append(socket.create_server((place[0], free), family=family, backlog=_BACKLOG))
    except OSError as error:
        for listener in found:
            listener.close()
        raise InvalidInputError(subject, f"be free ({error.strerror})", port) from None
    return found


async def _nothing_more(engine: Engine) -> None:
    """Begin with no more than was said."""


def serve(
    settings: Settings,
    problems: Sequence[str] = (),
    *,
    more: tuple[Route, ...] = (),
    begin: Begin = _nothing_more,
) -> None:
    """Serve until asked to stop; LedgerError if the journal cannot be used.

    ``problems`` are those to begin with, as texts such as ``llm=searcher.wz``. There may be ``more`` routes,
    and something else to ``begin`` with.
    """
    first = first_problems(problems)
    if first and is_postgres(settings.data):
        rule = "be begun in a journal in a file; a shared one takes them by PUT …/state"
        raise InvalidInputError("A problem with a saved searcher", rule, settings.data)
    with contextlib.ExitStack() as listeners:
        sockets = listening(settings.host, settings.port)
        for listener in sockets:
            listeners.enter_context(listener)

        async def begin_all(engine: Engine) -> None:
            for name, searcher in first.items():
                await begin_with(engine, name, searcher)
            await begin(engine)

        _serve(settings, sockets, more, begin_all)


def _serve(
    settings: Settings, sockets: list[socket.socket], more: tuple[Route, ...], begin: Begin
) -> None:
    import logging

    import uvicorn

    from weitzman.serve.http.protocol import LogLines, Protocol

    logger = logging.getLogger("uvicorn.error")
    logger.handlers, logger.propagate = [LogLines(level=logging.WARNING)], False
    guard = make_guard(settings)
    if settings.needs_keys:
        _refuse_without_keys(settings)
    journal, snapshots = open_ledger(settings.data)
    app = make_app(settings, guard, journal, snapshots, more)
    lost: list[Exception] = []
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            backlog=_BACKLOG,
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
    app.supervisor.on_ready = begin
    port = sockets[0].getsockname()[1]
    log("listening", host=settings.host, port=port, data=journal.name)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=sockets)
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

    place = settings.data
    if is_postgres(place) or Path(place).exists():
        journal, _ = open_ledger(place)
        place = journal.name
        with contextlib.closing(journal):
            state = replay(journal.read(problem=SERVICE))
        if any(key.revoked is None for key in state.service.keys.values()):
            return
    why = " under --require-keys" if settings.is_loopback else ""
    raise LedgerError(
        f"The service cannot listen on {settings.host!r} without keys{why}: make one with "
        f"'weitzman keys create --data {place}', or give a --key-file."
    )
