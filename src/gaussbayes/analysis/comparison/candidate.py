"""One of the models compared: what it is called, what it is, and how it did."""

from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Any

from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.families.gaussian.parameters import Structure


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A model that was judged by held-out rows."""

    name: str
    structure: Structure | None  # of a Gaussian model; the automatic choice from all rows
    neighbors: int | None  # of nearest neighbours
    n_parameters: int | None  # free ones; nearest neighbours keep the rows instead
    evaluation: Evaluation | None  # of all held-out rows; None if there was a problem
    fit_seconds: float  # median over the folds, as the next; NaN if there was a problem
    predict_seconds: float
    problem: str | None = None  # why it could not be fitted

    @property
    def standard_error(self) -> float:
        """How far the error may be off by chance: ``√(e (1 − e) / n)``; NaN without evaluation.

        Examples
        --------
        >>> import numpy as np
        >>> seen = Evaluation(np.arange(2), np.array([[45, 5], [5, 45]]), 0.3, 0.1)
        >>> round(Candidate("QDA", None, None, None, seen, 0.0, 0.0).standard_error, 9)
        0.03
        """
        if self.evaluation is None:
            return nan
        error = self.evaluation.error
        return sqrt(error * (1.0 - error) / self.evaluation.n_rows)

    def record(self) -> dict[str, Any]:
        """Plain values under plain names.

        What was not measured is None, and so is an infinite log loss: JSON has no infinity. The
        two are told apart by `problem`, which is None where everything was measured.
        """
        seen, shape = self.evaluation, self.structure
        return {
            "model": self.name,
            "covariance": shape.covariance if shape else None,
            "shared": shape.sharing if shape else None,
            "neighbors": self.neighbors,
            "parameters": self.n_parameters,
            "rows": seen.n_rows if seen else None,
            "errors": seen.n_errors if seen else None,
            "error": seen.error if seen else None,
            "log_loss": seen.log_loss if seen and isfinite(seen.log_loss) else None,
            "brier": seen.brier if seen else None,
            "confusion": seen.confusion.tolist() if seen else None,
            "fit_seconds": self.fit_seconds if seen else None,
            "predict_seconds": self.predict_seconds if seen else None,
            "problem": self.problem,
        }
