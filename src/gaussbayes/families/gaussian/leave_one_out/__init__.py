"""Every row predicted by the model of all others, in closed form: nothing is fitted n times.

Without a row the scatter of its class loses one outer product. In coordinates in which the scatter
was diagonal (`frame`), what is left is diagonal but for that product (`spread`), and its inverse
and determinant follow from the Sherman-Morrison formula (`densities`), at d operations a row. A row
that takes nearly everything with it, such as one far from all others, would leave only rounding
behind: for the few of those the model is fitted again (`refit`). Covariances drawn towards the
shared one lose that product twice, which is one product again (`mixed`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.base.errors import DataError, GaussBayesError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.families.gaussian.leave_one_out.densities import own_densities, shared_densities
from gaussbayes.families.gaussian.leave_one_out.frame import Frame, features, principal, white
from gaussbayes.families.gaussian.leave_one_out.left_out import Densities, LabelledRows, held_out
from gaussbayes.families.gaussian.leave_one_out.toward_shared import (
    has_closed_form,
    mixed_densities,
    mixed_frames,
    mixed_variances,
)
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.families.removal import Removal, degrees
from gaussbayes.model.settings import Settings

_ROUNDING = 1e-9
"""Share of a weight by which sums in another order may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """What models say of the rows that they have not seen."""

    log_posterior: FloatArray  # (n, k)
    evaluation: Evaluation  # error, log loss, Brier score, confusion and calibration


def leave_one_out(
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None,
    moments: ClassMoments,
    schema: Schema,
    settings: Settings,
    n_jobs: int | None = None,
    categories: FloatArray | None = None,
) -> FloatArray:
    """Log posteriors (n, k) of rows (n, d), each by the model fitted without it.

    Parameters
    ----------
    codes : (n,) class numbers
    weights : (n,) or None; a row leaves with its whole weight
    moments : of these same rows
    settings : what the models are fitted with. Priors that are estimated change with the row that
        is left out; a class that loses its only row has posterior 0, and the others share what was
        given to it in proportion to their own priors.
    n_jobs : threads; the result does not depend on it
    categories : (n, k) the log likelihoods of further features of the rows, which hold categories,
        each without the row; see `left_out`. None if there are none.

    Raises
    ------
    SingularCovarianceError
        If a covariance cannot be inverted, with all rows or without one of them; names that row.
    DataError
        If a row's categories rule out every class of the model without it.

    Examples
    --------
    >>> from gaussbayes.model.settings import check_settings
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> X = np.array([[1.0], [2.0], [6.0], [7.0], [8.0], [12.0]])
    >>> codes = np.array([0, 0, 0, 1, 1, 1], np.int32)
    >>> moments, schema = summarise(X, codes, None, 2), Schema(np.array(["a", "b"]), 1)
    >>> settings = check_settings("full", True, None, "mle", None)
    >>> told = leave_one_out(X, codes, None, moments, schema, settings)
    >>> np.exp(told[2]).round(4).tolist()  # of 6, by the model of 1, 2 and 7, 8, 12
    [0.0875, 0.9125]
    """
    (told,) = shrinkage_path(
        X, codes, weights, moments, schema, settings, [settings.shrinkage], n_jobs, categories
    )
    if isinstance(told, GaussBayesError):
        raise told
    return told


def shrinkage_path(
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None,
    moments: ClassMoments,
    schema: Schema,
    settings: Settings,
    shrinkages: Sequence[Shrinkage],
    n_jobs: int | None = None,
    categories: FloatArray | None = None,
) -> list[FloatArray | GaussBayesError]:
    """The same for many shrinkages: the rows are turned once, then each costs n k d operations.

    Parameters
    ----------
    shrinkages : in place of that of the settings; the others are as in `leave_one_out`

    Returns
    -------
    For each shrinkage the log posteriors (n, k), or the error that there is instead.
    """
    _refuse_other_rows(X, codes, weights, moments, schema)
    data = LabelledRows(X, codes, weights, moments, schema, categories)
    found: list[FloatArray | GaussBayesError | None] = [None for _ in shrinkages]
    models: dict[int, Parameters] = {}
    for place, shrinkage in enumerate(shrinkages):
        try:
            models[place] = replace(settings, shrinkage=shrinkage).estimate(moments, schema)
        except GaussBayesError as error:
            found[place] = error
    kept = [has_closed_form(settings.structure, one, weights) for one in shrinkages]
    plain = [place for place in models if kept[place] and not shrinkages[place]]
    shrunk = [place for place in models if kept[place] and shrinkages[place]]
    refitted = [place for place in models if not kept[place]]
    for places in (plain, shrunk, refitted):
        if places:
            densities = _nothing_known(moments.n_classes)
            if places is not refitted:
                densities = _densities(data, settings, models[places[0]], places is shrunk)
            chosen = [shrinkages[place] for place in places]
            outcome = held_out(data, densities, settings, chosen, n_jobs)
            for place, told in zip(places, outcome, strict=True):
                found[place] = told
    return [told for told in found if told is not None]


def _densities(
    data: LabelledRows, settings: Settings, model: Parameters, shrunk: bool
) -> Densities:
    """What gives log densities under the models without each of some rows."""
    moments, divisor, share = data.moments, settings.divisor, settings.structure.toward_shared
    if not moments.n_features:
        return _no_numbers(moments.n_classes)
    if not share:
        known = shared_densities if settings.structure.shared else own_densities
        frame = _frame(data, settings, model, shrunk=shrunk)
        return lambda X, removal, chosen: known(X, removal, moments, frame, divisor, chosen)
    if settings.structure.covariance != "full":
        return lambda X, removal, chosen: mixed_variances(
            X, removal, moments, share, divisor, chosen
        )
    try:
        frames = mixed_frames(moments, data.weights, data.schema, share, divisor, shrunk=shrunk)
    except SingularCovarianceError:  # on the brink: whether it is, each fit has to say
        return _nothing_known(moments.n_classes)
    return lambda X, removal, chosen: mixed_densities(
        X, removal, moments, frames, share, divisor, chosen
    )


def _no_numbers(k: int) -> Densities:
    """Without numbers every density is 1: the priors are left, and categories."""

    def one(
        X: FloatArray, removal: Removal, shrinkages: Sequence[Shrinkage]
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        s = len(shrinkages)
        return np.zeros((s, X.shape[0], k)), np.repeat(removal.sound[None], s, axis=0)

    return one


def _nothing_known(k: int) -> Densities:
    """Of no row: for each the model has to be fitted again."""

    def unknown(
        X: FloatArray, _: Removal, shrinkages: Sequence[Shrinkage]
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        n = (len(shrinkages), X.shape[0])
        return np.zeros((*n, k)), np.zeros(n, dtype=np.bool_)

    return unknown


def _frame(data: LabelledRows, settings: Settings, model: Parameters, *, shrunk: bool) -> Frame:
    """The coordinates for models with or without shrinkage."""
    structure, moments = settings.structure, data.moments
    if structure.covariance != "full":
        return features(moments, structure)
    if shrunk:
        return principal(moments, structure, data.schema)
    if structure.shared:
        total = moments.weight.sum(keepdims=True)
        return white(model, degrees(total, settings.divisor, moments.n_classes))
    return white(model, degrees(moments.weight, settings.divisor, 1))


def _refuse_other_rows(
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None,
    moments: ClassMoments,
    schema: Schema,
) -> None:
    """Refuse moments that are not those of the rows, as far as weights can tell."""
    expected = (codes.size, moments.n_features)
    if X.shape != expected:
        msg = f"{codes.size} class numbers and these moments go with rows {expected}, got {X.shape}"
        raise DataError(msg)
    weight = np.bincount(codes, weights, minlength=moments.n_classes)
    apart = np.abs(weight - moments.weight) > _ROUNDING * moments.weight
    if apart.any():
        code = int(np.argmax(apart))
        msg = (
            f"the model has learnt weight {moments.weight[code]:g} of class "
            f"{schema.class_name(code)}, the rows given have {weight[code]:g}: to be left out one "
            "at a time, they must be the rows that the model has learnt from"
        )
        raise DataError(msg)
