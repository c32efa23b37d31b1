"""Climbing to a maximum by steps that never descend, and telling how far it still is.

EM goes from parameters x to parameters M(x) that are at least as likely. Near the maximum its
steps shrink by a constant factor, which is close to 1 where much is missing. Anderson's method
looks at the last few steps f = M(x) − x and takes the combination of them that would make f
vanish if M were linear; of a linear M it finds the fixed point within as many steps as M has
different factors. What it proposes is taken only if the likelihood there is no lower than before;
otherwise the step is that of EM. So the likelihood never falls, by construction.

When to stop is decided by the parameters. The error e of x obeys ``f = (1 − J) e``, where J is how
M changes with x. The largest ``|Δx| / |Δf|`` seen, over pairs of steps, estimates how much larger
than f the error can be: it is ``1 / (1 − r)`` for the slowest factor r.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray

Found = TypeVar("Found")

_MEMORY = 8
"""Steps that are combined."""

_LONGEST = 2.0
"""Largest entry of a combined step: far from where the last steps were, they say nothing."""

_SLACK = 1e-13
"""How much lower than before, relative to its size, an objective is taken for rounding."""

_STALLED = 40
"""Steps without any progress, of the objective or of the step length, after which none comes."""


@dataclass(frozen=True, slots=True, eq=False)
class Step(Generic[Found]):
    """One step from x: where it leads, and what was found out at x."""

    image: FloatArray  # M(x)
    objective: float  # at x
    noise: float  # how much of M(x) is rounding
    found: Found


@dataclass(frozen=True, slots=True, eq=False)
class Climb(Generic[Found]):
    """A way to a maximum: the last step, and the objective at the start of each."""

    last: Step[Found]
    objective: FloatArray  # (steps,)
    converged: bool
    remaining: float  # estimated distance of the last x from the maximum, in units of x


def climb(
    step: Callable[[FloatArray], Step[Found]],
    start: FloatArray,
    tolerance: float,
    max_iterations: int,
    what: str = "fitting incomplete rows",
) -> Climb[Found]:
    """Repeat a step that never lowers its objective, accelerated, until the error is small.

    Parameters
    ----------
    step : raises SingularCovarianceError where there are no such parameters; passed on only if
        the unaccelerated step leads there
    tolerance : the estimated error of x, in its largest entry, at which to stop
    max_iterations : how many steps to make at most
    what : what a progress bar says is being done

    Examples
    --------
    >>> def halve(x):
    ...     return Step(x / 2, -float(x @ x), 1e-16, None)
    >>> way = climb(halve, np.array([1.0]), 1e-10, 100)
    >>> way.converged, bool(abs(way.last.image[0]) < 1e-10)
    (True, True)
    """
    steps: list[FloatArray] = []  # differences of x, the newest last
    residuals: list[FloatArray] = []  # differences of f
    x, here = start, step(start)
    f = here.image - x
    record, factor, lowest, since = [here.objective], 1.0, np.inf, 0
    remaining, converged, proposed = np.inf, False, None
    for n in track(count(1), what):
        remaining = factor * _size(f)
        converged = remaining <= tolerance or _size(f) <= here.noise
        since = since + 1 if remaining >= 0.9 * lowest else 0
        lowest = min(lowest, remaining)
        if converged or n >= max_iterations or (since >= _STALLED and _flat(record)):
            break
        proposed = _combined(x, f, steps, residuals)
        there = None if proposed is None else _tried(step, proposed)
        if there is None or there.objective < here.objective - slack(here.objective):
            steps.clear()
            residuals.clear()
            proposed, there = here.image, step(here.image)
        assert proposed is not None
        g = there.image - proposed
        steps.append(proposed - x)
        residuals.append(g - f)
        if _size(g) > 10 * there.noise:
            factor = max(1.0, *(_ratio(a, b) for a, b in zip(steps, residuals, strict=True)))
        del steps[:-_MEMORY], residuals[:-_MEMORY]
        x, f, here = proposed, g, there
        record.append(here.objective)
    return Climb(here, np.array(record), bool(converged), float(remaining))


def total_objective(climbs: Sequence[Climb[Any]]) -> FloatArray:
    """The sum of the objectives of climbs side by side; one that has arrived keeps its last.

    Examples
    --------
    >>> def there(x):
    ...     return Step(x, 1.0, 0.0, None)
    >>> total_objective([climb(there, np.zeros(1), 1e-9, 9)] * 2).tolist()
    [2.0]
    """
    length = max(way.objective.size for way in climbs)
    total = np.zeros(length)
    for way in climbs:
        total += np.pad(way.objective, (0, length - way.objective.size), mode="edge")
    return total


def slack(objective: float) -> float:
    """What may be rounding in an objective.

    Examples
    --------
    >>> slack(-9.0)
    1e-12
    """
    return _SLACK * (1.0 + abs(objective))


def _flat(record: list[float]) -> bool:
    return record[-1] - record[-_STALLED] <= _STALLED * slack(record[-1])


def _size(vector: FloatArray) -> float:
    return float(np.abs(vector).max(initial=0.0))


def _ratio(step: FloatArray, residual: FloatArray) -> float:
    below = float(np.linalg.norm(residual))
    return float(np.linalg.norm(step)) / below if below else 1.0


def _combined(
    x: FloatArray, f: FloatArray, steps: list[FloatArray], residuals: list[FloatArray]
) -> FloatArray | None:
    """Where f would vanish if it were linear, or None for the plain step."""
    if not steps:
        return None
    dx, df = np.stack(steps, axis=1), np.stack(residuals, axis=1)
    # Columns of one length: the newest differences are the smallest and matter most.
    scale = np.linalg.norm(df, axis=0)
    if not scale.all():
        return None
    share = np.linalg.lstsq(df / scale, f, rcond=1e-10)[0] / scale
    step: FloatArray = f - (dx + df) @ share
    size = _size(step)
    return x + step * min(1.0, _LONGEST / size) if np.isfinite(size) else None


def _tried(step: Callable[[FloatArray], Step[Found]], x: FloatArray) -> Step[Found] | None:
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            tried = step(x)
    except SingularCovarianceError:
        return None
    return tried if np.isfinite(tried.objective) else None
