"""A first look: Fisher's irises classified, as a report in the terminal.

Run it with ``python -m gaussbayes.apps.demo``. It fits, asks and prints; what a probability
is, others know.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import LeaveOneOut, cross_val_predict, train_test_split

from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.datasets import Dataset, load_iris
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.kernels import show_config

try:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
except ImportError as error:
    msg = (
        "the demonstration prints with rich, which is not installed: pip install 'gaussbayes[demo]'"
    )
    raise ImportError(msg) from error

SEED = 7
"""Fixes which flowers are held out."""


@dataclass(frozen=True, slots=True)
class Split:
    """The flowers to learn from, and those held out to be asked about."""

    rows: FloatArray  # (n, d)
    labels: LabelArray  # (n,)
    held_out_rows: FloatArray  # (m, d)
    held_out_labels: LabelArray  # (m,)


def classifier(name: str) -> GaussianClassifier:
    """The model of that name, not yet fitted; scatter is divided by N − 1 (shared: by N − k)."""
    structure = STRUCTURES[name]
    return GaussianClassifier(structure.covariance, shared=structure.shared, divisor="unbiased")


def split(data: Dataset) -> Split:
    """Hold out three tenths of each class.

    Examples
    --------
    >>> split(load_iris()).held_out_rows.shape
    (45, 4)
    """
    rows, held_out_rows, labels, held_out_labels = train_test_split(
        data.rows, data.labels, test_size=0.3, random_state=SEED, stratify=data.labels
    )
    return Split(rows, labels, held_out_rows, held_out_labels)


def leave_one_out_errors(name: str, data: Dataset) -> int:
    """How many flowers are misjudged by the model of all the others, fitted anew for each.

    Examples
    --------
    >>> leave_one_out_errors("LDA", load_iris())
    3
    """
    guesses = cross_val_predict(classifier(name), data.rows, data.labels, cv=LeaveOneOut())
    return int(np.sum(guesses != data.labels))


def _table(title: str, first: str, columns: list[str]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        collapse_padding=True,
    )
    table.add_column(first, no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _short(data: Dataset) -> list[str]:
    return [name.removesuffix(" (cm)") for name in data.feature_names]


def _stacked(names: list[str]) -> list[str]:
    return [name.replace(" ", "\n") for name in names]


def _proportion(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.1f} %)"


def data_table(data: Dataset) -> Table:
    """Smallest, mean and largest value of each feature."""
    table = _table("the table", "feature (cm)", ["smallest", "mean", "largest"])
    for name, values in zip(_short(data), data.rows.T, strict=True):
        table.add_row(name, *(f"{v:.2f}" for v in (values.min(), values.mean(), values.max())))
    return table


def class_table(model: GaussianClassifier, data: Dataset) -> Table:
    """Prior and mean of each class."""
    table = _table("priors and means", "species", ["prior", *_stacked(_short(data))])
    for label, prior, mean in zip(model.classes_, model.priors_, model.means_, strict=True):
        table.add_row(str(label), f"{prior:.3f}", *(f"{value:.3f}" for value in mean))
    return table


def covariance_table(
    label: str, covariance: FloatArray, correlation: FloatArray, data: Dataset
) -> Table:
    """Covariances of one class, and to their right the correlations they amount to."""
    names = _short(data)
    table = _table(f"{label}: covariances (cm²), then correlations", "", _stacked(names) * 2)
    for name, covariances, correlations in zip(names, covariance, correlation, strict=True):
        table.add_row(
            name,
            *(f"{value:.3f}" for value in covariances),
            *(f"[dim]{value:.2f}[/]" for value in correlations),
        )
    return table


def confusion_table(model: GaussianClassifier, parts: Split) -> Table:
    """How often each true class (row) was called what (column)."""
    guesses = model.predict(parts.held_out_rows)
    counts = confusion_matrix(parts.held_out_labels, guesses, labels=model.classes_)
    classes = [str(label) for label in model.classes_]
    table = _table("confusion matrix of the held-out flowers", "true ↓  predicted →", classes)
    for i, (label, row) in enumerate(zip(classes, counts, strict=True)):
        cells = [f"[green]{c}[/]" if i == j else f"[red]{c}[/]" for j, c in enumerate(row)]
        table.add_row(label, *cells)
    return table


def structure_table(data: Dataset, parts: Split) -> Table:
    """The six structures: what they cost in parameters, and how often they err."""
    table = _table(
        "the six structures and their errors",
        "model",
        [
            "shape",
            "shared",
            "parameters",
            f"held-out,\nof {len(parts.held_out_labels)}",
            f"leave-one-out\nby refitting,\nof {len(data.labels)}",
        ],
    )
    for name, structure in track(STRUCTURES.items(), "leaving out one flower after the other"):
        model = classifier(name).fit(parts.rows, parts.labels)
        errors = int(np.sum(model.predict(parts.held_out_rows) != parts.held_out_labels))
        table.add_row(
            name,
            structure.covariance,
            "yes" if structure.shared else "no",
            str(model.n_parameters_),
            _proportion(errors, len(parts.held_out_labels)),
            _proportion(leave_one_out_errors(name, data), len(data.labels)),
        )
    return table


def misjudged_table(model: GaussianClassifier, parts: Split) -> Table:
    """The held-out flowers that were called wrongly, and how sure the model was."""
    guesses = model.predict(parts.held_out_rows)
    posteriors = model.predict_proba(parts.held_out_rows)
    classes = [str(label) for label in model.classes_]
    table = _table("the misjudged ones, and their posteriors", "true species", classes)
    for i in np.flatnonzero(guesses != parts.held_out_labels):
        table.add_row(str(parts.held_out_labels[i]), *(f"{p:.3f}" for p in posteriors[i]))
    return table


def main() -> None:
    """Print the report."""
    show_config()
    report(Console(highlight=False))


def report(console: Console) -> None:
    """Fit, ask, and print what comes out."""
    data = load_iris()
    parts = split(data)
    model = classifier("QDA").fit(parts.rows, parts.labels)

    console.print(
        f"\n{len(data.labels)} irises, {len(data.feature_names)} features, "
        f"{len(data.class_names)} species\n[dim]{data.source}[/]\n",
    )
    console.print(data_table(data))
    console.print(
        f"\n[bold]One Gaussian for each species[/], learnt from {len(parts.labels)} flowers; "
        f"{len(parts.held_out_labels)} are held out."
    )
    for table in (
        class_table(model, data),
        *(
            covariance_table(str(label), covariance, correlation, data)
            for label, covariance, correlation in zip(
                model.classes_, model.covariances_, model.correlations_, strict=True
            )
        ),
        confusion_table(model, parts),
        misjudged_table(model, parts),
        structure_table(data, parts),
    ):
        console.print("", table)


if __name__ == "__main__":
    main()
