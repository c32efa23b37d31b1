"""How often prediction sets contain the true class, over all rows and within each class.

A table is drawn, a model fitted, and new rows are asked for their sets with a coverage of 0.9;
so `--draws` times. Printed is the mean over the draws, and its standard error. A single new row of
each draw would be covered so often that 200 of them are within two binomial standard errors of 0.9,
which is 0.042; with many new rows to each table the figures are closer than that.
"""

import argparse
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gaussbayes import AutoClassifier, GaussianClassifier

COVERAGE = 0.9
NEW_ROWS = 1000
PROPORTIONS = np.array([0.5, 0.3, 0.2])
CENTERS = np.array([[0.0, 0.0], [1.8, 0.0], [0.0, 1.8]])

Noise = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]
NOISES: dict[str, Noise] = {
    "Gaussian": lambda generator, shape: generator.standard_normal(shape),
    "heavy-tailed": lambda generator, shape: generator.standard_t(5, shape),
    "skewed": lambda generator, shape: generator.exponential(1.0, shape),
}
MODELS: dict[str, Callable[[], Any]] = {
    "class-specific covariances": lambda: GaussianClassifier(calibrate=True),
    "AutoClassifier()": AutoClassifier,
}


def covered(make: Callable[[], Any], noise: Noise, n: int, draws: int) -> NDArray[np.float64]:
    """Proportions of new rows whose set has their class (draws, 4).

    The first is that of all rows; the others are those of each class by sets that are by class.
    """
    generator = np.random.default_rng(n)
    result = np.empty((draws, 1 + PROPORTIONS.size))
    for number in range(draws):
        codes = generator.choice(PROPORTIONS.size, n + NEW_ROWS, p=PROPORTIONS)
        rows = CENTERS[codes] + noise(generator, (n + NEW_ROWS, 2))
        model, truth = make().fit(rows[:n], codes[:n]), codes[n:]
        together, within = (
            model.predict_set(rows[n:], COVERAGE, by_class=by_class).members[
                np.arange(NEW_ROWS), truth
            ]
            for by_class in (False, True)
        )
        result[number] = [together.mean(), *(within[truth == c].mean() for c in model.classes_)]
    return result


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    arguments = parser.parse_args()
    threadpool_limits(1)
    print("| rows | noise | model | all rows | within classes |\n|---|---|---|---|---|")
    for n in (150, 600):
        for (noise, draw), (model, make) in product(NOISES.items(), MODELS.items()):
            figures = [_figure(of_draws) for of_draws in covered(make, draw, n, arguments.draws).T]
            cells = [str(n), noise, model, figures[0], ", ".join(figures[1:])]
            print("| " + " | ".join(cells) + " |", flush=True)


def _figure(values: NDArray[np.float64]) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(values.size):.3f}"


if __name__ == "__main__":
    main()
