"""Whether one more trial of a tuning study is worth its cost, whichever tool runs the study."""
