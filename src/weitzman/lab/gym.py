"""A round of search as a Gymnasium environment, for agents of other libraries.

Importing this module registers the environment::

    import gymnasium
    env = gymnasium.make("weitzman.lab.gym:weitzman/Search-v0", world=Spread())

An episode is a round of a world. Action i < n opens box i, for the reward −c_i; action n stops, for
the reward −(the best value found), and ends the episode: the return is minus the total of the round.

What the rules of the round do not allow is paid for and changes nothing: opening an open box costs
its look once more, and stopping with nothing open costs as much as the dearest look.
``info["action_mask"]`` marks what is allowed, and ``info["total"]`` at the end is the total.

``reset(seed=s)`` begins with round 0 of the world's draw with seed s; each reset without a seed goes
on to the next round of the same draw, so that an agent can learn the weights of the boxes from
episode to episode. The rounds are those of ``world.draw``.
"""

from typing import Any, ClassVar

import numpy as np

from weitzman.arrays import Flags
from weitzman.errors import WeitzmanError
from weitzman.lab.worlds import World
from weitzman.lab.worlds.drawing import BLOCK
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.paper import Signed
from weitzman.search.state import RoundState

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise WeitzmanError(
        "The environment needs gymnasium. Install it with: pip install 'weitzman[gym]'."
    ) from None

Observation = dict[str, Any]

ID = "weitzman/Search-v0"
"""The name under which Gymnasium knows the environment."""


class SearchEnv(gymnasium.Env[Observation, np.int64]):
    """One round of a world per episode; action i opens box i, action n stops.

    An observation is a dictionary: ``contexts`` (n×d), ``costs`` (n), ``opened`` (n marks), ``values``
    (n; 0 where the box is closed) and ``best`` (1; the smallest value found, 0 while nothing is open).

    Parameters
    ----------
    world
        Where the rounds come from; ``Signed()`` if None.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, *, world: World | None = None) -> None:
        self.world: World = Signed() if world is None else world
        n, d = self.world.boxes, self.world.dimension
        self.action_space = spaces.Discrete(n + 1)
        self.observation_space = spaces.Dict(
            {
                "contexts": _numbers(n, d),
                "costs": _numbers(n, low=0.0),
                "opened": spaces.MultiBinary(n),
                "values": _numbers(n),
                "best": _numbers(1),
            }
        )
        self._seed: int | None = None
        self._round = -1
        self._block: tuple[int, Instance] | None = None
        self._state = RoundState([])
        self._fines = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a round: round 0 of the seed, or the next one of the seed before."""
        super().reset(seed=seed, options=options)
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(2**32)) if seed is None else seed
            self._round, self._block = -1, None
        self._round += 1
        self._state = RoundState(self._instance()[0].costs.tolist())
        self._fines = 0.0
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Open a box or stop."""
        instance, t = self._instance()
        state, costs, box = self._state, instance.costs, int(action)
        stop = box == self.world.boxes
        if stop and state.opened:
            info = self._info() | {"total": state.total + self._fines}
            return self._observation(), -state.best, True, False, info
        price = float(costs.max() if stop else costs[box])
        if stop or box in state.opened:
            self._fines += price
        else:
            state.open(box)
            state.see(box, float(instance.values[t][box]))
        return self._observation(), -price, False, False, self._info()

    def _instance(self) -> tuple[Instance, int]:
        """Return the block of rounds that is played, and the place of the round in it."""
        number = self._round // BLOCK
        if self._seed is None:
            raise WeitzmanError("The environment must be reset before its first step.")
        if self._block is None or self._block[0] != number:
            self._block = number, self.world.draw(BLOCK, self._seed, start=BLOCK * number)
        return self._block[1], self._round % BLOCK

    def _observation(self) -> Observation:
        instance, t = self._instance()
        opened = self._marks()
        return {
            "contexts": instance.contexts[t].copy(),
            "costs": instance.costs.copy(),
            "opened": opened.astype(np.int8),
            "values": np.where(opened, instance.values[t], 0.0),
            "best": np.array([self._state.best if opened.any() else 0.0]),
        }

    def _info(self) -> dict[str, Any]:
        opened = self._marks()
        allowed = np.append(~opened, opened.any()).astype(np.int8)
        return {"action_mask": allowed, "round": self._round}

    def _marks(self) -> Flags:
        """Return which boxes are open."""
        return np.isin(np.arange(self.world.boxes), self._state.opened)


def _numbers(*shape: int, low: float = -np.inf) -> "spaces.Box[np.float64]":
    return spaces.Box(low, np.inf, shape, dtype=np.float64)


if ID not in gymnasium.registry:
    gymnasium.register(id=ID, entry_point="weitzman.lab.gym:SearchEnv")
