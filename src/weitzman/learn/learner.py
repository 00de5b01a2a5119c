"""Learners: what they are told, what they answer.

A *learner* is a frozen description, such as ``FTRL(eta=1.0)``. ``start`` makes it run: a *bank*
holds the learned reservation values of all n boxes of a problem, and is the only thing with a
state.

A bank answers two questions about contexts and costs, in one array call for all boxes of a round:

- ``predict``: the reservation values σ;
- ``widths``: how little the box has seen of contexts like these, ‖x‖ in the norm of the inverse of
  the regularised Gram matrix of its contexts;

and is told the values that were seen, once a round, with ``update``. Rows are boxes; a box that is
missing in a round has no row, and a value that is NaN is not learned. Smaller values are better; a
problem with ``sense="max"`` is handed over with its signs turned.

``state`` gives everything as arrays: after ``restore`` of them a bank goes on as if it had never
stopped, bit for bit. A call that raises changes nothing.
"""

from typing import Protocol

from weitzman.learn.bank import Bank

__all__ = ["Learner"]


class Learner(Protocol):
    """The description of a learner."""

    def start(self, *, boxes: int, dimension: int) -> Bank:
        """Return a bank that has seen nothing."""
