"""Snapshots of the state, and how a state is repaired after events that were not stored."""
