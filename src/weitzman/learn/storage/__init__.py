"""Files: their format, and which learners and policies a file may hold."""
