"""A fitted classifier of another kind, such as nearest neighbours, as figures ask for a model.

It says which class, and perhaps how probable each is; it has no densities, so that no feature can
be integrated out, and figures of densities, joints, the evidence or ellipses cannot be drawn of it.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.decision import margins
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class OtherClassifier:
    """A classifier of scikit-learn's kind, under the names that figures use of a `Model`.

    Rows are whatever the classifier takes, or `Rows` of numbers.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> other = other_classifier(KNeighborsClassifier(1).fit([[0.0], [4.0]], ["low", "high"]))
    >>> other.classes.tolist(), other.labels([[1.0], [3.0]]).tolist()
    (['high', 'low'], [1, 0])
    """

    classifier: Any
    schema: Schema

    categories = ()
    components = ()
    densities = ()

    @property
    def name(self) -> str:
        """What messages call it."""
        return type(self.classifier).__name__

    @property
    def classes(self) -> NDArray[Any]:
        """The labels (k,)."""
        return self.schema.classes

    def rows(self, X: Any) -> Any:
        """Rows as they come: the classifier reads them itself."""
        return X

    def labels(self, rows: Any) -> NDArray[np.intp]:
        """The code of the class predicted for each row (n,)."""
        predicted = np.asarray(self._asked("predict", rows))
        codes = np.searchsorted(self.classes, predicted)
        known = codes < self.classes.size
        known[known] = self.classes[codes[known]] == predicted[known]
        if predicted.ndim != 1 or not known.all():
            answer = f"got {predicted!r:.200}"
            msg = f"{self.name}.predict must give one of classes_ for each row, {answer}"
            raise DataError(msg)
        return codes

    def posterior(self, rows: Any) -> FloatArray:
        """What it calls the probability of each class (n, k)."""
        if not hasattr(self.classifier, "predict_proba"):
            msg = (
                f"{self.name} has no predict_proba: this figure shows probabilities. Choose a "
                "classifier that has them, or wrap it in sklearn.calibration.CalibratedClassifierCV"
            )
            raise OptionError(msg)
        return np.asarray(self._asked("predict_proba", rows), dtype=np.float64)

    def log_posterior(self, rows: Any) -> FloatArray:
        """The logarithms of `posterior`; −∞ of what is called impossible."""
        with np.errstate(divide="ignore"):
            return np.log(self.posterior(rows))

    def margins(self, rows: Any) -> RealArray:
        """By how much each class beats the best other one (n, k): positive where it is predicted.

        In probability where that decides, as it mostly does; else 1 or −1.
        """
        codes = self.labels(rows)
        if hasattr(self.classifier, "predict_proba"):
            posterior = self.posterior(rows)
            if np.array_equal(posterior.argmax(axis=1), codes):
                return margins(posterior)
        return 2.0 * np.eye(self.classes.size)[codes] - 1.0

    def check_shown(self, columns: Sequence[int]) -> None:
        """Raise unless all features are shown: only densities can be integrated."""
        if len(columns) < self.schema.n_features:
            msg = (
                f"{self.name} has no densities, so that features cannot be integrated out: fit it "
                "to the one or two features that are to be shown"
            )
            raise OptionError(msg)

    def _asked(self, method: str, rows: Any) -> Any:
        if isinstance(rows, Rows):
            rows = self._table(rows.matrix)
        return getattr(self.classifier, method)(rows)

    def _table(self, numbers: Any) -> Any:
        """Numbers (n, d) as the classifier was fitted to: under names if there were any."""
        if self.schema.features is None:
            return numbers
        import pandas as pd  # what named the features, or something that reads it

        return pd.DataFrame(numbers, columns=list(self.schema.features))


def other_classifier(classifier: Any) -> OtherClassifier:
    """A fitted classifier with `predict` and `classes_`; TypeError for anything else."""
    if not hasattr(classifier, "predict"):
        msg = f"a fitted classifier is needed here, got {type(classifier).__name__}"
        raise TypeError(msg)
    if not hasattr(classifier, "classes_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(classifier)
        msg = f"a fitted classifier is needed here, and {type(classifier).__name__} has no classes_"
        raise TypeError(msg)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that warn of attributes
        n_features = getattr(classifier, "n_features_in_", None)
        names = getattr(classifier, "feature_names_in_", None)
    if n_features is None:
        msg = f"{type(classifier).__name__} does not say how many features it has (n_features_in_)"
        raise TypeError(msg)
    titles = None if names is None else tuple(map(str, names))
    return OtherClassifier(classifier, Schema(np.asarray(classifier.classes_), n_features, titles))
