"""The solver of exact FTRL: its points, which of them are active, and its steps to the minimiser."""
