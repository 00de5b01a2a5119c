"""Box files: boxes from JSON or CSV text, for ``weitzman plan``."""
