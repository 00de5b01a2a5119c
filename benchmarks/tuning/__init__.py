"""Tuning studies of scikit-learn models, recorded once, and what rules for stopping would have paid."""
