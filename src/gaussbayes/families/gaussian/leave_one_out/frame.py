"""Coordinates in which a scatter is diagonal, so that a row is taken out of it feature by feature.

Without shrinkage a full scatter is whitened by its correlations' Cholesky factor, whatever the
units. Shrinkage draws it towards a multiple of the identity in the units that the user has chosen;
only its eigenvectors stay the same for every intensity, and with every row taken out.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.factor import factor
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters, Structure


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Coordinates ``y = (x − mean) basis``, one set for each class or one for all (m).

    In them the scatter is diagonal. A row taken out of a full scatter takes all of ``y yᵀ`` with
    it, one taken out of a diagonal scatter only the squares.
    """

    basis: FloatArray | None  # (m, d, d), in columns; None: the features as they are
    spread: FloatArray  # (m, d) the scatter's diagonal in these coordinates
    log_scale: FloatArray  # (m,) by how much log |scatter| exceeds Σ log spread
    full: bool

    def turn(self, deviation: FloatArray, which: int) -> FloatArray:
        """Deviations from a mean (n, d) in the coordinates of one class."""
        if self.basis is None:
            return deviation
        turned: FloatArray = deviation @ self.basis[which]
        return turned


def white(parameters: Parameters, degrees: FloatArray) -> Frame:
    """Coordinates in which every covariance of a model is the identity; `degrees` (m,) divide.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import given
    >>> model = given(Schema(np.arange(2), 1), Structure(shared=True), None, [[0], [1]], [[4]])
    >>> frame = white(model, np.array([10.0]))
    >>> frame.turn(np.array([[6.0]]), 0).tolist(), frame.spread.tolist()
    ([[3.0]], [[10.0]])
    """
    shape = parameters.covariance
    return _whitened(shape.whitener, shape.log_det, degrees)


def white_of(covariance: FloatArray, schema: Schema) -> Frame:
    """Coordinates in which these covariances (m, d, d) are the identity.

    Examples
    --------
    >>> white_of(np.array([[[4.0]]]), Schema(np.arange(1), 1)).spread.tolist()
    [[1.0]]
    """
    return _whitened(*factor(covariance, schema), np.ones(covariance.shape[0]))


def _whitened(whitener: FloatArray, log_det: FloatArray, degrees: FloatArray) -> Frame:
    spread = np.repeat(degrees[:, None], whitener.shape[-1], axis=1)
    return Frame(whitener.transpose(0, 2, 1), spread, log_det, full=True)


def principal(moments: ClassMoments, structure: Structure, schema: Schema) -> Frame:
    """The principal axes of full scatters, in units in which the mean square is 1.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> rows = np.array([[4.0, 0.0], [-4.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    >>> moments = summarise(rows, np.zeros(4, np.int32), None, 1)
    >>> principal(moments, Structure(), Schema(np.arange(1), 2)).spread.round(12).tolist()
    [[1.6, 0.4]]
    """
    return axes_of(scatters(moments, structure), schema)


def axes_of(scatter: FloatArray, schema: Schema) -> Frame:
    """The same of any symmetric matrices (m, d, d), none of them 0.

    Examples
    --------
    >>> axes_of(np.array([[[8.0, 0.0], [0.0, 2.0]]]), Schema(np.arange(1), 2)).spread.tolist()
    [[1.6, 0.4]]
    """
    d = scatter.shape[-1]
    unit = np.einsum("mii->m", scatter) / d
    axes = [_axes(own, schema) for own in scatter / unit[:, None, None]]
    basis = np.stack([own for own, _ in axes]) / np.sqrt(unit)[:, None, None]
    return Frame(basis, np.stack([spread for _, spread in axes]), d * np.log(unit), full=True)


def _axes(scatter: FloatArray, schema: Schema) -> tuple[FloatArray, FloatArray]:
    """Principal axes (d, d), in columns, and the scatter (d,) along them.

    With the Cholesky factor ``L = A σ Bᵀ`` the axes are A, and ``A = L⁻ᵀ B σ``. Each row of L⁻ᵀ
    has the scale of its feature, so that axes along which the scatter is 1e12 times smaller than
    along others keep their digits. `eigh` would lose them; it is for scatters without a factor.
    """
    try:
        whitener = factor(scatter[None], schema)[0][0]
    except SingularCovarianceError:
        spread, axes = np.linalg.eigh(scatter)
        # Rounding may leave an eigenvalue of 0 just below it.
        return axes, np.maximum(spread, 0.0)
    scale = np.sqrt(np.diagonal(scatter))
    lower = scale[:, None] * np.linalg.cholesky(scatter / scale[:, None] / scale)
    _, root, turn = np.linalg.svd(lower)
    return whitener.T @ (turn.T * root), np.square(root)


def features(moments: ClassMoments, structure: Structure) -> Frame:
    """The features themselves, for diagonal and spherical covariances."""
    spread = scatters(moments, structure)
    return Frame(None, spread, np.zeros(spread.shape[0]), full=False)


def scatters(moments: ClassMoments, structure: Structure) -> FloatArray:
    """Scatters full (m, d, d) or diagonal (m, d); m is 1 when shared."""
    moments = moments.with_layout(structure.layout)
    if not structure.shared:
        return moments.scatter
    return (
        moments.scatter[None] if moments.layout == "pooled" else moments.scatter.sum(axis=0)[None]
    )
