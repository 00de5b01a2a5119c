"""Long work: in several processes, on a cluster, with a progress bar, in files that survive a stop.

What the work is, the lab and replays decide.
"""
