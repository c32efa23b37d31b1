"""What a step is, and the state that the page takes on for it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """What to read and what to see."""

    text: str  # two or three sentences
    state: dict[str, Any]  # of the page; what it does not name is as the page begins


@dataclass(frozen=True, slots=True)
class GuidedLesson:
    """A lesson in steps."""

    name: str
    title: str
    steps: tuple[Step, ...]


def data(preset: str, n: int = 200, seed: int = 0) -> dict[str, Any]:
    """The rows of a step."""
    return {"preset": preset, "seed": seed, "n": n}


def fitted(
    covariance: str = "full",
    shared: bool | float = False,
    divisor: str = "mle",
    shrinkage: float | None = None,
    priors: Any = None,
) -> dict[str, Any]:
    """A model of the rows."""
    return {
        "from": "data",
        "covariance": covariance,
        "shared": shared,
        "divisor": divisor,
        "shrinkage": shrinkage,
        "priors": priors,
    }


def by_hand(priors: Any, means: Any, covariances: Any) -> dict[str, Any]:
    """A model that is set."""
    return {
        "from": "hand",
        "priors": list(priors),
        "means": [list(mean) for mean in means],
        "covariances": [[list(row) for row in one] for one in covariances],
    }


def voting() -> dict[str, Any]:
    """Nearest neighbours; how many, the state says."""
    return {"from": "neighbours"}


def state(
    rows: dict[str, Any],
    model: dict[str, Any] | None = None,
    *,
    pair: tuple[int, int] = (0, 1),
    view: str = "plane",
    layers: dict[str, Any] | None = None,
    test: float = 0.0,
    **others: Any,
) -> dict[str, Any]:
    """A state that does not depend on the steps before it.

    Parameters
    ----------
    layers : those that differ from the usual ones
    others : at, hide, stream, neighbours, bounds

    Examples
    --------
    >>> state(data("petals", 8), view="line")["view"]
    'line'
    """
    usual: dict[str, Any] = {
        "regions": "blend",
        "density": True,
        "joint": False,
        "evidence": False,
        "boundary": True,
        "reject": None,
        "novelty": None,
        "errors": True,
        "truth": False,
        "multiples": False,
    }
    made: dict[str, Any] = {
        "data": rows,
        "split": {"test": test, "seed": 0},
        "pair": list(pair),
        "model": fitted() if model is None else model,
        "layers": usual | (layers or {}),
        "view": view,
        "bounds": None,
        "hide": None,
        "at": None,
        "stream": None,
    }
    return made | others
