"""The command line: one module per command, which reads arguments and files, calls a room and prints.

No decision is made here.
"""
