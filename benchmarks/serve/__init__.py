"""The decision service under load: `make bench-serve`."""
