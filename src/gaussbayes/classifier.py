"""`GaussianClassifier`: the whole family as one scikit-learn estimator. No arithmetic here."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from gaussbayes import validation
from gaussbayes.analysis.evaluation import evaluate
from gaussbayes.base.errors import (
    GaussBayesError,
    MissingLabelError,
    NonFiniteError,
    ParameterError,
)
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.types import (
    BadRowHandling,
    CategoricalFeatures,
    CovarianceName,
    Divisor,
    LabelArray,
)
from gaussbayes.changing import Changing
from gaussbayes.families.gaussian.leave_one_out import LeaveOneOut, leave_one_out
from gaussbayes.families.gaussian.missing.em import fit_incomplete
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model import file as storage
from gaussbayes.model.direct import direct_parameters
from gaussbayes.model.labelled import LabelledMoments, label_moments
from gaussbayes.model.model import Model, completed_model, given_model, learnt_model
from gaussbayes.model.prior import Priors
from gaussbayes.model.selection import Choice, Criterion, select


class GaussianClassifier(ClassifierMixin, Changing, BaseEstimator):  # type: ignore[misc]
    """One Gaussian for each class, and Bayes' rule.

    ``p(c | x) = prior_c N(x; mean_c, Σ_c) / Σ_b prior_b N(x; mean_b, Σ_b)``, everything estimated
    in closed form from the weight, mean and scatter of each class. Fitting at once, in batches
    (`partial_fit`) or in parts that are merged (`merge`) gives the same model.

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical", "auto"}
        What a class's covariance may look like: any, no correlations, or one variance for all
        features. ``"auto"`` chooses among these, own, shared and in between, whatever `shared`
        says.
    shared : bool or float in [0, 1]
        Whether all classes have the same covariance. Full and not shared is QDA, full and shared
        LDA, diagonal and not shared Gaussian naive Bayes. A number λ is how far the covariance of
        each class is drawn towards the shared one: ``(1 − λ) Σ_c + λ Σ``, each estimated, divided
        and shrunk as it would be alone. That is regularised discriminant analysis, and a class may
        then have fewer rows than features.
    priors : None, "uniform", sequence or {label: probability}
        None estimates them by the classes' shares of the weight; a sequence is in the order of
        `classes_`. Priors never reach the covariances.
    divisor : {"mle", "unbiased"}
        Divide the scatter by N, or by N − 1 (the shared one by N − k).
    shrinkage : None, float in [0, 1], "oas" or "auto"
        How far covariances are moved towards the spherical one of equal trace; ``"auto"`` chooses.
    selection : {"leave_one_out", "bic"}
        What ``"auto"`` chooses by: the log loss of every row under the model without it, exact and
        in closed form; or BIC, for which no rows are needed, so that it works for files too, and
        which chooses between own and shared covariances only.
    categorical_features : "from_dtype", None, or names, numbers or truth values
        Which features hold categories: the columns of a frame that are of a categorical type, or
        those in the list. Given the class they are independent of each other and of all others;
        without any numbers beside them the model is discrete naive Bayes.
    smoothing : float, 0 or more
        What is added to the weight of every category in every class. 0 is maximum likelihood: a
        category that never occurred in a class rules the class out.
    unlabelled : a label, or None
        Rows with this label, such as −1, have none in truth; None and NaN always mean that.
    unlabelled_weight : float above 0
        How much a row without label counts beside a labelled one.
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
    convergence_ : `Convergence`, how EM climbed; only if features or labels were missing
    selection_ : `Selection`, all candidates and the best of them; only if `fit` had to choose
    moments_ : `ClassMoments`, everything learnt from complete rows; not there after
        `from_parameters`
    incomplete_ : `PatternMoments`, the same of rows that lack features, if there are any
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
        shared: bool | float = False,
        priors: Priors = None,
        divisor: Divisor = "mle",
        shrinkage: Shrinkage | Literal["auto"] = None,
        selection: Criterion = "leave_one_out",
        categorical_features: CategoricalFeatures = "from_dtype",
        smoothing: float = 0.0,
        unlabelled: Any = None,
        unlabelled_weight: float = 1.0,
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
        self.unlabelled = unlabelled
        self.unlabelled_weight = unlabelled_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows, forgetting any earlier ones.

        Parameters
        ----------
        X : (n, d) array, list or frame (pandas, polars, Arrow) of numbers, and of texts, whole
            numbers or truth values in categorical features; NaN or null is a feature that is
            missing
        y : (n,) labels, None, NaN or `unlabelled` where there is none; or (n, k) memberships: how
            much of each row belongs to each class
        sample_weight : (n,) how much each row counts; 2 is as good as the row twice

        Notes
        -----
        With features or labels missing the model is the most likely one of what is there, found by
        EM where there is no closed form: see `convergence_`. Features must be missing for reasons
        that do not depend on their values, given the others. A model of rows without labels has no
        `moments_`: it cannot learn more, be merged or forget; nor can one of rows that lack their
        features in so many different ways that the moments of each would take more than 64 MB.
        Beside categorical features every row needs a label.
        """
        choice = self._choice()
        if columns := validation.categorical_columns(X, self.categorical_features):
            return self._fit_mixed(choice, X, y, sample_weight, columns)
        try:
            return self._fit_labelled(choice, X, y, sample_weight)
        except MissingLabelError:
            return self._fit_incomplete(choice, X, y, sample_weight)

    def _fit_labelled(self, choice: Choice, X: Any, y: Any, sample_weight: Any) -> Self:
        needs_labels = choice.is_open and choice.criterion == "leave_one_out"
        reading = validation.read_labelled if needs_labels else validation.read
        batch, schema = reading(X, y, sample_weight)
        self._refuse_unlabelled(schema.classes)
        try:
            learnt = validation.moments_of(batch, schema, choice.layout, self.n_jobs)
        except NonFiniteError:
            some = validation.moments_of_incomplete(batch, schema, choice.layout, self.n_jobs)
            if some is None:
                return self._fit_incomplete(choice, X, y, sample_weight)
            learnt = some
        rows = (batch.X, batch.targets, batch.weights) if needs_labels else (None, None, None)
        return self._fit_best(choice, rows, learnt, validation.names_in(X))

    def _fit_incomplete(self, choice: Choice, X: Any, y: Any, sample_weight: Any) -> Self:
        rows, codes, weights, schema = validation.read_incomplete(
            X, y, sample_weight, self.unlabelled
        )
        with validation.naming_columns(rows, schema.features, allow_nan=True):
            refuse_not_finite(rows, allow_nan=True)
        _refuse_open(choice)
        found = fit_incomplete(
            rows,
            codes,
            weights,
            schema.classes.size,
            schema,
            choice.settings,
            unlabelled_weight=self.unlabelled_weight,
            n_jobs=self.n_jobs,
        )
        model = completed_model(choice.settings, found.moments, schema)
        self._forget_earlier()
        return self._remember(model, model.parameters, found.convergence)

    def _fit_mixed(
        self, choice: Choice, X: Any, y: Any, sample_weight: Any, columns: tuple[int, ...]
    ) -> Self:
        from gaussbayes.model import mixed_left_out

        names, rows, settings, selection = validation.names_in(X), None, choice.settings, None
        if choice.is_open and choice.criterion == "leave_one_out":
            rows = mixed_left_out.rows_to_leave_out(X, y, sample_weight, names, columns)
            learnt = rows.learnt(choice.layout, self.n_jobs)
        else:
            learnt = self._first(choice.layout, X, y, sample_weight, columns)
        self._refuse_unlabelled(learnt.classes)
        model = learnt_model(settings, learnt, names, None, columns)
        if choice.is_open:
            if learnt.incomplete is not None:
                _refuse_open(choice)
            selection = mixed_left_out.select(rows, model, choice, self.n_jobs)
            settings = selection.chosen(settings)
            model = replace(model, settings=settings)
        solved, convergence = model.solved(self.n_jobs)
        parameters = solved.estimate_mixed(self.n_jobs)
        self._forget_earlier()
        if selection is not None:
            self.selection_ = selection
        return self._remember(solved, parameters, convergence)

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
        source, target, features, weights, bad_rows, client : see `moments_of`

        Notes
        -----
        Categorical features are those that `categorical_features` names, or has the numbers of
        among the features, or those of a categorical type (see `moments_of`).

        Examples
        --------
        >>> from importlib.resources import files
        >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
        >>> GaussianClassifier().fit_source(iris, "species").feature_names_in_[2]
        'petal length (cm)'
        """
        choice = self._choice()
        if choice.is_open:
            choice.refuse_without_rows()
        wanted = {"features": features, "weights": weights, "bad_rows": bad_rows, "client": client}
        wanted["complete"] = choice.is_open
        wanted["categorical_features"] = self.categorical_features
        found = self._summed(source, target, choice.layout, wanted)
        none = (None, None, None)
        told = found.features, found.target, found.categorical
        self._fit_best(choice, none, found.learnt.with_rows(), *told)
        self.bad_rows_ = found.bad_rows
        return self

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model to a file, whole or not at all; see `load`.

        It is JSON with what the model has learnt, so that it can be updated and merged later.
        """
        if self._fitted().incomplete is not None:
            # What EM finds is kept in the file, and need not be found there again. With too few
            # rows there is nothing to find yet, and what was learnt is kept all the same.
            with suppress(GaussBayesError):
                self._ready()
        return storage.save(self._model, Path(path))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file that `save` wrote.

        Loading runs nothing that is in the file, and says what is wrong with one that is damaged.
        """
        return cls._of(storage.load(Path(path)))

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
        """Every row predicted by the model of all others, exactly and in closed form.

        The models are those of these rows with the settings of this classifier, which need not be
        fitted; what ``"auto"`` chose is kept. Categories may be missing, numbers may not; a
        category that no other row has says nothing about the class, as in any prediction.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = [[1.0], [2.0], [6.0], [7.0], [8.0], [12.0]], list("aaabbb")
        >>> found = GaussianClassifier(shared=True).leave_one_out(X, y)
        >>> np.exp(found.log_posterior[2]).round(4).tolist(), found.evaluation.n_errors
        ([0.0875, 0.9125], 1)
        """
        settings = self._settings("leave_one_out")
        if columns := validation.categorical_columns(X, self.categorical_features):
            from gaussbayes.model import mixed_left_out

            names = validation.names_in(X)
            rows = mixed_left_out.rows_to_leave_out(X, y, sample_weight, names, columns)
            told = mixed_left_out.leave_one_out(rows, settings, self.n_jobs)
            return LeaveOneOut(told, evaluate(told, rows.batch.codes, rows.schema.classes))
        batch, schema = validation.read_labelled(X, y, sample_weight)
        layout, codes = settings.structure.layout, batch.codes
        moments = validation.moments_of(batch, schema, layout, self.n_jobs).moments
        told = leave_one_out(batch.X, codes, batch.weights, moments, schema, settings, self.n_jobs)
        return LeaveOneOut(told, evaluate(told, codes, schema.classes))

    def report(self, X: Any, y: Any, path: Any = "report.html", **options: Any) -> Path:
        """Write a page about this model on labelled rows; see `gaussbayes.write_report`."""
        # The page is made of pictures and comparisons of estimators, so it lies above this class:
        # found by name when it is wanted, as the public names are, and imported nowhere here.
        written: Path = import_module("gaussbayes.apps.report").write_report(
            self, X, y, path, **options
        )
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

    def _refuse_unlabelled(self, classes: LabelArray) -> None:
        """Raise if the mark of rows without label is among the labels."""
        if self.unlabelled is not None and self.unlabelled in classes.tolist():
            msg = (
                f"there are rows labelled {self.unlabelled!r}, which marks rows without label: "
                "beside categorical features leave them out"
            )
            raise MissingLabelError(msg)

    def _forget_earlier(self) -> None:
        """Take away what an earlier fit has said of itself."""
        for stale in ("bad_rows_", "selection_"):
            self.__dict__.pop(stale, None)

    def _fit_best(
        self,
        choice: Choice,
        rows: tuple[Any, Any, Any],
        learnt: LabelledMoments,
        names: Sequence[str] | None,
        target: str | None = None,
        categorical: tuple[int, ...] = (),
    ) -> Self:
        """Take over the model of the best settings; `rows` are those learnt from, or Nones."""
        settings, selection = choice.settings, None
        if choice.is_open:
            if learnt.incomplete is not None:
                _refuse_open(choice)
            model = learnt_model(settings, learnt, names, None, categorical)
            if categorical:
                from gaussbayes.model import mixed_left_out

                selection = mixed_left_out.select(None, model, choice, self.n_jobs)
            else:
                selection = select(*rows, learnt.moments, model.schema, choice, self.n_jobs)
            settings = selection.chosen(settings)
        whole = learnt_model(settings, learnt, names, target, categorical)
        model, convergence = whole.solved(self.n_jobs)
        parameters = model.estimate_any(self.n_jobs)
        self._forget_earlier()
        if selection is not None:
            self.selection_ = selection
        return self._remember(model, parameters, convergence)

    @classmethod
    def _of(cls, model: Model) -> Self:
        """A classifier with the settings of a model; given priors do not bind a later fit."""
        chosen = model.settings
        classifier = cls(
            chosen.structure.covariance,
            shared=chosen.structure.sharing,
            priors=None if model.moments is None else chosen.priors,
            divisor=chosen.divisor,
            shrinkage=chosen.shrinkage,
            categorical_features=list(model.schema.categorical) or "from_dtype",
            smoothing=chosen.smoothing,
        )
        return classifier._remember(model)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # Categories in an array are only understood where a list says which columns hold them.
        named = not isinstance(self.categorical_features, str | None)
        tags.input_tags.categorical = tags.input_tags.string = named
        return tags


def _refuse_open(choice: Choice) -> None:
    if choice.is_open:
        msg = "covariance and shrinkage are chosen by complete rows with labels; set them here"
        raise ParameterError(msg)
