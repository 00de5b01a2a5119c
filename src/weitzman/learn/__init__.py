"""Learning reservation values online."""
