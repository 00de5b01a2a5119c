"""The glossary has every noun of the public face, in one sentence each."""

import inspect
import pathlib
import re

import weitzman as wz

GLOSSARY = pathlib.Path(__file__).parents[2] / "docs/reference/glossary.md"
TWELVE = [
    *("Box", "Journal", "Learner", "Log", "Outcome", "Plan"),
    *("Policy", "Round", "Rule", "Search", "Searcher", "World"),
]


def _sections() -> list[list[tuple[str, str]]]:
    """Return the terms and their sentences, section by section."""
    sections = GLOSSARY.read_text(encoding="utf-8").split("\n## ")[1:]
    return [re.findall(r"^(\S.*)\n: (.*(?:\n  .*)*)$", text, re.MULTILINE) for text in sections]


def _names() -> list[str]:
    terms = [term for section in _sections() for term, _ in section]
    return [name.strip("`") for term in terms for name in term.split(", ")]


def test_the_twelve_nouns_come_first() -> None:
    assert [term for term, _ in _sections()[0]] == TWELVE


def test_every_public_class_has_an_entry() -> None:
    classes = {name for name in wz.__all__ if inspect.isclass(getattr(wz, name))}
    assert len(classes) > 30
    assert classes <= set(_names()), sorted(classes - set(_names()))


def test_no_name_stands_twice_and_sections_are_in_order() -> None:
    names = _names()
    assert len(names) == len(set(names))
    for section in _sections():
        terms = [term.strip("`").casefold() for term, _ in section]
        assert terms == sorted(terms)


def test_every_entry_is_one_sentence() -> None:
    found = 0
    for section in _sections():
        for term, text in section:
            found += 1
            assert text.endswith("."), f"{term}: no full stop at the end"
            assert not re.search(r"[.!?]\s+\S", text), f"{term}: more than one sentence"
    # Every line of a definition belongs to an entry that was looked at
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    assert found == sum(line.startswith(": ") for line in lines)
