"""Pictures, tables and pages: what a chart shows, and how matplotlib and plotly draw it.

What is worth drawing is decided by the lab and by replays.
"""
