"""The network edge: decisions over HTTP, with a state that survives anything."""
