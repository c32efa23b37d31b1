"""Array aliases and the words that settings are written in.

Shape comments use `n` for rows, `d` for features and `k` for classes; the class axis comes first.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
"""Statistics and parameters: always double precision."""

RealArray: TypeAlias = NDArray[np.floating[Any]]
"""Rows and scores: float32 or float64, as the rows came."""

CodeArray: TypeAlias = NDArray[np.int32]
"""Class codes 0 … k−1, one for each row."""

LabelArray: TypeAlias = NDArray[np.generic]
"""Labels as the user wrote them: strings, integers or booleans."""

CovarianceName: TypeAlias = Literal["full", "diagonal", "spherical"]
"""What a class's covariance may look like."""

Divisor: TypeAlias = Literal["mle", "unbiased"]
"""What the scatter is divided by: N (maximum likelihood) or N − 1 (unbiased)."""

ShrinkageTarget: TypeAlias = Literal["diagonal", "spherical"]

TransformName: TypeAlias = Literal["standardised", "range", "yeo-johnson", "log", "rank-normal"]
"""What Gaussian features are transformed by."""

ScatterLayout: TypeAlias = Literal["full", "pooled", "diagonal"]
"""How much of the scatter is kept: (k, d, d), (d, d) summed over classes, or (k, d)."""

Task: TypeAlias = Literal["log_joint", "log_ratio", "log_posterior", "posterior", "label"]
"""What a scoring kernel writes for each row.

``"log_ratio"`` is the log joint up to a term that all classes have in common: for differences.
"""

BadRowHandling: TypeAlias = Literal["error", "skip"]
"""What to do with a row of a file that cannot be read: stop, or leave it out and count it."""

FormatName: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]
"""How the rows of a file may be written."""

TableLike: TypeAlias = ArrayLike | object
"""Rows: an array, a list of rows, a data frame, paths, a lazy frame, a relation, a Dask or Spark
frame, or a `Source`. Data frames of several libraries have no common type, hence `object`."""

LabelsLike: TypeAlias = ArrayLike | str | object
"""Labels (n,), soft labels (n, k), or the name of the column of X that holds the labels."""

WeightsLike: TypeAlias = ArrayLike | str | None
"""Sample weights (n,), or the name of the column of X that holds them; None weighs rows equally."""
