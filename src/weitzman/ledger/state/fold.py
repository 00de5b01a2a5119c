"""The state is a fold over the journal: apply each event, in order, to what was before.

    state_0 = nothing,   state_k = apply(state_{k−1}, event_k)

Nothing but events changes a state, and ``apply`` looks at nothing but the state and the event: the same
events give the same state, bit for bit, whether they come one by one as they happen, from a journal, or
after a snapshot. ``digest`` is a hash of all of it.
"""

import hashlib
from collections.abc import Iterable

import msgspec

from weitzman.errors import JournalFormatError
from weitzman.ledger import bodies
from weitzman.ledger.bodies import Body, Created, Deleted, Scope, decode
from weitzman.ledger.event import Draft, Event
from weitzman.ledger.state.arrays import pack
from weitzman.ledger.state.problem import Problem

SERVICE = ""
"""The name of the problem to which events of the service as a whole belong."""


class Key(msgspec.Struct):
    """A key of the service: who may do what. The secret is not kept, only its SHA-256.

    It is for one ``problem``, or for all; records of keys for all have no such field, as they always had.
    """

    name: str
    scope: Scope
    sha256: str
    at: int
    revoked: int | None = None
    problem: str | msgspec.UnsetType = msgspec.UNSET


class Service(msgspec.Struct):
    """What belongs to no problem: how many events it has taken in, and the keys by id."""

    events: int = 0
    keys: dict[str, Key] = msgspec.field(default_factory=dict)


class State:
    """All problems, those that were deleted too, and the service."""

    def __init__(self) -> None:
        self.problems: dict[str, Problem] = {}
        self.service = Service()

    def problem(self, name: str) -> Problem | None:
        """Return a problem; None if there is none, or none any more."""
        found = self.problems.get(name)
        return None if found is None or found.deleted else found

    def present(self) -> list[Problem]:
        """Return the problems that are there, by name."""
        return [self.problems[name] for name in sorted(self.problems) if self.problem(name)]

    def events(self, problem: str) -> int:
        """Return how many events of a problem were taken in; of the service for ``""``."""
        if problem == SERVICE:
            return self.service.events
        found = self.problems.get(problem)
        return 0 if found is None else found.events


def apply(state: State, event: Draft | Event, body: Body | None = None) -> bool:
    """Take in an event; return whether it was new.

    An event that a snapshot already holds is left out. ``body`` is that of the event, if it is at hand.
    """
    seen = state.events(event.problem)
    if event.number <= seen:
        return False
    if event.number != seen + 1:
        raise JournalFormatError(
            f"Event {event.number} of problem {event.problem!r} comes after event {seen}."
        )
    if body is None:
        body = decode(event.kind, event.body)
    if event.problem == SERVICE:
        _serve(state.service, event, body)
        state.service.events = event.number
        return True
    if type(body) is Created:
        problem = Problem(name=event.problem, at=event.at, settings=body, first=event.number)
        state.problems[event.problem] = problem
    elif type(body) is Deleted:
        # What is left says how many events it had: one with its name counts on
        before = state.problems[event.problem]
        problem = Problem(
            name=before.name,
            at=before.at,
            settings=before.settings,
            first=before.first,
            deleted=True,
        )
        state.problems[event.problem] = problem
    else:
        problem = state.problems[event.problem]
        _happen(problem, event, body)
    problem.events = event.number
    return True


def _happen(problem: Problem, event: Draft | Event, body: Body) -> None:
    match body:
        case bodies.Opened():
            problem.open(event.key, event.at, body)
        case bodies.Seen():
            problem.see(event.key, event.at, body)
        case bodies.Closed():
            problem.close(event.key, event.at, body)
        case bodies.Imported():
            problem.take_log(body)
        case bodies.Uploaded():
            problem.replace_learned(body.state)
        case bodies.Archived():
            problem.archived = True
        case bodies.Unarchived():
            problem.archived = False
        case bodies.Changed():
            problem.change(body)
        case bodies.Answered():
            pass
        case _:
            raise JournalFormatError(f"An event of kind {event.kind!r} belongs to no problem.")


def _serve(service: Service, event: Draft | Event, body: Body) -> None:
    match body:
        case bodies.KeyCreated():
            key = Key(body.name, body.scope, body.sha256, event.at)
            if body.problem is not None:
                key.problem = body.problem
            service.keys[event.key] = key
        case bodies.KeyRevoked():
            service.keys[event.key].revoked = event.at
        case bodies.Answered():
            pass
        case _:
            raise JournalFormatError(f"An event of kind {event.kind!r} belongs to a problem.")


def replay(events: Iterable[Draft | Event], state: State | None = None) -> State:
    """Return the state after events, from the beginning or from an earlier state, which is changed."""
    state = State() if state is None else state
    for event in events:
        apply(state, event)
    return state


def digest(state: State) -> str:
    """Return a hash of everything."""
    found = hashlib.sha256(hashlib.sha256(pack(state.service)).digest())
    for name in sorted(state.problems):
        found.update(hashlib.sha256(state.problems[name].record()).digest())
    return found.hexdigest()
