"""The settings of a model: a family for every feature, priors, use of unlabelled rows."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from gaussbayes.base.checks import TOLERANCE
from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.mapped import innermost
from gaussbayes.families.protocol import AnyFamily
from gaussbayes.kernels.arrays import Columns
from gaussbayes.model.calibration import Calibration

Priors: TypeAlias = str | Sequence[float] | Mapping[object, float] | FloatArray | None

UnlabelledRows: TypeAlias = Literal["used", "unused", "averaged"]
"""Whether unlabelled rows join the labelled ones in EM. If ``"averaged"``, posteriors are the
arithmetic mean of those with and without them; see `gaussbayes.model.select`."""


@dataclass(frozen=True, slots=True)
class Component:
    """A family, and the positions of its features among all."""

    family: AnyFamily
    columns: tuple[int, ...]
    second: bool = False  # whether it is the second member of a pool

    @property
    def content(self) -> str:
        """The required contents of its features in files; see `gaussbayes.data.sources`."""
        return str(getattr(self.family, "content", self.family.kind))

    @property
    def contents(self) -> dict[int, str]:
        """The required contents of each feature: a transform may not allow every number."""
        each = getattr(self.family, "contents", (self.content,) * len(self.columns))
        return dict(zip(self.columns, each, strict=True))

    @property
    def plain_family(self) -> AnyFamily:
        """The family without quantities that were estimated before rows were observed."""
        return innermost(self.family)

    @property
    def distribution(self) -> str:
        """The name of the family, without its transforms."""
        return str(self.plain_family.name)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings that turn statistics into a model.

    The last component may be the second member of a pool: a family of all columns, whose
    log-likelihoods the calibration adds to those of the others; see `gaussbayes.model.select`.
    """

    components: tuple[Component, ...]
    priors: Priors = None
    unlabelled_rows: UnlabelledRows = "used"
    calibration: Calibration | None = None  # of posteriors, on held-out rows
    fewest_classes: int = 2  # with rows, that a model must have

    @property
    def families(self) -> tuple[AnyFamily, ...]:
        """The family of each component."""
        return tuple(component.family for component in self.components)

    @property
    def is_pooled(self) -> bool:
        """Whether there is a second member."""
        return len(self.components) > 1 and self.components[-1].second

    @property
    def members(self) -> "tuple[Settings, ...]":
        """The settings of each member of a pool, or these; only the first uses unlabelled rows."""
        if not self.is_pooled:
            return (self,)
        *first, second = self.components
        return (
            replace(self, components=tuple(first)),
            replace(self, components=(second,), unlabelled_rows="unused", calibration=None),
        )

    @property
    def is_combined(self) -> bool:
        """Whether posteriors combine two models, so that no single density gives them."""
        return self.is_pooled or self.unlabelled_rows == "averaged"

    @property
    def averaged(self) -> "tuple[Settings, ...]":
        """The settings of the models with and without unlabelled rows, or these if none are."""
        if self.unlabelled_rows != "averaged":
            return (self,)
        used = alone = self.calibration
        if self.calibration is not None:
            used, alone = replace(self.calibration, alone=None), self.calibration.alone
        return (
            replace(self, unlabelled_rows="used", calibration=used),
            replace(self, unlabelled_rows="unused", calibration=alone),
        )

    def first(self, setting: str) -> Any:
        """The value of a setting of the first family that has it, such as `structure`; or None."""
        values = (getattr(innermost(family), setting, None) for family in self.families)
        return next((value for value in values if value is not None), None)

    @property
    def transform(self) -> str | None:
        """The name of the transform of the features, or None."""
        kinds = {kind for family in self.families for kind in getattr(family, "kinds", ())} - {None}
        return None if not kinds else str(*kinds) if len(kinds) == 1 else "transformed"

    @property
    def title(self) -> str:
        """The model in the terms of the field: covariances, pooling, transform and shrinkage."""
        if self.is_pooled:
            first, second = self.members
            return f"{first.title} + {second.title}"
        structure, shrinkage = self.first("structure"), self.first("shrinkage")
        if structure is None:
            parts = list(dict.fromkeys(family.name for family in self.families))
        elif structure.between:
            parts = [f"{structure.covariance} covariance", f"{100 * structure.sharing:g} % pooled"]
        else:
            parts = [str(structure.name)]
        if self.first("estimation") == "predictive":
            parts.append("predictive")
        if self.transform is not None:
            words = {"yeo-johnson": "Yeo-Johnson", "range": "scaled by range"}
            parts.append(words.get(self.transform, self.transform))
        if structure is not None and shrinkage is not None:
            amount = f"{shrinkage:g}" if isinstance(shrinkage, float) else shrinkage
            parts.append(f"shrinkage {amount}")
        return ", ".join(parts)

    def names(self, schema: Schema) -> tuple[Schema, ...]:
        """The names of the features of each component in messages."""
        if len(self.components) == 1:
            return (schema,)
        return tuple(schema.part(component.columns) for component in self.components)

    def parts(self, rows: Rows, schema: Schema) -> tuple[Rows, ...]:
        """The rows of each component: its columns alone."""
        if len(self.components) == 1:
            return (rows,)
        return tuple(cut_rows(rows, schema, component.columns) for component in self.components)

    def join(self, parts: Sequence[Rows], schema: Schema) -> Rows:
        """Rows from those of each component: the inverse of `parts`."""
        if len(self.components) == 1 and len(schema.categorical) in {0, schema.n_features}:
            return parts[0]
        n = parts[0].n_rows
        categorical = schema.categorical
        numeric = [j for j in range(schema.n_features) if j not in categorical]
        numbers = np.empty((n, len(numeric)))
        codes = np.empty((n, len(categorical)), dtype=np.int32, order="F")
        categories: list[Categories] = [()] * len(categorical)
        for component, part in zip(self.components, parts, strict=True):
            coded = [categorical.index(j) for j in component.columns if j in categorical]
            for place, j in enumerate(coded):
                codes[:, j], categories[j] = part.codes[:, place], part.categories[place]
            places = [numeric.index(j) for j in component.columns if j not in categorical]
            numbers[:, places] = part.matrix
        return Rows(numbers, codes, tuple(categories))

    def of_classes(self, before: Schema, classes: LabelArray) -> "Settings":
        """The settings for other classes; new classes have no offset."""
        if self.calibration is None:
            return self
        codes = [before.position(label) for label in classes.tolist()]
        return replace(self, calibration=self.calibration.selected(codes))

    @property
    def is_fixed(self) -> bool:
        """Whether no family needs estimates before it can sum rows."""
        return all(getattr(family, "is_fixed", True) for family in self.families)

    def fix(
        self, rows: Rows, targets: Targets, schema: Schema, *, wide: bool = False
    ) -> "list[Settings]":
        """Settings with quantities that families estimate before they sum rows; one or several.

        See `Family.fix`.
        """
        if self.is_fixed and not wide:
            return [self]
        columns = zip(self.families, self.parts(rows, schema), self.names(schema), strict=True)
        each = [family.fix(part, targets, names, wide=wide) for family, part, names in columns]
        several = [number for number, families in enumerate(each) if len(families) > 1]
        if (
            several and len(each) > 1
        ):  # families that are selected together must not be selected separately
            return self.fix(rows, targets, schema)
        together = range(max(len(families) for families in each))
        return [self.with_families([f[min(n, len(f) - 1)] for f in each]) for n in together]

    def with_families(self, families: Sequence[AnyFamily]) -> "Settings":
        """The settings with other families for the same columns."""
        pairs = zip(self.components, families, strict=True)
        components = tuple(replace(component, family=family) for component, family in pairs)
        return replace(self, components=components)


def cut_rows(rows: Rows, schema: Schema, columns: Sequence[int]) -> Rows:
    """Some features of rows, numbers and categories each in this order; no copy of all numbers."""
    if tuple(columns) == tuple(range(schema.n_features)):
        return rows
    numbers, code_of = rows.numbers, {column: j for j, column in enumerate(schema.categorical)}
    coded = [code_of[column] for column in columns if column in code_of]
    places = [j - bisect_left(schema.categorical, j) for j in columns if j not in code_of]
    n = rows.codes.shape[0]
    if not places:
        numbers = np.empty((n, 0), getattr(numbers, "dtype", np.float64))
    elif places != list(range(numbers.shape[1])):
        if isinstance(numbers, Columns):
            numbers = Columns(tuple(numbers.columns[j] for j in places))
        else:
            numbers = numbers[:, places]
    if not coded:
        return Rows(numbers, np.empty((n, 0), np.int32))
    place = {column: j for j, column in enumerate(coded)}
    categories = tuple(rows.categories[j] for j in coded)
    unseen = (replace(u, column=place[u.column]) for u in rows.unseen if u.column in place)
    return Rows(numbers, rows.codes[:, coded], categories, tuple(unseen))


def normalised_priors(values: FloatArray) -> FloatArray:
    """Priors (k,) in proportion to nonnegative numbers, summing to 1."""
    return np.asarray(values / values.sum())


def class_priors(priors: Priors, schema: Schema, weight: FloatArray) -> FloatArray:
    """The prior of each class (k,): its proportion of the weight (k,) if `priors` is None."""
    k = schema.classes.shape[0]
    if priors is None:
        return normalised_priors(weight)
    if isinstance(priors, str):
        if priors != "uniform":
            msg = f"priors must be None, 'uniform', numbers or {{label: number}}, got {priors!r}"
            raise OptionError(msg)
        return np.full(k, 1.0 / k)
    if isinstance(priors, Mapping):
        priors = _in_order(priors, schema)
    try:
        values = np.array(priors, dtype=np.float64)  # a copy: the caller may change the original
    except (TypeError, ValueError):
        msg = f"priors must be numbers, got {priors!r}"
        raise OptionError(msg) from None
    if values.shape != (k,):
        msg = (
            f"there are {k} classes, {_some(schema)}, so {k} priors are needed; "
            f"got {values.size} of shape {values.shape}: {values.tolist()}"
        )
        raise OptionError(msg)
    if not np.isfinite(values).all() or (values < 0).any():
        code = int(np.flatnonzero(~(np.isfinite(values) & (values >= 0)))[0])
        msg = (
            f"the prior of class {schema.class_name(code)} is {values[code]}; "
            "priors must be finite and not negative"
        )
        raise OptionError(msg)
    total = float(values.sum())
    if abs(total - 1.0) > TOLERANCE:
        msg = f"priors must sum to 1, got {values.tolist()}, which sum to {total!r}"
        raise OptionError(msg)
    return values


def _in_order(priors: Mapping[object, float], schema: Schema) -> list[float]:
    known = schema.classes.tolist()
    unknown = [label for label in priors if schema.position(label) < 0]
    absent = [label for label in known if label not in priors]
    if unknown or absent:
        pairs = (("unknown to the model", unknown), ("without a prior", absent))
        wrong = "; ".join(f"{what}: {', '.join(map(repr, some))}" for what, some in pairs if some)
        msg = f"priors must name each class once; {wrong} (classes: {_some(schema)})"
        raise OptionError(msg)
    return [priors[label] for label in known]


def _some(schema: Schema, most: int = 8) -> str:
    k = schema.classes.shape[0]
    names = ", ".join(schema.class_name(code) for code in range(min(k, most)))
    return names if k <= most else f"{names}, …"
