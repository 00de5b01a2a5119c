"""Snapshots of the state, and how a state is mended after events that were not stored."""
