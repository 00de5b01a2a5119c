"""The exception tree and the shape of its sentences."""

import pickle

import weitzman as wz
from weitzman import errors


def test_the_tree_is_the_one_drawn() -> None:
    assert issubclass(wz.InvalidInputError, wz.WeitzmanError)
    assert issubclass(wz.InvalidInputError, ValueError)
    assert issubclass(wz.InvalidFileError, wz.InvalidInputError)
    assert issubclass(wz.SearchStateError, wz.WeitzmanError)
    assert issubclass(wz.SearchStateError, RuntimeError)
    assert not issubclass(wz.SearchStateError, ValueError)
    drawn = errors.__doc__ or ""
    assert all(name in drawn for name in errors.__all__)


def test_an_input_error_names_subject_rule_and_value() -> None:
    error = wz.InvalidInputError("The cost of box 'b7'", "be a finite number >= 0", -1.0)
    assert str(error) == "The cost of box 'b7' must be a finite number >= 0. Got -1.0."
    assert (error.subject, error.rule, error.got) == (
        "The cost of box 'b7'",
        "be a finite number >= 0",
        -1.0,
    )


def test_errors_survive_a_pickle() -> None:
    """As they must to come back from a worker process."""
    for error in (wz.InvalidInputError("A", "be B", 3), wz.SearchStateError("Closed.")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
