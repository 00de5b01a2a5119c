"""What stands in a JSON file: objects, texts and numbers, or a message with their place."""

import json
import math
from collections.abc import Collection
from typing import Any, TypeGuard

from weitzman.cli.box_files.entry import Words, wrong

# What a message shows of a longer text.
_MOST_SHOWN = 60


def parsed(text: str, file: str) -> Any:
    """Return what a JSON text holds."""

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


def object_at(found: Any, place: str, subject: str) -> dict[str, Any]:
    """Return an object that is not empty."""
    if not isinstance(found, dict) or not found:
        raise wrong(place, subject, "be an object", shown(found))
    return found


def parts_at(
    found: Any, place: str, subject: str, names: Collection[str], needed: int
) -> dict[str, Any]:
    """Return the numbers of an object, of which the first so many are needed."""
    parts = object_at(found, place, subject)
    only_keys(parts, names, f"{place}.")
    for name in list(names)[:needed]:
        if name not in parts:
            raise wrong(place, f"the {name}", "be given", Words("nothing"))
    return {key: number_at(one, f"{place}.{key}", f"the {key}") for key, one in parts.items()}


def text_at(found: Any, place: str, subject: str) -> str:
    """Return a text that is not blank."""
    if not isinstance(found, str) or not found.strip():
        raise wrong(place, subject, "be text", shown(found))
    return found.strip()


def key_number(text: str, place: str) -> float:
    """Return the number that a key of an object stands for."""
    try:
        return float(text)
    except ValueError:
        raise wrong(place, "a value given", "be a number", text) from None


def numbers_at(found: Any, place: str, subject: str) -> list[float]:
    """Return a list of finite numbers."""
    if not isinstance(found, list) or not found:
        raise wrong(place, subject, "be a list of at least one number", shown(found))
    return [number_at(x, f"{place}[{i}]", f"one of {subject}") for i, x in enumerate(found)]


def number_at(found: Any, place: str, subject: str) -> float:
    """Return a finite number."""
    if not (is_number(found) and math.isfinite(found)):
        raise wrong(place, subject, "be a finite number", shown(found))
    return float(found)


def is_number(found: object) -> TypeGuard[float]:
    """Return whether JSON calls it a number."""
    return isinstance(found, int | float) and not isinstance(found, bool)


def only_keys(found: dict[str, Any], keys: Collection[str], prefix: str) -> None:
    """Refuse keys that have no meaning where they stand."""
    for key in found:
        if key not in keys:
            raise wrong(f"{prefix}{key}", "the key", f"be one of {', '.join(keys)}", key)


def shown(content: Any) -> str:
    """Return what stands in the file, cut short; text is left for its quotes."""
    text = content if isinstance(content, str) else Words(json.dumps(content))
    return text if len(text) <= _MOST_SHOWN else type(text)(text[: _MOST_SHOWN - 1] + "…")
