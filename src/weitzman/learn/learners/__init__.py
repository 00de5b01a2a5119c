"""Learners: one file each, the banks that run them, and the checks that each of them passes.

What several learners are made of is in ``parts``, the solver of exact FTRL in ``exact``.
"""
