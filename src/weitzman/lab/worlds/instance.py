"""An instance: rounds drawn from a world, with everything that a clairvoyant knows of them.

In round t box i shows the context x_{t,i}, costs c_i, and holds the value v_{t,i}. The law of the
values of a round has two steps. First a state k is drawn with probability p_k, the same for all
boxes; given the state the values are independent, and v_{t,i} is uniform on
[lower_{k,t,i}, upper_{k,t,i}], a point mass if the two are equal. With a single state the boxes are
independent, as the theory assumes.

The reservation value σ*_{t,i} is that of the box's own (marginal) law: E(σ* − v_{t,i})⁺ = c_i.

All values of all rounds are there before the first is played, so that all policies see the same
draws, and so that exact expectations can be taken at the true laws (:mod:`weitzman.lab.exact.expected`).
"""

from dataclasses import dataclass, replace

from weitzman.arrays import Floats


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Instance:
    """T rounds of n boxes with contexts of length d, and K common states.

    Attributes
    ----------
    contexts
        T×n×d.
    costs
        n, the same in all rounds.
    values
        T×n, what is found in the boxes.
    reservation_values
        T×n, the true ones of the boxes' own laws.
    lower, upper
        K×T×n, the ends of the intervals on which the values are uniform, given the state.
    shares
        K, the probabilities of the states.
    """

    contexts: Floats
    costs: Floats
    values: Floats
    reservation_values: Floats
    lower: Floats
    upper: Floats
    shares: Floats

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        rounds, boxes, dimension = self.contexts.shape
        return f"Instance({rounds} rounds, {boxes} boxes, dimension {dimension})"

    def part(self, start: int, stop: int) -> "Instance":
        """Return the rounds from ``start`` up to but not including ``stop``; nothing is copied."""
        return replace(
            self,
            contexts=self.contexts[start:stop],
            values=self.values[start:stop],
            reservation_values=self.reservation_values[start:stop],
            lower=self.lower[:, start:stop],
            upper=self.upper[:, start:stop],
        )
