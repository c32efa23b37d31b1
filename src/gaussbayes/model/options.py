"""The user's options, checked once: a family for every feature, priors, and selection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from inspect import signature
from math import inf
from typing import Any, get_args

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.option import Option, check_values
from gaussbayes.base.types import (
    LabelArray,
    LabelsLike,
    ShrinkageTarget,
    TableLike,
    TransformName,
    WeightsLike,
)
from gaussbayes.data.columns import COLUMN_OPTIONS, Columns, Request, table_schema
from gaussbayes.data.labels import check_number, read_targets
from gaussbayes.data.read import READ_OPTIONS
from gaussbayes.data.rows import Encoder, LabelledRows, Targets, schema_of
from gaussbayes.data.schema import STANDARD_MARKS, ColumnMarks, MissingMarks, Schema
from gaussbayes.families import check_family, family_type
from gaussbayes.families.protocol import AnyFamily
from gaussbayes.model.settings import Component, Priors, Settings

__all__ = ["COLUMN_OPTIONS", "OPTIONS", "READ_OPTIONS", "Option", "Options", "model_options"]

AUTOMATIC = "auto"

TRIED = ("range", "yeo-johnson")
"""The transforms that `AutoClassifier` compares.

Scaling by ranges keeps features such as pixels comparable; powers make features symmetric.
"""

AUTOMATIC_SETTINGS: Mapping[str, Any] = {
    "covariance": AUTOMATIC,
    "target": "spherical",
    "transforms": AUTOMATIC,
    "bins": AUTOMATIC,
    "smoothing": 1.0,
}
"""The settings of `AutoClassifier`: what is selected on held-out rows."""

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
        get_args(ShrinkageTarget),
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
        "Distribution of individual features: gaussian, categorical, poisson or pairs.",
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
        "Which columns to use, and their kinds.",
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

FAMILY_SETTINGS = (
    "covariance",
    "shared",
    "divisor",
    "shrinkage",
    "target",
    "estimate",
    "bins",
    "smoothing",
)
"""The settings of families: each uses those that it knows."""

DEFAULT_FAMILIES = {"number": "gaussian", "category": "categorical"}
"""The family of features without a given one."""


@dataclass(frozen=True)
class Options:
    """The options of a model, before its features are known."""

    of_families: Mapping[str, Any]
    """Options of families, by name: each family uses those that it knows."""
    families: tuple[tuple[tuple[str | int, ...], str | AnyFamily], ...] = ()
    """Features by name or number, and the name of their family, or the family itself."""
    priors: Priors = None
    transform: Any = None
    """The transform of the Gaussian features, or pairs of features and transforms."""
    calibrate: bool = False
    """Whether posteriors are calibrated; those of `AutoClassifier` always are."""
    columns: Columns | None = None
    """The request about the columns; None treats all of them as numbers."""
    missing: MissingMarks = STANDARD_MARKS
    n_jobs: int | None = None
    made: Mapping[str, AnyFamily] = field(default_factory=dict, repr=False)
    """Families that already exist, by name."""
    fewest_classes: int = 2  # least number of classes with rows

    @cached_property
    def automatic(self) -> bool:
        """Whether something is selected, if its features exist."""
        return "auto" in (self.transform, *self.of_families.values())

    @property
    def kinds(self) -> dict[str | int, Any]:
        """The kinds that given families need; see `gaussbayes.data.columns`."""
        contents = [
            (features, Component(self._family(family), ()).content)
            for features, family in self.families
        ]
        return {
            feature: content
            for features, content in contents
            for feature in features
            if content != "any"
        }

    @property
    def unlabelled(self) -> object:
        """The label that marks rows without label; or None."""
        return None if self.columns is None else self.columns.unlabelled

    def marks_of(self, y: LabelsLike | None = None) -> ColumnMarks:
        """The marks of a missing label; the labels may be a named column."""
        name = name_of(y)
        marks = self.missing.unnamed if name is None else self.missing.of(name)
        return marks if self.unlabelled is None else marks.plus(self.unlabelled)

    @cached_property
    def request(self) -> Request:
        """The request for a table, computed once."""
        kinds = self.kinds
        if isinstance(self.transform, tuple):
            kinds |= {feature: "number" for features, _ in self.transform for feature in features}
        return Request(self.columns or Columns(), families=kinds)

    def table(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike = None
    ) -> tuple[LabelledRows, Schema]:
        """Rows of a new table with labels and weights, and their features."""
        shape: tuple[int, ...] = getattr(X, "shape", ())
        # X that is not a table has a separate error, for any number of labels.
        n_rows = shape[0] if len(shape) == 2 and all(shape) else None
        targets, classes = read_targets(y, n_rows, sample_weight, self.marks_of(y), self.n_jobs)
        schema = self.schema(X, (targets, classes), name_of(y))
        rows = Encoder(schema).encode(X)
        check_number(rows.n_rows, targets.codes.size)
        return LabelledRows(rows, targets, classes), replace(schema, classes=classes)

    def schema(
        self,
        X: TableLike,
        labels: tuple[Targets, LabelArray] | None = None,
        target: str | None = None,
    ) -> Schema:
        """The features of a table; `labels` are targets and classes, `target` is their name."""
        if self.columns is None:
            return schema_of(X, kinds=self.kinds, missing=self.missing)
        schema = table_schema(X, self.request, labels, target)
        named = (feature for features, _ in self._pairs for feature in features)
        excluded = () if schema.roles is None else schema.roles.excluded
        if excluded and not all(isinstance(feature, str) for feature in named):
            msg = (
                f"column {excluded[0].name!r} is excluded, so that families and transforms must "
                "give features by their names, not by their numbers"
            )
            raise OptionError(msg)
        return schema

    @property
    def _pairs(self) -> tuple[Any, ...]:
        """Features with their given families or transforms."""
        some = self.transform if isinstance(self.transform, tuple) else ()
        return (*self.families, *some)

    def alternatives(self, schema: Schema) -> list[Settings]:
        """The settings of a model with these features: several if the transform is selected."""
        if self.transform != AUTOMATIC:
            return [self.settings(schema)]
        tried = TRIED if _transformable(self.settings(schema).components) else (None,)
        return [replace(self, transform=transform).settings(schema) for transform in tried]

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
        components = [
            Component(self._family(DEFAULT_FAMILIES[kind]), tuple(columns))
            for kind, columns in rest.items()
            if columns
        ]
        components = [*components, *blocks]
        if self.transform not in (None, AUTOMATIC):
            components = self._transformed(components, schema)
        return Settings(
            tuple(components),
            self.priors,
            fewest_classes=self.fewest_classes,
        )

    def _transformed(self, components: Sequence[Component], schema: Schema) -> list[Component]:
        """The blocks with Gaussian families of transformed features."""
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
            family: Any = part.family
            if any(transform is not None for transform in transforms):
                each = tuple(Standardised() if some is None else some for some in transforms)
                family = Transformed(each, family)
            changed.append(replace(part, family=family))
        return changed

    def _family(self, family: str | AnyFamily) -> AnyFamily:
        if not isinstance(family, str):
            return family
        return self.made.get(family) or make_family(family, self.of_families)


def name_of(y: object) -> str | None:
    """The name of labels that are a column of a frame."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def _transformable(components: Sequence[Component]) -> list[int]:
    """The features that may be transformed: numbers."""
    gaussian = (part for part in components if part.family.name == "gaussian")
    return [column for part in gaussian for column in part.columns]


def make_family(name: str, options: Mapping[str, Any]) -> AnyFamily:
    """The family of this name with those of the options that it knows."""
    make, known = _maker(name)
    made: AnyFamily = make(**{name: options[name] for name in known if name in options})
    return made


@cache
def _maker(name: str) -> tuple[Any, tuple[str, ...]]:
    """The constructor of the family of this name, and its options."""
    kind = family_type(name)
    make = getattr(kind, "of", kind)
    return make, tuple(signature(make).parameters)


def model_options(arguments: Mapping[str, Any], *, automatic: bool = False) -> Options:
    """Return the options of an estimator, from its constructor arguments by name.

    Parameters
    ----------
    arguments : those of `GaussianClassifier`, or of `AutoClassifier`; any number of them
    automatic : whether options that are not given are selected on held-out rows

    Raises
    ------
    OptionError
        For an unknown name or a value that is not allowed.

    Examples
    --------
    >>> options = model_options({"shared": True, "columns": Columns(unlabelled=-1)})
    >>> options.of_families["shared"], options.unlabelled
    (True, -1)
    """
    check_values(OPTIONS, arguments)
    given = dict(arguments)
    columns = given.pop("columns", None) or Columns()
    columns.check()
    if "shrinkage_target" in given:
        given["target"] = given.pop("shrinkage_target")
    settings = {**(AUTOMATIC_SETTINGS if automatic else {}), **given}
    return internal_options(columns=columns, **settings)


def internal_options(
    *,
    families: Mapping[Any, Any] | None = None,
    transforms: Any = None,
    columns: Columns | None = None,
    **settings: Any,
) -> Options:
    """The options from unchecked settings, including those that only selection needs.

    The settings are those of families, and fields of `Options`.

    Examples
    --------
    >>> options = internal_options(shared=True, families={"visits": "poisson"})
    >>> schema = Schema(np.array(["no", "yes"]), 3, ("age", "visits", "height"))
    >>> [(part.family.name, part.columns) for part in options.settings(schema).components]
    [('gaussian', (0, 2)), ('poisson', (1,))]
    """
    of_families = {name: settings.pop(name) for name in FAMILY_SETTINGS if name in settings}
    if "smoothing" in of_families:
        of_families["smoothing"] = float(of_families["smoothing"])
    if columns is not None:
        marks = MissingMarks.given(columns.na_values, keep_default_na=columns.keep_default_na)
        settings = {"columns": columns, "missing": marks} | settings
    if "made" not in settings:  # errors in the options of the Gaussian family are raised now
        settings["made"] = {"gaussian": make_family("gaussian", of_families)}
    return Options(of_families, _families(families), transform=_transform(transforms), **settings)


def arguments_of(settings: Settings, schema: Schema) -> dict[str, Any]:
    """The arguments of the estimators that give these settings."""
    settings = settings.members[0]
    options: dict[str, Any] = {}
    for family in settings.families:
        options = {**family.options, **options}  # of the first, if two differ
    defaults = list(DEFAULT_FAMILIES.values())
    families: dict[Any, str] = {}
    for component in settings.components:
        family = component.plain_family
        plain = make_family(family.name, options) == family
        # Blocks of the features that are not named come first.
        if family.name in defaults and (plain or not _is_special(family)):
            del defaults[: defaults.index(family.name) + 1]
        elif plain:  # a family with other settings has no name
            names: Sequence[Any] = schema.features or range(schema.n_features)
            chosen = [names[column] for column in component.columns]
            families[chosen[0] if len(chosen) == 1 else tuple(chosen)] = family.name
    columns: dict[str, Any] = {}
    if schema.missing != STANDARD_MARKS:
        columns = dict(schema.missing.options)
    if schema.roles is not None and schema.features is not None and schema.roles.excluded:
        columns["features"] = list(schema.features)
    elif schema.roles is None and schema.categorical:
        columns["categorical"] = list(schema.categorical)
    return options | {
        "shrinkage_target": options.get("target", "diagonal"),
        "transforms": _transform_of(settings, schema),
        "families": families or None,
        "priors": settings.priors,
        "calibrate": settings.calibration is not None,
        "columns": Columns(**columns) if columns else None,
    }


def _is_special(family: AnyFamily) -> bool:
    """Whether a family has settings that are not options."""
    return bool(make_family(family.name, family.options) != family)


def _families(families: Any) -> tuple[tuple[tuple[str | int, ...], Any], ...]:
    """A mapping from a feature, or several, to a family, as pairs."""
    pairs = []
    for features, family in (families or {}).items():
        if isinstance(family, str):
            check_family(family)  # an unknown name raises an error now
        several = features if isinstance(features, tuple) else (features,)
        pairs.append((tuple(several), family))
    # All columns with the family "pairs" form one family, also if they are named separately.
    joined = tuple(
        feature for features, family in pairs if family == "pairs" for feature in features
    )
    others = [pair for pair in pairs if pair[1] != "pairs"]
    return (*others, *([(joined, "pairs")] if joined else []))


def _transform(transform: Any) -> Any:
    """The transforms of features: None, a name, or a mapping as pairs."""
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
