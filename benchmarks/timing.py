"""Times of several functions, interleaved, so that a slow moment of the machine hits all alike."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_PAUSE = 0.2
"""Seconds before each measurement: BLAS keeps its threads spinning for a while after a product, and
they would slow down whoever comes next."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one function over several rounds."""

    best: float
    median: float


def interleaved(
    functions: Mapping[str, Callable[[], object]], rounds: int, at_least: float = 0.002
) -> dict[str, Timing]:
    """Call each function once a round, in turn; short ones as often as `at_least` seconds take."""
    repeats = {}
    for name, function in functions.items():
        function()
        start = time.perf_counter()
        function()
        repeats[name] = max(1, round(at_least / max(time.perf_counter() - start, 1e-9)))
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    gc.disable()
    try:
        for _ in range(rounds):
            for name, function in functions.items():
                time.sleep(_PAUSE)
                start = time.perf_counter()
                for _ in range(repeats[name]):
                    function()
                seconds[name].append((time.perf_counter() - start) / repeats[name])
    finally:
        gc.enable()
    return {name: Timing(min(own), statistics.median(own)) for name, own in seconds.items()}
