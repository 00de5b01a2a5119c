"""Random small problems, as boxes for the library and as options for brute force.

Numbers are small fractions, so that ties, atoms and costs of 0 are frequent.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import weitzman as wz
from tests.search.variants.brute import ONE, Option, Terms
from weitzman.search.contents import Stage

Chances = tuple[Fraction, ...]
Case = tuple[list[wz.Box], tuple[Option, ...], Terms]

DISCOUNT = Fraction(3, 4)


def chances(rng: Random, count: int) -> Chances:
    weights = [rng.randint(1, 4) for _ in range(count)]
    return tuple(Fraction(w, sum(weights)) for w in weights)


def outcomes(rng: Random, most: int = 3) -> list[tuple[Fraction, Fraction]]:
    """Return values and their chances."""
    values = rng.sample(range(-2, 8), rng.randint(1, most))
    return list(zip(map(Fraction, values), chances(rng, len(values)), strict=True))


def law(pairs: list[tuple[Fraction, Fraction]]) -> wz.Discrete:
    return wz.Discrete([float(v) for v, _ in pairs], [float(p) for _, p in pairs])


def cost(rng: Random) -> Fraction:
    return Fraction(rng.randint(0, 8), 4)


def terms(rng: Random, *, keep: int = 1) -> Terms:
    outside = Fraction(rng.randint(-2, 8)) if rng.random() < 0.5 else None
    return Terms(sense=rng.choice(["min", "max"]), outside=outside, keep=keep)


def time(rng: Random, discounted: bool) -> int:
    return rng.randint(0, 2) if discounted else 1


def staged(
    rng: Random,
    name: str,
    depth: int,
    *,
    sure: bool,
    discounted: bool = False,
    then: Callable[[Fraction], tuple[Option, ...]] = lambda value: (),
) -> tuple[list[Stage], Option]:
    """Return the stages of a box, and its first option; ``sure``: every signal leads to a value."""
    names = [[f"s{level}{i}" for i in range(rng.randint(1, 2))] for level in range(depth - 1)]
    stages: list[Stage] = []
    # The options of a level by the signal before
    before: list[Any] = [[None], *names]
    tables: list[dict[Any, Any]] = []
    for level in range(depth):
        table: dict[Any, Any] = {}
        for signal in before[level]:
            if level and not sure and rng.random() < 0.25:
                continue
            price = cost(rng)
            if level == depth - 1:
                table[signal] = price, outcomes(rng)
            else:
                shown = chances(rng, len(names[level]))
                table[signal] = price, dict(zip(names[level], shown, strict=True))
        if not table:
            table[before[level][0]] = (
                cost(rng),
                (
                    outcomes(rng)
                    if level == depth - 1
                    else dict(zip(names[level], chances(rng, len(names[level])), strict=True))
                ),
            )
        tables.append(table)
    times = [time(rng, discounted) for _ in range(depth)]
    for level, table in enumerate(tables):
        last = level == depth - 1
        shows: Any = {
            signal: law(content) if last else {s: float(p) for s, p in content.items()}
            for signal, (_, content) in table.items()
        }
        costs: Any = {signal: float(price) for signal, (price, _) in table.items()}
        if level == 0:
            shows, costs = shows[None], costs[None]
        stages.append(Stage(f"stage {level}", costs, shows, time=times[level]))

    made: dict[tuple[int, Any], Option | None] = {}

    def option(level: int, signal: Any) -> Option | None:
        if (level, signal) in made:
            return made[level, signal]
        if signal not in tables[level]:
            return None
        price, content = tables[level][signal]
        factor = DISCOUNT ** times[level] if discounted else ONE
        ways: list[Any] = []
        if level == depth - 1:
            ways = [(p, float(v), v, then(v)) for v, p in content]
        else:
            for s, p in content.items():
                following = option(level + 1, s)
                ways.append((p, s, None, () if following is None else (following,)))
        made[level, signal] = Option(name, price, tuple(ways), factor)
        return made[level, signal]

    first = option(0, None)
    assert first is not None
    return stages, first


def staged_boxes(rng: Random, most: int, *, keep: int = 1, discounted: bool = False) -> Case:
    count = rng.randint(max(2, keep), most)
    found = terms(rng, keep=keep)
    boxes, roots = [], []
    for i in range(count):
        depth = rng.randint(1, 3 if count < 3 else 2)
        sure = found.outside is None and i < keep
        stages, first = staged(rng, f"b{i}", depth, sure=sure, discounted=discounted)
        boxes.append(wz.Box(f"b{i}", stages=stages))
        roots.append(first)
    return boxes, tuple(roots), found


def simple_boxes(rng: Random, most: int, *, keep: int = 1, discounted: bool = False) -> Case:
    count = rng.randint(max(2, keep), most)
    boxes, roots = [], []
    for i in range(count):
        pairs, price, took = outcomes(rng), cost(rng), time(rng, discounted)
        boxes.append(wz.Box(f"b{i}", float(price), law(pairs), time=took))
        factor = DISCOUNT**took if discounted else ONE
        ways = tuple((p, float(v), v, ()) for v, p in pairs)
        roots.append(Option(f"b{i}", price, ways, factor))
    return boxes, tuple(roots), terms(rng, keep=keep)


def forest(
    rng: Random,
    most: int,
    *,
    dependent: bool = False,
    stages: bool = False,
    discounted: bool = False,
) -> Case:
    """Return boxes after others; ``dependent`` laws, or ``stages`` in some of the boxes."""
    count = rng.randint(2, most)
    parents = [None, *(rng.choice([None, *range(i)]) for i in range(1, count))]
    contents: list[Any] = []
    for i in range(count):
        pairs = outcomes(rng, 2 if count > 3 else 3)
        given: Any = None
        if dependent and parents[i] is not None and rng.random() < 0.7:
            given = {}
            for value in {v for v, _ in _possible(contents[parents[i]])}:
                if rng.random() < 0.8:
                    given[value] = outcomes(rng, 2)
            if not given:
                given[_possible(contents[parents[i]])[0][0]] = outcomes(rng, 2)
        contents.append((cost(rng), time(rng, discounted), pairs, given))
    made: dict[tuple[int, Any], Option] = {}
    boxes: list[wz.Box] = [wz.Box("none", 0.0, 0.0)] * count

    def children(i: int) -> Callable[[Fraction], tuple[Option, ...]]:
        def then(value: Fraction) -> tuple[Option, ...]:
            found = []
            for j in range(count):
                if parents[j] == i:
                    given = contents[j][3]
                    if given is None or value in given:
                        found.append(option(j, None if given is None else value))
            return tuple(found)

        return then

    def option(i: int, value: Any) -> Option:
        if (i, value) not in made:
            price, took, pairs, given = contents[i]
            after = None if parents[i] is None else f"b{parents[i]}"
            name, then = f"b{i}", children(i)
            if stages and rng.random() < 0.5:
                kinds, first = staged(
                    rng, name, 2, sure=parents[i] is None, discounted=discounted, then=then
                )
                boxes[i] = wz.Box(name, stages=kinds, after=after)
                made[i, value] = first
            else:
                laws: Any = law(pairs)
                if given is not None:
                    laws = {float(v): law(each) for v, each in given.items()}
                    pairs = given[value]
                boxes[i] = wz.Box(name, float(price), laws, after=after, time=took)
                factor = DISCOUNT**took if discounted else ONE
                ways = tuple((p, float(v), v, then(v)) for v, p in pairs)
                made[i, value] = Option(name, price, ways, factor)
        return made[i, value]

    roots = tuple(option(i, None) for i in range(count) if parents[i] is None)
    for i, (price, took, pairs, given) in enumerate(contents):
        if boxes[i].name == "":
            # Behind what never happens
            laws = law(pairs) if given is None else {float(v): law(o) for v, o in given.items()}
            boxes[i] = wz.Box(f"b{i}", float(price), laws, after=f"b{parents[i]}", time=took)
    return boxes, roots, terms(rng)


def _possible(content: Any) -> list[tuple[Fraction, Fraction]]:
    """Return the outcomes of a box, whatever came before."""
    _, _, pairs, given = content
    return pairs if given is None else [pair for each in given.values() for pair in each]


def matroid(rng: Random, kind: str) -> tuple[Case, Any, Callable[[frozenset[str]], bool], int]:
    """Return boxes, a matroid over them from the library, the same by a plain test, and its rank."""
    boxes, roots, found = simple_boxes(rng, 4)
    names = [box.name for box in boxes]
    if kind == "partition":
        groups = {name: rng.choice("xy") for name in names}
        limits = {group: rng.randint(1, 2) for group in "xy"}
        made = wz.partition_matroid(groups, limits)

        def independent(chosen: frozenset[str]) -> bool:
            return all(sum(groups[n] == g for n in chosen) <= limits[g] for g in "xy")
    elif kind == "graphic":
        edges = {name: (rng.choice("pqr"), rng.choice("pqr")) for name in names}
        made = wz.graphic_matroid(edges)

        def independent(chosen: frozenset[str]) -> bool:
            # No non-empty set of edges in which every place has an even degree
            for mask in range(1, 1 << len(chosen)):
                inside = [edges[n] for i, n in enumerate(sorted(chosen)) if mask >> i & 1]
                ends = [end for edge in inside for end in edge]
                if all(ends.count(end) % 2 == 0 for end in ends):
                    return False
            return True
    else:
        places = {name: rng.sample([1, 2, 3], rng.randint(1, 2)) for name in names}
        made = wz.transversal_matroid(places)

        def independent(chosen: frozenset[str]) -> bool:
            picks = product(*(places[n] for n in sorted(chosen)))
            return any(len(set(pick)) == len(pick) for pick in picks)

    sizes = [len(c) for k in range(len(names) + 1) for c in combinations(names, k)]
    subsets = [frozenset(c) for k in range(len(names) + 1) for c in combinations(names, k)]
    rank = max(size for size, one in zip(sizes, subsets, strict=True) if independent(one))
    terms = Terms(found.sense, found.outside, rank, independent)
    return (boxes, roots, terms), made, independent, rank
