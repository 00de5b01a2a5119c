"""What goes over the wire: requests and replies as structs, refusals, answers. No state, no network."""
