"""A saved searcher: goes on bit for bit, or is refused; the old file stays whole."""

import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from tests.learn.test_searcher import LEARNERS, columns, every_learner, make, record
from weitzman.learn.storage.format import COMPRESSED, LARGE, VERSION, saved_size

Array = NDArray[np.float64]
GOLDEN = Path(__file__).parent / "golden" / "searcher-v1.wz"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "searcher.wz"


def reloaded(searcher: wz.Searcher, path: Path) -> wz.Searcher:
    searcher.save(path)
    return wz.load(path)


@every_learner
@pytest.mark.parametrize("feedback", ["full", "opened", "probe", "opened+probe"])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_loaded_searcher_goes_on_as_if_it_had_never_stopped(
    learner: wz.Learner, feedback: str, sense: str, path: Path
) -> None:
    contexts, costs, values = record(80)
    whole, first = (make(feedback, learner=learner, sense=sense, rng=4) for _ in range(2))
    played = whole.play(contexts, costs, values, outside=0.5)
    now, later = slice(0, 33), slice(33, 80)
    one = first.play(contexts[now], costs[now], values[now], outside=0.5)
    second = reloaded(first, path)
    assert second.digest() == first.digest()
    two = second.play(contexts[later], costs[later], values[later], outside=0.5)
    parts = zip(columns(one), columns(two), strict=True)
    assert columns(played) == tuple(begin + end for begin, end in parts)
    assert second.digest() == whole.digest()


@every_learner
def test_saving_changes_nothing_and_saves_the_same_bytes_again(
    learner: wz.Learner, path: Path
) -> None:
    contexts, costs, values = record(30)
    searcher = make(learner=learner)
    searcher.play(contexts, costs, values)
    before = searcher.digest()
    again = reloaded(searcher, path)
    assert searcher.digest() == before
    bytes_ = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == bytes_


def test_a_searcher_that_has_seen_nothing_can_be_saved(path: Path) -> None:
    for learner in LEARNERS.values():
        searcher = make(learner=learner)
        assert reloaded(searcher, path).digest() == searcher.digest()


def test_a_loaded_searcher_has_its_settings(path: Path) -> None:
    learner = wz.FTRL(eta=2.5, radius=3.0, intercept=True, prior=[1.0, 2.0, 3.0, 4.0], window=50)
    searcher = make("opened+probe", learner=learner, sense="max", optimism=0.3, block=7, rng=11)
    again = reloaded(searcher, path)
    for name in ("names", "dimension", "policy", "feedback", "sense", "rng", "rounds"):
        assert getattr(again, name) == getattr(searcher, name)
    assert again.policy == wz.Weitzman(learner, optimism=0.3, block=7)


def test_an_open_search_is_not_part_of_the_file(path: Path) -> None:
    contexts, costs, _ = record(1, gaps=False)
    searcher = make("full")
    search = searcher.open(contexts[0], costs[0], outside=-1e6)
    again = reloaded(searcher, path)
    assert again.rounds == 1
    assert list(search) == []
    search.close(np.ones(4))
    assert again.digest() != searcher.digest()


@pytest.mark.parametrize(
    "names",
    [
        [3, 1, 2],
        ["a", "b"],
        ["1", 1],
        ["σ", "a b", "", "\n", '"'],
        [0, -5, 10**30],
        ["\ud800", "x"],
    ],
    ids=ascii,
)
def test_names_survive(names: list[Any], path: Path) -> None:
    again = reloaded(wz.Searcher(boxes=names, dimension=1), path)
    assert again.names == names
    assert [type(name) for name in again.names] == [type(name) for name in names]


@pytest.mark.parametrize("name", [1.5, (1, 2), None, True, b"a", frozenset()], ids=repr)
def test_a_name_that_a_file_cannot_hold_is_refused_and_nothing_is_written(
    name: Any, path: Path
) -> None:
    searcher = wz.Searcher(boxes=[name, "b"], dimension=1)
    with pytest.raises(wz.InvalidInputError, match="must be strings or integers"):
        searcher.save(path)
    assert list(path.parent.iterdir()) == []


def test_boxes_that_joined_are_saved(path: Path) -> None:
    contexts, costs, values = record(40)
    for learner in LEARNERS.values():
        searcher = make(boxes=3, learner=learner)
        searcher.play(contexts[:20, :3], costs[:20, :3], values[:20, :3])
        searcher.add_boxes(["late"])
        again = reloaded(searcher, path)
        assert again.names == [0, 1, 2, "late"]
        for one in (searcher, again):
            one.play(contexts[20:], costs[20:], values[20:])
        assert again.digest() == searcher.digest()


@pytest.mark.parametrize(
    "learner", [wz.FTRL, wz.LinearisedFTRL, wz.NewtonStep, wz.Ridge, wz.Residual]
)
def test_boxes_that_joined_are_saved_with_a_prior_per_box(learner: Any, path: Path) -> None:
    searcher = wz.Searcher(boxes=2, dimension=2, learner=learner(prior=[[1.0, 2.0], [3.0, 4.0]]))
    searcher.add_boxes([2])
    assert reloaded(searcher, path).digest() == searcher.digest()


@pytest.mark.parametrize(
    "settings",
    [
        {"feedback": "probe", "block": np.int64(4)},
        {"rng": np.int64(3)},
        {"dimension": np.int64(3)},
        {"optimism": np.float64(0.5)},
        {"learner": wz.FTRL(window=np.int64(9), intercept=False)},  # type: ignore[arg-type]
        {"learner": wz.FTRL(radius=np.float32(2.0), intercept=False)},  # type: ignore[arg-type]
        {"learner": wz.FTRL(prior=np.ones(3, dtype=np.float32), intercept=False)},
        {"learner": wz.FTRL(prior=[np.float32(1.0)] * 3, intercept=False)},
        {"learner": wz.FTRL(prior=(1.0, 2.0, 3.0), intercept=False)},
    ],
    ids=str,
)
def test_settings_that_are_numpy_numbers_can_be_saved(settings: dict[str, Any], path: Path) -> None:
    """Or are refused when the searcher is made: not after months, when it is to be saved."""
    try:
        searcher = wz.Searcher(**({"boxes": 2, "dimension": 3} | settings))
    except wz.InvalidInputError:
        return
    assert reloaded(searcher, path).digest() == searcher.digest()


# Files that are not whole


def small() -> wz.Searcher:
    learner = wz.FTRL(intercept=False)
    probing: Any = {"feedback": "opened+probe", "block": 3, "rng": 1}
    searcher = wz.Searcher(boxes=["a", 2], dimension=2, learner=learner, **probing)
    contexts, costs, values = record(9, 2, 2)
    searcher.play(contexts, costs, values)
    return searcher


def load_or_refuse(path: Path, content: bytes) -> str | None:
    path.write_bytes(content)
    try:
        return wz.load(path).digest()
    except wz.InvalidFileError as error:
        assert str(path) in str(error)
        return None


def test_a_file_that_is_cut_is_refused(path: Path) -> None:
    small().save(path)
    whole = path.read_bytes()
    for length in np.unique(np.linspace(0, len(whole) - 1, 200).astype(int)):
        assert load_or_refuse(path, whole[:length]) is None


def test_a_file_with_more_at_its_end_is_refused(path: Path) -> None:
    small().save(path)
    whole = path.read_bytes()
    for more in (b"\0", b"\n", b"x" * 100, whole):
        assert load_or_refuse(path, whole + more) is None


def test_a_file_with_one_bit_changed_is_refused_or_the_same(path: Path) -> None:
    searcher = small()
    searcher.save(path)
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    rng = np.random.default_rng(0)
    places = np.concatenate([rng.integers(header, size=200), rng.integers(len(whole), size=100)])
    same = 0
    for place, bit in zip(places, rng.integers(8, size=300), strict=True):
        changed = bytearray(whole)
        changed[place] ^= 1 << int(bit)
        found = load_or_refuse(path, bytes(changed))
        assert found in {None, searcher.digest()}
        same += found is not None
    assert same < 10


def test_every_bit_of_the_format_and_version_is_guarded(path: Path) -> None:
    searcher = small()
    searcher.save(path)
    whole = path.read_bytes()
    for place in range(whole.index(b'"settings"')):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            assert load_or_refuse(path, bytes(changed)) in {None, searcher.digest()}


def test_a_file_of_a_later_version_is_refused_and_says_so(path: Path) -> None:
    small().save(path)
    line, _, body = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    assert header["version"] == 1
    assert (VERSION, COMPRESSED) == (3, 4)
    for other in (2, 3, 4):
        header["version"] = other
        assert load_or_refuse(path, json.dumps(header).encode() + b"\n" + body) is None
    header["version"] = 5
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)
    with pytest.raises(wz.InvalidFileError, match=r"version 4 or earlier; a newer .* Got 5\."):
        wz.load(path)
    path.write_bytes(json.dumps({"format": "weitzman.searcher", "version": 6}).encode())
    with pytest.raises(wz.InvalidFileError, match="newer"):
        wz.load(path)


def large() -> wz.Searcher:
    """Boxes of which most have seen little, so that much of what is kept for them is room."""
    searcher = wz.Searcher(boxes=20, dimension=60, feedback="full")
    rng = np.random.default_rng(0)
    for t in range(60):
        there = list(range(20)) if t < 3 else [t % 4]
        contexts, values = rng.normal(size=(len(there), 60)), rng.normal(size=len(there))
        search = searcher.open(contexts, 0.1, boxes=there)
        found: dict[Any, float] = dict(zip(there, values.tolist(), strict=True))
        for box in search:
            search.see(found[box])
        search.close(found)
    return searcher


def test_large_arrays_are_compressed_without_loss(path: Path) -> None:
    searcher = large()
    searcher.save(path)
    whole = path.read_bytes()
    header = json.loads(whole.partition(b"\n")[0])
    assert header["version"] == COMPRESSED
    size = saved_size(whole)
    assert size >= LARGE
    assert len(whole) < 0.5 * size
    again = wz.load(path)
    assert again.digest() == searcher.digest()
    assert again.to_bytes() == whole
    contexts = np.random.default_rng(1).normal(size=(20, 60))
    assert (
        again.reservation_values(contexts, 0.1).tolist()
        == searcher.reservation_values(contexts, 0.1).tolist()
    )


def test_a_compressed_file_that_is_cut_changed_or_longer_is_refused(path: Path) -> None:
    whole = large().to_bytes()
    begin = whole.index(b"\n") + 1
    digest = wz.load(whole).digest()
    for length in np.linspace(begin, len(whole) - 1, 20).astype(int):
        assert load_or_refuse(path, whole[:length]) is None
    assert load_or_refuse(path, whole + b"x") is None
    rng = np.random.default_rng(0)
    for place in [begin, begin + 1, *rng.integers(begin, len(whole), size=20)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << int(rng.integers(8))
        assert load_or_refuse(path, bytes(changed)) in {None, digest}
    line, body = whole[: begin - 1], zlib.decompress(whole[begin:])
    # More than the header says, and less
    for wrong in (body + bytes(10**8), body[:-8], b""):
        assert load_or_refuse(path, line + b"\n" + zlib.compress(wrong)) is None
    assert load_or_refuse(path, line + b"\n" + zlib.compress(body, 9)) == digest


STRANGE: dict[str, bytes] = {
    "empty": b"",
    "a line": b"\n",
    "text": b"hello",
    "a list": b"[]\n",
    "a number": b"3\n",
    "nothing": b"null\n",
    "another format": b'{"format": "other", "version": 1}\n',
    "no version": b'{"format": "weitzman.searcher"}\n',
    "a version that is no number": b'{"format": "weitzman.searcher", "version": [1]}\n',
    "an infinite version": b'{"format": "weitzman.searcher", "version": 1e999}\n',
    "no settings": b'{"format": "weitzman.searcher", "version": 1}\n',
    "an array that is a number": b'{"format": "weitzman.searcher", "version": 1, "settings": {}, '
    b'"arrays": [1], "sha256": ""}\n',
    "an array of an odd kind": b'{"format": "weitzman.searcher", "version": 1, "settings": {}, '
    b'"arrays": [["a", ["<f8"], [1]]], "sha256": ""}\n',
    "an array of objects": b'{"format": "weitzman.searcher", "version": 1, "settings": {}, '
    b'"arrays": [["a", "|O", [1]]], "sha256": ""}\n',
    "deep": b"[" * 200_000 + b"\n",
    "not unicode": b"\xff\xfe\n",
}


@pytest.mark.parametrize("content", STRANGE.values(), ids=STRANGE)
def test_a_file_that_is_something_else_is_refused(content: bytes, path: Path) -> None:
    assert load_or_refuse(path, content) is None


class Trap:
    """Makes a file if it is ever unpickled."""

    def __init__(self, target: str) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, (Path(self.target),)  # type: ignore[return-value]


def test_a_pickle_is_refused_and_not_run(path: Path) -> None:
    trace = path.parent / "trace"
    assert load_or_refuse(path, pickle.dumps(Trap(str(trace)))) is None
    assert not trace.exists()


@pytest.mark.parametrize("source", [5, None, True, 1.5, ["a"], {}])
def test_what_is_no_path_and_no_bytes_is_refused_in_a_sentence(source: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match="must be the path of a file, or bytes"):
        wz.load(source)


def test_a_file_that_is_not_there_says_so(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        wz.load(path)


# Writing is all or nothing


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_leaves_the_old_file_whole(
    failing: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searcher = small()
    searcher.save(path)
    whole, digest = path.read_bytes(), searcher.digest()
    contexts, costs, values = record(5, 2, 2, gaps=False)
    searcher.play(contexts, costs, values)

    def refuse(*_: object) -> None:
        raise OSError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(failing, refuse)
        with pytest.raises(OSError, match="full"):
            searcher.save(path)
    assert path.read_bytes() == whole
    assert wz.load(path).digest() == digest
    assert os.listdir(path.parent) == [path.name]  # noqa: PTH208
    searcher.save(path)
    assert wz.load(path).digest() == searcher.digest()


def test_a_learner_of_ones_own_is_refused_and_nothing_is_written(path: Path) -> None:
    class Own:
        def start(self, *, boxes: int, dimension: int) -> wz.Bank:
            return wz.Ridge(intercept=False).start(boxes=boxes, dimension=dimension)

    searcher = wz.Searcher(boxes=2, dimension=1, learner=Own())
    with pytest.raises(wz.InvalidInputError, match="A saved learner must be one of"):
        searcher.save(path)
    assert list(path.parent.iterdir()) == []


# A file of the first version


def grid(rounds: int, first: int) -> tuple[Array, Array]:
    """Contexts and values from whole numbers, the same under every random generator."""
    t, i, j = np.indices((rounds, 3, 2))
    contexts = ((7 * (t + first) + 5 * i + 3 * j * (t + first + 1)) % 11 - 4.0) / 4.0
    values = ((13 * (t + first) + 4 * i) % 17)[:, :, 0] / 8.0 + contexts.sum(axis=2)
    return contexts, values


def golden_searcher() -> wz.Searcher:
    """The searcher in the file, which was made with ``golden_searcher().save(GOLDEN)``."""
    searcher = wz.Searcher(
        boxes=["a", "b", 3],
        dimension=2,
        learner=wz.FTRL(intercept=True),
        feedback="opened+probe",
        optimism=0.75,
        block=4,
        rng=5,
    )
    contexts, values = grid(12, 0)
    searcher.play(contexts, [0.25, 0.5, 0.125], values)
    return searcher


GOLDEN_TOTALS = [1.5, -0.5, 2.875, 1.0, 1.625, 0.375, 1.625, -0.625]
GOLDEN_CHOSEN = [1, 2, 0, 1, 0, 1, 1, 2]


def test_a_file_of_version_1_still_loads_and_goes_on() -> None:
    searcher = wz.load(GOLDEN)
    assert searcher.names == ["a", "b", 3]
    assert searcher.rounds == 12
    contexts, values = grid(8, 12)
    played = searcher.play(contexts, [0.25, 0.5, 0.125], values)
    assert played.totals.tolist() == GOLDEN_TOTALS
    assert played.chosen.tolist() == GOLDEN_CHOSEN


def test_a_file_of_version_1_is_what_its_rounds_give_today_up_to_rounding() -> None:
    loaded, made = wz.load(GOLDEN), golden_searcher()
    contexts, _ = grid(8, 12)
    for x in contexts:
        old, new = (one.reservation_values(x, [0.25, 0.5, 0.125]) for one in (loaded, made))
        assert old == pytest.approx(new, abs=1e-9)
