"""What a gateway adds to the time of its upstreams, beside LiteLLM's proxy."""
