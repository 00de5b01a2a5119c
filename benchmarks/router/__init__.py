"""Rules that others route questions by, beside a search, on recorded calls of language models."""
