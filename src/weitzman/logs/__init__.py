"""Tables of past rounds: read from files and data frames, checked, laid out as arrays.

What policies would have done on them is in :mod:`weitzman.replays`.
"""
