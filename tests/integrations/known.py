"""What a gateway under test knows of a question: features and costs, from the table of recorded rounds."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.integrations.upstream import question_of
from weitzman.integrations.pool import Question

TABLE = "WEITZMAN_TEST_TABLE"
"""The environment variable with the place of the table."""


@cache
def table() -> dict[str, Any]:
    with np.load(Path(os.environ[TABLE])) as arrays:
        return {name: arrays[name] for name in arrays.files}


def features(question: Question) -> dict[str, float]:
    known, number = table(), question_of(list(map(dict, question.messages)))
    return dict(zip(known["features"].tolist(), known["contexts"][number].tolist(), strict=True))


def costs(question: Question) -> dict[str, float]:
    known, number = table(), question_of(list(map(dict, question.messages)))
    return dict(zip(known["boxes"].tolist(), known["costs"][number].tolist(), strict=True))


async def is_right(question: Question, text: str) -> bool:
    """Return whether an answer is right."""
    return text == "right"
