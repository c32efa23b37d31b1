"""The model and the rows that a report is about: the only module that knows the model's interface.

Everything else in the report works on the plain records that are defined here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.bayes_rule import BayesTerms
from gaussbayes.analysis.comparison import Candidate, compare
from gaussbayes.analysis.comparison import Comparison as ComparedModels
from gaussbayes.analysis.evaluation import Evaluation, confident_errors, evaluate
from gaussbayes.analysis.view import view
from gaussbayes.apps.report.numerals import aligned, fixed, grouped, score
from gaussbayes.base.errors import DataError, PriorError
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.structures import name_of, sharing_of
from gaussbayes.families.gaussian.summarise import summarise

MOST_COLUMNS = 12
"""Features or classes in the columns of a table; of more, the first are shown."""

ALL_CLASSES = -1
"""In the place of a class code where classes share a parameter."""

_SHAPES = {
    "full": "full: each feature has a variance, each pair of features a covariance",
    "diagonal": "diagonal: each feature has a variance, features of a class are uncorrelated",
    "spherical": "spherical: one variance for all features, which are uncorrelated",
}
_RATIO = 1e4
"""Variances further apart than this are not written with the same decimal places."""


@dataclass(frozen=True, slots=True, eq=False)
class DataSummary:
    """Labelled rows before any model: counts, and each feature's range, mean and deviation."""

    count: NDArray[np.int64]  # (k,) rows of each class
    proportion: FloatArray  # (k,)
    minimum: FloatArray  # (d,)
    maximum: FloatArray  # (d,)
    mean: FloatArray  # (d,)
    deviation: FloatArray  # (d,) √(Σ (x − mean)² / N)
    class_mean: FloatArray  # (k, d); NaN for a class without rows


@dataclass(frozen=True, slots=True)
class ParameterTable:
    """Parameters as text; a row is that of a class, given by its code, or of a feature, by name."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[int | str, ...]
    cells: tuple[tuple[str, ...], ...]
    owner: int | None = None  # the class whose parameters they are; its label ends the caption
    shading: tuple[tuple[float, ...], ...] | None = None  # from −1 to 1


@dataclass(frozen=True, slots=True, eq=False)
class InformativeFeatures:
    """The features with the fewest errors on their own, and the best pair of them."""

    features: tuple[int, ...]  # in the order of the columns
    pair: tuple[int, int]
    pair_evaluation: Evaluation  # of the model of that pair alone


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """A misclassified row, with every number of Bayes' rule."""

    row: int  # its index, from 0
    values: tuple[str, ...]  # with every digit
    true_code: int
    predicted_code: int
    true: BayesTerms
    predicted: BayesTerms
    log_evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class ComparedModel:
    """One of the models that were asked about the same held-out rows."""

    name: str
    covariance: str | None
    n_parameters: int | None
    evaluation: Evaluation | None  # None if there was a problem
    problem: str | None
    is_subject: bool  # whether it has the structure of the report's model


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Models judged by the same held-out rows."""

    models: tuple[ComparedModel, ...]
    how: str  # rows were held out
    source: ComparedModels  # for the plot

    @property
    def subject(self) -> ComparedModel | None:
        """The model with the structure of the report's."""
        return next((model for model in self.models if model.is_subject), None)

    @property
    def has_neighbors(self) -> bool:
        """Whether nearest neighbours are among them."""
        return any(model.neighbors and model.evaluation for model in self.source.candidates)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A fitted model and labelled rows in its form."""

    model: GaussianClassifier  # as it was given
    unnamed: GaussianClassifier  # the same without feature names
    features: tuple[str, ...]  # d names
    rows: FloatArray  # (n, d)
    codes: NDArray[np.intp]  # (n,)
    log_posterior: RealArray  # (n, k)

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> "Subject":
        """Bring rows into the form of a model; raises what the model raises for others."""
        whole = view(model)
        raw, codes = whole.labelled(X, y)
        rows = np.asarray(raw, dtype=np.float64)
        log_posterior = whole.model.predict_log_proba(rows)
        return cls(model, whole.model, whole.names, rows, codes, log_posterior)

    def selected(self, rows: NDArray[np.intp]) -> "Subject":
        """The same model with some of the rows."""
        return replace(
            self,
            rows=self.rows[rows],
            codes=self.codes[rows],
            log_posterior=self.log_posterior[rows],
        )

    @property
    def classes(self) -> LabelArray:
        """The labels of the model (k,)."""
        classes: LabelArray = self.unnamed.classes_
        return classes

    @property
    def labels(self) -> LabelArray:
        """The labels of the rows (n,)."""
        return self.classes[self.codes]

    def codes_of(self, labels: LabelArray) -> tuple[int, ...]:
        """The codes of some of its classes."""
        codes = {label: code for code, label in enumerate(self.classes.tolist())}
        return tuple(codes[label] for label in labels.tolist())

    @property
    def name(self) -> str:
        """The common name of the model.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [1]], [[1]])
        >>> Subject.of(model, [[0.0], [1.0]], [0, 1]).name
        'LDA'
        """
        return name_of(self.unnamed.structure_)

    @property
    def kind(self) -> str:
        """What kind of classifier it is."""
        structure = self.unnamed.structure_
        if structure.shared:
            return (
                f"a Gaussian classifier with one {structure.covariance} covariance for all classes"
            )
        pooled = " that is shrunk towards the pooled one" * bool(structure.toward_shared)
        return (
            f"a Gaussian classifier with a {structure.covariance} covariance for each class{pooled}"
        )

    @property
    def was_fitted(self) -> bool:
        """Whether it was fitted to rows: its parameters may have been given instead."""
        return hasattr(self.unnamed, "moments_")

    @property
    def evaluation(self) -> Evaluation:
        """How its predictions compare with the labels of the rows."""
        return evaluate(self.log_posterior, self.codes, self.classes)

    def data_summary(self) -> DataSummary:
        """Counts, ranges, means and deviations.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(
        ...     None, [[0, 0], [9, 7]], [1, 1], covariance="diagonal"
        ... )
        >>> rows = [[1.0, 7.0], [3.0, 7.0], [8.0, 7.0]]
        >>> summary = Subject.of(model, rows, [0, 0, 1]).data_summary()
        >>> summary.mean.tolist(), summary.class_mean[0].tolist(), summary.count.tolist()
        ([4.0, 7.0], [2.0, 7.0], [2, 1])
        """
        n, k = self.codes.size, self.classes.size
        by_class = summarise(self.rows, self.codes.astype(np.int32), None, k, "diagonal")
        overall = summarise(self.rows, np.zeros(n, np.int32), None, 1, "diagonal")
        count = np.bincount(self.codes, minlength=k)
        return DataSummary(
            count=count,
            proportion=count / n,
            minimum=self.rows.min(axis=0),
            maximum=self.rows.max(axis=0),
            mean=overall.mean[0],
            deviation=np.sqrt(overall.scatter[0] / n),
            class_mean=np.where(count[:, None] > 0, by_class.mean, np.nan),
        )

    def settings(self) -> tuple[tuple[str, str], ...]:
        """The settings of the model and how it was estimated, as names and values."""
        model = self.unnamed
        k, d = model.means_.shape
        total = (
            f"{grouped(model.n_parameters_)}: {grouped(k - 1)} for the priors, {grouped(k * d)} "
            f"for the means, {grouped(model.parameters_.covariance.n_parameters)} for the "
            "covariances"
        )
        return (
            ("model", self.name),
            ("covariance", _SHAPES[model.structure_.covariance]),
            ("shared", _sharing(model.structure_)),
            ("priors", self._priors()),
            *self._estimation(),
            ("free parameters", total),
        )

    def _priors(self) -> str:
        priors = self.unnamed.priors
        if self.was_fitted and priors is None:
            return "estimated: the proportion of each class in the rows the model was fitted to"
        if self.was_fitted and isinstance(priors, str):
            return "uniform: the same for each class"
        return "given"

    def _estimation(self) -> tuple[tuple[str, str], ...]:
        model = self.unnamed
        if not self.was_fitted:
            return (("means and covariances", "given, not estimated from rows"),)
        unbiased = "N − k" if model.structure_.shared else "N − 1"
        if model.structure_.toward_shared:
            unbiased += ", of the pooled covariance N − k"
        divisors = {"mle": "N (maximum likelihood)", "unbiased": f"{unbiased} (unbiased)"}
        shrinkages = {"None": "none", "oas": "oracle approximating shrinkage (OAS)"}
        shrinkage = str(model.shrinkage)
        return (
            ("divisor", divisors[model.divisor]),
            ("shrinkage", shrinkages.get(shrinkage, shrinkage)),
        )

    def parameter_tables(self) -> tuple[tuple[ParameterTable, ...], ...]:
        """Every parameter, of the first features and classes; tables of a group go side by side."""
        d = len(self.features)
        part = np.s_[:MOST_COLUMNS, :MOST_COLUMNS, :MOST_COLUMNS]
        covariances = self.unnamed.covariances_.reshape(-1, d, d)[part]
        correlations = self.unnamed.correlations_.reshape(-1, d, d)[part]
        shared = self.unnamed.covariances_.ndim == 2
        owners = (ALL_CLASSES,) if shared else tuple(range(len(covariances)))
        if d == 1 or self.unnamed.structure_.covariance != "full":
            return (self._means(),), (self._variances(owners, covariances),)
        matrices = zip(owners, covariances, correlations, strict=True)
        return (self._means(),), *(self._matrices(*matrix) for matrix in matrices)

    def _means(self) -> ParameterTable:
        model, names = self.unnamed, self.features[:MOST_COLUMNS]
        # The digits of a mean are counted from the deviation of the feature.
        sizes = model.parameters_.deviation.min(axis=0).tolist()
        columns = [
            aligned(model.means_[:MOST_COLUMNS, j], digits=3, size=sizes[j])
            for j in range(len(names))
        ]
        priors = [score(prior) for prior in model.priors_[:MOST_COLUMNS].tolist()]
        return ParameterTable(
            caption="Priors and means",
            columns=("prior", *(f"mean of {name}" for name in names)),
            rows=tuple(range(len(priors))),
            cells=tuple(zip(priors, *columns, strict=True)),
        )

    def _variances(self, owners: tuple[int, ...], covariances: FloatArray) -> ParameterTable:
        """Of shapes without correlations: the variances say it all."""
        variances = np.einsum("mii->mi", covariances)
        names = tuple(f"variance of {name}" for name in self.features[:MOST_COLUMNS])
        if self.unnamed.structure_.covariance == "spherical":
            names, variances = ("variance of every feature",), variances[:, :1]
        columns = [aligned(column, digits=4, size=float(column.min())) for column in variances.T]
        alone = len(self.features) == 1
        return ParameterTable(
            caption="Variances" if alone else "Variances; covariances between features are 0",
            columns=names,
            rows=owners,
            cells=tuple(zip(*columns, strict=True)),
        )

    def _matrices(
        self, owner: int, covariance: FloatArray, correlation: FloatArray
    ) -> tuple[ParameterTable, ParameterTable]:
        names = self.features[:MOST_COLUMNS]
        variances = np.diag(covariance)
        if variances.max() < _RATIO * variances.min():
            size = float(variances.min())
            cells = tuple(tuple(aligned(line, digits=3, size=size)) for line in covariance)
        else:
            cells = tuple(tuple(aligned([x], digits=4)[0] for x in line) for line in covariance)
        written = tuple(tuple(fixed(x, 2) for x in line) for line in correlation.tolist())
        shading = tuple(map(tuple, correlation.tolist()))
        return (
            ParameterTable("Covariances of", names, names, cells, owner),
            ParameterTable("Correlations of", names, names, written, owner, shading),
        )

    def informative_features(self, most: int = 6) -> InformativeFeatures:
        """The features that err least when they are all the model sees, and the pair that does.

        The others are integrated out. Of equal errors the smaller log loss decides, then the
        column. The model has at least two features.

        Examples
        --------
        >>> means, variances = [[0, 0, 0], [0, 5, 9]], [[1, 1, 1], [1, 1, 1]]
        >>> model = GaussianClassifier.from_parameters(
        ...     None, means, variances, covariance="diagonal"
        ... )
        >>> rows, labels = model.sample(200, random_state=0)
        >>> Subject.of(model, rows, labels).informative_features(most=2).features
        (1, 2)
        """
        columns = list(range(len(self.features)))
        if len(columns) > most:
            columns = sorted(sorted(columns, key=lambda column: self._rank([column]))[:most])
        pair = min(combinations(columns, 2), key=self._rank)
        return InformativeFeatures(tuple(columns), pair, self._evaluation_by(pair))

    def _evaluation_by(self, columns: Sequence[int]) -> Evaluation:
        marginal = self.unnamed.marginal(columns)
        log_posterior = marginal.predict_log_proba(self.rows[:, list(columns)])
        return evaluate(log_posterior, self.codes, self.classes)

    def _rank(self, columns: Sequence[int]) -> tuple[int, float]:
        evaluation = self._evaluation_by(columns)
        return evaluation.n_errors, evaluation.log_loss

    def confident_errors(self, most: int = 10) -> tuple[ErrorRow, ...]:
        """Up to `most` misclassified rows, those with the largest wrong posterior first.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters([0.5, 0.5], [[0], [2]], [[[1]], [[1]]])
        >>> (error,) = Subject.of(model, [[0.0], [3.0]], [0, 0]).confident_errors()
        >>> error.row, error.predicted.label, round(error.predicted.posterior, 4)
        (1, 1, 0.982)
        """
        return tuple(
            self._error(row)
            for row in confident_errors(self.log_posterior, self.codes, most).tolist()
        )

    def _error(self, row: int) -> ErrorRow:
        bayes = self.unnamed.explain(self.rows[row]).bayes
        true, predicted = int(self.codes[row]), int(self.log_posterior[row].argmax())
        return ErrorRow(
            row=row,
            values=tuple(repr(value) for value in self.rows[row].tolist()),
            true_code=true,
            predicted_code=predicted,
            true=bayes.classes[true],
            predicted=bayes.classes[predicted],
            log_evidence=bayes.log_evidence,
        )

    def compared(self, held_out: Any, seed: int) -> Comparison | str:
        """This model and others on held-out rows, or why they cannot be compared."""
        if isinstance(held_out, tuple) and len(held_out) == 2:
            rows, codes = view(self.model).labelled(*held_out)
            held_out = (rows, self.classes[codes])
        try:
            source = compare(
                self.rows,
                self.labels,
                held_out=held_out,
                model=self.unnamed,
                random_state=seed,
            )
        except (DataError, PriorError) as error:
            return str(error)
        models = tuple(self._compared(candidate) for candidate in source.candidates)
        return Comparison(models, source.how, source)

    def _compared(self, candidate: Candidate) -> ComparedModel:
        structure = candidate.structure
        return ComparedModel(
            name=candidate.name,
            covariance=None if structure is None else _words(structure),
            n_parameters=candidate.n_parameters,
            evaluation=candidate.evaluation,
            problem=candidate.problem,
            is_subject=structure == self.unnamed.structure_,
        )

    def arguments(self) -> Mapping[str, Any]:
        """What makes the model anew: arguments of its constructor, or of `from_parameters`."""
        model = self.unnamed
        if self.was_fitted:
            return {key: value for key, value in model.get_params().items() if key != "n_jobs"}
        return {
            "priors": model.priors_,
            "means": model.means_,
            "covariances": model.covariances_,
            "classes": model.classes_,
        }


def _words(structure: Structure) -> str:
    return f"{structure.covariance}, {sharing_of(structure)}"


def _sharing(structure: Structure) -> str:
    if structure.toward_shared:
        proportion = f"{100 * structure.toward_shared:g} %"
        return f"{proportion}: each class its own, shrunk so far towards the pooled covariance"
    return "yes: one covariance for all classes" if structure.shared else "no: each class its own"
