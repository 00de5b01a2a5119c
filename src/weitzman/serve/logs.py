"""Structured logs: one JSON object a line, on standard error."""

import sys
import time

import msgspec


def log(event: str, **fields: object) -> None:
    """Write one line."""
    line = msgspec.json.encode({"time": round(time.time(), 6), "event": event, **fields})
    sys.stderr.write(line.decode() + "\n")
    sys.stderr.flush()
