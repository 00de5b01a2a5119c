"""Play recorded rounds in one compiled call: predict, search and learn, round after round.

A round, for given reservation values σ of the boxes that are present:

1. σ is lowered by :mod:`weitzman.learn.learners.parts.optimism` if κ > 0, and is not below least + cost;
2. boxes are opened by increasing σ (equal σ by position) for as long as
   :func:`weitzman.search.rule.next_box` names one, starting with the outside option in hand;
3. what is bought to learn is opened too, unless it is open already;
4. the total is the best value in hand plus what was paid, and the learner learns from the boxes that the
   feedback reveals.

The rounds are bit for bit those of :func:`weitzman.learn.record.play_record`: the functions are the same.
"""

import numpy as np

from weitzman.arrays import Flags
from weitzman.compiled.beside import is_being_made
from weitzman.feedback import Feedback
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.loop import (
    FULL,
    OPENED,
    PROBED,
    Results,
    Rounds,
    Scratch,
    play_rounds,
)
from weitzman.learn.record import Played, Record

_CODES = {"full": FULL, "opened": OPENED, "probe": PROBED, "opened+probe": OPENED | PROBED}


def play_compiled(
    bank: CompiledBank,
    record: Record,
    *,
    feedback: Feedback,
    optimism: float,
    probes: Flags | None,
    predictions: bool,
) -> Played:
    """Play recorded rounds and learn from them.

    ``optimism`` is κ; ``probes`` says which boxes are bought to learn, (T, n), if the feedback does.
    """
    played = Played.blank(record, predictions=predictions)
    kept = played.reservation_values
    if kept is None:
        kept = np.empty((0, bank.boxes))
    marks = np.zeros((1, bank.boxes), dtype=np.bool_) if probes is None else probes
    c, o, rounds = record.costs, record.outside, len(record)
    work = Scratch(
        sigma=np.empty(bank.boxes),
        known=np.empty(bank.boxes, dtype=np.bool_),
        shown=np.empty(bank.boxes, dtype=np.bool_),
        one=np.empty(1, dtype=np.int64),
    )
    per_round = bank.boxes if bank.shared else 1
    done, most = 0, 1
    while done < rounds:
        # Memory doubles with what is learned, never beyond: the kernel returns for more
        bank.reserve(per_round)
        now = slice(done, min(rounds, done + most, done + bank.room() // per_round))
        part = Rounds(
            contexts=record.contexts[now],
            costs=c if len(c) == 1 else c[now],
            values=record.values[now],
            outside=o if len(o) == 1 else o[now],
            probes=marks if len(marks) == 1 else marks[now],
            least=float(record.least),
            feedback=_CODES[feedback],
            kappa=optimism,
            shared=bank.shared,
        )
        results = Results(
            totals=played.totals[now],
            paid=played.paid[now],
            chosen=played.chosen[now],
            opened_count=played.opened_count[now],
            predictions=kept[now],
        )
        done += bank.play(part, results, work)
        # Round by round in plain Python, for as long as there is no machine code
        most = 1 if is_being_made(play_rounds) else rounds
    return played
