"""Published learners for the same problem, which bring an optimism of their own, for comparison."""
