"""The network edge: HTTP, commands, the running engine, clients, the page.

What is stored, and the state that follows from it, is in :mod:`weitzman.ledger`.
"""
