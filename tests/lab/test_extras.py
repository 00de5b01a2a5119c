"""Without an extra the laboratory says which one is missing."""

import subprocess
import sys

import pytest

SETUP = """
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None  # Python then refuses the import, as if the package were not there
import numpy as np
from weitzman.errors import WeitzmanError
from weitzman.lab.study.charts import curve_charts
from weitzman.lab.study.summary import Curve
curve = Curve(world="w", feedback="full", searcher="cpb", rounds=2, seeds=np.arange(2),
              at=np.array([1, 2]), sums=np.ones((2, 2)))
(chart,) = curve_charts([curve])
try:
    {call}
except WeitzmanError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("missing", "call", "told"),
    [
        (
            "matplotlib matplotlib.figure",
            "from weitzman.figures.chart_matplotlib import draw_chart; draw_chart(chart)",
            "A picture needs matplotlib. Install it with: pip install 'weitzman[plot]'.",
        ),
        (
            "plotly plotly.graph_objects",
            "from weitzman.figures.chart_plotly import explore_chart; explore_chart(chart)",
            "An interactive picture needs plotly. Install it with: pip install 'weitzman[lab]'.",
        ),
        (
            "jinja2",
            "from weitzman.figures.page import render; render(title='', lead=(), sections=())",
            "A page needs jinja2 and plotly. Install them with: pip install 'weitzman[lab]'.",
        ),
    ],
)
def test_the_missing_extra_is_named(missing: str, call: str, told: str) -> None:
    code = SETUP.replace("{call}", call)
    done = subprocess.run(
        [sys.executable, "-c", code, missing], capture_output=True, text=True, check=True
    )
    assert done.stdout == told + "\n"
