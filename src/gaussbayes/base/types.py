"""Array aliases, and the values of settings.

Shape comments use `n` for rows, `d` for features and `k` for classes; the class axis comes first.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
"""Statistics and parameters: always double precision."""

RealArray: TypeAlias = NDArray[np.floating[Any]]
"""Rows and scores: float32 or float64, as in the input."""

CodeArray: TypeAlias = NDArray[np.int32]
"""Class codes 0 … k−1, one for each row."""

LabelArray: TypeAlias = NDArray[np.generic]
"""Labels as the user wrote them: strings, integers or booleans."""

CovarianceName: TypeAlias = Literal["full", "diagonal", "spherical"]
"""The shape of a class's covariance."""

Divisor: TypeAlias = Literal["mle", "unbiased"]
"""The divisor of the scatter: N (maximum likelihood) or N − 1 (unbiased)."""

ShrinkageTarget: TypeAlias = Literal["diagonal", "spherical"]

TransformName: TypeAlias = Literal["standardised", "range", "yeo-johnson", "log"]
"""Transforms of Gaussian features."""

ScatterLayout: TypeAlias = Literal["full", "pooled", "diagonal"]
"""The layout of the scatter: (k, d, d), (d, d) summed over classes, or (k, d)."""

Task: TypeAlias = Literal["log_joint", "log_ratio", "log_posterior", "posterior", "label"]
"""The output of a scoring kernel for each row.

``"log_ratio"`` is the log joint up to a term that all classes have in common: for differences.
"""

BadRowHandling: TypeAlias = Literal["error", "skip"]
"""Treatment of rows of a file that cannot be read: stop, or skip and count them."""

FormatName: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]
"""Formats of files."""

TableLike: TypeAlias = ArrayLike | object
"""Rows: an array, a list of rows, a data frame, paths, a lazy frame, a relation, a Dask or Spark
frame, or a `Source`. Data frames of several libraries have no common type, hence `object`."""

LabelsLike: TypeAlias = ArrayLike | str | object
"""Labels (n,), soft labels (n, k), or the name of the column of X that holds the labels."""

WeightsLike: TypeAlias = ArrayLike | str | None
"""Sample weights (n,), or the name of the column of X that holds them; None weighs rows equally."""
