"""What pytest leaves alone here."""

# Schemathesis loads it, in a process of its own; loading it elsewhere would hook every use of Schemathesis
collect_ignore = ["hooks.py"]
