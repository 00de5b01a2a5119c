"""Worlds to search in, and measurement: how searchers behave before they are switched on."""
