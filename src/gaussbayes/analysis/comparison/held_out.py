"""Which rows are predicted by models of which others."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from gaussbayes.analysis.comparison.labelled_rows import Places, read_labelled, read_test
from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CategoricalFeatures, RealArray
from gaussbayes.data.categories import Categories


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Labelled rows, and pairs of the places of rows to fit to and rows to predict."""

    rows: RealArray  # (n, d), of categories their numbers; see `LabelledRows`
    codes: Places  # (n,)
    schema: Schema
    splits: tuple[tuple[Places, Places], ...]
    how: str  # one sentence
    categories: tuple[Categories, ...] = ()  # of each categorical feature

    @property
    def truth(self) -> Places:
        """The true class of every row predicted, split after split."""
        return np.concatenate([self.codes[test] for _, test in self.splits])


def hold_out(
    X: Any,
    y: Any,
    held_out: Any,
    random_state: int | None,
    categorical_features: CategoricalFeatures = None,
    *,
    allow_nan: bool = False,
) -> HeldOut:
    """Read labelled rows, and split them as `gaussbayes.analysis.comparison.compare` says.

    Rows that lack numbers (NaN) are for models that can do with them: with `allow_nan`. Categories
    may be missing.

    Examples
    --------
    >>> parts = hold_out([[1], [2], [3], [4]], ["a", "a", "b", "b"], 2, 0)
    >>> [(train.tolist(), test.tolist()) for train, test in parts.splits]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    """
    known = read_labelled(X, y, categorical_features, allow_nan=allow_nan)
    rows, codes, schema = known.rows, known.codes, known.schema
    n = codes.size
    seed = "" if random_state is None else f", seed {random_state}"
    if isinstance(held_out, tuple) and len(held_out) == 2:
        test_rows, test_codes = read_test(*held_out, X, known, allow_nan=allow_nan)
        m = test_codes.size
        how = f"{n} rows to learn from, {m} test rows given"
        splits = [(np.arange(n), np.arange(n, n + m))]
        rows, codes = np.concatenate([rows, test_rows]), np.concatenate([codes, test_codes])
    elif _is(held_out, Integral) and held_out >= 2:
        _refuse_small(codes, schema, int(held_out))
        folds = StratifiedKFold(int(held_out), shuffle=True, random_state=random_state)
        splits = list(folds.split(rows, codes))
        how = f"{held_out}-fold cross-validation of {n} rows, stratified{seed}"
    elif _is(held_out, Real) and 0 < held_out < 1:
        splits = [_share(codes, float(held_out), random_state)]
        train, test = splits[0]
        how = f"{train.size} rows to learn from, {test.size} held out, stratified{seed}"
    elif hasattr(held_out, "split") and not isinstance(held_out, str):
        splits = [(train, test) for train, test in held_out.split(rows, codes) if len(test)]
        m = sum(len(test) for _, test in splits)
        how = f"{m} predictions in {len(splits)} splits of {n} rows by {held_out}"
    else:
        msg = (
            "held_out is a whole number of folds from 2 on, a share between 0 and 1, "
            f"(X_test, y_test), or a splitter of scikit-learn; got {held_out!r:.200}"
        )
        raise ParameterError(msg)
    if not splits:
        msg = f"no row is held out by {held_out}: nothing can be judged"
        raise DataError(msg)
    return HeldOut(rows, codes, schema, tuple(splits), how, known.categories)


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _share(codes: Places, share: float, random_state: int | None) -> tuple[Places, Places]:
    places = np.arange(codes.size)
    try:
        train, test = train_test_split(
            places, test_size=share, random_state=random_state, stratify=codes
        )
    except ValueError as error:
        msg = f"a share of {share} of {codes.size} rows cannot be held out class by class: {error}"
        raise DataError(msg) from None
    return np.sort(train), np.sort(test)


def _refuse_small(codes: Places, schema: Schema, n_folds: int) -> None:
    """Raise if a class has fewer rows than there are folds."""
    count = np.bincount(codes)
    smallest = int(count.argmin())
    least = int(count[smallest])
    if least < n_folds:
        fewer = f"hold out {least} folds or fewer, or " if least >= 2 else ""
        msg = (
            f"class {schema.class_name(smallest)} has {least} row{'s' if least > 1 else ''}, too "
            f"few for {n_folds} folds: {fewer}leave the class out, or give test rows"
        )
        raise DataError(msg)
