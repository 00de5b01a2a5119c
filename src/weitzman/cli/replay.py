"""``weitzman replay``: what to check first, when to stop, and what that saves on a log of past decisions."""

import json
import math
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from weitzman.cli.gaps import answer_gaps
from weitzman.cli.log_options import (
    BoxColumn,
    ChanceColumn,
    CostColumn,
    Features,
    Least,
    LogFile,
    LogSense,
    LogUnit,
    Most,
    OpenedColumn,
    OutsideColumn,
    PaidColumn,
    RoundColumn,
    SkipBad,
    ValueColumn,
    feature_names,
)
from weitzman.cli.options import Workers, console, problem_name, saved_words
from weitzman.errors import InvalidFileError, InvalidInputError

if TYPE_CHECKING:
    from rich.console import Console

    from weitzman.feedback import Feedback
    from weitzman.logs.log import Log
    from weitzman.replays.cases import Case
    from weitzman.replays.report.findings import Findings

_Feedback = Literal["full", "opened", "both"]


def replay_command(
    log: LogFile,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where a report goes: page, pictures and rows. One that was stopped goes on.",
        ),
    ] = None,
    feedback: Annotated[
        _Feedback,
        typer.Option(
            help="What becomes known after a round: all values, or those of opened boxes."
        ),
    ] = "both",
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What to play, again for more; the first is what all is about. default, a simple rule, "
            "paper, aware or a learner such as Ridge, or a law such as "
            "'linear fixed' or 'trees index 1'. If not given: default.",
        ),
    ] = None,
    cost_scale: Annotated[
        str,
        typer.Option(metavar="FACTORS", help="By what costs are multiplied, such as 0.25,1,4."),
    ] = "1",
    round_column: RoundColumn = "round",
    box: BoxColumn = "box",
    cost: CostColumn = "cost",
    value: ValueColumn = "value",
    outside: OutsideColumn = "outside",
    opened: OpenedColumn = "opened",
    chance: ChanceColumn = "chance",
    paid: PaidColumn = "paid",
    features: Features = None,
    sense: LogSense = "min",
    unit: LogUnit = "",
    least: Least = None,
    most: Most = None,
    shared: Annotated[
        bool | None,
        typer.Option(
            "--shared/--named",
            help="One model for all boxes, or one for each; found out if not given.",
        ),
    ] = None,
    trees: Annotated[
        bool, typer.Option("--trees/--no-trees", help="Whether candidates with trees take part.")
    ] = True,
    skip_bad: SkipBad = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save the policy of the answer, which has lived through the whole log, to be switched on.",
        ),
    ] = None,
    workers: Workers = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer and a row per policy as JSON.")
    ] = False,
) -> None:
    """Say what to check first, when to stop, and what that saves on a log of past decisions.

    Rounds are played online and in their order, learning costs included.
    """
    scales = _scales(cost_scale)
    if save is not None and (save.is_dir() or not save.parent.is_dir()):
        # Before the work begins
        rule = "be a file in a directory that is there"
        raise InvalidInputError("What --save names", rule, str(save))
    from weitzman.jobs.progress import told_of_compiling
    from weitzman.logs.log import read_log
    from weitzman.logs.rounds import gaps_of
    from weitzman.replays.cases import play_cases
    from weitzman.replays.report.findings import find
    from weitzman.replays.report.report import PARTS, placed, write_replay_report

    with _skipping_told():
        past = read_log(
            log,
            round=round_column,
            box=box,
            cost=cost,
            value=value,
            outside=outside,
            opened=opened,
            chance=chance,
            paid=paid,
            features=feature_names(features),
            shared="auto" if shared is None else shared,
            sense=sense,
            least=least,
            most=most,
            unit=unit,
            skip_bad=skip_bad,
        )
    typer.echo(_read(past, chosen=features is not None), err=True)
    hidden = int(gaps_of(past).sum())
    if hidden:
        answer_gaps(
            past,
            hidden,
            source=log,
            policies=policy or ["default"],
            scales=scales,
            workers=workers,
            output=output,
            save=save,
            as_json=as_json,
        )
        return
    cases = _cases(feedback, scales, twins=output is not None)
    with placed(output), told_of_compiling():
        played = play_cases(
            past,
            cases,
            policies=policy or ["default"],
            promises=None if output is None else cases[0].cost_scale,
            trees=trees,
            workers=workers,
            kept=None if output is None else output / PARTS,
        )
    found = find(past, played)
    if output is not None:
        write_replay_report(output, found)
    if save is not None:
        found.answer.searcher.save(save)
    if as_json:
        shown = {"answer": found.answer.as_json(), "policies": found.rows}
        typer.echo(json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False))
        return
    _print(found, [float(part) for part in cost_scale.split(",")])
    if output is not None:
        typer.echo(f"Report: {output / 'index.html'}")
    typer.echo(_next_step(found, log, save))


@contextmanager
def _skipping_told() -> Iterator[None]:
    """Let the error of a bad row say how to do without it."""
    try:
        yield
    except InvalidFileError as error:
        if re.search(r", row \d+(, |: |$)", error.subject) is None:
            raise
        rule = f"{error.rule} (or leave bad rows out: --skip-bad)"
        raise InvalidFileError(error.subject, rule, error.got) from None


def _read(past: "Log", *, chosen: bool) -> str:
    """Return what was read, and why these features if nobody chose them."""
    from weitzman.replays.report.lead import log_words

    names = [feature.name for feature in past.encoding.features]
    rule = ""
    if names and not chosen and not names[0].startswith("x_"):
        rule = " (all columns without another role; each must be known before a look: --features names them)"
    return log_words(past) + rule


def _scales(text: str) -> list[float]:
    """Return the cost scales, 1 first if it is among them."""
    rule = "be numbers > 0 with commas between them, each once"
    try:
        scales = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInputError("The cost scales", rule, text) from None
    if len(set(scales)) < len(scales) or not all(0.0 < x < math.inf for x in scales):
        raise InvalidInputError("The cost scales", rule, text)
    return sorted(scales, key=lambda x: x != 1.0)


def _cases(feedback: _Feedback, scales: list[float], *, twins: bool) -> "list[Case]":
    """Return what is to be played; twins at the first scale and feedback only."""
    from weitzman.replays.cases import Case
    from weitzman.replays.diagnosis.twin import TWINS

    feedbacks: tuple[Feedback, ...] = ("full", "opened")
    wanted = [f for f in feedbacks if feedback in (f, "both")]
    cases = [Case(feedback=f, cost_scale=x) for x in scales for f in wanted]
    if twins:
        cases += [Case(feedback=wanted[0], cost_scale=scales[0], twin=kind) for kind in TWINS]
    return cases


def _print(found: "Findings", scales: list[float]) -> None:
    """Print the answer, and then tables in the order of the scales."""
    from weitzman.replays.table import heading, policy_table, share_sentence

    terminal = console()
    _print_answer(terminal, found)
    for replay in sorted(found.replays.played, key=lambda r: scales.index(r.cost_scale)):
        _say(terminal, heading(replay))
        terminal.print(policy_table(replay))
        _say(terminal, share_sentence(replay) + "\n")
    from weitzman.replays.report.lead import left_out

    for line in (*found.advice.lines, *left_out(found.main[0], found.log.skipped)):
        _say(terminal, line)


def _print_answer(terminal: "Console", found: "Findings") -> None:
    """Print what to do, option by option, and in typical rounds."""
    from weitzman.replays.report.options import (
        COURSE_WORDS,
        OPTION_WORDS,
        course_lines,
        left_options,
        option_rows,
    )

    for sentence in found.answer.sentences:
        _say(terminal, sentence)
    _say(terminal, "")
    if found.answer.options:
        _say(terminal, OPTION_WORDS)
        terminal.print(option_rows(found.answer))
        for line in (*left_options(found.answer), ""):
            _say(terminal, line)
    if found.answer.courses:
        _say(terminal, f"{COURSE_WORDS.partition('.')[0]}:")
        for line in (*course_lines(found.answer), ""):
            _say(terminal, line)


def _next_step(found: "Findings", log: Path, save: Path | None) -> str:
    """Return the command that switches on what was replayed, or saves it first."""
    verdict = found.answer.verdict
    policy = verdict.advised
    if save is not None:
        return saved_words(policy, log, save, verdict.purpose)
    words = [word for word in sys.argv[1:] if word != "--json"]
    command = shlex.join(
        ["weitzman", *words] if words[:1] == ["replay"] else ["weitzman", "replay", str(log)]
    )
    how = f"{command} --save {problem_name(log)}.wz"
    return f"Save {policy} as it is after this log, {verdict.purpose}: {how}"


def _say(terminal: "Console", line: str) -> None:
    terminal.print(line, soft_wrap=True, markup=False)
