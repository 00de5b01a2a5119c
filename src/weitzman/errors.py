"""The exceptions that weitzman raises on purpose.

::

    WeitzmanError
    ├── InvalidInputError (also a ValueError)    a number, name or shape breaks a stated rule
    │   └── InvalidFileError                     ... and stands in a file, at a known place
    └── SearchStateError (also a RuntimeError)   a call that the search does not wait for

Every message is one sentence that names the subject and the rule, and one that shows what came:
``The cost of box 'b7' must be a finite number >= 0. Got -1.0.``
A call that raises changes nothing.
"""

__all__ = ["InvalidFileError", "InvalidInputError", "SearchStateError", "WeitzmanError"]


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
