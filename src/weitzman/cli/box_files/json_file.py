"""Boxes from the text of a JSON file: an object with the key ``boxes``, or the list of boxes alone."""

import math
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from weitzman.cli.box_files.entry import BoxFile, Entry, Words, checked_cost, checked_name, wrong
from weitzman.cli.box_files.json_values import (
    is_number,
    key_number,
    number_at,
    numbers_at,
    object_at,
    only_keys,
    parsed,
    parts_at,
    shown,
    text_at,
)
from weitzman.cli.box_files.laws import law
from weitzman.cli.box_files.settings import SETTINGS, read_settings
from weitzman.errors import InvalidInputError
from weitzman.search.contents import Draws, NormalDraws, Stage, Successes
from weitzman.search.laws.conversion import ValueLike
from weitzman.search.laws.discrete import Discrete, Empirical
from weitzman.search.reservation import check_sense

if TYPE_CHECKING:
    from weitzman.search.variants.hard.partial_look import PartialBox

FORMS = {"distribution": "parameters", "samples": "weights", "values": "probabilities", "value": ""}
"""The keys that can hold the law of a box, each with the key that goes with it."""
_SPECIAL = ("given", "successes", "normal_draws")
_KEYS = (
    *("box", "cost", "after", "time", "stages", "partial", "draws"),
    *(*FORMS, *_SPECIAL, *(key for key in FORMS.values() if key)),
)


def read_objects(text: str, file: str) -> BoxFile:
    """Return the boxes of a JSON text; ``file`` is its name in messages."""
    content = parsed(text, file)
    if isinstance(content, list):
        return BoxFile(_entries(content, file, ""))
    if not isinstance(content, dict) or ("boxes" in content) == ("scenarios" in content):
        rule = "be an object with the key boxes, or scenarios, or a list of boxes"
        raise wrong(file, "the content", rule, shown(content))
    only_keys(content, ("sense", "outside", "boxes", *SETTINGS), f"{file}, ")
    sense = outside = None
    if "sense" in content:
        try:
            sense = check_sense(content["sense"])
        except InvalidInputError as error:
            got = shown(content["sense"])
            raise wrong(f"{file}, sense", "the sense", error.rule, got) from None
    if content.get("outside") is not None:
        outside = number_at(content["outside"], f"{file}, outside", "the outside option")
    settings = read_settings({key: content[key] for key in SETTINGS if key in content}, file)
    entries = _entries(content["boxes"], file, "boxes") if "boxes" in content else ()
    return BoxFile(entries, sense, outside, settings)


def _entries(boxes: Any, file: str, path: str) -> tuple[Entry, ...]:
    if not isinstance(boxes, list) or not boxes:
        place = f"{file}, {path}" if path else file
        raise wrong(place, "the boxes", "be a list of at least one box", shown(boxes))
    first: dict[str, int] = {}
    entries = []
    for i, box in enumerate(boxes):
        place = f"{file}, {path}[{i}]"
        entry = _entry(box, place)
        name = entry.box.name
        if name in first:
            rule = f"be the only one of its name (see {path}[{first[name]}])"
            raise wrong(f"{place}.box", "the box", rule, name)
        first[name] = i
        entries.append(entry)
    return tuple(entries)


def _entry(box: Any, place: str) -> Entry:
    """Return the box that an object describes."""
    if not isinstance(box, dict):
        raise wrong(place, "a box", "be an object", shown(box))
    only_keys(box, _KEYS, f"{place}.")
    name = _name(box, place)
    more: dict[str, Any] = {}
    if "after" in box:
        more["after"] = _names(box["after"], f"{place}.after")
    if "time" in box:
        more["time"] = number_at(box["time"], f"{place}.time", "the time")
    if "stages" in box:
        only_keys(box, ("box", "after", "stages"), f"{place}.")
        more["stages"] = _stages(box["stages"], name, f"{place}.stages")
        return Entry.of(name, math.nan, None, f"{place}.stages", **more)
    cost = _cost(box, name, place)
    if "partial" in box:
        only_keys(box, ("box", "cost", "partial"), f"{place}.")
        return Entry(_partial(box["partial"], name, cost, f"{place}.partial"), f"{place}.partial")
    form, value = _one_law(box, ("box", "cost", "after", "time"), f"box {name!r}", place)
    return Entry.of(name, cost, value, f"{place}.{form}", **more)


def _one_law(
    found: dict[str, Any], beside: Collection[str], subject: str, place: str
) -> tuple[str, Any]:
    """Return the form that an object gives a value in, and the value."""
    forms = [key for key in (*FORMS, *_SPECIAL) if key in found]
    if len(forms) != 1:
        rule = f"have exactly one of {', '.join(FORMS)}"
        raise wrong(place, subject, rule, Words(", ".join(forms) or "none"))
    (form,) = forms
    only_keys(found, [key for key in (*beside, form, FORMS.get(form), "draws") if key], f"{place}.")
    if form == "given":
        given = object_at(found["given"], f"{place}.given", "the values given")
        return form, {
            key_number(value, f"{place}.given"): _one_law(
                law, (), f"after {value}", f"{place}.given.{value}"
            )[1]
            for value, law in given.items()
        }
    if form == "successes":
        parts = parts_at(found[form], f"{place}.{form}", "the successes", ("value", "a", "b"), 1)
        return form, Successes(**parts)
    if form == "normal_draws":
        names = ("mean", "spread", "weight", "most")
        parts = parts_at(found[form], f"{place}.{form}", "the normal draws", names, 2)
        most = parts.pop("most", 50)
        return form, NormalDraws(most=int(most) if most == int(most) else most, **parts)
    value = _value(found, form, place)
    if "draws" in found:
        if not isinstance(found["draws"], bool):
            raise wrong(f"{place}.draws", "draws", "be true or false", shown(found["draws"]))
        return form, Draws(value) if found["draws"] else value
    return form, value


def _names(found: Any, place: str) -> str | list[str]:
    """Return the box before, or several."""
    if isinstance(found, list) and found:
        return [text_at(one, place, "the box before") for one in found]
    return text_at(found, place, "the box before")


def _partial(found: Any, name: str, cost: float, place: str) -> "PartialBox":
    """Return a box with a partial look: its cost, and by signal the chance and a law."""
    from weitzman.search.variants.hard.partial_look import PartialBox

    look = object_at(found, place, "the partial look")
    only_keys(look, ("cost", "signals"), f"{place}.")
    signals = {}
    for signal, one in object_at(look.get("signals"), f"{place}.signals", "the signals").items():
        here = f"{place}.signals.{signal}"
        object_at(one, here, "a signal")
        chance = number_at(one.get("chance"), f"{here}.chance", "the chance of a signal")
        signals[signal] = chance, _one_law(one, ("chance",), f"after {signal!r}", here)[1]
    try:
        return PartialBox(name, cost, _cost(look, name, place), signals)
    except InvalidInputError as error:
        raise wrong(place, error.subject, error.rule, error.got) from None


def _stages(found: Any, box: str, place: str) -> list[Stage]:
    """Return the stages of a box: those before the last show signals, the last one a value."""
    if not isinstance(found, list) or not found:
        raise wrong(place, f"the stages of box {box!r}", "be a list of at least one", shown(found))
    stages = []
    for i, stage in enumerate(found):
        here = f"{place}[{i}]"
        object_at(stage, here, "a stage")
        beside = ("stage", "cost", "time")
        name = text_at(stage.get("stage", f"stage {i + 1}"), f"{here}.stage", "the name of a stage")
        cost = stage.get("cost")
        if isinstance(cost, dict):
            cost = {
                key: number_at(one, f"{here}.cost.{key}", "the cost") for key, one in cost.items()
            }
        else:
            cost = _cost(stage, box, here)
        time = number_at(stage.get("time", 1.0), f"{here}.time", "the time")
        if "shows" in stage:
            only_keys(stage, (*beside, "shows"), f"{here}.")
            shows: Any = object_at(stage["shows"], f"{here}.shows", "what a stage shows")
        elif "counts" in stage:
            only_keys(stage, (*beside, "counts"), f"{here}.")
            shows = _counted(stage["counts"], f"{here}.counts")
        elif "given" in stage:
            only_keys(stage, (*beside, "given"), f"{here}.")
            given = object_at(stage["given"], f"{here}.given", "the signals given")
            shows = {
                key: _one_law(law, (), f"after {key!r}", f"{here}.given.{key}")[1]
                for key, law in given.items()
            }
        else:
            shows = _one_law(stage, beside, f"stage {name!r}", here)[1]
        stages.append(Stage(name, cost, shows, time))
    return stages


def _counted(found: Any, place: str) -> Any:
    """Return how often signals were seen, perhaps by the signal before."""
    counts = object_at(found, place, "the counts")
    if any(isinstance(inner, dict) for inner in counts.values()):
        return {key: _counted(inner, f"{place}.{key}") for key, inner in counts.items()}
    for signal, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise wrong(f"{place}.{signal}", "a count", "be an integer >= 0", shown(count))
    return Counter(counts)


def _name(box: dict[str, Any], place: str) -> str:
    name = box.get("box", "")
    if not isinstance(name, str):
        raise wrong(f"{place}.box", "the name of a box", "be text", shown(name))
    return checked_name(name.strip(), lambda key: f"{place}.{key}")


def _cost(box: dict[str, Any], name: str, place: str) -> float:
    found = box.get("cost")
    number = float(found) if is_number(found) else None
    got = shown(found) if "cost" in box else Words("nothing")
    return checked_cost(number, name, lambda key: f"{place}.{key}", got)


def _value(box: dict[str, Any], form: str, place: str) -> ValueLike:
    """Return the law that the keys of one form give."""
    if form == "value":
        return number_at(box["value"], f"{place}.value", "the value")
    if form == "distribution":
        name, parameters = box["distribution"], box.get("parameters", {})
        if not isinstance(name, str):
            rule = "be the name of one"
            raise wrong(f"{place}.distribution", "the distribution", rule, shown(name))
        if not isinstance(parameters, dict):
            rule = "be an object"
            raise wrong(f"{place}.parameters", "the parameters", rule, shown(parameters))
        numbers = {
            k: number_at(v, f"{place}.parameters.{k}", f"the {k}") for k, v in parameters.items()
        }
        return law(name, numbers, lambda key: f"{place}.{key}")
    masses = FORMS[form]
    if form == "values" and masses not in box:
        raise wrong(f"{place}.{masses}", "the probabilities", "be given", Words("nothing"))
    points = numbers_at(box[form], f"{place}.{form}", f"the {form}")
    weights = (
        numbers_at(box[masses], f"{place}.{masses}", f"the {masses}") if masses in box else None
    )
    try:
        return Discrete(points, weights) if form == "values" else Empirical(points, weights)
    except InvalidInputError as error:
        # The points are finite numbers, so it is the masses that break a rule.
        raise wrong(f"{place}.{masses}", f"the {masses}", error.rule, error.got) from None
