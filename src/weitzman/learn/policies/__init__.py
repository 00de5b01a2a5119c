"""Policies: one file each, what the portfolio needs, and the checks that each of them passes.

What several policies predict with is in :mod:`weitzman.learn.models`.
"""
