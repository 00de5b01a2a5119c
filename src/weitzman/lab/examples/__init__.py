"""Logs to try the commands with, made on the spot: real training runs, and simulated language models."""
