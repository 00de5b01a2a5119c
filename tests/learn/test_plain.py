"""Whole searchers in plain Python: every policy and learner has the bits that it has in machine code."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

import weitzman as wz
from tests.learn.learners.test_contract import LEARNERS
from tests.learn.test_policies import POLICIES
from weitzman.feedback import Feedback

if TYPE_CHECKING:
    from weitzman.learn.policy import Policy

FEEDBACKS: tuple[Feedback, ...] = ("full", "opened")
NEVER_COMPILED = """
import json, sys
from weitzman.compiled import decorators
decorators.code_for = lambda function, signature: None
from tests.learn.test_plain import found
from weitzman.learn.learners.parts.kernels import learn_rows
print(json.dumps(dict(found())))
assert not learn_rows.signatures
"""


def found() -> Iterator[tuple[str, str]]:
    """Yield what searchers have learned and paid, by their names."""
    policies: dict[str, Policy | str] = {**POLICIES, "default": "default"}
    policies |= {name: wz.Weitzman(learner) for name, learner in LEARNERS.items()}
    for name, policy in policies.items():
        for feedback in FEEDBACKS:
            rng = np.random.default_rng(0)
            searcher = wz.Searcher(boxes=3, dimension=2, policy=policy, feedback=feedback)
            totals = []
            for _ in range(40 if name == "default" else 24):
                contexts = rng.normal(size=(3, 2))
                values = contexts.sum(axis=1) + rng.normal(size=3)
                search = searcher.open(contexts, rng.uniform(0.05, 0.5, size=3), outside=0.5)
                for box in search:
                    search.see(values[box])
                totals.append(search.close(values if feedback == "full" else None).total.hex())
            # Recorded rounds too, in one call where there is one
            contexts = rng.normal(size=(4, 3, 2))
            played = searcher.play(contexts, 0.2, contexts.sum(axis=2))
            totals += [total.hex() for total in played.totals]
            yield f"{name}, {feedback}", " ".join([searcher.digest(), *totals])


def test_plain_python_has_the_bits_of_machine_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEVER_COMPILED],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "WEITZMAN_COMPILE": ""},
    )
    assert json.loads(done.stdout) == dict(found())
