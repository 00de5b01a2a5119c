"""How policies behave before they are switched on: worlds, studies, exact expectations, the paper.

Rounds that really happened are in :mod:`weitzman.logs` and :mod:`weitzman.replays`.
"""
