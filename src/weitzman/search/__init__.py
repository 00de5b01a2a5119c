"""The problem with known distributions and its optimal solution."""
