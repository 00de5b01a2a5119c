"""What several policies are made of: the closed rounds, and models that are fitted to them.

A model predicts; what to do with the prediction is up to a policy.
"""
