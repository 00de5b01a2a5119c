"""The state that follows from the events: a fold over the journal, problem by problem."""
