"""Reading box files: where the text comes from, and which of the two formats it has.

The format is documented in docs/reference/files.md. Whatever is wrong with a file raises an
:class:`~weitzman.errors.InvalidFileError` of one line, with the place.
"""

import os
import sys
from pathlib import Path
from typing import Literal

from weitzman.cli.box_files.csv_file import read_rows
from weitzman.cli.box_files.entry import BoxFile, Words, wrong
from weitzman.cli.box_files.json_file import read_objects
from weitzman.errors import InvalidFileError

Format = Literal["csv", "json"]
"""The formats of box files."""


def read_boxes(source: str, form: Format | None = None) -> BoxFile:
    """Return the boxes of the file at a path; ``-`` is standard input.

    If None, the format is told by the suffix of the path, for standard input by the first
    character.
    """
    name = "standard input" if source == "-" else source
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        got = Words(os.strerror(error.errno) if error.errno else error)
        raise InvalidFileError(name, "be a file that can be read", got) from None
    except ValueError:  # a path with a null character
        raise InvalidFileError("The file", "have a possible name", source) from None
    text = _decoded(raw, name)
    if not text.strip():
        raise wrong(name, "the file", "hold at least one box", Words("nothing"))
    form = form or _form(source, text)
    return read_rows(text, name) if form == "csv" else read_objects(text, name)


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        got = raw[error.start : error.start + 1]
        raise wrong(f"{name}, line {line}", "the text", "be UTF-8", got) from None


def _form(source: str, text: str) -> Format:
    if source == "-":
        return "json" if text.lstrip()[0] in "{[" else "csv"
    match Path(source).suffix.lower():
        case ".csv":
            return "csv"
        case ".json":
            return "json"
    rule = "end in .csv or .json, or be read with --format"
    raise InvalidFileError(f"{source}: the name of the file", rule, Path(source).name)
