"""Policies: one file each. What portfolios need is in a folder of its own.

What several policies predict with is in :mod:`weitzman.learn.models`.
"""
