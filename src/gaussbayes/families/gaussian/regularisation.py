"""What is done to estimated covariances beside shrinkage: it never touches the statistics.

These are the conventions of scikit-learn's classes, for those who come from there.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.reduced_rank import Reduced
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.gaussian.structure import Shape


@dataclass(frozen=True, slots=True)
class Regularisation:
    """A floor under variances, a step towards the identity, and rank.

    Examples
    --------
    >>> covariances = np.array([[[4.0, 2.0], [2.0, 10.0]]])
    >>> Regularisation(identity=0.5).regularised(covariances, None).tolist()
    [[[2.5, 1.0], [1.0, 5.5]]]
    """

    floor: Annotated[float, Meta(ge=0)] = 0.0
    """Added to all variances: so much of the largest variance of a feature over all rows."""
    identity: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """How far covariances are moved towards the identity: ``(1 − r) Σ + r I``."""
    rank_tolerance: Annotated[float, Meta(ge=0, le=1e100)] | None = None
    """Directions of deviations up to this do not count; None: they are an error. See `Reduced`."""

    def added(self, moments: ClassMoments) -> float:
        """What is added to all variances of complete rows."""
        if not self.floor:
            return 0.0
        together = moments.together()
        squares = together.squares[0]
        return self.floor * float(squares.max(initial=0.0) / together.weight[0])

    def regularised(self, values: FloatArray, moments: ClassMoments | None) -> FloatArray:
        """Covariances (m, d, d), or variances (m, d) or (m,), of rows with these moments."""
        added = self.identity + (0.0 if moments is None else self.added(moments))
        if not added:
            return values
        changed: FloatArray = (1.0 - self.identity) * values
        diagonal = np.einsum("mii->mi", changed) if changed.ndim == 3 else changed
        diagonal += added
        return changed

    def shape_of(
        self,
        shape: type[Shape],
        values: FloatArray,
        names: Schema,
        weight: FloatArray | None = None,
    ) -> Shape:
        """Covariances of a shape from their values; `weight` is as in `Shape.of`."""
        if self.rank_tolerance is None or not shape.correlated:
            return shape.of(values, names, weight)
        return Reduced.of_rank(values, names, self.rank_tolerance)


PLAIN = Regularisation()
"""Nothing is done."""
