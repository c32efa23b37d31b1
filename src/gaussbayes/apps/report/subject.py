"""The model and the rows that a report is about: the only module that knows the model's interface.

Everything else in the report works on the plain records that are defined here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis import informative_features as informative
from gaussbayes.analysis.class_moments import correlations
from gaussbayes.analysis.comparison import ComparedModel, Comparison, compare
from gaussbayes.analysis.data_summary import DataSummary, summarise_data
from gaussbayes.analysis.evaluation import Evaluation, confident_errors, evaluate
from gaussbayes.analysis.explanation import BayesTerms, bayes_rule
from gaussbayes.analysis.held_out import ModelOptions, model_options
from gaussbayes.analysis.view import read_labelled
from gaussbayes.apps.report.numerals import aligned, counted, fixed, grouped, quoted, score
from gaussbayes.base.errors import DataError, PriorError
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.data.rows import Rows
from gaussbayes.families import protocol
from gaussbayes.families.protocol import Describable, Distant, Located
from gaussbayes.model.model import Model
from gaussbayes.model.options import options_of

MOST_COLUMNS = 12
"""Features, categories or classes in the columns of a table; of more, the first are shown."""

ALL_CLASSES = -1
"""In the place of a class code where classes share a parameter."""

_WORDS: Mapping[str, Mapping[str, str]] = {
    "covariance": {
        "full": "full: each feature has a variance, each pair of features a covariance",
        "diagonal": "diagonal: each feature has a variance, features of a class are uncorrelated",
        "spherical": "spherical: one variance for all features, which are uncorrelated",
    },
    "shared": {
        "True": "yes: one covariance for all classes",
        "False": "no: each class its own",
    },
    "divisor": {"mle": "N (maximum likelihood)"},
    "shrinkage": {"None": "none", "oas": "oracle approximating shrinkage (OAS)"},
    "smoothing": {"0.0": "none", "0": "none"},
}
"""Values of options as a report says them; others as they are."""

_SENTENCES = {
    "gaussian": (
        "The rows of a class are spread around its mean like a Gaussian (bell) distribution"
    ),
    "categorical": "In each class, each category has a probability",
    "poisson": "Counts follow a Poisson distribution, whose mean is the rate of the class",
    "bernoulli": "A feature that is 0 or 1 has a probability of 1 in each class",
}
"""What a family says of its features."""

_RATIO = 1e4
"""Variances further apart than this are not written with the same decimal places."""


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """Parameters as text; a row is that of a class, given by its code, or of a feature, by name."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[int | str, ...]
    cells: tuple[tuple[str, ...], ...]
    owner: int | None = None  # the class whose parameters they are; its label ends the caption
    shading: tuple[tuple[float, ...], ...] | None = None  # from −1 to 1
    n_more: int = 0  # columns that are not shown


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
class ComparisonLine:
    """One of the models that were asked about the same held-out rows."""

    name: str
    covariance: str | None
    n_parameters: int | None
    evaluation: Evaluation | None  # None if there was a problem
    problem: str | None
    is_subject: bool  # whether it has the structure of the report's model
    is_neighbors: bool  # whether it is nearest neighbours


@dataclass(frozen=True, slots=True, eq=False)
class ModelComparison:
    """Models judged by the same held-out rows."""

    models: tuple[ComparisonLine, ...]
    how: str  # rows were held out
    source: Comparison  # for the plot

    @property
    def subject(self) -> ComparisonLine | None:
        """The model with the structure of the report's."""
        return next((model for model in self.models if model.is_subject), None)

    @property
    def has_neighbors(self) -> bool:
        """Whether nearest neighbours are among them."""
        return any(model.neighbors and model.evaluation for model in self.source.candidates)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A fitted model and rows in its form, with or without label."""

    classifier: Any  # as it was given, for the plots
    model: Model
    rows: Rows
    table: Rows  # the same rows with all their categories, known to the model or not
    codes: NDArray[np.intp]  # (n,), −1 without label
    log_posterior: RealArray  # (n, k)

    @classmethod
    def of(cls, classifier: Any, X: Any, y: Any) -> "Subject":
        """Bring rows into the form of a model; raises what the model raises for others."""
        if isinstance(classifier, Model):
            classifier = GaussianClassifier.from_model(classifier)
        model, rows, codes = read_labelled(classifier, X, y)
        if not (codes >= 0).any():
            msg = "a report needs at least one row that has a label: give labels in y"
            raise DataError(msg)
        table = replace(model.encoder, categories=None).encode(X) if rows.unseen else rows
        return cls(classifier, model, rows, table, codes, model.log_posterior(rows))

    def selected(self, rows: NDArray[np.intp]) -> "Subject":
        """The same model with some of the rows."""
        return replace(
            self,
            rows=self.rows[rows],
            table=self.table[rows],
            codes=self.codes[rows],
            log_posterior=self.log_posterior[rows],
        )

    # What it is.

    @property
    def features(self) -> tuple[str, ...]:
        """What the features are called (d)."""
        return self.model.schema.titles

    @property
    def classes(self) -> LabelArray:
        """The labels of the model (k,)."""
        return self.model.schema.classes

    @property
    def labels(self) -> LabelArray:
        """The labels of the rows (n,), None where there is none."""
        if (self.codes >= 0).all():
            return self.classes[self.codes]
        return np.array([*self.classes.tolist(), None], dtype=object)[self.codes]

    def codes_of(self, labels: LabelArray) -> tuple[int, ...]:
        """The codes of some of its classes."""
        codes = {label: code for code, label in enumerate(self.classes.tolist())}
        return tuple(codes[label] for label in labels.tolist())

    @property
    def structure(self) -> Any:
        """The shape of the covariances and how far classes share one; None without any."""
        structures = (getattr(family, "structure", None) for family in self.model.settings.families)
        return next((structure for structure in structures if structure is not None), None)

    def has_ellipses(self, columns: Sequence[int]) -> bool:
        """Whether features have distances, of which ellipses are lines of equal ones."""
        return all(
            isinstance(density, Distant)
            for component, density in zip(self.model.components, self.model.densities, strict=True)
            if set(columns) & set(component.columns)
        )

    @property
    def other_families(self) -> tuple[str, ...]:
        """What the families without covariances are called, each once."""
        families = self.model.settings.families
        return tuple(
            dict.fromkeys(
                _called(family) for family in families if not hasattr(family, "structure")
            )
        )

    @property
    def name(self) -> str:
        """The common name of the model.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier.from_parameters(None, [[0], [1]], [[1]])
        >>> Subject.of(model, [[0.0], [1.0]], [0, 1]).name
        'LDA'
        >>> model = GaussianClassifier(categorical_features=[0]).fit([["a"], ["b"]], [0, 1])
        >>> Subject.of(model, [["a"]], [0]).name
        'categorical naive Bayes'
        """
        *names, last = self.other_families or ("",)
        others = f"{', '.join(names)} and {last}" if names else last
        if self.structure is None:
            return f"{others} naive Bayes"
        name: str = self.structure.name
        return f"{name} with {others} features" if others else name

    @property
    def kind(self) -> str:
        """What kind of classifier it is."""
        structure = self.structure
        if structure is None:
            return "a classifier of features that are independent given the class"
        if structure.shared:
            words = f"one {structure.covariance} covariance for all classes"
        else:
            pooled = " that is shrunk towards the pooled one" * structure.between
            words = f"a {structure.covariance} covariance for each class{pooled}"
        kind = f"a Gaussian classifier with {words}"
        if not self.other_families:
            return kind
        return f"{kind}, beside features that are independent of all others given the class"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the model says of its features, family by family."""
        components = self.model.components
        sentences = []
        for component in components:
            name = component.family.name
            sentence = _SENTENCES.get(name, f"Features have distributions of the family {name}")
            if len(components) > 1:
                sentence = f"{sentence}: {self._listed(component.columns)}"
            sentences.append(sentence)
        return tuple(sentences)

    def _listed(self, columns: Sequence[int]) -> str:
        names = [self.features[column] for column in columns]
        more = len(names) - MOST_COLUMNS
        return quoted(names[:MOST_COLUMNS]) + (f" and {more} more" if more > 0 else "")

    @property
    def was_fitted(self) -> bool:
        """Whether it was fitted to rows: its parameters may have been given instead."""
        return self.model.learnt is not None

    # What it says of the rows.

    @property
    def evaluation(self) -> Evaluation:
        """How its predictions compare with the labels of the rows that have one."""
        return evaluate(self.log_posterior, self.codes, self.classes)

    def data_summary(self) -> DataSummary:
        """Counts, ranges, means and deviations, and how often each category occurs."""
        return summarise_data(self.table, self.codes, self.model.schema)

    def informative_features(self) -> informative.InformativeFeatures:
        """The features that err least when they are all the model sees, and the best pair."""
        return informative.informative_features(self.model, self.rows, self.codes)

    def confident_errors(self, most: int = 10) -> tuple[ErrorRow, ...]:
        """Up to `most` misclassified rows, those with the largest wrong posterior first.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
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
        which = slice(row, row + 1)
        bayes = bayes_rule(self.model, self.rows[which])
        true, predicted = int(self.codes[row]), int(self.log_posterior[row].argmax())
        encoder = self.model.encoder
        values = encoder.decode(self.table[which])[0].tolist()
        return ErrorRow(
            row=row,
            values=tuple(map(_value, values)),
            true_code=true,
            predicted_code=predicted,
            true=bayes.classes[true],
            predicted=bayes.classes[predicted],
            log_evidence=bayes.log_evidence,
        )

    # Settings and parameters.

    def settings(self) -> tuple[tuple[str, str], ...]:
        """The settings of the model and how it was estimated, as names and values."""
        return (
            ("model", self.name),
            *self._families(),
            *self._options("covariance", "shared"),
            ("priors", self._priors()),
            *self._estimation(),
            ("free parameters", self._sizes()),
        )

    def _families(self) -> Iterator[tuple[str, str]]:
        if len(self.model.components) > 1:
            for component in self.model.components:
                yield f"{_called(component.family)} features", self._listed(component.columns)

    def _options(self, *names: str) -> Iterator[tuple[str, str]]:
        """Those of some options that a family of this model has."""
        options = options_of(self.model.settings, self.model.schema)
        for name in names:
            if name in options:
                yield name, _words(name, options[name])

    def _priors(self) -> str:
        priors = self.model.settings.priors
        if self.was_fitted and priors is None:
            return "estimated: the proportion of each class in the rows the model was fitted to"
        if self.was_fitted and isinstance(priors, str):
            return "uniform: the same for each class"
        return "given"

    def _estimation(self) -> Iterator[tuple[str, str]]:
        if not self.was_fitted:
            yield "means and covariances", "given, not estimated from rows"
            return
        structure = self.structure
        for name, value in self._options("divisor", "shrinkage", "smoothing"):
            words = value
            if name == "divisor" and value == "unbiased":
                words = "N − k (unbiased)" if structure.shared else "N − 1 (unbiased)"
                if structure.between:
                    words = "N − 1, of the pooled covariance N − k (unbiased)"
            yield name, words
        convergence = self.model.convergence
        if convergence is not None:
            state = "converged" if convergence.converged else "not converged"
            steps = counted(convergence.n_iterations, "EM iteration")
            yield "missing values or labels", f"{steps}, {state}"

    def _sizes(self) -> str:
        """How many free parameters there are, and of what."""
        k = self.classes.size
        parts = {"priors": k - 1}
        for component, density in zip(self.model.components, self.model.densities, strict=True):
            first, *_ = self._tables(component.columns, density)
            size = density.n_parameters
            if isinstance(density, Located):
                located = min(size, density.mean.size)
                what = f"probabilities {first.title}" if "|" in first.title else f"{first.title}s"
                parts[what] = parts.get(what, 0) + located
                parts["covariances"] = parts.get("covariances", 0) + size - located
            else:
                what = "probabilities of categories"
                parts[what] = parts.get(what, 0) + size
        words = [f"{grouped(size)} for the {what}" for what, size in parts.items() if size]
        return f"{grouped(self.model.n_parameters)}: {', '.join(words)}"

    def _tables(self, columns: Sequence[int], density: Any) -> tuple[protocol.ParameterTable, ...]:
        """The parameters of a density as its family shows them."""
        if not isinstance(density, Describable):
            return (protocol.ParameterTable("parameter", (), np.empty((self.classes.size, 0))),)
        return density.tables(self.model.schema.part(columns))

    def parameter_tables(self) -> tuple[tuple[WrittenTable, ...], ...]:
        """Every parameter, of the first features and classes; tables of a group go side by side.

        The priors stand beside the means, or what the first family of numbers has instead.
        Covariances are matrices; everything else is as the families show it.
        """
        groups: list[tuple[WrittenTable, ...]] = []
        first: protocol.ParameterTable | None = None
        sizes: FloatArray | None = None
        for component, density in zip(self.model.components, self.model.densities, strict=True):
            tables = list(self._tables(component.columns, density))
            if first is None and isinstance(density, Located):
                first, sizes = tables.pop(0), density.deviation.min(axis=0)
            matrices = list(self._matrices(component.columns, density))
            if matrices:  # they say what is left in one
                tables = []
            groups += matrices
            groups += [(self._table(table),) for table in tables if table.columns]
        return ((self._with_priors(first, sizes),), *groups)

    def _with_priors(
        self, table: protocol.ParameterTable | None, sizes: FloatArray | None
    ) -> WrittenTable:
        priors = [score(prior) for prior in self.model.prior[:MOST_COLUMNS].tolist()]
        codes = tuple(range(len(priors)))
        if table is None or sizes is None:
            return WrittenTable("Priors", ("prior",), codes, tuple((prior,) for prior in priors))
        names = table.columns[:MOST_COLUMNS]
        # The digits of a mean are counted from the deviation of the feature.
        columns = [
            aligned(column[:MOST_COLUMNS], digits=3, size=float(size) or None)
            for column, size, _ in zip(table.values.T, sizes, names, strict=False)
        ]
        what = table.title if "|" in table.title else f"{table.title}s"
        return WrittenTable(
            caption=f"Priors and {what}",
            columns=("prior", *(f"{table.title} of {name}" for name in names)),
            rows=codes,
            cells=tuple(zip(priors, *columns, strict=True)),
            n_more=len(table.columns) - len(names),
        )

    def _table(self, table: protocol.ParameterTable) -> WrittenTable:
        """A table of a family: a row a class, or one for all of them."""
        values = table.values[:MOST_COLUMNS, :MOST_COLUMNS]
        names = table.columns[:MOST_COLUMNS]
        shared = table.values.shape[0] == 1 and self.classes.size > 1
        rows = (ALL_CLASSES,) if shared else tuple(range(values.shape[0]))
        proportions = bool((values >= 0).all() and (values <= 1).all() and "|" in table.title)
        columns = [
            [score(value) for value in column.tolist()]
            if proportions
            else aligned(column, digits=4, size=float(np.abs(column).min()) or None)
            for column in values.T
        ]
        return WrittenTable(
            caption=_capitalised(table.title),
            columns=names,
            rows=rows,
            cells=tuple(zip(*columns, strict=True)),
            shading=tuple(map(tuple, values.tolist())) if proportions else None,
            n_more=len(table.columns) - len(names),
        )

    def _matrices(
        self, columns: Sequence[int], density: Any
    ) -> Iterator[tuple[WrittenTable, WrittenTable]]:
        """Covariances and correlations, side by side for each class, if features have some."""
        first, n_more = columns[:MOST_COLUMNS], max(0, len(columns) - MOST_COLUMNS)
        names = tuple(self.features[column] for column in first)
        part = density.marginal(range(len(first)), self.model.schema.part(first))
        if not isinstance(part, Located):
            return
        covariances = part.dense_covariance()
        if not covariances[:, ~np.eye(len(first), dtype=bool)].any():
            return
        shared = covariances.shape[0] == 1 and self.classes.size > 1
        pairs = zip(covariances, correlations(covariances), strict=True)
        for code, (covariance, correlation) in enumerate(pairs):
            if code == MOST_COLUMNS:
                return
            owner = ALL_CLASSES if shared else code
            variances = np.diag(covariance)
            if variances.max() < _RATIO * variances.min():
                size = float(variances.min())
                cells = tuple(tuple(aligned(line, digits=3, size=size)) for line in covariance)
            else:
                cells = tuple(tuple(aligned([x], digits=4)[0] for x in line) for line in covariance)
            written = tuple(tuple(fixed(x, 2) for x in line) for line in correlation.tolist())
            shading = tuple(map(tuple, correlation.tolist()))
            yield (
                WrittenTable("Covariances of", names, names, cells, owner, None, n_more),
                WrittenTable("Correlations of", names, names, written, owner, shading, n_more),
            )

    # Other models.

    def compared(self, held_out: Any, seed: int) -> ModelComparison | str:
        """This model and others on held-out rows, or why they cannot be compared."""
        if isinstance(held_out, tuple) and len(held_out) == 2:
            _, rows, codes = read_labelled(self.classifier, *held_out)
            held_out = (rows, replace(self, rows=rows, codes=codes).labels)
        try:
            source = compare(
                self.table, self.labels, held_out=held_out, model=self._plan(), random_state=seed
            )
        except (DataError, PriorError) as error:
            return str(error)
        models = [self._compared(candidate) for candidate in source.candidates]
        if self.structure is None:  # covariances make no difference
            models = [
                replace(models[0], name=self.name, covariance=None, is_subject=True),
                *(model for model in models if model.covariance is None),
            ]
        voters = [model for model in models if model.is_neighbors]
        reasons = {model.problem for model in voters}
        if len(voters) > 1 and len(reasons) == 1 and None not in reasons:  # one line says it
            models = [model for model in models if not model.is_neighbors]
            models.append(replace(voters[0], name="nearest neighbours"))
        return ModelComparison(tuple(models), source.how, source)

    def _plan(self) -> ModelOptions:
        """What makes the model anew; what was left open is as it was chosen."""
        plan = model_options(self.classifier)
        options = options_of(self.model.settings, self.model.schema)
        chosen = {name: options[name] for name in plan.options.of_families if name in options}
        encoder = replace(self.model.encoder, categories=None)
        return replace(plan.with_options(**chosen), encoder=encoder, mark=None)

    def _compared(self, candidate: ComparedModel) -> ComparisonLine:
        structure = candidate.structure
        words = None if structure is None else f"{structure.covariance}, {structure.sharing_name}"
        return ComparisonLine(
            name=candidate.name,
            covariance=words,
            n_parameters=candidate.n_parameters,
            evaluation=candidate.evaluation,
            problem=candidate.problem,
            is_subject=structure is not None and structure == self.structure,
            is_neighbors=candidate.neighbors is not None,
        )

    def arguments(self) -> Mapping[str, Any] | None:
        """What makes the model anew: arguments of its constructor, or of `from_parameters`.

        None if its parameters were given, and not by `from_parameters`.
        """
        if self.was_fitted:
            parameters = self.classifier.get_params(deep=False)
            return {key: value for key, value in parameters.items() if key != "n_jobs"}
        if self.other_families or len(self.model.components) > 1:
            return None
        return {
            "priors": self.classifier.priors_,
            "means": self.classifier.means_,
            "covariances": self.classifier.covariances_,
            "classes": self.classifier.classes_,
        }


def _called(family: Any) -> str:
    """The name of a family in a sentence; those called after people begin with a capital."""
    name: str = family.name
    return name.capitalize() if name in {"gaussian", "poisson", "bernoulli"} else name


def _words(option: str, value: Any) -> str:
    """The value of an option as a report says it."""
    if option == "shared" and 0 < value < 1:
        proportion = f"{100 * value:g} %"
        return f"{proportion}: each class its own, shrunk so far towards the pooled covariance"
    return _WORDS[option].get(str(value), str(value))


def _capitalised(title: str) -> str:
    """A title at the beginning of a line; a formula stays as it is."""
    return title if "|" in title else title[:1].upper() + title[1:]


def _value(value: Any) -> str:
    """A value of a feature with every digit."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "missing"
    return repr(value) if isinstance(value, float) else str(value)
