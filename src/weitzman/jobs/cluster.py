"""Tasks on a Dask cluster.

The scheduler gives tasks to workers and gives them again when a worker dies; results come back to
this process as they are finished, and nothing is written elsewhere. Workers need weitzman of the
same version, and nothing else: no shared disk.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import TypeVar

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.search.extras import need

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE = "10s"


def on_cluster(
    function: Callable[[T], R], tasks: Sequence[T], address: str
) -> Iterator[tuple[T, R]]:
    """Yield each task with what the function made of it, as they come.

    Workers must be able to import the function; the address is that of the scheduler,
    ``tcp://10.0.0.1:8786``.
    """
    distributed = need("A cluster needs Dask", "cluster", "distributed")
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        rule = "be the address of a Dask scheduler that answers"
        raise InvalidInputError(
            "The scheduler", f"{rule} ({_first_line(error)})", address
        ) from None
    with client:
        left = {client.submit(function, task, pure=False): task for task in tasks}
        try:
            for future in distributed.as_completed(list(left), loop=client.loop):
                result = future.result()
                yield left.pop(future), result
        except distributed.KilledWorker as error:
            raise WeitzmanError(
                f"Workers died again and again with the same task: {_first_line(error)} "
                "Finished runs are kept; start again to go on."
            ) from None
        except (CancelledError, distributed.comm.CommClosedError) as error:
            raise WeitzmanError(
                f"The scheduler {address} was lost: {_first_line(error)} "
                "Finished runs are kept; start again to go on."
            ) from None


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
