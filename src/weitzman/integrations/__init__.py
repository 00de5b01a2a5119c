"""A search inside the tools of others: one module for each, which alone imports it.

Nothing is imported before it is asked for, and nothing is decided here: rounds, rules and policies are
those of the rooms below.
"""
