"""The exceptions that weitzman raises on purpose.

::

    WeitzmanError
    ├── InvalidInputError (also a ValueError)    a number, name or shape breaks a stated rule
    │   └── InvalidFileError                     ... and stands in a file, at a known place
    ├── SearchStateError (also a RuntimeError)   a call that the search does not wait for
    └── LedgerError                              durable truth that cannot be read or written
        ├── JournalFormatError                   ... of another format or a later version
        ├── JournalDamagedError                  ... whose bytes are not those that were stored
        ├── JournalMovedError                    ... that somebody else has gone on writing
        └── JournalUnavailableError              ... that takes nothing now: nothing was stored
            └── JournalHeldError                 ... because another process holds it

Every message is one sentence that names the subject and the rule, and one that shows what came:
``The cost of box 'b7' must be a finite number >= 0. Got -1.0.``
A call that raises changes nothing. An :class:`UnknownLevelWarning` is a warning: the call goes on.
"""

__all__ = [
    "InvalidFileError",
    "InvalidInputError",
    "JournalDamagedError",
    "JournalFormatError",
    "JournalHeldError",
    "JournalMovedError",
    "JournalUnavailableError",
    "LedgerError",
    "SearchStateError",
    "UnknownLevelWarning",
    "WeitzmanError",
]


class WeitzmanError(Exception):
    """The base of all errors that weitzman raises on purpose."""


class InvalidInputError(WeitzmanError, ValueError):
    """A number, name or shape that breaks a stated rule."""

    def __init__(self, subject: str, rule: str, got: object) -> None:
        super().__init__(f"{subject} must {rule}. Got {got!r}.")
        self.subject = subject
        self.rule = rule
        self.got = got

    def __reduce__(self) -> tuple[type["InvalidInputError"], tuple[str, str, object]]:
        return type(self), (self.subject, self.rule, self.got)


class InvalidFileError(InvalidInputError):
    """An :class:`InvalidInputError` at a known place of a file."""


class SearchStateError(WeitzmanError, RuntimeError):
    """A call that the search does not wait for: the search is as it was before."""


class LedgerError(WeitzmanError):
    """Durable truth that cannot be read or written."""


class JournalFormatError(LedgerError):
    """A journal of another format or a later version; it is left as it is."""


class JournalDamagedError(LedgerError):
    """A journal whose bytes are not those that were stored.

    Attributes
    ----------
    place
        Where the journal is.
    readable
        The seq of the last event before the damage: what comes before is whole.
    expected
        The seq of the last event that was stored, if that is known.
    """

    def __init__(self, place: str, readable: int, expected: int | None, reason: str) -> None:
        last = "" if expected is None else f" of {expected}"
        super().__init__(
            f"The journal {place!r} is damaged after event {readable}{last}: {reason}. "
            "It is left as it is; 'weitzman recover' keeps what is whole."
        )
        self.place, self.readable, self.expected, self.reason = place, readable, expected, reason

    def __reduce__(
        self,
    ) -> tuple[type["JournalDamagedError"], tuple[str, int, int | None, str]]:
        return type(self), (self.place, self.readable, self.expected, self.reason)


class JournalMovedError(LedgerError):
    """A journal that somebody else has gone on writing: what was to be appended is not stored."""


class JournalUnavailableError(LedgerError):
    """A journal that takes nothing now, as when the disk is full: nothing was stored."""


class JournalHeldError(JournalUnavailableError):
    """A journal that another process holds, such as a service that runs."""


class UnknownLevelWarning(UserWarning):
    """A text of a feature that is none of its levels: nothing is known of it, and nothing is learned."""
