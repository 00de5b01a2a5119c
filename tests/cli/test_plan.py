"""``weitzman plan``: numbers as from a plan built by hand, and refusals in one line."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from typer.testing import CliRunner, Result

import weitzman as wz
from weitzman.cli.main import app

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).parent / "weitzman")
QUOTES = str(ROOT / "examples" / "quotes.csv")
MODELS = str(ROOT / "examples" / "models.json")
PRICES = str(ROOT / "examples" / "prices.csv")
STATS = scipy.stats


def run(*arguments: str, given: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["plan", *arguments], input=given, catch_exceptions=False)


def report(*arguments: str, given: str | bytes | None = None) -> Any:
    result = run(*arguments, "--json", given=given)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def shell(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, *arguments], input=given, capture_output=True, check=False, cwd=ROOT, timeout=120
    )


def quotes() -> wz.Plan:
    return wz.plan(
        [
            wz.Box("Brand workshop", 0, 980.0),
            wz.Box("Garage Weber", 25, STATS.norm(840, 110)),
            wz.Box("Garage am Bahnhof", 20, STATS.uniform(650, 400)),
            wz.Box("Mobile mechanic", 15, STATS.triang(160 / 690, 560, 690)),
            wz.Box("Gearbox specialist", 60, STATS.lognorm(0.3, scale=690)),
            wz.Box("Workshop chain", 10, STATS.gamma(45, scale=20)),
            wz.Box("Two-man garage", 35, STATS.expon(480, 310)),
        ]
    )


def models() -> wz.Plan:
    return wz.plan(
        [
            wz.Box("tuned baseline", 0.5, STATS.norm(52, 2.5)),
            wz.Box("boosted trees", 1.5, STATS.triang(9 / 21, 45, 21)),
            wz.Box("vendor model", 4, wz.Discrete([40, 58, 72], [0.3, 0.45, 0.25])),
            wz.Box("deep network", 6, STATS.beta(2, 3, 30, 65)),
            wz.Box("last year's winner", 1, wz.Empirical([49.5, 51, 53.5, 55, 58.5, 60])),
            wz.Box("rule book", 0.2, 50.5),
        ],
        sense="max",
        outside=52.0,
    )


@pytest.mark.parametrize(("file", "by_hand"), [(QUOTES, quotes()), (MODELS, models())])
def test_report(file: str, by_hand: wz.Plan) -> None:
    costs = {b.name: b.cost for b in by_hand.boxes}
    assert report(file) == {
        "sense": by_hand.sense,
        "outside": by_hand.outside,
        "expected_total": by_hand.expected_total,
        "expected_paid": by_hand.expected_paid,
        "expected_opened": by_hand.expected_opened,
        "best_single": by_hand.best_single,
        "single_total": by_hand.single_totals[by_hand.best_single],
        "all_total": by_hand.all_total,
        "boxes": [
            {
                "box": name,
                "cost": costs[name],
                "reservation_value": by_hand.reservation_values[name],
                "open_probability": by_hand.open_probabilities[name],
                "alone": by_hand.single_totals[name],
            }
            for name in by_hand.order
        ],
    }


def test_samples() -> None:
    rows = [line.split(",") for line in Path(PRICES).read_text(encoding="utf-8").split("\n")[1:-1]]
    samples: dict[str, list[float]] = {}
    for name, _, price in rows:
        samples.setdefault(name, []).append(float(price))
    costs = {name: float(cost) for name, cost, _ in rows}
    by_hand = wz.plan([wz.Box(n, costs[n], wz.Empirical(x)) for n, x in samples.items()])
    found = report(PRICES)
    assert found["expected_total"] == by_hand.expected_total
    assert [b["box"] for b in found["boxes"]] == list(by_hand.order)
    assert {len(x) for x in samples.values()} == {20}


def test_table_is_the_plan() -> None:
    result = run(QUOTES)
    assert result.exit_code == 0
    for word in ("Two-man garage", f"{quotes().expected_total:.6g}", "54.0 %"):
        assert word in result.stdout
    assert "simulated" not in result.stdout


def test_flags_override_the_file() -> None:
    found = report(MODELS, "--sense", "min", "--outside", "-5")
    assert (found["sense"], found["outside"]) == ("min", -5.0)
    assert found["expected_total"] == -5.0
    assert report(QUOTES, "--outside", "600")["expected_total"] < quotes().expected_total


def test_simulation() -> None:
    options = ("--simulate", "5000", "--seed", "3")
    simulation = quotes().simulate(5000, 3)
    low, high = simulation.quantile([0.05, 0.95])
    assert report(QUOTES, *options)["simulation"] == {
        "rounds": 5000,
        "seed": 3,
        "mean": simulation.mean,
        "standard_error": simulation.standard_error,
        "quantile_05": low,
        "quantile_95": high,
    }
    line = run(QUOTES, *options).stdout.splitlines()[-1]
    assert line == (
        f"simulated total {simulation.mean:.6g} ± {simulation.standard_error:.2g} (mean ± s.e.), "
        f"5 % quantile {low:.6g}, 95 % quantile {high:.6g} (5000 rounds, seed 3)"
    )


def test_infinite_numbers_are_null() -> None:
    text = "box,cost,distribution,parameters\na,0,exponential,mean=1\n"
    found = report("-", "--sense", "max", "--simulate", "1", given=text)
    assert found["boxes"][0]["reservation_value"] is None
    assert found["simulation"]["standard_error"] is None
    text = "box,cost,distribution,parameters\na,1,pareto,b=0.5\n"
    found = report("-", given=text)
    assert found["expected_total"] is None
    assert found["boxes"][0]["alone"] is None


@pytest.mark.parametrize(
    "text", ["\n box,cost,sample\na,1,2\n", '\n [{"box": "a", "cost": 1, "value": 2}]']
)
def test_standard_input_tells_its_format(text: str) -> None:
    assert report("-", given=text)["expected_total"] == 3.0


def test_format_overrides() -> None:
    result = run("-", "--format", "json", given="box,cost,sample\na,1,2\n")
    assert result.exit_code == 2
    assert result.stderr == (
        "standard input, line 1, column 1: the text must be JSON. Got 'Expecting value'.\n"
    )


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("SVG", b"<?xml")]
)
def test_plot(tmp_path: Path, suffix: str, start: bytes) -> None:
    file = tmp_path / f"plan.{suffix}"
    assert run(QUOTES, "--plot", str(file)).exit_code == 0
    assert file.read_bytes().startswith(start)


def test_plot_that_cannot_be_made(tmp_path: Path) -> None:
    result = run(QUOTES, "--plot", "plan.bmp")
    assert (result.exit_code, result.stdout) == (2, "")
    told = "The name of the plot file must end in .png, .pdf, .svg. Got 'plan.bmp'.\n"
    assert result.stderr == told
    file = str(tmp_path / "absent" / "plan.png")
    result = run(QUOTES, "--plot", file)
    assert (result.exit_code, result.stdout) == (2, "")
    told = f"The plot file {file!r} must be writable. Got No such file or directory.\n"
    assert result.stderr == told


@pytest.mark.parametrize(
    ("arguments", "given", "told"),
    [
        (
            ["-"],
            "box,cost,distribution,parameters\na,1,point,value=1\nb,-2,point,value=1\n",
            "standard input, line 3, column 'cost': the cost of box 'b' must be "
            "a finite number >= 0. Got '-2'.\n",
        ),
        (
            ["-"],
            "box,cost,distribution\na,1,norm\nb,1,cauchy\n",
            "standard input, line 3, column 'distribution': the value of box 'b' must have "
            "a finite expected excess E(s - v)+. Got cauchy(loc=0.0, scale=1.0).\n",
        ),
        (
            ["-", "--outside", "nan"],
            "box,cost,distribution\na,1,norm\n",
            "The outside option must be a finite number or None. Got nan.\n",
        ),
        (["absent.csv"], "", "absent.csv must be a file that can be read. "
         "Got No such file or directory.\n"),
    ],
)  # fmt: skip
def test_bad_input(arguments: list[str], given: str, told: str) -> None:
    result = run(*arguments, given=given)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", told)


@pytest.mark.parametrize("option", [["--sense", "up"], ["--simulate", "0"], ["--seed", "-1"]])
def test_bad_option(option: list[str]) -> None:
    assert run(QUOTES, *option).exit_code == 2


def test_help_and_version() -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).stdout == f"weitzman {version('weitzman')}\n"
    for arguments in (["--help"], ["plan", "--help"]):
        result = runner.invoke(app, arguments)
        assert result.exit_code == 0
        assert "Example: weitzman plan" in result.stdout


def test_process_reads_standard_input() -> None:
    done = shell("plan", "-", "--json", given=Path(QUOTES).read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["expected_total"] == quotes().expected_total


def test_process_refuses_in_one_line() -> None:
    done = shell("plan", "-", given="box,cost,sample\nMüller,1,x\n".encode())
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        "standard input, line 2, column 'sample': the sample of box 'Müller' must be "
        "a finite number. Got 'x'.\n"
    )


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from weitzman.cli.main import app; app(standalone_mode=False)\n"
        "heavy = {'numba', 'matplotlib', 'scipy.stats', 'scipy.special'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = python(code, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage" in done.stdout


def test_plot_without_matplotlib(tmp_path: Path) -> None:
    # An entry of None makes Python refuse the import, as if the package were not there.
    code = "import sys; sys.modules['matplotlib'] = None; from weitzman.cli.main import run; run()"
    done = python(code, "plan", QUOTES, "--plot", str(tmp_path / "plan.png"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "A picture needs matplotlib. Install it with: pip install 'weitzman[plot]'.\n"
    )


def commands() -> list[str]:
    page = (ROOT / "docs" / "how-to" / "plan-from-a-file.md").read_text(encoding="utf-8")
    return [
        line for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
        for line in block.splitlines()
    ]  # fmt: skip


@pytest.mark.parametrize("line", commands())
def test_documented_commands_work(line: str, tmp_path: Path) -> None:
    # What the page writes goes to a folder of the test's own.
    line = re.sub(r"[\w-]+\.png", lambda name: str(tmp_path / name.group()), line)
    line = re.sub(r"\bweitzman plan\b", f"{COMMAND} plan", line)
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, check=False, cwd=ROOT, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(list(tmp_path.glob("*.png"))) == line.count(".png")
