"""What the rows look like before any model: counts, and each feature's range, mean and spread."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.gaussian.summarise import summarise


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """Labelled rows, summed up."""

    n_rows: int
    count: NDArray[np.int64]  # (k,) rows of each class
    smallest: FloatArray  # (d,)
    largest: FloatArray  # (d,)
    mean: FloatArray  # (d,)
    deviation: FloatArray  # (d,) √(Σ (x − mean)² / N)
    class_mean: FloatArray  # (k, d); NaN for a class without rows

    @property
    def share(self) -> FloatArray:
        """Each class's share of the rows (k,)."""
        shares: FloatArray = self.count / self.n_rows
        return shares

    @property
    def constant(self) -> NDArray[np.bool_]:
        """The features (d,) that have one value only."""
        return np.asarray(self.smallest == self.largest)


def describe(rows: RealArray, codes: NDArray[np.intp], n_classes: int) -> Description:
    """Sum up rows (n, d) of known class numbers (n,).

    Examples
    --------
    >>> told = describe(np.array([[1.0, 7.0], [3.0, 7.0], [8.0, 7.0]]), np.array([0, 0, 1]), 2)
    >>> told.mean.tolist(), told.class_mean[0].tolist(), told.constant.tolist()
    ([4.0, 7.0], [2.0, 7.0], [False, True])
    """
    by_class = summarise(rows, codes.astype(np.int32), None, n_classes, "diagonal")
    whole = summarise(rows, np.zeros(codes.size, np.int32), None, 1, "diagonal")
    count = np.bincount(codes, minlength=n_classes)
    return Description(
        n_rows=codes.size,
        count=count,
        smallest=rows.min(axis=0).astype(np.float64),
        largest=rows.max(axis=0).astype(np.float64),
        mean=whole.mean[0],
        deviation=np.sqrt(whole.scatter[0] / codes.size),
        class_mean=np.where(count[:, None] > 0, by_class.mean, np.nan),
    )
