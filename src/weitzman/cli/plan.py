"""``weitzman plan``: the optimal search of the boxes of a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weitzman.cli.box_files.entry import BoxFile, Words, wrong
from weitzman.cli.box_files.read import Format, read_boxes
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import json_ready

if TYPE_CHECKING:
    from weitzman.search.plan import Plan
    from weitzman.search.reservation import Sense
    from weitzman.search.simulation import Simulation
    from weitzman.search.variants.face import AnyPlan

_PICTURES = (".png", ".pdf", ".svg")


def plan_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The boxes, as CSV or JSON by suffix; - reads standard input."
        ),
    ],
    sense: Annotated[
        Literal["min", "max"] | None,
        typer.Option(
            help="Whether smaller or larger values are better; min if the file is silent."
        ),
    ] = None,
    outside: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="A value that is there without opening anything."),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(min=1, metavar="K", help="Keep the K best values instead of one.")
    ] = None,
    discount: Annotated[
        float | None,
        typer.Option(metavar="D", help="What something is worth one unit of time later."),
    ] = None,
    tail: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Plan for the worst share of the rounds, not for all."),
    ] = None,
    recall: Annotated[
        bool | None,
        typer.Option("--recall/--no-recall", help="Whether one can go back to an earlier value."),
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Open at most N boxes.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0.0, metavar="B", help="Pay at most B for opening boxes.")
    ] = None,
    at_once: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Open up to N boxes together.")
    ] = None,
    price: Annotated[
        float | None, typer.Option(min=0.0, metavar="P", help="What opening together costs on top.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(metavar="C", help="Take samples for samples: a total that holds so surely."),
    ] = None,
    worst: Annotated[
        float | None, typer.Option(metavar="V", help="The worst value possible, for --confidence.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="exact, for the optimum of small problems.")
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", help="Read the file as this, whatever its name.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of the table.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw the plan: .png, .pdf or .svg."),
    ] = None,
    simulate: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Also play N rounds on drawn values."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed of the simulation.")] = 0,
) -> None:
    """Print the order to look in, when to stop, and what it costs on average.

    FILE holds one row per box, with its name, cost and distribution, or one row per sample.
    """
    if plot is not None and plot.suffix.lower() not in _PICTURES:
        rule = f"end in {', '.join(_PICTURES)}"
        raise InvalidInputError("The name of the plot file", rule, plot.name)
    content = read_boxes(file, form)
    direction = sense or content.sense or "min"
    asked = {
        **{"keep": keep, "discount": discount, "tail": tail, "recall": recall},
        **{"most": most, "budget": budget, "at_once": at_once, "price": price},
        **{"confidence": confidence, "worst": worst, "method": method},
    }
    settings = {**content.settings, **{k: v for k, v in asked.items() if v is not None}}
    plan = _planned(content, direction, content.outside if outside is None else outside, settings)
    simulation = None if simulate is None else plan.simulate(simulate, seed)
    if plot is not None:
        _draw(plan, plot)
    if as_json:
        typer.echo(
            json.dumps(json_ready(_report(plan, simulation, seed)), indent=2, allow_nan=False)
        )
    else:
        _show(plan, simulation, seed)


def _planned(
    content: BoxFile, sense: "Sense", outside: float | None, settings: dict[str, Any]
) -> Any:
    """Return the plan; a law that is refused is named by its place in the file."""
    from weitzman.search.planning import plan

    try:
        return plan(content.boxes, sense=sense, outside=outside, **settings)
    except InvalidInputError as error:
        for entry in content.entries:
            if error.subject == f"The value of box {entry.box.name!r}":
                subject = error.subject.replace("The", "the", 1)
                raise wrong(entry.place, subject, error.rule, error.got) from None
        raise


def _draw(plan: Any, file: Path) -> None:
    figure = plan.plot()
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        got = Words(error.strerror or error)
        raise InvalidInputError(f"The plot file {str(file)!r}", "be writable", got) from None


def _show(plan: "AnyPlan", simulation: "Simulation | None", seed: int) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(plan)
    if simulation is not None:
        low, high = simulation.quantile([0.05, 0.95])
        console.print(
            f"simulated total {simulation.mean:.6g} ± {simulation.standard_error:.2g} (mean ± s.e.), "
            f"5 % quantile {low:.6g}, 95 % quantile {high:.6g} "
            f"({simulation.totals.size} rounds, seed {seed})",
            soft_wrap=True,
        )


def _report(plan: Any, simulation: "Simulation | None", seed: int) -> dict[str, Any]:
    """Return the plan for machines."""
    from weitzman.search.plan import Plan

    numbers = ("sense", "outside", "expected_total", "expected_paid", "expected_opened")
    report = {name: getattr(plan, name) for name in numbers}
    if isinstance(plan, Plan):
        report |= _plain_report(plan)
    else:
        more = ("bound", "most_lost", "plain_total", "confidence", "tree")
        known = {name: found for name in more if (found := getattr(plan, name, "")) != ""}
        report = {"kind": plan.kind, **report, **known, "boxes": _variant_boxes(plan)}
    if simulation is not None:
        low, high = simulation.quantile([0.05, 0.95]).tolist()
        report["simulation"] = {
            "rounds": simulation.totals.size,
            "seed": seed,
            "mean": simulation.mean,
            "standard_error": simulation.standard_error,
            "quantile_05": low,
            "quantile_95": high,
        }
    return report


def _plain_report(plan: "Plan") -> dict[str, Any]:
    costs = {b.name: b.expected_cost for b in plan.boxes}
    return {
        "best_single": plan.best_single,
        "single_total": plan.single_totals[plan.best_single],
        "all_total": plan.all_total,
        "boxes": [
            {
                "box": name,
                "cost": costs[name],
                "reservation_value": plan.reservation_values[name],
                "open_probability": plan.open_probabilities[name],
                "alone": plan.single_totals[name],
            }
            for name in plan.order
        ],
    }


def _variant_boxes(plan: Any) -> list[dict[str, Any]]:
    sigma: dict[str, float] = getattr(plan, "reservation_values", {})
    kept = plan.keep_probabilities
    return [
        {
            "box": name,
            "reservation_value": sigma.get(name),
            "open_probability": opened,
            "keep_probability": kept[name],
        }
        for name, opened in plan.open_probabilities.items()
    ]
