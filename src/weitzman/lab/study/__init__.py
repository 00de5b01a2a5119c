"""Studies: contenders over worlds and seeds, run, kept and summed up as rows."""
