"""Mutation testing: small faults put into the library one at a time, to see whether a test finds them."""
