"""What users say, checked once: a family for every feature, priors, and what is left open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature
from math import inf
from typing import Any, Literal, get_args

import numpy as np

from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import OptionError
from gaussbayes.base.missing_marks import STANDARD_MARKS, ColumnMarks, MissingMarks
from gaussbayes.base.option import Option, check_values
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import TransformName
from gaussbayes.data.columns import COLUMN_OPTIONS, Columns
from gaussbayes.data.labels import labelled_rows, read_targets
from gaussbayes.data.read import READ_OPTIONS
from gaussbayes.data.roles import Request, choose_roles, request_of
from gaussbayes.data.rows import Encoder, LabelledRows, Rows
from gaussbayes.data.tables import as_frame, is_frame
from gaussbayes.families import family_type
from gaussbayes.model.select import UNLABELLED_WEIGHTS, Criterion
from gaussbayes.model.settings import Component, Priors, Settings

__all__ = ["COLUMN_OPTIONS", "OPTIONS", "READ_OPTIONS", "Option", "Options", "model_options"]

AUTOMATIC = "auto"

TRIED = ("range", "yeo-johnson")
"""The transforms that the automatic choice tries.

In units of their ranges features such as pixels stay comparable; powers make features symmetric.
"""

AUTOMATIC_SETTINGS: Mapping[str, Any] = {
    "features": AUTOMATIC,
    "covariance": AUTOMATIC,
    "estimate": "predictive",
    "shared": AUTOMATIC,
    "shrinkage": AUTOMATIC,
    "target": "spherical",
    "transforms": AUTOMATIC,
    "coded": AUTOMATIC,
    "smoothing": 1.0,
    "categorical_features": AUTOMATIC,
    "calibration": "leave_one_out",
}
"""The options of the automatic model: everything that is chosen by rows left out."""

NAMED_MODELS: Mapping[str, Mapping[str, Any]] = {
    "auto": AUTOMATIC_SETTINGS,
    "average": {**AUTOMATIC_SETTINGS, "average": True},
    "qda": {"covariance": "full", "shared": False},
    "lda": {"covariance": "full", "shared": True},
    "rda": {"covariance": "full", "shared": AUTOMATIC, "shrinkage": AUTOMATIC},
    "naive-bayes": {"covariance": "diagonal", "shared": False},
}
"""The options of models that have a name."""

OPTIONS: tuple[Option, ...] = (
    Option(
        "covariance",
        "full",
        "Shape of the covariance of each class: any, no correlations, or one variance.",
        ("full", "diagonal", "spherical"),
    ),
    Option(
        "shared",
        False,
        "Pool the covariances of the classes (LDA); a number between 0 and 1 pools partially.",
        (True, False),
        (0, 1),
        metavar="FRACTION",
    ),
    Option(
        "shrinkage",
        None,
        "Shrink the covariances towards the target by this fraction, or by the oracle "
        "approximating shrinkage (oas).",
        (None, "oas"),
        (0, 1),
        metavar="FRACTION",
    ),
    Option(
        "shrinkage_target",
        "diagonal",
        "Target of the shrinkage: the variances of the features, or one variance for all.",
        ("diagonal", "spherical"),
    ),
    Option(
        "transforms",
        None,
        "Monotone transform of the Gaussian features: one for all, or one per feature.",
        (None, *get_args(TransformName)),
        types=(Mapping, object),
        form="a mapping such as {'income': 'log'}",
        metavar="[FEATURE=]TRANSFORM",
    ),
    Option(
        "families",
        None,
        "Distribution of individual features: gaussian, categorical or poisson.",
        (None,),
        types=(Mapping,),
        form="a mapping such as {'visits': 'poisson'}",
        metavar="FEATURE=FAMILY",
        is_list=True,
    ),
    Option(
        "priors",
        None,
        "Prior probabilities of the classes; the default is their proportions in the data.",
        (None, "uniform"),
        types=(list, tuple, np.ndarray, Mapping),
        form="a sequence of probabilities or a mapping such as {'ill': 0.1, 'well': 0.9}",
        metavar="uniform|LABEL=P,…",
    ),
    Option(
        "smoothing",
        0.0,
        "Number of pseudo-counts added to every category in every class.",
        range=(0, inf),
        metavar="NUMBER",
    ),
    Option(
        "divisor",
        "mle",
        "Divide the scatter by N (mle) or by N - 1 (unbiased).",
        ("mle", "unbiased"),
    ),
    Option(
        "calibrate",
        False,
        "Calibrate the posteriors on held-out predictions.",
        (True, False),
    ),
    Option(
        "columns",
        None,
        "Which columns to use, and what they hold.",
        (None,),
        types=(Columns,),
        form="a Columns object such as Columns(exclude=['id'])",
    ),
    Option(
        "n_jobs",
        None,
        "Number of threads; the default is all cores. Results do not depend on it.",
        (None,),
        (-inf, inf),
        metavar="N",
        is_integer=True,
    ),
)
"""The arguments of `GaussianClassifier`; `AutoClassifier` has four of them."""

_CHOSEN = ("covariance", "estimate", "shared", "shrinkage", "target")  # of the families

DEFAULT_FAMILIES = {"number": "gaussian", "category": "categorical"}
"""The family of the features that are given none."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a model, before its features are known."""

    of_families: Mapping[str, Any]
    """Options that families have, by name: each family takes those that it knows."""
    families: tuple[tuple[tuple[str | int, ...], Any], ...] = ()
    """Features by name or number, and the name of their family, or the family itself."""
    priors: Priors = None
    unlabelled_weight: float | None = None  # None leaves it to the automatic choice, or is 1
    transform: Any = None
    """What Gaussian features are transformed by; or pairs of features and what they are."""
    coded: bool | Literal["auto"] = False
    """Whether features that are given no family are coded as numbers, categories among them."""
    criterion: Criterion = "leave_one_out"
    calibration: Literal["leave_one_out"] | None = None
    average: bool = False
    categorical_features: Any = "from_dtype"
    features: Any = None  # the columns to learn from; see `gaussbayes.data.roles.Request`
    exclude: tuple[str, ...] = ()
    numeric: tuple[str | int, ...] = ()  # columns that hold numbers, whatever they look like
    keep_identifiers: bool = False
    unlabelled: Any = None  # the label that stands for a missing one
    n_jobs: int | None = None
    columns: Columns | None = None
    missing: MissingMarks = STANDARD_MARKS
    made: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Families that were made already, by name."""
    fewest_classes: int = 2  # with rows, that a model must have
    known: Encoder | None = None
    """The features, if they are known: tables may then be `Rows`."""

    @property
    def automatic(self) -> bool:
        """Whether something is left to be chosen, if there are features that it is about."""
        return "auto" in (self.transform, self.coded, *self.of_families.values())

    @property
    def unlabelled_weights(self) -> tuple[float, ...]:
        """What an unlabelled row may count beside a labelled one where that is chosen."""
        weight = self.unlabelled_weight
        return UNLABELLED_WEIGHTS if weight is None else (weight,)

    @property
    def kinds(self) -> dict[str | int, Any]:
        """What features that are given a family must hold; see `gaussbayes.data.roles`."""
        contents = [
            (features, Component(self._family(family), ()).content)
            for features, family in self.families
        ]
        numeric = () if self.columns is not None else self.numeric
        return dict.fromkeys(numeric, "number") | {
            feature: content
            for features, content in contents
            for feature in features
            if content != "any"
        }

    @property
    def contents(self) -> dict[str, Any]:
        """What features must hold in files, and what those that are not named; see `Request`."""
        kinds, numbers = self.kinds, "number"
        if isinstance(self.transform, tuple):
            for features, transform in self.transform:
                content = "positive" if _is_logarithm(transform) else "number"
                kinds |= dict.fromkeys(features, content)
        elif _is_logarithm(self.transform):
            numbers = "positive"
            for features, family in self.families:
                if kinds.get(features[0]) == "number" and family == "gaussian":
                    kinds |= dict.fromkeys(features, numbers)
        return {"kinds": kinds, "numbers": numbers}

    def with_families(self, **of_families: Any) -> "Options":
        """The same with other options of families, such as `covariance` and `shared`."""
        return replace(self, of_families={**self.of_families, **of_families}, made={})

    def automatically(self, *, average: bool = False) -> "Options":
        """The automatic model of the same features: priors, families and smoothing stay.

        So does the criterion, except for an average.
        """
        chosen = {name: AUTOMATIC_SETTINGS[name] for name in self.of_families if name in _CHOSEN}
        if not self.of_families["smoothing"]:
            chosen["smoothing"] = AUTOMATIC_SETTINGS["smoothing"]
        return replace(
            self.with_families(**chosen),
            transform=self.transform or AUTOMATIC,
            coded=self.coded or "auto",
            criterion="leave_one_out" if average else self.criterion,
            calibration="leave_one_out",
            average=average,
        )

    @property
    def label_marks(self) -> ColumnMarks:
        """What stands for a missing label, where labels have no name."""
        marks = self.missing.unnamed
        return marks if self.unlabelled is None else marks.plus(self.unlabelled)

    def request(self, target: str | None = None, **more: Any) -> Request:
        """What is asked of a source of rows; `more` is as in `gaussbayes.data.roles.Request`."""
        if self.columns is not None:
            return request_of(self.columns, target, **(self.contents | more))
        columns: dict[str, Any] = {
            "features": self.features,
            "exclude": self.exclude,
            "keep_identifiers": self.keep_identifiers,
            "categorical_features": self.categorical_features,
            "mark": self.unlabelled,
            "missing": self.missing,
        }
        return Request(target, **(columns | self.contents | more))

    def table(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[LabelledRows, Schema]:
        """Rows with labels and weights, of which nothing is known yet, and their features."""
        encoder = self.encoder(X, y)
        table = labelled_rows(encoder, X, y, sample_weight, self.label_marks, self.n_jobs)
        return table, encoder.schema(table.classes)

    def encoder(self, X: Any, y: Any = None) -> Encoder:
        """The features of a table; `y` are the labels of its rows, or soft labels."""
        if self.known is not None:
            return self.known
        if self.columns is not None:
            return self._detected(X, y)
        if self.missing.of_columns:  # of the labels as well, if they have a name
            columns = as_frame(X).columns if is_frame(X) else ()
            self.missing.check_columns(columns, getattr(y, "name", None))
        if self.features is None and not self.exclude:
            kinds = self.kinds if self.families or self.numeric else None
            return Encoder.learn(X, self.categorical_features, kinds, self.missing)
        return self._decided(X, y)

    def _detected(self, X: Any, y: Any) -> Encoder:
        """The features among the columns of a table."""
        from gaussbayes.data.column_roles import table_encoder

        labels = None if y is None else read_targets(y, mark=self.label_marks)
        encoder = table_encoder(X, self.request(), labels, getattr(y, "name", None))
        named = (feature for features, _ in self._pairs for feature in features)
        excluded = () if encoder.roles is None else encoder.roles.excluded
        if excluded and not all(isinstance(feature, str) for feature in named):
            msg = (
                f"column {excluded[0].name!r} is excluded, so that families and transforms must "
                "give features by their names, not by their numbers"
            )
            raise OptionError(msg)
        return encoder

    def _decided(self, X: Any, y: Any) -> Encoder:
        """The features that are asked for among the columns of a frame.

        The columns of an array have neither names nor types: whoever made it has chosen them.
        """
        from gaussbayes.data.column_roles import (
            check_labels,
            decide_roles,
            settled,
            warn_of_columns,
        )

        frame = as_frame(X) if is_frame(X) else None
        if frame is None or not all(isinstance(name, str) for name in frame.columns):
            if self.features in (None, AUTOMATIC) and not self.exclude:
                return replace(self, features=None).encoder(X)
            msg = (
                "features and exclude name columns of a frame (pandas, polars, Arrow), but the "
                "columns of an array have no names: give X with the columns to learn from"
            )
            raise OptionError(msg)
        labels = None
        if y is not None:
            targets, classes = read_targets(y, mark=self.label_marks)
            labels = targets.codes
            if self.features == AUTOMATIC:
                check_labels(labels, classes)
        request = self.request()
        roles = decide_roles(frame, request, labels=labels)
        warn_of_columns(roles)
        named = (feature for features, _ in self._pairs for feature in features)
        if roles.excluded and not all(isinstance(feature, str) for feature in named):
            msg = (
                f"columns are left out ({roles.excluded[0].name!r} and others), so that features "
                "must be given by their names: in families and transforms, not by their numbers"
            )
            raise OptionError(msg)
        return choose_roles(frame.columns, settled(request, roles), (), roles).encoder

    @property
    def _pairs(self) -> tuple[Any, ...]:
        """Features, and what is said of them: a family or a transform."""
        some = self.transform if isinstance(self.transform, tuple) else ()
        return (*self.families, *some)

    def alternatives(self, schema: Schema, rows: Rows | None = None) -> tuple[list[Settings], bool]:
        """The settings of a model with these features: several if transform or code are left open.

        Also whether anything is left open. Codes are tried if there is anything to be coded in the
        rows. Densities of codes and of categories are no likelihoods of the same rows: BIC cannot
        choose between them.
        """
        views = [self]
        if self.coded == AUTOMATIC:
            views = [replace(self, coded=False)]
            if rows is not None and self.criterion == "leave_one_out":
                from gaussbayes.families.coded import worth_coding

                views += [replace(self, coded=True)] if worth_coding(rows) else []
        if self.transform == AUTOMATIC:
            numbers = set(_transformable(self.settings(schema).components)) - set(
                schema.categorical
            )
            tried = TRIED if numbers else (None,)
            views = [replace(view, transform=some) for view in views for some in tried]
        return [view.settings(schema) for view in views], self.automatic

    def like(self, chosen: Settings) -> "Options":
        """The same, coded as in settings that were chosen before if that is left open."""
        if self.coded != AUTOMATIC:
            return self
        return replace(self, coded=any(family.name == "coded" for family in chosen.families))

    def settings(self, schema: Schema) -> Settings:
        """The settings of a model with these features; the first of several."""
        given: dict[int, str] = {}
        blocks = []
        for features, family in self.families:
            columns = tuple(sorted(schema.find_columns(features)))
            block = Component(self._family(family), columns)
            for column in columns:
                if column in given:
                    msg = (
                        f"{schema.feature_name(column)} must have one family, but families gives "
                        f"it two: {given[column]!r} and {block.family.name!r}"
                    )
                    raise OptionError(msg)
                given[column] = block.family.name
            blocks.append(block)
        every = [column for column in range(schema.n_features) if column not in given]
        categorical = set(schema.categorical)
        rest = {
            "number": [column for column in every if column not in categorical],
            "category": [column for column in every if column in categorical],
        }
        defaults = DEFAULT_FAMILIES
        if self.coded is True:
            rest, defaults = {"any": every}, {"any": "coded"}
        components = [
            Component(self._family(defaults[kind]), tuple(columns))
            for kind, columns in rest.items()
            if columns
        ]
        components = [*components, *blocks]
        if self.transform not in (None, AUTOMATIC):
            components = self._transformed(components, schema)
        return Settings(
            tuple(components),
            self.priors,
            1.0 if self.unlabelled_weight is None else self.unlabelled_weight,
            fewest_classes=self.fewest_classes,
        )

    def _transformed(self, components: Sequence[Component], schema: Schema) -> list[Component]:
        """The same where the Gaussian families are those of transformed features."""
        from gaussbayes.families.transformed import Standardised, Transformed

        columns = _transformable(components)
        wanted: dict[int, Any] = dict.fromkeys(columns, self.transform)
        if isinstance(self.transform, tuple):
            wanted = {}
            for features, transform in self.transform:
                for column in schema.find_columns(features):
                    if column not in columns or column in wanted:
                        what = "be Gaussian" if column not in wanted else "have one transform"
                        msg = f"{schema.feature_name(column)} must {what} to be transformed"
                        raise OptionError(msg)
                    wanted[column] = transform
        changed = []
        for part in components:
            transforms = [wanted.get(column) for column in part.columns]
            family = part.family
            if any(transform is not None for transform in transforms):
                if family.name == "coded":
                    family = replace(family, wanted=tuple(transforms))
                else:
                    each = tuple(Standardised() if some is None else some for some in transforms)
                    family = Transformed(each, family)
            changed.append(replace(part, family=family))
        return changed

    def _family(self, family: Any) -> Any:
        if not isinstance(family, str):
            return family
        return self.made.get(family) or make_family(family, self.of_families)


def _transformable(components: Sequence[Component]) -> list[int]:
    """The features that may be transformed, if they hold numbers."""
    names = ("gaussian", "coded")
    return [column for part in components if part.family.name in names for column in part.columns]


def make_family(name: str, options: Mapping[str, Any]) -> Any:
    """The family of this name with those of the options that it knows."""
    make, known = _maker(name)
    return make(**{option: options[option] for option in known if option in options})


@cache
def _maker(name: str) -> tuple[Any, tuple[str, ...]]:
    """What makes the family of this name, and the options that it knows."""
    kind = family_type(name)
    make = getattr(kind, "of", kind)
    return make, tuple(signature(make).parameters)


def model_options(arguments: Mapping[str, Any], *, automatic: bool = False) -> Options:
    """Return the options of an estimator, from its constructor arguments by name.

    Parameters
    ----------
    arguments : those of `GaussianClassifier`, or of `AutoClassifier`; any number of them
    automatic : whether everything that is not given is selected on held-out rows

    Raises
    ------
    OptionError
        For an unknown name or a value that is not allowed.

    Examples
    --------
    >>> options = model_options({"shared": True, "columns": Columns(exclude=["id"])})
    >>> options.of_families["shared"], options.exclude
    (True, ('id',))
    """
    check_values(OPTIONS, arguments)
    given = dict(arguments)
    columns = given.pop("columns", None) or Columns()
    columns.check()
    if "shrinkage_target" in given:
        given["target"] = given.pop("shrinkage_target")
    if given.pop("calibrate", False):
        given["calibration"] = "leave_one_out"
    settings = dict(AUTOMATIC_SETTINGS) if automatic else {}
    settings |= {
        "features": AUTOMATIC if columns.features is None else columns.features,
        "categorical_features": AUTOMATIC if columns.categorical is None else columns.categorical,
        "exclude": columns.exclude,
        "numeric": columns.numeric,
        "keep_identifiers": columns.keep_identifiers,
        "unlabelled": columns.unlabelled,
        "na_values": columns.na_values,
        "keep_default_na": columns.keep_default_na,
    }
    return replace(check_options(**(settings | given)), columns=columns)


def check_options(
    *,
    covariance: Any = "full",
    shared: Any = False,
    divisor: Any = "mle",
    shrinkage: Any = None,
    target: Any = "diagonal",
    estimate: Any = "plug_in",
    transforms: Any = None,
    coded: Any = False,
    smoothing: Any = 0.0,
    families: Any = None,
    priors: Any = None,
    unlabelled_weight: Any = AUTOMATIC,
    selection: Any = "leave_one_out",
    calibration: Any = None,
    average: Any = False,
    categorical_features: Any = "from_dtype",
    features: Any = None,
    exclude: Any = None,
    numeric: Any = None,
    keep_identifiers: Any = False,
    unlabelled: Any = None,
    na_values: Any = None,
    keep_default_na: Any = True,
    n_jobs: int | None = None,
) -> Options:
    """The options, if each has one of its possible values; those of `GaussianClassifier`.

    Priors are checked with the classes, categorical features with the rows.

    Examples
    --------
    >>> import numpy as np
    >>> options = check_options(shared=True, families={"visits": "poisson"})
    >>> schema = Schema(np.array(["no", "yes"]), 3, ("age", "visits", "height"))
    >>> [(part.family.name, part.columns) for part in options.settings(schema).components]
    [('gaussian', (0, 2)), ('poisson', (1,))]
    """
    if selection not in get_args(Criterion):
        possible = ", ".join(map(repr, get_args(Criterion)))
        msg = f"selection must be one of {possible}, got {selection!r}"
        raise OptionError(msg)
    if calibration not in (None, "leave_one_out"):
        msg = f"calibration must be None or 'leave_one_out', got {calibration!r}"
        raise OptionError(msg)
    if not isinstance(average, bool):
        msg = f"average must be True or False, got {average!r}"
        raise OptionError(msg)
    if coded not in (True, False, AUTOMATIC):
        msg = f"coded must be True, False or 'auto', got {coded!r}"
        raise OptionError(msg)
    if average and selection != "leave_one_out":
        msg = f"average=True weighs candidates by rows left out, not by selection={selection!r}"
        raise OptionError(msg)
    if average and not any(
        isinstance(some, str) and some == AUTOMATIC
        for some in (covariance, shared, shrinkage, transforms, coded)
    ):
        msg = (
            "average=True averages candidates, and nothing is left open: give shared='auto', "
            "shrinkage='auto', transforms='auto' or coded='auto'"
        )
        raise OptionError(msg)
    of_families = {
        "covariance": covariance,
        "shared": shared,
        "divisor": divisor,
        "shrinkage": shrinkage,
        "target": target,
        "estimate": estimate,
        "smoothing": _not_negative("smoothing", smoothing),
    }
    made = {"gaussian": make_family("gaussian", of_families)}  # errors in its options come now
    weight = None
    if not (isinstance(unlabelled_weight, str) and unlabelled_weight == AUTOMATIC):
        weight = _not_negative("unlabelled_weight", unlabelled_weight)
    columns = _check_columns(features, exclude, numeric, keep_identifiers)
    reading = {"unlabelled": unlabelled, "n_jobs": n_jobs, "made": made} | columns
    if na_values is not None or keep_default_na is not True:
        reading["missing"] = MissingMarks.given(na_values, keep_default_na=keep_default_na)
    learning = (priors, weight, _transform(transforms), coded, selection, calibration, average)
    return Options(of_families, _families(families), *learning, categorical_features, **reading)


def _check_columns(
    features: Any, exclude: Any, numeric: Any, keep_identifiers: Any
) -> dict[str, Any]:
    """What is said of columns: those to learn from, those not to, and those of numbers."""
    if isinstance(features, str) and features != AUTOMATIC:
        msg = f"features must be 'auto', None or a list of columns, got {features!r}; one name is "
        msg += f"written [{features!r}]"
        raise OptionError(msg)
    if not isinstance(keep_identifiers, bool):
        msg = f"keep_identifiers must be True or False, got {keep_identifiers!r}"
        raise OptionError(msg)
    columns: dict[str, Any] = {"features": features, "keep_identifiers": keep_identifiers}
    for name, some in (("exclude", exclude), ("numeric", numeric)):
        columns[name] = (some,) if isinstance(some, str) else tuple(some or ())
    if features is not None and not isinstance(features, str):
        columns["features"] = tuple(features)
    return columns


def options_of(settings: Settings, schema: Schema) -> dict[str, Any]:
    """The options, as `check_options` takes them, that give these settings."""
    options: dict[str, Any] = {}
    for family in settings.families:
        options = {**family.options, **options}  # those of the first, if two differ
    defaults = list(DEFAULT_FAMILIES.values())
    families: dict[Any, Any] = {}
    for component in settings.components:
        family = component.plain_family
        name = family.name
        if name == "coded" and component is settings.components[0]:
            options["coded"], defaults = True, []
            continue
        plain = make_family(name, options) == family
        # Blocks of the features that are not named come first.
        if name in defaults and (plain or not _is_special(family)):
            del defaults[: defaults.index(name) + 1]
            continue
        defaults = []
        features: Sequence[Any] = component.columns
        if schema.features is not None:
            features = [schema.features[column] for column in component.columns]
        key = features[0] if len(features) == 1 else tuple(features)
        families[key] = name if plain else family
    transform = _transform_of(settings, schema)
    if transform is not None:
        options["transforms"] = transform
    if schema.missing != STANDARD_MARKS:
        options |= schema.missing.options
    options |= {"families": families or None, "priors": settings.priors}
    return options | {"unlabelled_weight": settings.unlabelled_weight}


def _is_special(family: Any) -> bool:
    """Whether a family has settings that are no options."""
    return bool(make_family(family.name, family.options) != family)


def _families(families: Any) -> tuple[tuple[tuple[str | int, ...], Any], ...]:
    """A mapping from a feature, or several, to a family, as pairs."""
    if families is None:
        return ()
    if not isinstance(families, Mapping):
        msg = (
            "families must be a mapping from features to families, such as "
            f"{{'visits': 'poisson'}}, got {families!r:.200}"
        )
        raise OptionError(msg)
    pairs = []
    for features, family in families.items():
        if isinstance(family, str):
            family_type(family)  # a name that is not known is an error now
        several = features if isinstance(features, tuple) else (features,)
        pairs.append((tuple(several), family))
    return tuple(pairs)


def _transform(transform: Any) -> Any:
    """What features are transformed by: None, a name, or a mapping as pairs."""
    if transform is None or transform == AUTOMATIC:
        return transform
    from gaussbayes.families.transformed import check_transform

    if not isinstance(transform, Mapping):
        return check_transform(transform)
    pairs = []
    for features, each in transform.items():
        several = features if isinstance(features, tuple) else (features,)
        pairs.append((several, None if each is None else check_transform(each)))
    return tuple(pairs) or None


def _is_logarithm(transform: Any) -> bool:
    """Whether a transform, or the name of one, takes numbers above 0 only."""
    return bool(getattr(transform, "kind", transform) == "log")


def _transform_of(settings: Settings, schema: Schema) -> Any:
    """The option that gives the transforms of some settings, by name."""
    names: Sequence[Any] = schema.features or range(schema.n_features)
    kinds: dict[Any, Any] = {}
    for component in settings.components:
        family, columns = component.family, [names[column] for column in component.columns]
        if family.name == "gaussian":
            kinds |= dict.fromkeys(columns)
        elif hasattr(family, "kinds"):
            kinds |= {
                name: kind
                for name, column, kind in zip(columns, component.columns, family.kinds, strict=True)
                if column not in schema.categorical
            }
    different = set(kinds.values())
    if len(different) <= 1:
        return next(iter(different), None)
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _not_negative(what: str, value: Any) -> float:
    """The value, if it is 0 or a finite number above it; nearly always it is a plain one."""
    plain = type(value) in {float, int} and 0 <= value < inf
    return float(value) if plain else not_negative(what, value)
