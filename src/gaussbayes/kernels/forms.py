"""The two forms a score takes, as the kernels want it: quadratic and linear.

A form is what is left of a model when only scoring matters: everything that does not depend on the
row is computed beforehand. Rows enter as ``x − center``, which is exact for floats near the centre,
so that a huge common offset of the data costs no digit.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gaussbayes.types import RealArray


@dataclass(frozen=True, slots=True)
class Quadratic:
    """``log p(x, c) = log_constant_c − ½ |whitener_c (x − center − offset_c)|²``.

    The first axis of `whitener` has length 1 when all classes share it.
    """

    center: RealArray  # (d,)
    offset: RealArray  # (k, d)
    whitener: RealArray  # (k or 1, d, d) lower triangular, or (k or 1, d) when diagonal
    log_constant: RealArray  # (k,)

    def cast(self, dtype: "np.dtype[Any]") -> "Quadratic":
        """The same form for rows of `dtype`; rounding the centre is made good in the offsets.

        Examples
        --------
        >>> import numpy as np
        >>> center, offset = np.array([0.1]), np.array([[0.0]])
        >>> form = Quadratic(center, offset, np.ones((1, 1)), np.zeros(1))
        >>> narrow = form.cast(np.dtype("float32"))
        >>> round(float(narrow.center[0]) + float(narrow.offset[0, 0]), 15)
        0.1
        """
        if self.center.dtype == dtype:
            return self
        center = self.center.astype(dtype)
        return Quadratic(
            center,
            (self.offset + (self.center - center)).astype(dtype),
            self.whitener.astype(dtype),
            self.log_constant.astype(dtype),
        )


@dataclass(frozen=True, slots=True)
class Linear:
    """``log p(x, c) = log_constant_c + coefficient_c · (x − center)``, up to a term without `c`.

    With one covariance for all classes the square of `x` is the same for each of them and cancels
    in the posterior: d multiplications a class are enough.
    """

    center: RealArray  # (d,)
    coefficient: RealArray  # (k, d)
    log_constant: RealArray  # (k,)

    def cast(self, dtype: "np.dtype[Any]") -> "Linear":
        """The same form for rows of `dtype`; rounding the centre is made good in the constants."""
        if self.center.dtype == dtype:
            return self
        center = self.center.astype(dtype)
        shift = self.coefficient @ (center - self.center)
        return Linear(
            center, self.coefficient.astype(dtype), (self.log_constant + shift).astype(dtype)
        )


Form: TypeAlias = Quadratic | Linear

NOT_FINITE = 1
"""Bit in a scoring kernel's answer: a row holds NaN or infinity."""

OUT_OF_RANGE = 2
"""Bit in a scoring kernel's answer: a row is so far from every class that its square overflows."""
