"""Logs as others write them, to and from ours: one module per format.

All are logs of *single looks*, one box opened in each round with a known chance, as contextual bandits write
them. Reading gives a table as :func:`weitzman.logs.log.read_log` takes it with ``draws="one"``.
"""
