"""What a caller can ask for, one file a noun: problems, rounds, logs, reports."""
