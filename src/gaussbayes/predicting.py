"""What a fitted classifier says of rows: labels, posteriors, densities, distances."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gaussbayes import scores, synthesis, table, validation
from gaussbayes.fitted import Fitted
from gaussbayes.parameters import Parameters
from gaussbayes.types import FloatArray, LabelArray, RealArray

if TYPE_CHECKING:
    from gaussbayes.mixed import MixedParameters

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
        """Distances ``√((x − mean_c)ᵀ Σ_c⁻¹ (x − mean_c))`` (n, k) to the classes' means."""
        return self._score(scores.mahalanobis, X)

    def negative_log_likelihood(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> scores.NegativeLogLikelihood:
        """``−Σ log p(x, y)`` over labelled rows, in the labels' part and the features' part."""
        parameters, own = self._ready(), self._model.schema
        batch, schema = table.read(validation.features_as_before(self, X), y, sample_weight)
        codes = validation.codes_among(own.classes, schema.classes, batch.targets)
        with validation.naming_columns(batch.X, own.features, allow_nan=True):
            return scores.negative_log_likelihood(
                parameters, batch.X, codes, batch.weights, self.n_jobs
            )

    def sample(
        self, n_samples: int = 1, random_state: synthesis.RandomState = None
    ) -> tuple[FloatArray, LabelArray]:
        """Draw rows (n, d) from the model, and their labels (n,)."""
        generator = synthesis.as_generator(random_state)
        rows, codes = synthesis.draw(self._ready(), n_samples, generator)
        return rows, self.classes_[codes]

    def _score(self, function: Callable[..., Answer], X: Any, *codes: int) -> Answer:
        parameters = self._complete()
        if not isinstance(parameters, Parameters):
            return self._score_mixed(function, parameters, X, *codes)
        rows = validation.features_as_before(self, X)
        with validation.naming_columns(rows, self._model.schema.features, allow_nan=True):
            return function(parameters, rows, *codes, self.n_jobs)

    def _score_mixed(
        self, function: Callable[..., Answer], parameters: "MixedParameters", X: Any, *codes: int
    ) -> Answer:
        from gaussbayes import mixed, mixed_rows

        twin = mixed.twin(function)
        rows = mixed_rows.rows_as_before(self, self._model, X)
        names = self._model.schema.of_numbers
        with validation.naming_columns(rows.X, names.features or names.places, allow_nan=True):
            answer: Answer = twin(parameters, rows, *codes, self.n_jobs)
        return answer
