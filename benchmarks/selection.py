"""`AutoClassifier` against models that are specified beforehand.

Ten-fold cross-validated log loss on four tables: `AutoClassifier`, which selects its model anew in
every fold, and scikit-learn's Gaussian models with the settings that are named. The goal is to be
no worse than the best of those on each table. Logistic regression and nearest neighbours stand
beside them and are not part of the goal. ∞: some row's true class had probability 0; –: the model
cannot be fitted; ±: the standard error of a difference over the rows. ``--repeats 10`` cuts the
folds in ten ways and takes the mean; ``--write`` writes docs/benchmarks-choice.md, and its table
into docs/benchmarks.md.
"""

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from choice_page import with_section
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gaussbayes import AutoClassifier

DOCS = Path(__file__).parent.parent / "docs"
INTRODUCTION = """\
Ten-fold cross-validation, stratified, {seeds}, on four tables that come with scikit-learn: mean log
loss of the held-out rows, as `python benchmarks/selection.py` prints it. `AutoClassifier` selects
its model anew in every fold. A dash is a model that cannot be fitted, ∞ a true class with
probability 0. The goal, no worse than the best of scikit-learn's five Gaussian models, is reached
on {reached} of 4; a difference below its standard error may be chance."""
TABLES: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}
GAUSSIANS: dict[str, Callable[[], Any]] = {
    "LDA": LinearDiscriminantAnalysis,
    "QDA": QuadraticDiscriminantAnalysis,
    "QDA, reg_param=0.1": lambda: QuadraticDiscriminantAnalysis(reg_param=0.1),
    "QDA, reg_param=0.5": lambda: QuadraticDiscriminantAnalysis(reg_param=0.5),
    "GaussianNB": GaussianNB,
}
OTHERS: dict[str, Callable[[], Any]] = {
    "logistic regression, scaled": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=1000)
    ),
    "15 nearest neighbours, scaled": lambda: make_pipeline(
        StandardScaler(), KNeighborsClassifier(15)
    ),
}


OURS = "AutoClassifier"


class Selected:
    """Fits an `AutoClassifier`, and counts what it selects."""

    def __init__(self) -> None:
        self.model = AutoClassifier()
        self.choices: Counter[str] = Counter()

    def fit(self, X: Any, y: Any) -> None:
        """Select and fit."""
        self.choices[self.model.fit(X, y).selection_.title] += 1

    def predict_log_proba(self, X: Any) -> Any:
        """Log posteriors (n, k)."""
        return self.model.predict_log_proba(X)


def cross_validated(model: Any, X: Any, y: Any, folds: list[Any]) -> Any:
    """−log posterior of the true class of each row, held out (n,); NaN if a fit is refused."""
    losses = np.full(y.size, np.nan)
    for train, test in folds:
        try:
            model.fit(X[train], y[train])
        except (ValueError, np.linalg.LinAlgError):
            return np.full(y.size, np.nan)
        if hasattr(model, "predict_log_proba"):
            log_posterior = model.predict_log_proba(X[test])
        else:
            log_posterior = np.log(model.predict_proba(X[test]))
        losses[test] = -log_posterior[np.arange(test.size), y[test]]
    return losses


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1, help="times the rows are cut into folds")
    parser.add_argument("--write", action="store_true", help="write the pages in docs/")
    arguments = parser.parse_args()
    repeats = arguments.repeats
    warnings.simplefilter("ignore")  # scikit-learn's, about log(0) and collinear features
    columns, notes = [], []
    for name, load in TABLES.items():
        X, y = load(return_X_y=True)
        losses: dict[str, Any] = {}
        ours = {OURS: Selected()}
        for seed in range(repeats):
            folds = list(StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y))
            peers = {label: make() for label, make in (GAUSSIANS | OTHERS).items()}
            for label, model in (ours | peers).items():
                own = cross_validated(model, X, y, folds)
                losses[label] = losses.get(label, 0.0) + own / repeats
        columns.append(_column(losses))
        for label, model in ours.items():
            made = ", ".join(f"{what} ({often})" for what, often in model.choices.most_common())
            notes.append(f"- {name}, {label}: {made}")
    lines = ["| log loss | " + " | ".join(TABLES) + " |", "|---" * (len(TABLES) + 1) + "|"]
    lines += [
        f"| {label} | " + " | ".join(column[label] for column in columns) + " |"
        for label in columns[0]
    ]
    table, choices = "\n".join(lines), "Selected in the folds:\n\n" + "\n".join(notes)
    print(f"{table}\n\n{choices}")
    if arguments.write:
        seeds = "seed 0" if repeats == 1 else f"the mean of seeds 0 to {repeats - 1}"
        _write(INTRODUCTION.format(seeds=seeds, reached=table.count("✓")), table, choices)


def _write(introduction: str, table: str, choices: str) -> None:
    title = "How good the automatic selection is"
    own, page = DOCS / "benchmarks-choice.md", DOCS / "benchmarks.md"
    link = "[What was selected in the folds](benchmarks-choice.md)."
    for path, text in (
        (own, f"{introduction}\n\n{table}\n\n{choices}"),
        (page, f"## {title}\n\n{introduction}\n\n{table}\n\n{link}"),
    ):
        before = path.read_text(encoding="utf-8") if path.exists() else f"# {title}\n"
        path.write_text(with_section(before, text), encoding="utf-8")


def _column(losses: dict[str, Any]) -> dict[str, str]:
    """Mean losses as text, then how ours compares with the best of the Gaussian models."""
    means = {label: float(np.mean(own)) for label, own in losses.items()}
    best = min((label for label in GAUSSIANS if not np.isnan(means[label])), key=means.__getitem__)
    gap = losses[OURS] - losses[best]
    error = float(gap.std(ddof=1)) / np.sqrt(gap.size)
    mark = "✓" if gap.mean() <= 1e-9 else "✗"  # the same model may differ in rounding
    found = {label: _written(loss) for label, loss in means.items()}
    found[f"{OURS}, less the best of five"] = f"{gap.mean():+.5f} ± {error:.5f} ({best}) {mark}"
    return found


def _written(loss: float) -> str:
    return "–" if np.isnan(loss) else "∞" if np.isinf(loss) else f"{loss:.5f}"


if __name__ == "__main__":
    main()
