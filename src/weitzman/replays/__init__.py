"""What policies would have done on a log: runs, cases side by side, their finished parts.

Questions about the log itself are in ``diagnosis``, words and pictures in ``report``.
"""
