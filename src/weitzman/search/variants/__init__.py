"""Variants of the problem, one module each: the theorem, the rule, and the exact expected total or a bound.

What they share with the plain problem is one floor up, in :mod:`weitzman.search`.
"""
