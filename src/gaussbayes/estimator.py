"""`GaussianClassifier`: the whole family as one scikit-learn estimator. No arithmetic here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from gaussbayes import (
    decision,
    labels,
    mixed,
    novelty,
    scores,
    storage,
    synthesis,
    table,
    validation,
)
from gaussbayes.bayes_error import BayesError, bayes_error
from gaussbayes.categorical import categorical_columns, split
from gaussbayes.categorical.choice import CategoricalFeatures
from gaussbayes.costs import Costs, check_costs
from gaussbayes.decision import Decisions
from gaussbayes.direct import direct_parameters
from gaussbayes.errors import ParameterError
from gaussbayes.evaluation import evaluate
from gaussbayes.explanation import Explanation, explain
from gaussbayes.fitted import Fitted
from gaussbayes.labelled import LabelledMoments, label_moments
from gaussbayes.leave_one_out import LeaveOneOut, leave_one_out
from gaussbayes.model import Model, given_model, learnt_model
from gaussbayes.moments import ClassMoments
from gaussbayes.prior_shift import PriorShift, prior_shift
from gaussbayes.priors import Priors
from gaussbayes.schema import Schema
from gaussbayes.selection import Choice, Criterion, check_choice, select
from gaussbayes.settings import Settings
from gaussbayes.shrinkage import Shrinkage
from gaussbayes.sources import Summary, moments_of
from gaussbayes.types import (
    BadRowHandling,
    CovarianceName,
    Divisor,
    FloatArray,
    LabelArray,
    RealArray,
    ScatterLayout,
)

Answer = TypeVar("Answer")


class GaussianClassifier(ClassifierMixin, Fitted, BaseEstimator):  # type: ignore[misc]
    """One Gaussian for each class, and Bayes' rule.

    ``p(c | x) = prior_c N(x; mean_c, Σ_c) / Σ_b prior_b N(x; mean_b, Σ_b)``, everything estimated
    in closed form from the weight, mean and scatter of each class. Fitting at once, in batches
    (`partial_fit`) or in parts that are merged (`merge`) gives the same model.

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical", "auto"}
        What a class's covariance may look like: any, no correlations, or one variance for all
        features. ``"auto"`` chooses among these, own and shared, whatever `shared` says.
    shared : bool
        Whether all classes have the same covariance. Full and not shared is QDA, full and shared
        LDA, diagonal and not shared Gaussian naive Bayes.
    priors : None, "uniform", sequence or {label: probability}
        None estimates them by the classes' shares of the weight; a sequence is in the order of
        `classes_`. Priors never reach the covariances.
    divisor : {"mle", "unbiased"}
        Divide the scatter by N, or by N − 1 (N − k when shared).
    shrinkage : None, float in [0, 1], "oas" or "auto"
        How far covariances are moved towards the spherical one of equal trace; ``"auto"`` chooses.
    selection : {"leave_one_out", "bic"}
        What ``"auto"`` chooses by: the log loss of every row under the model without it, exact and
        in closed form; or BIC, for which no rows are needed, so that it works for files too.
    categorical_features : "from_dtype", None, or names, numbers or truth values
        Which features hold categories: the columns of a frame that are of a categorical type, or
        those in the list. Given the class they are independent of each other and of all others;
        without any numbers beside them the model is discrete naive Bayes.
    smoothing : float, 0 or more
        What is added to the weight of every category in every class. 0 is maximum likelihood: a
        category that never occurred in a class rules the class out.
    n_jobs : int or None
        Threads; None uses every core. Results do not depend on it.

    Attributes
    ----------
    classes_ : (k,) the labels, sorted; only those whose rows weigh something
    priors_ : (k,)
    means_ : (k, d)
    covariances_ : (k, d, d), or (d, d) when shared
    correlations_ : as `covariances_`, scaled to unit variances
    n_parameters_ : how many free parameters the model has
    parameters_ : `Parameters`, everything that scoring needs
    selection_ : `Selection`, all candidates and the best of them; only if `fit` had to choose
    moments_ : `ClassMoments`, everything learnt from the rows; not there after `from_parameters`
    n_features_in_ : number of features
    feature_names_in_ : (d,) their names, if the rows came in a frame whose column names are text

    Notes
    -----
    Settings are read by `fit`, `partial_fit` and `merge`; after `set_params` a model stays as it is
    until one of them is called again. After `partial_fit` and `merge` the parameters are worked out
    when they are first needed, so that a stream may begin with a single row; while a covariance
    cannot be inverted yet, predictions raise `SingularCovarianceError`. A call that fails leaves
    the model as it was. Scores of float32 rows are float32.

    Examples
    --------
    >>> X = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
    >>> y = ["a", "a", "a", "a", "a", "b", "b", "b"]
    >>> model = GaussianClassifier().fit(X, y)
    >>> model.means_.round(2).tolist(), model.covariances_.round(4).tolist()
    ([[2.68], [6.5]], [[[0.5336]], [[0.26]]])
    >>> model.predict([[4.9], [5.0]]).tolist(), model.predict_proba([[4.9]]).round(3).tolist()
    (['a', 'b'], [[0.612, 0.388]])
    """

    def __init__(
        self,
        covariance: CovarianceName | Literal["auto"] = "full",
        *,
        shared: bool = False,
        priors: Priors = None,
        divisor: Divisor = "mle",
        shrinkage: Shrinkage | Literal["auto"] = None,
        selection: Criterion = "leave_one_out",
        categorical_features: CategoricalFeatures = "from_dtype",
        smoothing: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.covariance = covariance
        self.shared = shared
        self.priors = priors
        self.divisor = divisor
        self.shrinkage = shrinkage
        self.selection = selection
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows, forgetting any earlier ones.

        Parameters
        ----------
        X : (n, d) array, list or frame (pandas, polars, Arrow) of finite numbers, and of texts,
            whole numbers or truth values in categorical features, where any may be missing
        y : (n,) labels, or (n, k) memberships: how much of each row belongs to each class
        sample_weight : (n,) how much each row counts; 2 is as good as the row twice
        """
        choice = self._choice()
        categorical = categorical_columns(X, self.categorical_features)
        if categorical.any():
            return self._fit_mixed(X, y, sample_weight, categorical)
        needs_labels = choice.is_open and choice.criterion == "leave_one_out"
        reading = validation.read_labelled if needs_labels else validation.read
        batch, schema = reading(X, y, sample_weight)
        learnt = validation.moments_of(batch, schema, choice.layout, self.n_jobs)
        rows = (batch.X, batch.targets, batch.weights) if needs_labels else (None, None, None)
        return self._fit_best(choice, rows, learnt, validation.names_in(X))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; the model is that of all rows so far.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; any number of rows, any classes
        classes : the labels that may occur, if that is to be checked. New classes need not be
            announced: they join with their first row.
        """
        settings = self._settings("partial_fit")
        if self.__sklearn_is_fitted__():
            before = self._model.with_settings(settings, "partial_fit")
            more = validation.learnt_as_before(self, before, X, y, sample_weight, self.n_jobs)
            model = before.updated(more)
        else:
            chosen = categorical_columns(X, self.categorical_features)
            more, model = self._first(settings, X, y, sample_weight, chosen)
        if classes is not None:
            validation.refuse_unknown(more.classes, labels.encode(classes)[1])
        return self._remember(model)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows away again: the model is that of the other rows, as if these had never been.

        Exact, without the other rows. A class of which no row is left is no class any more.

        Raises
        ------
        RemovalError
            If these rows cannot have been among those seen: a class would have less than no weight,
            or a scatter that is none. The model then stays as it was.

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [6.0], [5.0], [7.0]], [0, 0, 0, 1, 1])
        >>> model.forget([[6.0]], [0]).means_.tolist()
        [[1.5], [6.0]]
        """
        before = self._fitted()
        gone = validation.learnt_as_before(self, before, X, y, sample_weight, self.n_jobs)
        return self._remember(before.without(gone.with_rows()))

    def add_class(self, label: Any, X: Any, sample_weight: Any = None) -> Self:
        """Learn a class that the model does not have, from its rows; no other class is touched.

        Its prior follows from its weight, unless priors were given: then it needs one of its own.
        A covariance that is shared is that of all classes, the new one among them.

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> model.add_class(2, [[10.0], [12.0]]).means_.tolist()
        [[1.5], [6.0], [11.0]]
        """
        before = self._fitted()
        y = [label] * validation.n_rows(X)
        batch = validation.learnt_as_before(self, before, X, y, sample_weight, self.n_jobs)
        return self._remember(before.with_class(batch.with_rows()))

    def remove_class(self, label: Any) -> Self:
        """Take a class away, with all its rows; no other class is touched.

        Examples
        --------
        >>> X, y = [[1.0], [2.0], [5.0], [7.0], [8.0], [9.0]], [0, 0, 1, 1, 2, 2]
        >>> GaussianClassifier().fit(X, y).remove_class(1).classes_.tolist()
        [0, 2]
        """
        return self._remember(self._fitted().without_class(label))

    def merge(self, other: Any) -> Self:
        """Add what another model of the same features has learnt; classes are united.

        An unfitted model takes over the other's moments. If only one of them knows the names of the
        features, or of the target, they are taken from that one.
        """
        if not isinstance(other, GaussianClassifier):
            msg = f"another GaussianClassifier can be merged, got {type(other).__name__}"
            raise TypeError(msg)
        settings = self._settings("merge")
        theirs = GaussianClassifier._fitted(other).with_settings(settings, "merge")
        if not self.__sklearn_is_fitted__():
            return self._remember(theirs)
        return self._remember(self._model.with_settings(settings, "merge").merged(theirs))

    def fit_source(
        self,
        source: Any,
        target: str,
        *,
        features: Sequence[str] | None = None,
        weights: str | None = None,
        bad_rows: BadRowHandling = "error",
        client: Any = None,
    ) -> Self:
        """Fit to rows that need not fit into memory: files, a Dask DataFrame, a database table.

        Parameters
        ----------
        source, target, features, weights, bad_rows, client : see `gaussbayes.sources.moments_of`

        Examples
        --------
        >>> from importlib.resources import files
        >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
        >>> GaussianClassifier().fit_source(iris, "species").feature_names_in_[2]
        'petal length (cm)'
        """
        choice = self._choice()
        if not (self.categorical_features is None or isinstance(self.categorical_features, str)):
            self._refuse_categories("fit_source")
        if choice.is_open:
            choice.refuse_without_rows()
        wanted = {"features": features, "weights": weights, "bad_rows": bad_rows, "client": client}
        found = self._summed(source, target, choice.layout, wanted)
        none = (None, None, None)
        self._fit_best(choice, none, found.learnt.with_rows(), found.features, found.target)
        self.bad_rows_ = found.bad_rows
        return self

    def partial_fit_source(
        self,
        source: Any,
        target: str | None = None,
        *,
        weights: str | None = None,
        bad_rows: BadRowHandling = "error",
        client: Any = None,
    ) -> Self:
        """Learn from more rows; the features, and the target if not given, are those of before."""
        settings = self._settings("partial_fit_source")
        before = self._fitted().with_settings(settings, "partial_fit_source")
        names, target = validation.names_for_source(before, target)
        wanted = {"features": names, "weights": weights, "bad_rows": bad_rows, "client": client}
        found = self._summed(source, target, before.layout, wanted)
        model = before.updated(found.learnt)
        self.bad_rows_ = found.bad_rows
        return self._remember(model)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model to a file, whole or not at all; see `load`.

        It is JSON with what the model has learnt, so that it can be updated and merged later.
        """
        return storage.save(self._fitted(), Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file that `save` wrote.

        Loading runs nothing that is in the file, and says what is wrong with one that is damaged.
        """
        return cls._of(storage.load(Path(path)))

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

    def decide(
        self,
        X: Any,
        *,
        costs: Costs | None = None,
        reject_below: float | None = None,
        reject_cost: float | None = None,
        novelty_level: float | None = None,
        priors: Priors | Literal["own"] = "own",
    ) -> Decisions:
        """The class of least expected cost for each row, or why the row is better left open.

        Parameters
        ----------
        costs : (k, k) what deciding for the class of the column costs where that of the row is
            true, or ``{(true label, decided label): cost}``. None is 1 for every mistake: the most
            probable class.
        reject_below : refuse rows whose most probable class is less probable than that
        reject_cost : refuse rows of which even the best decision is expected to cost more
        novelty_level : refuse rows that are like no class: of the rows of every class fewer than
            this share lie so far out
        priors : others than the model's, as in the constructor

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
        >>> model.decide([[1.0], [2.1], [30.0]], reject_below=0.8, novelty_level=1e-3).labels
        array(['ill', None, None], dtype=object)
        >>> model.decide([[2.5]], costs={("ill", "well"): 50, ("well", "ill"): 1}).labels
        array(['ill'], dtype=object)
        """
        if not (isinstance(priors, str) and priors == "own"):
            changed = self.with_priors(priors)
            return changed.decide(
                X,
                costs=costs,
                reject_below=reject_below,
                reject_cost=reject_cost,
                novelty_level=novelty_level,
            )
        parameters, schema = self._complete(), self._model.schema
        unlike = None
        if novelty_level is not None:
            unlike = novelty.novel(self.p_values(X), novelty_level, parameters.prior)
        return decision.decide(
            self.predict_log_proba(X),
            None if costs is None else check_costs(costs, schema),
            reject_below=reject_below,
            reject_cost=reject_cost,
            novel=unlike,
            classes=schema.classes,
        )

    def p_values(self, X: Any) -> FloatArray:
        """How probable it is that a row of the class lies at least so far out (n, k).

        ``P(χ²_d ≥ m²)`` of the squared Mahalanobis distance m². A row whose p-values are all tiny
        is like no class, whatever its posteriors say.
        """
        return self._score(novelty.class_p_values, X)

    def evidence_p_values(
        self, X: Any, n_draws: int = 100_000, random_state: synthesis.RandomState = 0
    ) -> novelty.PValues:
        """How probable it is that a row of the model has no more evidence than each row (n,).

        Simulated, with standard errors; see `gaussbayes.novelty.evidence_distribution`.
        """
        found = novelty.evidence_distribution(self._ready(), n_draws, random_state, self.n_jobs)
        return found.p_values(self.score_samples(X))

    def estimate_priors(self, X: Any, sample_weight: Any = None, **settings: Any) -> PriorShift:
        """The priors of rows without labels, where only the classes' shares have changed.

        Use them with `with_priors`; `settings` are those of `gaussbayes.prior_shift.prior_shift`.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [8]], [[1]], ["a", "b"])
        >>> found = model.estimate_priors([[0.2], [-0.3], [0.1], [8.4]])
        >>> found.prior.round(3).tolist()
        [0.75, 0.25]
        >>> model.with_priors(found.prior).priors_.round(3).tolist()
        [0.75, 0.25]
        """
        log_posterior = self.predict_log_proba(X)
        return prior_shift(log_posterior, self._complete().prior, sample_weight, **settings)

    def bayes_error(
        self, n_draws: int = 100_000, random_state: synthesis.RandomState = 0
    ) -> BayesError:
        """How often the best rule is wrong if the model is right, simulated, and a bound of it."""
        return bayes_error(self._ready(), n_draws, random_state, self.n_jobs)

    def explain(
        self, row: Any, between: tuple[Any, Any] | None = None, reference: Any = "mean"
    ) -> Explanation:
        """Bayes' rule for one row with every number, and what each feature adds to the log-odds.

        Parameters
        ----------
        row : (d,) the features, or a table of one row; NaN is a value that is missing
        between : the labels of two classes whose log-odds are split up; None is the most probable
            one and the next
        reference : the point (d,) at which every contribution is 0; ``"mean"`` is the mean of the
            classes' means weighted by their priors, ``"rival"`` the mean of the second class

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(
        ...     None, [[0, 0], [2, 4]], [[1, 0], [0, 1]], covariance="full"
        ... )
        >>> told = model.explain([2.0, 3.0])
        >>> [round(terms.posterior, 4) for terms in told.bayes.classes]
        [0.0025, 0.9975]
        >>> [one.amount for one in told.log_odds.contributions]
        [2.0, 4.0]
        """
        parameters, schema = self._ready(), self._model.schema
        pair = None if between is None else validation.codes_of(*between, schema)
        return explain(parameters, schema, validation.one_row(self, row), pair, reference)

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
        """Every row predicted by the model of all others, exactly and in closed form.

        The models are those of these rows with the settings of this classifier, which need not be
        fitted; what ``"auto"`` chose is kept.

        Examples
        --------
        >>> X, y = [[1.0], [2.0], [6.0], [7.0], [8.0], [12.0]], list("aaabbb")
        >>> found = GaussianClassifier(shared=True).leave_one_out(X, y)
        >>> np.exp(found.log_posterior[2]).round(4).tolist(), found.evaluation.n_errors
        ([0.0875, 0.9125], 1)
        """
        settings = self._settings("leave_one_out")
        if categorical_columns(X, self.categorical_features).any():
            self._refuse_categories("leave_one_out")
        batch, schema = validation.read_labelled(X, y, sample_weight)
        layout, codes = settings.structure.layout, batch.codes
        moments = validation.moments_of(batch, schema, layout, self.n_jobs).moments
        told = leave_one_out(batch.X, codes, batch.weights, moments, schema, settings, self.n_jobs)
        return LeaveOneOut(told, evaluate(told, codes, schema.classes))

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
        with validation.naming_columns(batch.X, own.features):
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

    def with_priors(self, priors: Priors) -> Self:
        """A new classifier with the same Gaussians and other priors."""
        parameters = self._complete()
        changed = self._model.with_priors(priors)
        model = self._with(changed, parameters.with_prior(changed.prior))
        model.priors = priors
        return model

    def marginal(self, features: Sequence[int | str]) -> Self:
        """The same classes as seen through some features only, the others integrated out.

        A new classifier whose means and covariances are the entries for these features, given by
        name or number: exact, without a second fit. It has no `moments_`.

        Examples
        --------
        >>> X = [[1, 8, 3], [2.5, 7.5, 1], [2, 7, 4], [8.5, 2.5, 2], [9, 2, 5], [8, 1, 1]]
        >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
        >>> model.marginal([1]).means_.round(4).tolist()
        [[1.8333], [7.5]]
        """
        parameters = self._ready()
        return self._with(self._model.marginal(features, parameters))

    def with_feature_names(self, names: Sequence[str] | None) -> Self:
        """The same classifier with other names for its features, or none.

        For models of arrays, whose columns have no names: pictures and messages then use these.

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> model.with_feature_names(["petal length"]).feature_names_in_.tolist()
        ['petal length']
        """
        return self._with(self._fitted().with_feature_names(names), self._parameters)

    def report(self, X: Any, y: Any, path: Any = "report.html", **options: Any) -> Path:
        """Write a page about this model on labelled rows; see `gaussbayes.write_report`."""
        # The page is made of pictures and comparisons of estimators, so it lies above this class:
        # found by name when it is wanted, as the public names are, and imported nowhere here.
        written: Path = import_module("gaussbayes.report").write_report(self, X, y, path, **options)
        return written

    @classmethod
    def from_parameters(
        cls,
        priors: Priors,
        means: ArrayLike,
        covariances: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        covariance: CovarianceName | None = None,
        shared: bool | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """A classifier with given parameters, without fitting.

        Parameters
        ----------
        priors : as in the constructor, a sequence in the order of `classes`; None is uniform
        means : (k, d)
        covariances : full (k, d, d), or (d, d) for all classes. With ``covariance="diagonal"``
            variances (k, d) or (d,), with ``"spherical"`` (k,) or a number.
        classes : (k,) labels in the order of the other arguments, 0 … k − 1 if not given; the model
            sorts them, as scikit-learn's tools expect
        covariance, shared : needed where the shape of `covariances` does not tell

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(
        ...     [0.25, 0.25, 0.5], [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]]
        ... )
        >>> model.shared, model.predict([[0.4, 0.4], [1.6, 1.6]]).tolist()
        (True, [0, 1])
        """
        given = direct_parameters(
            priors, means, covariances, classes, (covariance, shared), feature_names
        )
        return cls._of(given_model(*given))

    @classmethod
    def from_moments(
        cls,
        moments: ClassMoments,
        classes: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        **settings: Any,
    ) -> Self:
        """A classifier of moments gathered elsewhere; `settings` are the constructor's."""
        model = cls(**settings)
        checked = model._settings("from_moments")
        learnt = label_moments(classes, moments).able(checked.structure.layout)
        return model._remember(learnt_model(checked, learnt, feature_names))

    def _choice(self) -> Choice:
        return check_choice(
            self.covariance,
            self.shared,
            self.priors,
            self.divisor,
            self.shrinkage,
            self.selection,
            self.smoothing,
        )

    def _settings(self, step: str) -> Settings:
        """The settings for a step that cannot choose any: what was chosen before stays."""
        choice = self._choice()
        if not choice.is_open:
            return choice.settings
        if not self.__sklearn_is_fitted__():
            msg = (
                f"{step} cannot choose covariance and shrinkage: 'auto' is for fit and fit_source, "
                "which see all rows at once"
            )
            raise ParameterError(msg)
        return replace(
            self._model.settings,
            priors=self.priors,
            divisor=self.divisor,
            smoothing=choice.settings.smoothing,
        )

    def _first(
        self, settings: Settings, X: Any, y: Any, sample_weight: Any, categorical: Any
    ) -> tuple[LabelledMoments, Model]:
        """What the first rows teach, and the model of them."""
        names, layout = validation.names_in(X), settings.structure.layout
        columns = tuple(np.flatnonzero(categorical).tolist())
        if columns:
            schema = Schema(np.empty(0), categorical.size, names, columns)
            parts = split(X, categorical)
            learnt = validation.mixed_learnt(*parts, y, sample_weight, schema, layout, self.n_jobs)
        else:
            learnt = validation.summarised(X, y, sample_weight, layout, self.n_jobs)
        return learnt, learnt_model(settings, learnt, names, None, columns)

    def _refuse_categories(self, step: str) -> None:
        msg = (
            f"{step} is for features that are numbers, and categorical_features="
            f"{self.categorical_features!r:.100} says that some are categories: leave them out"
        )
        raise ParameterError(msg)

    def _fit_mixed(self, X: Any, y: Any, sample_weight: Any, categorical: Any) -> Self:
        """Fit to rows that have categories."""
        choice = self._choice()
        if choice.is_open:
            msg = "'auto' chooses for features that are numbers: with categories, say which"
            raise ParameterError(msg)
        _, model = self._first(choice.settings, X, y, sample_weight, categorical)
        parameters = model.estimate_mixed()
        for stale in ("bad_rows_", "selection_"):
            self.__dict__.pop(stale, None)
        return self._remember(model, parameters)

    def _fit_best(
        self,
        choice: Choice,
        rows: tuple[Any, Any, Any],
        learnt: LabelledMoments,
        names: Sequence[str] | None,
        target: str | None = None,
    ) -> Self:
        """Take over the model of the best settings; `rows` are those learnt from, or Nones."""
        settings, selection = choice.settings, None
        if choice.is_open:
            model = learnt_model(settings, learnt, names)
            selection = select(*rows, learnt.moments, model.schema, choice, self.n_jobs)
            settings = selection.chosen(settings)
        model = learnt_model(settings, learnt, names, target)
        parameters = model.estimate()
        for stale in ("bad_rows_", "selection_"):  # of an earlier fit
            self.__dict__.pop(stale, None)
        if selection is not None:
            self.selection_ = selection
        return self._remember(model, parameters)

    @classmethod
    def _of(cls, model: Model) -> Self:
        """A classifier with the settings of a model; given priors do not bind a later fit."""
        chosen = model.settings
        classifier = cls(
            chosen.structure.covariance,
            shared=chosen.structure.shared,
            priors=chosen.priors if model.parameters is None else None,
            divisor=chosen.divisor,
            shrinkage=chosen.shrinkage,
            categorical_features=list(model.schema.categorical) or "from_dtype",
            smoothing=chosen.smoothing,
        )
        return classifier._remember(model)

    def _summed(
        self, source: Any, target: str, layout: ScatterLayout, wanted: Mapping[str, Any]
    ) -> Summary:
        """The moments of a source's rows, summed by the threads of this classifier."""
        return moments_of(source, target, layout=layout, n_jobs=self.n_jobs, **wanted)

    def _score(self, function: Callable[..., Answer], X: Any, *codes: int) -> Answer:
        found = self._complete()
        if isinstance(found, mixed.MixedParameters):
            return self._score_mixed(function, found, X, *codes)
        parameters = found
        rows = validation.features_as_before(self, X)
        with validation.naming_columns(rows, self._model.schema.features):
            return function(parameters, rows, *codes, self.n_jobs)

    def _score_mixed(
        self, function: Callable[..., Answer], found: mixed.MixedParameters, X: Any, *codes: int
    ) -> Answer:
        twin = mixed.twin(function)
        rows = validation.mixed_as_before(self, self._model, X)
        names = self._model.schema.of_numbers
        with validation.naming_columns(rows.X, names.features or names.places):
            answer: Answer = twin(found, rows, *codes, self.n_jobs)
        return answer
