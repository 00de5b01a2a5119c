"""Exact figures of the laboratory: the clairvoyant, expected totals, certificates."""
