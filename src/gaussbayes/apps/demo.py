"""A first look: Fisher's irises classified, as a report in the terminal.

Run it with ``python -m gaussbayes.apps.demo``. It fits, asks and prints.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import LeaveOneOut, train_test_split

from gaussbayes.analysis.comparison import compare
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.datasets import Dataset, load_iris
from gaussbayes.estimators import GaussianClassifier
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.kernels import show_config

try:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
except ImportError as error:
    msg = "the demonstration needs rich, which is not installed: pip install 'gaussbayes[demo]'"
    raise ImportError(msg) from error

SEED = 7  # fixes which flowers are held out


class TrainTestSplit(NamedTuple):
    """The flowers to learn from, and those held out to be asked about."""

    rows: FloatArray  # (n, d)
    held_out_rows: FloatArray  # (m, d)
    labels: LabelArray  # (n,)
    held_out_labels: LabelArray  # (m,)


def classifier() -> GaussianClassifier:
    """The model to be fitted: QDA; scatter is divided by N − 1 (shared: by N − k)."""
    return GaussianClassifier(divisor="unbiased")


def split(data: Dataset) -> TrainTestSplit:
    """Hold out three tenths of each class."""
    options = {"test_size": 0.3, "random_state": SEED, "stratify": data.labels}
    return TrainTestSplit(*train_test_split(data.rows, data.labels, **options))


def _table(title: str, first: str, columns: list[str], rows: Iterable[Iterable[str]]) -> Table:
    look: dict[str, Any] = {"title_justify": "left", "title_style": "bold", "show_edge": False}
    table = Table(title=title, box=SIMPLE_HEAD, collapse_padding=True, **look)
    table.add_column(first, no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _numbers(values: Iterable[float], form: str = "{:.3f}") -> list[str]:
    return [form.format(value) for value in values]


def _short(data: Dataset) -> list[str]:
    return [name.removesuffix(" (cm)") for name in data.feature_names]


def _stacked(data: Dataset) -> list[str]:
    return [name.replace(" ", "\n") for name in _short(data)]


def data_table(data: Dataset) -> Table:
    """Smallest, mean and largest value of each feature."""
    facts = np.stack([data.rows.min(axis=0), data.rows.mean(axis=0), data.rows.max(axis=0)], axis=1)
    rows = zip(_short(data), facts, strict=True)
    cells = ((name, *_numbers(values, "{:.2f}")) for name, values in rows)
    return _table("the table", "feature (cm)", ["smallest", "mean", "largest"], cells)


def class_table(model: GaussianClassifier, data: Dataset) -> Table:
    """Prior and mean of each class."""
    rows = zip(model.classes_, np.column_stack([model.priors_, model.means_]), strict=True)
    cells = ((str(label), *_numbers(values)) for label, values in rows)
    return _table("priors and means", "species", ["prior", *_stacked(data)], cells)


def covariance_tables(model: GaussianClassifier, data: Dataset) -> Iterator[Table]:
    """Covariances of each class, and to their right the correlations they amount to."""
    both = zip(model.classes_, model.covariances_, model.correlations_, strict=True)
    for label, covariance, correlation in both:
        rows = zip(_short(data), covariance, correlation, strict=True)
        cells = ((name, *_numbers(c), *_numbers(r, "[dim]{:.2f}[/]")) for name, c, r in rows)
        title = f"{label}: covariances (cm²), then correlations"
        yield _table(title, "", _stacked(data) * 2, cells)


def confusion_table(model: GaussianClassifier, parts: TrainTestSplit) -> Table:
    """How often each true class (row) was called what (column)."""
    guesses = model.predict(parts.held_out_rows)
    counts = confusion_matrix(parts.held_out_labels, guesses, labels=model.classes_)
    classes = [str(label) for label in model.classes_]
    cells = (
        (label, *(f"[{'green' if i == j else 'red'}]{c}[/]" for j, c in enumerate(counts[i])))
        for i, label in enumerate(classes)
    )
    title = "confusion matrix of the held-out flowers"
    return _table(title, "true ↓  predicted →", classes, cells)


def structure_table(data: Dataset, parts: TrainTestSplit) -> Table:
    """The six structures: what they cost in parameters, and how often they err."""
    n_held_out, n = len(parts.held_out_labels), len(data.labels)
    held_out = (parts.held_out_rows, parts.held_out_labels)
    gaussians: Any = {"neighbors": (), "automatic": False, "logistic": False}
    compared = [
        compare(X, y, held_out=how, model=classifier(), **gaussians).candidates
        for X, y, how in (
            (parts.rows, parts.labels, held_out),
            (data.rows, data.labels, LeaveOneOut()),
        )
    ]
    cells = []
    for structure, *candidates in zip(STRUCTURES.values(), *compared, strict=True):
        judged = [candidate.evaluation for candidate in candidates]
        facts = [structure.name, structure.covariance, "yes" if structure.shared else "no"]
        errors = [f"{each.n_errors} ({100 * each.error:.1f} %)" for each in judged if each]
        cells.append([*facts, str(candidates[0].n_parameters), *errors])
    asked = f"held-out,\nof {n_held_out}", f"leave-one-out\nby refitting,\nof {n}"
    columns = ["shape", "shared", "parameters", *asked]
    return _table("the six structures and their errors", "model", columns, cells)


def misjudged_table(model: GaussianClassifier, parts: TrainTestSplit) -> Table:
    """The held-out flowers that were called wrongly, and how sure the model was."""
    wrong = model.predict(parts.held_out_rows) != parts.held_out_labels
    posteriors = model.predict_proba(parts.held_out_rows[wrong])
    rows = zip(parts.held_out_labels[wrong], posteriors, strict=True)
    cells = ((str(label), *_numbers(posterior)) for label, posterior in rows)
    classes = [str(label) for label in model.classes_]
    return _table("the misjudged ones, and their posteriors", "true species", classes, cells)


def main() -> None:
    """Print the report: fit, ask, and say what comes out."""
    show_config()
    console = Console(highlight=False)
    data = load_iris()
    parts = split(data)
    model = classifier().fit(parts.rows, parts.labels)
    console.print(
        f"\n{len(data.labels)} irises, {len(data.feature_names)} features, "
        f"{len(data.class_names)} species\n[dim]{data.source}[/]\n",
    )
    console.print(data_table(data))
    console.print(
        f"\n[bold]One Gaussian for each species[/], learnt from {len(parts.labels)} flowers; "
        f"{len(parts.held_out_labels)} are held out."
    )
    of_model = class_table(model, data), *covariance_tables(model, data)
    of_flowers = confusion_table(model, parts), misjudged_table(model, parts)
    for table in (*of_model, *of_flowers, structure_table(data, parts)):
        console.print("", table)


if __name__ == "__main__":
    main()
