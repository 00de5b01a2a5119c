"""What the value of a box may be: the protocol, its implementations, and the numerics they need.

What a search does with a law is one floor up, in :mod:`weitzman.search`.
"""
