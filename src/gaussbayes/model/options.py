"""What users say, checked once: a family for every feature, priors, and what is left open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature
from math import inf
from typing import Any, Literal, get_args

from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import Encoder
from gaussbayes.families import family_type
from gaussbayes.model.select import Criterion
from gaussbayes.model.settings import Component, Priors, Settings

_WORTH_A_THREAD = 1 << 16
"""Values below which starting a thread costs more than it saves."""

AUTOMATIC = "auto"

TRIED = ("range", "yeo-johnson")
"""The transforms that the automatic choice tries.

In units of their ranges features such as pixels stay comparable; powers make features symmetric.
"""

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
    unlabelled_weight: float = 1.0
    transform: Any = None
    """What Gaussian features are transformed by; or pairs of features and what they are."""
    criterion: Criterion = "leave_one_out"
    calibration: Literal["leave_one_out"] | None = None
    average: bool = False
    categorical_features: Any = "from_dtype"
    unlabelled: Any = None  # the label that stands for a missing one
    n_jobs: int | None = None
    made: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Families that were made already, by name."""
    known: Encoder | None = None
    """The features, if they are known: tables may then be `Rows`."""

    @property
    def automatic(self) -> bool:
        """Whether something is left to be chosen, if there are features that it is about."""
        return "auto" in (self.transform, *self.of_families.values())

    @property
    def kinds(self) -> dict[str | int, Any]:
        """What features that are given a family must hold; see `gaussbayes.data.roles`."""
        return {
            feature: Component(self._family(family), ()).content
            for features, family in self.families
            for feature in features
        }

    @property
    def contents(self) -> dict[str, Any]:
        """What features must hold in files, and what those that are not named; see `Request`."""
        kinds, numbers = self.kinds, "number"
        if isinstance(self.transform, tuple):
            for features, transform in self.transform:
                if _is_logarithm(transform):
                    kinds |= dict.fromkeys(features, "positive")
        elif _is_logarithm(self.transform):
            numbers = "positive"
            for features, family in self.families:
                if kinds[features[0]] == "number" and family == "gaussian":
                    kinds |= dict.fromkeys(features, numbers)
        return {"kinds": kinds, "numbers": numbers}

    def with_families(self, **of_families: Any) -> "Options":
        """The same with other options of families, such as `covariance` and `shared`."""
        return replace(self, of_families={**self.of_families, **of_families}, made={})

    def encoder(self, X: Any) -> Encoder:
        """The features of a table."""
        if self.known is not None:
            return self.known
        kinds = self.kinds if self.families else None
        return Encoder.learn(X, self.categorical_features, kinds)

    def alternatives(self, schema: Schema) -> tuple[list[Settings], bool]:
        """The settings of a model with these features, several if the transform is left open.

        Also whether anything is left open.
        """
        settings = self.settings(schema)
        if self.transform != AUTOMATIC:
            return [settings], self.automatic
        if all(family.name != "gaussian" for family in settings.families):
            return [settings], True  # there is nothing to transform
        return [replace(self, transform=some).settings(schema) for some in TRIED], True

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
                    raise ParameterError(msg)
                given[column] = block.family.name
            blocks.append(block)
        rest: dict[str, list[int]] = {kind: [] for kind in DEFAULT_FAMILIES}
        for column in range(schema.n_features):
            if column not in given:
                rest["category" if column in schema.categorical else "number"].append(column)
        components = [
            Component(self._family(DEFAULT_FAMILIES[kind]), tuple(columns))
            for kind, columns in rest.items()
            if columns
        ]
        components = [*components, *blocks]
        if self.transform not in (None, AUTOMATIC):
            components = self._transformed(components, schema)
        return Settings(tuple(components), self.priors, self.unlabelled_weight)

    def _transformed(self, components: Sequence[Component], schema: Schema) -> list[Component]:
        """The same where the Gaussian families are those of transformed features."""
        from gaussbayes.families.transformed import Standardised, Transformed

        columns = [c for part in components if part.family.name == "gaussian" for c in part.columns]
        wanted: dict[int, Any] = dict.fromkeys(columns, self.transform)
        if isinstance(self.transform, tuple):
            wanted = {}
            for features, transform in self.transform:
                for column in schema.find_columns(features):
                    if column not in columns or column in wanted:
                        what = "be Gaussian" if column not in wanted else "have one transform"
                        msg = f"{schema.feature_name(column)} must {what} to be transformed"
                        raise ParameterError(msg)
                    wanted[column] = transform
        changed = []
        for part in components:
            transforms = [wanted.get(column) for column in part.columns]
            family = part.family
            if any(transform is not None for transform in transforms):
                each = tuple(Standardised() if some is None else some for some in transforms)
                family = Transformed(each, family)
            changed.append(replace(part, family=family))
        return changed

    def _family(self, family: Any) -> Any:
        if not isinstance(family, str):
            return family
        return self.made.get(family) or make_family(family, self.of_families)


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


def check_options(
    *,
    covariance: Any = "full",
    shared: Any = False,
    divisor: Any = "mle",
    shrinkage: Any = None,
    target: Any = "diagonal",
    estimate: Any = "plug_in",
    transforms: Any = None,
    smoothing: Any = 0.0,
    families: Any = None,
    priors: Any = None,
    unlabelled_weight: Any = 1.0,
    selection: Any = "leave_one_out",
    calibration: Any = None,
    average: Any = False,
    categorical_features: Any = "from_dtype",
    unlabelled: Any = None,
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
        raise ParameterError(msg)
    if calibration not in (None, "leave_one_out"):
        msg = f"calibration must be None or 'leave_one_out', got {calibration!r}"
        raise ParameterError(msg)
    if not isinstance(average, bool):
        msg = f"average must be True or False, got {average!r}"
        raise ParameterError(msg)
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
    weight = _not_negative("unlabelled_weight", unlabelled_weight)
    reading = (categorical_features, unlabelled, n_jobs)
    learning = (priors, weight, _transform(transforms), selection, calibration, average)
    return Options(of_families, _families(families), *learning, *reading, made)


def options_of(settings: Settings, schema: Schema) -> dict[str, Any]:
    """The options, as `check_options` takes them, that give these settings."""
    options: dict[str, Any] = {}
    for family in settings.families:
        options = {**family.options, **options}  # those of the first, if two differ
    defaults = list(DEFAULT_FAMILIES.values())
    families: dict[Any, Any] = {}
    for component in settings.components:
        family = getattr(component.family, "family", component.family)
        name = family.name
        if name in defaults:  # blocks of the features that are not named come first
            del defaults[: defaults.index(name) + 1]
            continue
        defaults = []
        features: Sequence[Any] = component.columns
        if schema.features is not None:
            features = [schema.features[column] for column in component.columns]
        plain = make_family(name, options) == family
        key = features[0] if len(features) == 1 else tuple(features)
        families[key] = name if plain else family
    transform = _transform_of(settings, schema)
    if transform is not None:
        options["transforms"] = transform
    options |= {"families": families or None, "priors": settings.priors}
    return options | {"unlabelled_weight": settings.unlabelled_weight}


def _families(families: Any) -> tuple[tuple[tuple[str | int, ...], Any], ...]:
    """A mapping from a feature, or several, to a family, as pairs."""
    if families is None:
        return ()
    if not isinstance(families, Mapping):
        msg = (
            "families must be a mapping from features to families, such as "
            f"{{'visits': 'poisson'}}, got {families!r:.200}"
        )
        raise ParameterError(msg)
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
            kinds |= zip(columns, family.kinds, strict=True)
    different = set(kinds.values())
    if len(different) <= 1:
        return next(iter(different), None)
    return {name: kind for name, kind in kinds.items() if kind is not None}


def _not_negative(what: str, value: Any) -> float:
    """The value, if it is 0 or a finite number above it; nearly always it is a plain one."""
    plain = type(value) in {float, int} and 0 <= value < inf
    return float(value) if plain else not_negative(what, value)
