"""Ours against scikit-learn's fastest solver, for every kind of work and every cell."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cells import Cell, draw
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.naive_bayes import GaussianNB
from timing import Timing, interleaved

from gaussbayes import GaussianClassifier

STRUCTURES: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "full, own": (
        {"covariance": "full"},
        [QuadraticDiscriminantAnalysis(solver=solver) for solver in ("eigen", "svd")],
    ),
    "full, shared": (
        {"covariance": "full", "shared": True},
        [LinearDiscriminantAnalysis(solver=solver) for solver in ("lsqr", "eigen", "svd")],
    ),
    "diagonal": ({"covariance": "diagonal"}, [GaussianNB()]),
}

# What is to be reached, by work and cell.
GOALS = {
    ("fit", "full, own"): (10, 6, 6, 5, 3),
    ("fit", "full, shared"): (15, 9, 9, 3, 3),
    ("fit", "diagonal"): (18, 15, 15, 10, 3),
    ("predict_proba", "full, own"): (12, 10, 8, 3, 2),
    ("predict_proba", "full, shared"): (5, 4, 4, 1.5, 1.5),
    ("predict_proba", "diagonal"): (10, 20, 20, 15, 2),
}


@dataclass(frozen=True, slots=True)
class Ratio:
    """One cell of the table."""

    work: str
    structure: str
    cell: str
    ours: Timing
    theirs: Timing
    solver: str

    @property
    def best(self) -> float:
        """How many times faster, by the best times."""
        return self.theirs.best / self.ours.best

    @property
    def median(self) -> float:
        """How many times faster, by the median times."""
        return self.theirs.median / self.ours.median


def ratios_of(cell: Cell, rounds: int, *, alike: bool = False) -> list[Ratio]:
    """All kinds of work on one cell."""
    X, y = draw(cell, alike=alike)
    found = []
    for structure, (settings, peers) in STRUCTURES.items():
        ours = GaussianClassifier(**settings)
        fits: dict[str, Callable[[], object]] = {"ours": lambda ours=ours: ours.fit(X, y)}
        for peer in peers:
            fits[_solver(peer)] = lambda peer=peer: peer.fit(X, y)
        if not alike:
            found.append(_ratio("fit", structure, cell, interleaved(fits, rounds)))
        for work in ("predict_proba", "predict"):
            calls = {"ours": lambda ours=ours, work=work: getattr(ours, work)(X)}
            for peer in peers:
                peer.fit(X, y)
                calls[_solver(peer)] = lambda peer=peer, work=work: getattr(peer, work)(X)
            ours.fit(X, y)
            found.append(_ratio(work, structure, cell, interleaved(calls, rounds)))
    return found


def _solver(peer: Any) -> str:
    return f"{type(peer).__name__} {getattr(peer, 'solver', '')}".strip()


def _ratio(work: str, structure: str, cell: Cell, timings: dict[str, Timing]) -> Ratio:
    ours = timings.pop("ours")
    solver = min(timings, key=lambda name: timings[name].best)
    return Ratio(work, structure, cell.name, ours, timings[solver], solver)
