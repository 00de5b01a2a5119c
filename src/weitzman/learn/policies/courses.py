"""Courses as arrays: what an open round goes on with in another process.

A course is fixed when its round is opened, so it cannot be made again from a player that has learned
since. Its state, under the name of its kind, is kept instead. Arrays of a state may be those of the
course: they are read, never written.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.policies.aware import AwareCourse
from weitzman.learn.policies.joint import LawCourse
from weitzman.learn.policy import Course, IndexCourse, State, joined, parted

__all__ = ["COURSES", "course_from", "course_state"]

COURSES: Final[dict[str, Any]] = {
    "aware": AwareCourse,
    "index": IndexCourse,
    "law": LawCourse,
}
"""The kinds of courses that can be kept; each has ``state`` and ``restored``."""


def course_state(course: Course) -> State:
    """Return the state of a course, under the name of its kind.

    Examples
    --------
    >>> course_state(IndexCourse(np.array([3.0, 1.0])))
    {'index.sigma': array([3., 1.])}
    """
    for kind, known in COURSES.items():
        if type(course) is known:
            return joined({kind: course.state()})
    raise InvalidInputError("A course that is kept", f"be one of {list(COURSES)}", course)


def course_from(state: Mapping[str, NDArray[np.generic]]) -> Course:
    """Return the course whose :func:`course_state` this is."""
    kinds = {key.partition(".")[0] for key in state}
    if len(kinds) != 1 or not kinds <= COURSES.keys():
        raise InvalidInputError("A course that is kept", f"be one of {list(COURSES)}", kinds)
    (kind,) = kinds
    course: Course = COURSES[kind].restored(parted(state, kind))
    return course
