"""The problem when the laws are known: laws, reservation values, a round and its rule, plans, exact totals.

Pure: no disk, clock, network or hidden randomness. What has to be learned is in :mod:`weitzman.learn`.
"""
