"""All scores of rows in one table; each column is computed on first access."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import five_digits, fixed, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.data.tables import as_frame, is_frame
from gaussbayes.model.distances import class_p_values, relative_distances
from gaussbayes.model.evidence import evidence_p_values
from gaussbayes.model.model import Model

COLUMNS = (
    *("label", "posterior", "log_likelihood", "log_joint", "log_evidence"),
    *("squared_distance", "relative_distance", "p_value", "novelty_p_value"),
)
"""All columns, in the order of the data frame."""

_MOST_SHOWN = 6  # classes whose posteriors are printed


class Scores(Result):
    """The scores of n rows under a model with k classes; see `GaussianClassifier.scores`.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
    >>> print(model.scores([[1.0], [2.1], [30.0]]))
    row  label  p(ill | x)  p(well | x)  log p(x)
    ─────────────────────────────────────────────
      0  ill        0.9820       0.0180   −2.0939
      1  well       0.4013       0.5987   −2.9041
      2  well       0.0000       1.0000   −339.61
    """

    def __init__(self, model: Model, rows: Rows, table: Any = None, n_jobs: int | None = 1) -> None:
        self._model, self._rows, self._n_jobs = model, rows, n_jobs
        self._table = as_frame(table) if is_frame(table) else None

    def __len__(self) -> int:
        return self._rows.n_rows

    @property
    def classes(self) -> LabelArray:
        """The classes (k,), in the order of the columns with a number for each class."""
        classes: LabelArray = self._model.classes
        return classes

    @cached_property
    def label(self) -> LabelArray:
        """The most probable class (n,)."""
        labels: LabelArray = self.classes[self._model.labels(self._rows, self._n_jobs)]
        return labels

    @cached_property
    def posterior(self) -> RealArray:
        """``p(c | x)`` (n, k)."""
        return self._model.posterior(self._rows, self._n_jobs)

    @cached_property
    def log_likelihood(self) -> RealArray:
        """``log p(x | c)`` (n, k)."""
        return self._model.log_likelihood(self._rows, self._n_jobs)

    @cached_property
    def log_joint(self) -> RealArray:
        """``log p(x, c) = log prior_c + log p(x | c)`` (n, k)."""
        return self._model.log_joint(self._rows, self._n_jobs)

    @cached_property
    def log_evidence(self) -> RealArray:
        """``log p(x)`` (n,)."""
        return self._model.log_evidence(self._rows, self._n_jobs)

    @cached_property
    def squared_distance(self) -> FloatArray:
        """``(x − mean_c)ᵀ Σ_c⁻¹ (x − mean_c)`` (n, k), over the observed Gaussian features.

        A model without Gaussian features raises `OptionError`.
        """
        return self._model.squared_distance(self._rows, self._n_jobs)[0]

    @cached_property
    def relative_distance(self) -> FloatArray:
        """`squared_distance` minus that from the mean of all classes together (n, k).

        Directions in which all rows vary alike count less. With many features, such as embeddings,
        a large minimum over the classes finds novel rows better than `squared_distance` (Ren et al.
        2021). It has no p-value: choose a quantile of held-out rows as the limit. It is not defined
        for a model with given parameters.
        """
        return relative_distances(self._model, self._rows, self._n_jobs)

    @cached_property
    def p_value(self) -> FloatArray:
        """Probability that a member of the class lies at least this far from its mean (n, k).

        A calibrated model ranks the distance among those of held-out rows of the class, so that the
        p-values of new rows are uniform on average over training sets. Otherwise it is the upper
        tail of a scaled F distribution if the covariances are full, not shrunk, and estimated from
        complete rows, which is exact for normal classes, and otherwise of χ², as if the parameters
        were true.
        """
        return class_p_values(self._model, self._rows, self._n_jobs)

    @cached_property
    def novelty_p_value(self) -> FloatArray:
        """Probability that a new row has no more evidence than this row (n,).

        It is simulated with 100,000 draws from the model, always the same ones; rows with missing
        values are compared by their observed features. A calibrated model ranks it among those of
        held-out rows. Otherwise the draws have the distances of new members of the classes if
        `p_value` follows an F distribution; if not, the parameters are assumed to be true, and with
        few rows for each feature the p-value is too small.
        """
        return evidence_p_values(self._model, self._rows, self._n_jobs)

    def to_dict(self) -> dict[str, object]:
        """All columns of the model as lists, and the classes."""
        columns = {name: values.tolist() for name, values in self._columns().items()}
        return {"classes": self.classes.tolist(), **columns}

    def to_frame(self) -> object:
        """All scores that are defined for the model, as a data frame.

        The frame is of the same library as the rows and has their index; for arrays it is a pandas
        frame. Columns with a number for each class become one column for each class, such as
        ``posterior_setosa``.
        """
        import narwhals.stable.v2 as nw

        flat: dict[str, Any] = {}
        for name, values in self._columns().items():
            if values.ndim == 2:
                names = (f"{name}_{label}" for label in self.classes.tolist())
                flat |= zip(names, values.T, strict=True)
            else:
                flat[name] = values.tolist() if name == "label" else values
        if self._table is None and find_spec("pandas") is None:
            msg = "scores of arrays need pandas to be a data frame: pip install pandas"
            raise ImportError(msg)
        backend: Any = "pandas" if self._table is None else self._table.implementation
        frame = nw.from_dict(flat, backend=backend).to_native()
        if self._table is not None and self._table.implementation.is_pandas():
            frame.index = self._table.to_native().index
        return frame

    def tables(self) -> Sequence[Block]:
        """The first rows: label, posteriors, evidence."""
        k = self.classes.size
        names = [f"p({shortened(str(label), 16)} | x)" for label in self.classes.tolist()]
        columns = names if k <= _MOST_SHOWN else ["its\nposterior"]

        def posteriors(row: int) -> list[float]:
            given: list[float] = self.posterior[row].tolist()
            return given if k <= _MOST_SHOWN else [max(given)]

        lines = (
            (
                f"{row:,}",
                shortened(str(self.label[row]), 24),
                *(fixed(value, 4) for value in posteriors(row)),
                five_digits(float(self.log_evidence[row])),
            )
            for row in range(len(self))
        )
        heading = ("row", "label", *columns, "log p(x)")
        return [TextTable.first(heading, lines, len(self), sides="rlr")]

    def _columns(self) -> dict[str, Any]:
        """The columns that the model has."""
        columns = {}
        for name in COLUMNS:
            try:
                columns[name] = getattr(self, name)
            except (OptionError, DataError):
                continue
        return columns
