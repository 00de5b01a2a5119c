"""A gateway that speaks OpenAI's interface: a service whose rounds ask models."""
