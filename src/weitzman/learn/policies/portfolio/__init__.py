"""Portfolios: many candidates, and who plays.

The hedge, the candidates over one history, and under ``opened`` what tells their totals apart: completions,
trials. The candidates themselves live in the folder above.
"""
