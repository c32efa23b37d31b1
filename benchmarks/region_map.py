"""What a map of decision regions costs: 400 × 400 points, three classes, without the drawing.

The goal is 100 ms. scikit-learn's QDA on the same grid is timed in turn.
"""

import argparse

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from timing import interleaved

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.view import view
from gaussbayes.datasets import load_iris


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    iris = load_iris()
    rows = np.ascontiguousarray(iris.rows[:, 2:])
    model = GaussianClassifier().fit(rows, iris.labels)
    theirs = QuadraticDiscriminantAnalysis().fit(rows, iris.labels)
    seen = view(model)

    def labels_only() -> None:
        theirs.predict(seen.grid(400, *seen.limits(rows)).rows)

    def labels_and_margins() -> None:
        seen.margins(seen.grid(400, *seen.limits(rows)).rows).argmax(axis=1)

    name, peer = "labels and margins", "labels by scikit-learn's QDA"
    times = interleaved({name: labels_and_margins, peer: labels_only}, arguments.rounds)
    for what, time in times.items():
        print(f"{what:30} {1e3 * time.best:6.1f} ms (median {1e3 * time.median:.1f})")


if __name__ == "__main__":
    main()
