"""Boxes from the text of a JSON file: an object with the key ``boxes``, or the list of boxes alone."""

import json
import math
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeGuard

from weitzman.cli.box_files.entry import BoxFile, Entry, Words, checked_cost, checked_name, wrong
from weitzman.cli.box_files.laws import law
from weitzman.cli.box_files.settings import SETTINGS, read_settings
from weitzman.errors import InvalidInputError
from weitzman.search.contents import Draws, Stage, Successes
from weitzman.search.laws.conversion import ValueLike
from weitzman.search.laws.discrete import Discrete, Empirical
from weitzman.search.reservation import check_sense

if TYPE_CHECKING:
    from weitzman.search.variants.hard.partial_look import PartialBox

FORMS = {"distribution": "parameters", "samples": "weights", "values": "probabilities", "value": ""}
"""The keys that can hold the law of a box, each with the key that goes with it."""
_SPECIAL = ("given", "successes")
_KEYS = (
    *("box", "cost", "after", "time", "stages", "partial", "draws"),
    *(*FORMS, *_SPECIAL, *(key for key in FORMS.values() if key)),
)
# What a message shows of a longer text.
_MOST_SHOWN = 60


def read_objects(text: str, file: str) -> BoxFile:
    """Return the boxes of a JSON text; ``file`` is its name in messages."""
    content = _parsed(text, file)
    if isinstance(content, list):
        return BoxFile(_entries(content, file, ""))
    if not isinstance(content, dict) or ("boxes" in content) == ("scenarios" in content):
        rule = "be an object with the key boxes, or scenarios, or a list of boxes"
        raise wrong(file, "the content", rule, _found(content))
    _only(content, ("sense", "outside", "boxes", *SETTINGS), f"{file}, ")
    sense = outside = None
    if "sense" in content:
        try:
            sense = check_sense(content["sense"])
        except InvalidInputError as error:
            got = _found(content["sense"])
            raise wrong(f"{file}, sense", "the sense", error.rule, got) from None
    if content.get("outside") is not None:
        outside = _number(content["outside"], f"{file}, outside", "the outside option")
    settings = read_settings({key: content[key] for key in SETTINGS if key in content}, file)
    entries = _entries(content["boxes"], file, "boxes") if "boxes" in content else ()
    return BoxFile(entries, sense, outside, settings)


def _entries(boxes: Any, file: str, path: str) -> tuple[Entry, ...]:
    if not isinstance(boxes, list) or not boxes:
        place = f"{file}, {path}" if path else file
        raise wrong(place, "the boxes", "be a list of at least one box", _found(boxes))
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
        raise wrong(place, "a box", "be an object", _found(box))
    _only(box, _KEYS, f"{place}.")
    name = _name(box, place)
    more: dict[str, Any] = {}
    if "after" in box:
        more["after"] = _names(box["after"], f"{place}.after")
    if "time" in box:
        more["time"] = _number(box["time"], f"{place}.time", "the time")
    if "stages" in box:
        _only(box, ("box", "after", "stages"), f"{place}.")
        more["stages"] = _stages(box["stages"], name, f"{place}.stages")
        return Entry.of(name, math.nan, None, f"{place}.stages", **more)
    cost = _cost(box, name, place)
    if "partial" in box:
        _only(box, ("box", "cost", "partial"), f"{place}.")
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
    _only(found, [key for key in (*beside, form, FORMS.get(form), "draws") if key], f"{place}.")
    if form == "given":
        given = _object(found["given"], f"{place}.given", "the values given")
        return form, {
            _key(value, f"{place}.given"): _one_law(
                law, (), f"after {value}", f"{place}.given.{value}"
            )[1]
            for value, law in given.items()
        }
    if form == "successes":
        parts = _object(found["successes"], f"{place}.successes", "the successes")
        _only(parts, ("value", "a", "b"), f"{place}.successes.")
        if "value" not in parts:
            raise wrong(f"{place}.successes", "the value", "be given", Words("nothing"))
        numbers = {
            key: _number(one, f"{place}.successes.{key}", f"the {key}")
            for key, one in parts.items()
        }
        return form, Successes(**numbers)
    value = _value(found, form, place)
    if "draws" in found:
        if not isinstance(found["draws"], bool):
            raise wrong(f"{place}.draws", "draws", "be true or false", _found(found["draws"]))
        return form, Draws(value) if found["draws"] else value
    return form, value


def _names(found: Any, place: str) -> str | list[str]:
    """Return the box before, or several."""
    if isinstance(found, list) and found:
        return [_text(one, place, "the box before") for one in found]
    return _text(found, place, "the box before")


def _partial(found: Any, name: str, cost: float, place: str) -> "PartialBox":
    """Return a box with a partial look: its cost, and by signal the chance and a law."""
    from weitzman.search.variants.hard.partial_look import PartialBox

    look = _object(found, place, "the partial look")
    _only(look, ("cost", "signals"), f"{place}.")
    signals = {}
    for signal, one in _object(look.get("signals"), f"{place}.signals", "the signals").items():
        here = f"{place}.signals.{signal}"
        _object(one, here, "a signal")
        chance = _number(one.get("chance"), f"{here}.chance", "the chance of a signal")
        signals[signal] = chance, _one_law(one, ("chance",), f"after {signal!r}", here)[1]
    try:
        return PartialBox(name, cost, _cost(look, name, place), signals)
    except InvalidInputError as error:
        raise wrong(place, error.subject, error.rule, error.got) from None


def _stages(found: Any, box: str, place: str) -> list[Stage]:
    """Return the stages of a box: those before the last show signals, the last one a value."""
    if not isinstance(found, list) or not found:
        raise wrong(place, f"the stages of box {box!r}", "be a list of at least one", _found(found))
    stages = []
    for i, stage in enumerate(found):
        here = f"{place}[{i}]"
        _object(stage, here, "a stage")
        beside = ("stage", "cost", "time")
        name = _text(stage.get("stage", f"stage {i + 1}"), f"{here}.stage", "the name of a stage")
        cost = stage.get("cost")
        if isinstance(cost, dict):
            cost = {
                key: _number(one, f"{here}.cost.{key}", "the cost") for key, one in cost.items()
            }
        else:
            cost = _cost(stage, box, here)
        time = _number(stage.get("time", 1.0), f"{here}.time", "the time")
        if "shows" in stage:
            _only(stage, (*beside, "shows"), f"{here}.")
            shows: Any = _object(stage["shows"], f"{here}.shows", "what a stage shows")
        elif "counts" in stage:
            _only(stage, (*beside, "counts"), f"{here}.")
            shows = _counted(stage["counts"], f"{here}.counts")
        elif "given" in stage:
            _only(stage, (*beside, "given"), f"{here}.")
            given = _object(stage["given"], f"{here}.given", "the signals given")
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
    counts = _object(found, place, "the counts")
    if any(isinstance(inner, dict) for inner in counts.values()):
        return {key: _counted(inner, f"{place}.{key}") for key, inner in counts.items()}
    for signal, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise wrong(f"{place}.{signal}", "a count", "be an integer >= 0", _found(count))
    return Counter(counts)


def _object(found: Any, place: str, subject: str) -> dict[str, Any]:
    if not isinstance(found, dict) or not found:
        raise wrong(place, subject, "be an object", _found(found))
    return found


def _text(found: Any, place: str, subject: str) -> str:
    if not isinstance(found, str) or not found.strip():
        raise wrong(place, subject, "be text", _found(found))
    return found.strip()


def _key(text: str, place: str) -> float:
    """Return the number that a key of an object stands for."""
    try:
        return float(text)
    except ValueError:
        raise wrong(place, "a value given", "be a number", text) from None


def _name(box: dict[str, Any], place: str) -> str:
    name = box.get("box", "")
    if not isinstance(name, str):
        raise wrong(f"{place}.box", "the name of a box", "be text", _found(name))
    return checked_name(name.strip(), lambda key: f"{place}.{key}")


def _cost(box: dict[str, Any], name: str, place: str) -> float:
    found = box.get("cost")
    number = float(found) if _is_number(found) else None
    got = _found(found) if "cost" in box else Words("nothing")
    return checked_cost(number, name, lambda key: f"{place}.{key}", got)


def _value(box: dict[str, Any], form: str, place: str) -> ValueLike:
    """Return the law that the keys of one form give."""
    if form == "value":
        return _number(box["value"], f"{place}.value", "the value")
    if form == "distribution":
        name, parameters = box["distribution"], box.get("parameters", {})
        if not isinstance(name, str):
            rule = "be the name of one"
            raise wrong(f"{place}.distribution", "the distribution", rule, _found(name))
        if not isinstance(parameters, dict):
            rule = "be an object"
            raise wrong(f"{place}.parameters", "the parameters", rule, _found(parameters))
        numbers = {
            k: _number(v, f"{place}.parameters.{k}", f"the {k}") for k, v in parameters.items()
        }
        return law(name, numbers, lambda key: f"{place}.{key}")
    masses = FORMS[form]
    if form == "values" and masses not in box:
        raise wrong(f"{place}.{masses}", "the probabilities", "be given", Words("nothing"))
    points = _numbers(box[form], f"{place}.{form}", f"the {form}")
    weights = _numbers(box[masses], f"{place}.{masses}", f"the {masses}") if masses in box else None
    try:
        return Discrete(points, weights) if form == "values" else Empirical(points, weights)
    except InvalidInputError as error:
        # The points are finite numbers, so it is the masses that break a rule.
        raise wrong(f"{place}.{masses}", f"the {masses}", error.rule, error.got) from None


def _numbers(found: Any, place: str, subject: str) -> list[float]:
    if not isinstance(found, list) or not found:
        raise wrong(place, subject, "be a list of at least one number", _found(found))
    return [_number(x, f"{place}[{i}]", f"one of {subject}") for i, x in enumerate(found)]


def _number(found: Any, place: str, subject: str) -> float:
    if not (_is_number(found) and math.isfinite(found)):
        raise wrong(place, subject, "be a finite number", _found(found))
    return float(found)


def _is_number(found: object) -> TypeGuard[float]:
    return isinstance(found, int | float) and not isinstance(found, bool)


def _only(found: dict[str, Any], keys: Collection[str], prefix: str) -> None:
    """Refuse keys that have no meaning where they stand."""
    for key in found:
        if key not in keys:
            raise wrong(f"{prefix}{key}", "the key", f"be one of {', '.join(keys)}", key)


def _found(content: Any) -> str:
    """Return what stands in the file, cut short; text is left for its quotes."""
    text = content if isinstance(content, str) else Words(json.dumps(content))
    return text if len(text) <= _MOST_SHOWN else type(text)(text[: _MOST_SHOWN - 1] + "…")


def _parsed(text: str, file: str) -> Any:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise wrong(file, "the keys of an object", "be distinct", key)
        return dict(pairs)

    def whole(digits: str) -> float:
        # Python refuses to read integers of thousands of digits; as floats they are infinite.
        return int(digits) if len(digits) < 300 else float(digits)

    try:
        return json.loads(text, object_pairs_hook=distinct, parse_int=whole)
    except json.JSONDecodeError as error:
        place = f"{file}, line {error.lineno}, column {error.colno}"
        raise wrong(place, "the text", "be JSON", error.msg) from None
    except RecursionError:
        raise wrong(file, "the JSON", "not be nested that deep", Words("too many levels")) from None
