"""Problems that no index solves, one file a problem: its rule, its exact total, and what bounds the loss.

Here too: the dynamic programme over opened sets that gives their optimum where it is small. Not here:
what is solved exactly at any size, which is one floor up.
"""
