"""What a fitted classifier says of rows: labels, posteriors, densities, distances."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes import validation
from gaussbayes.analysis import synthesis
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.data import table
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.fitted import Fitted

if TYPE_CHECKING:
    from gaussbayes.model.mixed import MixedRows

Answer = TypeVar("Answer")


class Predicting(Fitted):
    """Scores of rows, under the names that scikit-learn has for them, or plain ones."""

    n_jobs: int | None

    def predict(self, X: Any) -> LabelArray:
        """The most probable class of each row (n,)."""
        codes = self._score(scores.labels, X)
        return np.take(self.classes_, codes)

    def predict_proba(self, X: Any) -> RealArray:
        """Posteriors ``p(c | x)`` (n, k)."""
        return self._score(scores.posterior, X)

    def predict_log_proba(self, X: Any) -> RealArray:
        """Log posteriors ``log p(c | x)`` (n, k), exact however small."""
        return self._score(scores.log_posterior, X)

    def decision_function(self, X: Any) -> RealArray:
        """Two classes: the log-odds of the second (n,); more: the log posteriors (n, k)."""
        if self._fitted().schema.classes.shape[0] == 2:
            return self._score(scores.log_odds, X, 1, 0)
        return self._score(scores.log_posterior, X)

    def predict_joint_log_proba(self, X: Any) -> RealArray:
        """Log joint densities ``log p(x, c) = log prior_c + log p(x | c)`` (n, k)."""
        return self._score(scores.log_joint, X)

    def joint(self, X: Any) -> RealArray:
        """Joint densities ``p(x, c)`` (n, k); for many features prefer the logarithms."""
        return self._score(scores.joint, X)

    def score_samples(self, X: Any) -> RealArray:
        """Log evidence ``log p(x)`` (n,): how well the model as a whole explains a row."""
        return self._score(scores.log_evidence, X)

    def evidence(self, X: Any) -> RealArray:
        """Evidence ``p(x) = Σ_c p(x, c)`` (n,); for many features prefer the logarithm."""
        return self._score(scores.evidence, X)

    def log_likelihood(self, X: Any) -> RealArray:
        """Log densities ``log p(x | c)`` (n, k)."""
        return self._score(scores.log_likelihood, X)

    def likelihood(self, X: Any) -> RealArray:
        """Densities ``p(x | c)`` (n, k); for many features prefer the logarithms."""
        return self._score(scores.likelihood, X)

    def log_odds(self, X: Any, a: object, b: object) -> RealArray:
        """``log p(a | x) − log p(b | x)`` (n,) of two classes given by their labels."""
        self._complete()
        return self._score(scores.log_odds, X, *validation.codes_of(a, b, self._model.schema))

    def mahalanobis(self, X: Any) -> RealArray:
        """Distances ``√((x − mean_c)ᵀ Σ_c⁻¹ (x − mean_c))`` (n, k) to the classes' means.

        They are distances of numbers: features that hold categories do not count. A model that has
        no others refuses.
        """
        return self._score_numbers(scores.mahalanobis, X)

    def negative_log_likelihood(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> scores.NegativeLogLikelihood:
        """``−Σ log p(x, y)`` over labelled rows, in the labels' part and the features' part.

        The features' part is ∞ if a category never occurred in the class of its row, without
        smoothing.
        """
        rows = self._rows(X)
        numbers = rows if isinstance(rows, np.ndarray) else rows.X
        batch, classes = table.batch_of(numbers, y, sample_weight)
        codes = validation.codes_among(self.classes_, classes, batch.targets)
        return self._scored(scores.negative_log_likelihood, rows, codes, batch.weights)

    def sample(
        self, n_samples: int = 1, random_state: synthesis.RandomState = None
    ) -> tuple[NDArray[Any], LabelArray]:
        """Draw rows (n, d) from the model, and their labels (n,).

        With categories the rows are an array of objects in the order of the columns: numbers are
        floats, categories texts, whole numbers or truth values as in `categories_`.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> X, y = [[1.0, "S"], [3.0, "M"], [7.0, "S"], [8.0, "S"]], ["a", "a", "b", "b"]
        >>> model = GaussianClassifier(categorical_features=[1]).fit(X, y)
        >>> rows, labels = model.sample(100, random_state=0)
        >>> rows.shape, rows.dtype, set(rows[labels == "b", 1])
        ((100, 2), dtype('O'), {'S'})
        """
        generator = synthesis.as_generator(random_state)
        parameters = self._complete()
        if isinstance(parameters, Parameters):
            rows, codes = synthesis.draw(parameters, n_samples, generator)
            return rows, self.classes_[codes]
        from gaussbayes.model import mixed_rows

        drawn, codes = synthesis.draw_mixed(parameters, n_samples, generator)
        return mixed_rows.side_by_side(drawn, self._model.schema), self.classes_[codes]

    def _score(self, function: Callable[..., Answer], X: Any, *codes: int) -> Answer:
        return self._scored(function, self._rows(X), *codes)

    def _rows(self, X: Any) -> "RealArray | MixedRows":
        """The rows as the model's kind of scores takes them."""
        if isinstance(self._complete(), Parameters):
            return validation.features_as_before(self, X)
        from gaussbayes.model import mixed_rows

        return mixed_rows.rows_as_before(self, self._model, X)

    def _scored(
        self, function: Callable[..., Answer], rows: "RealArray | MixedRows", *more: Any
    ) -> Answer:
        """What a function of `scores`, or its twin for mixed rows, says of rows."""
        parameters = self._complete()
        if isinstance(rows, np.ndarray):
            numbers = rows
        else:
            from gaussbayes.model import mixed

            function, numbers = mixed.twin(function), rows.X
        with self._naming(numbers):
            return function(parameters, rows, *more, self.n_jobs)

    def _score_numbers(self, function: Callable[..., Answer], X: Any) -> Answer:
        """What a function says of the numbers of rows, whatever their categories are."""
        parameters = self._complete()
        if isinstance(parameters, Parameters):
            return self._score(function, X)
        from gaussbayes.model import mixed_rows

        numbers = mixed_rows.numbers_as_before(self, self._model, X)
        with self._naming(numbers):
            return function(parameters.gaussian, numbers, self.n_jobs)

    def _naming(self, numbers: RealArray) -> AbstractContextManager[None]:
        own = self._model.schema.of_numbers
        return validation.naming_columns(numbers, own.features or own.places, allow_nan=True)
