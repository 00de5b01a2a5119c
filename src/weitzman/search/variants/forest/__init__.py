"""What the exact variants share: nodes, their capped laws, the rule and plan by reservation values.

A variant says what its nodes are; nothing here knows which variant it is.
"""
