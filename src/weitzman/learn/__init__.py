"""When the laws are unknown: learners predict reservation values, policies decide, a searcher runs them.

Files of past rounds are in :mod:`weitzman.logs`, simulated rounds in :mod:`weitzman.lab`.
"""
