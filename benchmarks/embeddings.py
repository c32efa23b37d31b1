"""A covariance that 100 classes of many features share, beside scikit-learn's LDA (lsqr).

CPU seconds with one BLAS thread, in turn in one process. As in vectors of pretrained networks, the
variances along the principal axes fall like 1 / rank; means vary in the same directions.
``python benchmarks/embeddings.py`` prints the section that `benchmarks/run.py` writes.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from threadpoolctl import threadpool_limits

from gaussbayes import GaussianClassifier

FEATURES = 384, 768, 1024, 2048
CLASSES, FITTED, SCORED = 100, 20_000, 5_000

GOALS = {
    "fit": 1.0,
    "posteriors": 1.5,
    "labels": 1.5,
    "distances": 3.0,
    "evidence": 3.0,
    "p-values": 3.0,
}
"""Times of LDA's fit for the fit, and of its posteriors for everything else."""


def draw(d: int, dtype: type) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
    """Rows with labels, and further rows."""
    generator = np.random.default_rng(0)
    axes = np.linalg.qr(generator.normal(size=(d, d)))[0].T / np.sqrt(1.0 + np.arange(d))[:, None]
    means = 0.4 * generator.normal(size=(CLASSES, d)) @ axes
    labels = np.arange(FITTED + SCORED) % CLASSES
    rows = (means[labels] + generator.normal(size=(labels.size, d)) @ axes).astype(dtype)
    return rows[:FITTED], labels[:FITTED], rows[FITTED:]


def cpu_seconds(work: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least CPU time of each function, called in turn."""
    best = dict.fromkeys(work, np.inf)
    for _ in range(rounds):
        for name, function in work.items():
            start = time.process_time()
            function()
            best[name] = min(best[name], time.process_time() - start)
    return best


def ratios(d: int, dtype: type, rounds: int) -> dict[str, float]:
    """How many times as long as LDA's each work takes."""
    X, y, new = draw(d, dtype)
    model = GaussianClassifier(shared=True, n_jobs=1)
    lda = LinearDiscriminantAnalysis(solver="lsqr")
    fits = cpu_seconds({"fit": lambda: model.fit(X, y), "lda": lambda: lda.fit(X, y)}, 2)
    work: dict[str, Callable[[], object]] = {
        "lda": lambda: lda.predict_proba(new),
        "posteriors": lambda: model.predict_proba(new),
        "labels": lambda: model.predict(new),
        "distances": lambda: model.scores(new).squared_distance,
        "evidence": lambda: model.score_samples(new),
        "p-values": lambda: model.scores(new).p_value,
    }
    scores = cpu_seconds(work, rounds)
    found = {name: seconds / scores["lda"] for name, seconds in scores.items() if name != "lda"}
    return {"fit": fits["fit"] / fits["lda"], **found}


def section(rounds: int) -> list[str]:
    """The section of the page."""
    words = (
        f"{CLASSES} classes that share a full covariance: fit to {FITTED:,} rows, and scores of "
        f"{SCORED:,}. CPU time with one BLAS thread, in units of scikit-learn's LDA (lsqr): its "
        "fit, and its posteriors for all scores. Lower is better; ✗ marks a figure above its goal. "
        "The distances of a row take d² / 2 + k d multiplications, its posteriors k d: "
        f"{', '.join(f'{(d / 2 + CLASSES) / CLASSES:.1f}' for d in FEATURES)} times as many. "
        "Rows in float32 are whitened in float32, at twice the speed."
    )
    lines = [
        "## Embeddings",
        "",
        words,
        "",
        f"| features | {' | '.join(GOALS)} |",
        f"|---|{'---|' * len(GOALS)}",
        f"| goal | {' | '.join(f'{goal:g}' for goal in GOALS.values())} |",
    ]
    with threadpool_limits(1):
        for d in FEATURES:
            for dtype in (np.float32, np.float64):
                found = ratios(d, dtype, rounds)
                cells = [
                    f"{found[name]:.2f}{' ✗' * (found[name] > goal)}"
                    for name, goal in GOALS.items()
                ]
                lines.append(f"| {d:,}, {np.dtype(dtype).name} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    print("\n".join(section(3)))
