"""Problems that are nearly Weitzman's, one file a problem: its theorem, its rule, its exact total.

Here too: the face of all their plans (:mod:`~weitzman.search.variants.face`) and, in ``forest/``,
the capped laws that solve the exact ones. Not here: the plain problem, and anything learned.
"""
