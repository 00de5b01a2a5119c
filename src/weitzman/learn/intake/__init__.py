"""What comes into the learn room: rounds that callers hand over by label, and logs that are lived through."""
