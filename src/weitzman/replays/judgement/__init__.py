"""What a log that holds only opened boxes says of other rules: estimates, bounds, verdicts.

Policies whose boxes are all known are played in ``replay``; the log itself is looked at in ``diagnosis``.
"""
