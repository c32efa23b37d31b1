"""Few combinations of settings in which any two settings still meet."""

from collections.abc import Callable, Iterable
from itertools import combinations, product
from typing import Any


def all_pairs(
    *axes: Iterable[Any], where: Callable[..., bool] = lambda *_: True
) -> list[tuple[Any, ...]]:
    """Combinations of one value of each axis: any two values of two axes occur together.

    Most defects that depend on settings depend on one or two of them, so that the whole product
    says little more. Of the combinations that `where` allows, the one with the most new pairs is
    taken, until there is none.

    >>> all_pairs("ab", "xy", "12")
    [('a', 'x', '1'), ('a', 'y', '2'), ('b', 'x', '2'), ('b', 'y', '1')]
    """
    values = [list(axis) for axis in axes]
    places = [
        indices
        for indices in product(*(range(len(axis)) for axis in values))
        if where(*(axis[i] for axis, i in zip(values, indices, strict=True)))
    ]
    pairs = {indices: set(combinations(enumerate(indices), 2)) for indices in places}
    missing: set[Any] = set().union(*pairs.values())
    chosen = []
    while missing:
        best = max(pairs, key=lambda indices: len(pairs[indices] & missing))
        missing -= pairs.pop(best)
        chosen.append(best)
    return [tuple(axis[i] for axis, i in zip(values, row, strict=True)) for row in sorted(chosen)]
