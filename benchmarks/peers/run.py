"""The command: ``python -m peers.run speed | regret | check`` from the folder ``benchmarks``."""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"  # before numpy is imported: one thread for everyone

import warnings  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Annotated  # noqa: E402

import typer  # noqa: E402
from rich.console import Console  # noqa: E402

from peers import regret as regrets  # noqa: E402
from peers import report, timing  # noqa: E402
from peers.catalogue import all_peers  # noqa: E402
from peers.checks import failures  # noqa: E402

app = typer.Typer(add_completion=False, help=__doc__)
console = Console(width=None if os.isatty(1) else 180)
Out = Annotated[Path, typer.Option(help="folder for JSON and picture")]
HERE = Path(__file__).parent / "results"


@app.command()
def speed(
    out: Out = HERE,
    rounds: int = 1000,
    repeats: int = 5,
    budget: Annotated[float, typer.Option(help="seconds per peer and cell")] = 3.0,
    only: Annotated[str, typer.Option(help="peers whose name holds this")] = "",
) -> None:
    """Rounds per second of every peer, size and feedback."""
    warnings.filterwarnings("ignore")
    peers, missing = all_peers()
    peers = [peer for peer in peers if only.lower() in peer.label.lower()]
    cells = timing.measure(peers, rounds=rounds, repeats=repeats, budget=budget, tell=console.print)
    console.print(report.speed_table(cells), report.fastest_table(cells))
    for name, reason in missing.items():
        console.print(f"not run: {name}: {reason}")
    out.mkdir(parents=True, exist_ok=True)
    report.write_speed(cells, missing, out / "speed.json")
    report.draw_speed(cells, out / "speed.png")


@app.command()
def regret(out: Out = HERE, rounds: int = 300, seeds: int = 20) -> None:
    """Realised regret of River's linear models on this loss, beside the clairvoyant."""
    rows = regrets.table(rounds=rounds, seeds=seeds, tell=console.print)
    console.print(report.regret_table(rows))
    out.mkdir(parents=True, exist_ok=True)
    report.write_regret(rows, out / "regret.json")


@app.command()
def check() -> None:
    """Does every peer learn, and play by the rule? Exit code 1 if one does not."""
    warnings.filterwarnings("ignore")
    peers, missing = all_peers()
    bad = failures(peers, console.print)
    for name, reason in missing.items():
        console.print(f"not run: {name}: {reason}")
    raise typer.Exit(1 if bad else 0)


if __name__ == "__main__":
    app()
