"""Before machine code is there: no waiting, the same bits, and a program that ends when it wants to."""

import os
import pathlib
import subprocess
import sys
import time

BEGIN = """
import os, sys, threading, time
import numpy as np
import weitzman as wz
from weitzman.compiled import beside
from weitzman.learn.learners.parts.kernels import learn_rows, predict_rows

def rounds(searcher, begin, end):
    rng = np.random.default_rng(0)
    for t in range(end):
        contexts, costs = rng.normal(size=(3, 2)), rng.uniform(0.05, 0.5, size=3)
        values = contexts.sum(axis=1) + rng.normal(size=3)
        if t < begin:
            continue
        search = searcher.open(contexts, costs)
        for box in search:
            search.see(values[box])
        search.close()

def until_compiled():
    end = time.monotonic() + 300.0
    while any(order.open for order in beside._beside._orders.values()):
        assert time.monotonic() < end
        time.sleep(0.1)
        beside.is_being_made(learn_rows)

def stop():
    # What is left would take two cores a minute
    if beside._beside._process:
        beside._beside._process.kill()
        beside._beside._process.wait()

def new(policy=None, learner=wz.LinearisedFTRL()):
    which = {"policy": policy} if policy else {"learner": learner}
    return wz.Searcher(boxes=3, dimension=2, **which)
"""

FIRST = """
searcher = new("default")
rounds(searcher, 0, 1)
print(len(predict_rows.signatures), len(learn_rows.signatures))
rounds(searcher, 1, 30)
print(searcher.digest())
stop()
"""

SWITCH = """
for learner in (wz.LinearisedFTRL(), wz.Ridge()):
    searcher = new(learner=learner)
    rounds(searcher, 0, 1)
    search = searcher.open(np.ones((3, 2)), 0.1)
    before = len(learn_rows.signatures)
    next(search)
    search.see(1.0)
    until_compiled()
    for box in search:
        search.see(2.0)
    search.close()
    rounds(searcher, 1, 12)
    print(before, len(learn_rows.signatures), searcher.digest())
"""

PLAY = """
rng = np.random.default_rng(0)
contexts, costs = rng.normal(size=(400, 3, 2)), rng.uniform(0.05, 0.5, size=(400, 3))
values = contexts.sum(axis=2) + rng.normal(size=(400, 3))
searcher = new()
print(searcher.play(contexts, costs, values).totals.tobytes().hex())
print(searcher.digest())
"""

THREADS = """
searchers = [new(), new(), new(learner=wz.Ridge()), new(learner=wz.Ridge())]
threads = [threading.Thread(target=rounds, args=(one, 0, 60)) for one in searchers]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*(searcher.digest() for searcher in searchers))
"""

FORK = """
searcher = new()
rounds(searcher, 0, 2)
child = os.fork()
rounds(searcher, 2, 12)
if child:
    _, status = os.waitpid(child, 0)
    assert status == 0
    print(searcher.digest())
else:
    print(searcher.digest(), flush=True)
    os._exit(0)
"""

NO_PROCESS = """
sys.executable = "/bin/false"
searcher = new()
rounds(searcher, 0, 1)
if beside._beside._process:  # it may have been seen to have ended
    beside._beside._process.wait()
rounds(searcher, 1, 12)
print(len(learn_rows.signatures), searcher.digest())
"""


def run(program: str, cache: pathlib.Path | None = None) -> list[str]:
    """Return the words that a program prints; warnings are errors, and nothing else is said.

    It begins with the machine code in a place; without one, all is compiled before it is called.
    """
    environment = dict(os.environ)
    if cache is not None:
        environment.pop("WEITZMAN_COMPILE")
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BEGIN + program],
        capture_output=True,
        check=False,
        text=True,
        timeout=500,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_the_first_rounds_wait_for_nothing(tmp_path: pathlib.Path) -> None:
    predicted, learned, digest = run(FIRST, tmp_path)
    assert (predicted, learned) == ("0", "0")
    *signatures, again = run(FIRST)
    assert min(map(int, signatures)) > 0
    assert digest == again


def test_machine_code_takes_over_in_the_middle_of_a_round(tmp_path: pathlib.Path) -> None:
    before, now, linear, _, more, ridge = run(SWITCH, tmp_path)
    assert (before, now, more) == ("0", "1", "2")
    found = run(SWITCH)
    assert (found[2], found[5]) == (linear, ridge)
    # What another process has compiled is there for the next one
    assert run(SWITCH, tmp_path)[:2] == ["1", "1"]


def test_recorded_rounds_are_played_meanwhile(tmp_path: pathlib.Path) -> None:
    assert run(PLAY, tmp_path) == run(PLAY)


def test_threads_share_it(tmp_path: pathlib.Path) -> None:
    first, second, third, fourth = run(THREADS, tmp_path)
    assert (first, third) == (second, fourth)
    assert [first, second, third, fourth] == run(THREADS)


def test_a_forked_process_goes_on_by_itself(tmp_path: pathlib.Path) -> None:
    parent, child = run(FORK, tmp_path)
    assert parent == child
    assert run(FORK) == [parent, parent]


def test_where_no_process_can_be_it_is_compiled_here(tmp_path: pathlib.Path) -> None:
    signatures, digest = run(NO_PROCESS, tmp_path)
    assert signatures == "1"
    assert digest == run(FORK)[0]


def test_a_program_ends_while_its_loops_are_compiled_and_the_next_one_finds_them(
    tmp_path: pathlib.Path,
) -> None:
    assert run("rounds(new(), 0, 1)\nprint(*learn_rows.signatures)", tmp_path) == []
    assert not list(tmp_path.rglob("*learn_rows*.nbc"))
    begin = time.monotonic()
    while not list(tmp_path.rglob("*learn_rows*.nbc")):
        assert time.monotonic() < begin + 300.0
        time.sleep(0.2)
    assert len(run("rounds(new(), 0, 1)\nprint(len(learn_rows.signatures))", tmp_path)) == 1
