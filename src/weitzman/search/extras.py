"""Packages that come with an extra: they are imported where they are used."""

from importlib import import_module
from typing import Any

from weitzman.errors import WeitzmanError


def need(sentence: str, extra: str, *modules: str) -> Any:
    """Import modules and return the last, or say who needs them and how they are installed."""
    try:
        return [import_module(module) for module in modules][-1]
    except ImportError:
        them = "it" if len(modules) == 1 else "them"
        how = f"Install {them} with: pip install 'weitzman[{extra}]'."
        raise WeitzmanError(f"{sentence}. {how}") from None
