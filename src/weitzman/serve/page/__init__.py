"""The page at ``/``: its files, as they are sent."""
