"""Vowpal Wabbit: one workspace whose features are numbered per box, which is n models.

Three ways in, slowest first: text, feature lists pushed into reused examples, and examples built
beforehand. Learning and predicting go straight to the bindings (``pylibvw``): the wrapper's own
checks cost several times the work itself. Multi-line prediction (``--csoaa_ldf m --csoaa_rank``)
would need one call a round, but corrupts memory in the bindings of 9.11.9, so it is left out.
"""

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from peers.peer import Peer
from peers.rounds import Feedback, Floats, Rounds, search

pyvw: Any = import_module("vowpalwabbit.pyvw")
pylibvw: Any = import_module("pylibvw")

SPACE = "b"
SIMPLE = 1  # the label type of a regression
BLOCK = 10  # a prepared example weighs tens of kilobytes; 10 rounds of them were fastest


class VwPlayer:
    """What the three ways share: the workspace, and a round on examples that are set up."""

    def __init__(self, options: str, n: int, d: int) -> None:
        bits = max(18, int(np.ceil(np.log2(n * d))) + 1)
        self.workspace = pyvw.Workspace(f"--quiet --noconstant -b {bits} {options}")
        self.ids = [[i * d + j for j in range(d)] for i in range(n)]

    def prepare(self, rounds: Rounds) -> Any:
        return rounds

    def scores(self, examples: list[Any]) -> list[float]:
        workspace, predict, scores = self.workspace, pylibvw.vw.predict, []
        for example in examples:
            predict(workspace, example)
            scores.append(example.get_simplelabel_prediction())
        return scores

    def learn(self, example: Any, value: float) -> None:
        pylibvw.example.set_label_string(example, self.workspace, repr(value), SIMPLE)
        pylibvw.vw.learn(self.workspace, example)


class TextPlayer(VwPlayer):
    """Each box is formatted as a line of text and parsed, once a round.

    The 0 is a place for the label: an example parsed without one is never learned from.
    """

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        workspace, parse = self.workspace, self.workspace._parse
        lines = ["0 | " + " ".join(f"{k}:{{:.9g}}" for k in ids) for ids in self.ids]
        totals, costs = [], prepared.costs.tolist()
        for contexts, row in zip(prepared.contexts, prepared.values, strict=True):
            values = row.tolist()
            pairs = zip(lines, contexts.tolist(), strict=True)
            examples = [parse(line.format(*x))[0] for line, x in pairs]
            opened, total = search(self.scores(examples), values, costs)
            totals.append(total)
            for i in range(len(values)) if feedback == "full" else opened:
                self.learn(examples[i], values[i])
            for example in examples:
                workspace._finish_example(example)
        return np.array(totals)


class ListPlayer(VwPlayer):
    """One example per box for ever; its features are replaced each round."""

    def __init__(self, options: str, n: int, d: int) -> None:
        super().__init__(options, n, d)
        self.examples = [self.workspace.example() for _ in range(n)]
        for example in self.examples:
            example.push_namespace(pyvw.NamespaceId(example, SPACE))

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        workspace, examples, ids = self.workspace, self.examples, self.ids
        space, code = workspace.hash_space(SPACE), ord(SPACE)
        totals, costs = [], prepared.costs.tolist()
        for contexts, row in zip(prepared.contexts, prepared.values, strict=True):
            values = row.tolist()
            for example, keys, x in zip(examples, ids, contexts.tolist(), strict=True):
                features = list(zip(keys, x, strict=True))
                example.push_feature_list(workspace, code, space, features)
                workspace.setup_example(example)
            opened, total = search(self.scores(examples), values, costs)
            totals.append(total)
            for i in range(len(values)) if feedback == "full" else opened:
                self.learn(examples[i], values[i])
            for example in examples:
                workspace.unsetup_example(example)
                example.erase_namespace(code)
        return np.array(totals)


class ReadyPlayer(VwPlayer):
    """Labelled examples built before the clock runs: what VW's core alone costs.

    VW clips predictions to the labels it has met, here those of the block: a harmless look ahead.
    """

    def __init__(self, options: str, n: int, d: int) -> None:
        super().__init__(options, n, d)
        self.last: list[list[Any]] = []

    def prepare(self, rounds: Rounds) -> Any:
        for done in self.last:
            for example in done:
                self.workspace.finish_example(example)
        self.last = [
            [self._example(*each) for each in zip(self.ids, x, v, strict=True)]
            for x, v in zip(rounds.contexts.tolist(), rounds.values.tolist(), strict=True)
        ]
        return self.last, rounds.values.tolist(), rounds.costs.tolist()

    def _example(self, ids: list[int], x: list[float], value: float) -> Any:
        example = self.workspace.example({SPACE: list(zip(ids, x, strict=True))})
        example.set_label_string(repr(value))
        example.setup_example()
        return example

    def play(self, prepared: Any, feedback: Feedback) -> Floats:
        workspace, learn, totals = self.workspace, pylibvw.vw.learn, []
        batches, rows, costs = prepared
        for examples, values in zip(batches, rows, strict=True):
            opened, total = search(self.scores(examples), values, costs)
            totals.append(total)
            for example in examples if feedback == "full" else [examples[i] for i in opened]:
                learn(workspace, example)
        return np.array(totals)


def peers() -> list[Peer]:
    """Default squared-loss regression; on ready examples also the plain --sgd update."""
    default, plain = partial(ReadyPlayer, ""), partial(ReadyPlayer, "--sgd -l 0.1")
    return [
        Peer("Vowpal Wabbit, text", "first", partial(TextPlayer, "")),
        Peer("Vowpal Wabbit, feature lists", "first", partial(ListPlayer, "")),
        Peer("Vowpal Wabbit, examples", "first", default, "prepared", block=BLOCK),
        Peer("Vowpal Wabbit --sgd, examples", "first", plain, "prepared", block=BLOCK),
    ]
