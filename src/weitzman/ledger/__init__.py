"""Durable truth: everything that happened, in a journal, and the state that follows from it."""
