"""A picture of what was expected of the trials of a study, and what came."""

from collections.abc import Sequence

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.figures.charts import Chart, Series
from weitzman.integrations.tuning.worth import Outlook


def outlook_chart(outlooks: Sequence[Outlook], *, sign: float) -> Chart:
    """Return the chart of the outlooks after each trial; a sign of −1 is for larger values being better.

    The cut-off meets the best value where the study stops. What was expected of a trial stands at the
    number of this trial, so that what came is beside it.
    """
    if not outlooks:
        raise InvalidInputError("The finished trials", "be enough for one outlook", 0)
    trials = np.array([float(o.trials) for o in outlooks])
    best = sign * np.array([o.best for o in outlooks])
    cutoffs = sign * np.array([min(o.cutoff, o.best) for o in outlooks])
    expected = best - sign * np.array([o.gain for o in outlooks])
    last = outlooks[-1]
    # The first cut-offs lie far out, and would make all the rest flat
    ends = np.concatenate([best, expected, cutoffs[cutoffs.size // 2 :]])
    room = 0.08 * max(float(np.ptp(ends)), 1e-12)
    said = f"stop after {last.trials}" if last.stops else f"go on after {last.trials}"
    return Chart(
        file="worth-a-trial",
        title="Is another trial worth it?",
        across="trials",
        up="value",
        kind="lines",
        series=(
            Series(name="best so far", x=trials, y=best),
            Series(name="expected of the next trial", x=trials + 1.0, y=expected),
            Series(name="cut-off", x=trials, y=cutoffs),
        ),
        limits=(float(ends.min()) - room, float(ends.max()) + room),
        notes=(said,),
    )
