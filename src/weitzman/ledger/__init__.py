"""Durable truth: everything that happened, as events in a journal, and the state that follows from them.

Nothing here knows HTTP; who may ask for what is in :mod:`weitzman.serve`.
"""
