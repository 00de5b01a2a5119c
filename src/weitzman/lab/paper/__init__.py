"""The paper: its bounds, its claims, its experiment, and the comparison of learners beside it."""
