"""Tools for those who work on the library; none is a part of it."""
