"""Compiled code: how functions are compiled and cached, and the arithmetic that compiled code shares.

Nothing here knows what a box is. Compiled steps of a learner or a model live beside it.
"""
