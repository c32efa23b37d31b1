"""What the columns and the classes are called, so that every message can name them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import index

from gaussbayes.base.errors import SchemaError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import LabelArray


@dataclass(frozen=True, slots=True)
class Schema:
    """The classes in order, the number of features, their names if they have any, and their kinds.

    Examples
    --------
    >>> import numpy as np
    >>> schema = Schema(np.array(["no", "yes"]), 2, ("age", "weight"))
    >>> schema.class_name(1), schema.feature_name(0)
    ("'yes'", "'age'")
    >>> Schema(np.array([0, 1]), 2).feature_name(0)
    'feature 0'
    """

    classes: LabelArray  # (k,)
    n_features: int
    features: tuple[str, ...] | None = None
    categorical: tuple[int, ...] = ()  # the columns that hold categories; all others hold numbers
    places: tuple[int, ...] | None = None  # of a part: where its features are among all

    @property
    def of_numbers(self) -> "Schema":
        """The schema of the features that hold numbers."""
        if not self.categorical:
            return self
        return self.part([j for j in range(self.n_features) if j not in self.categorical])

    @property
    def of_categories(self) -> "Schema":
        """The schema of the features that hold categories, which are numbered among themselves."""
        return self.part(self.categorical)

    def part(self, columns: Sequence[int]) -> "Schema":
        """The schema of some of the features, which are numbered among themselves."""
        return Schema(self.classes, len(columns), self._names(columns), (), tuple(columns))

    def marginal(self, columns: Sequence[int]) -> "Schema":
        """The schema of a model of some of the features, in this order."""
        hold = tuple(place for place, j in enumerate(columns) if j in self.categorical)
        return Schema(self.classes, len(columns), self._names(columns), hold)

    def _names(self, columns: Sequence[int]) -> tuple[str, ...] | None:
        return None if self.features is None else tuple(self.features[j] for j in columns)

    def with_names(self, names: Sequence[str] | None) -> "Schema":
        """The same features with other names, or none."""
        return replace(self, features=check_names(names, self.n_features))

    def find_columns(self, features: Sequence[int | str]) -> tuple[int, ...]:
        """The columns of features given by name or number, each at most once."""
        if isinstance(features, str):
            features = [features]
        columns = tuple(self.find_column(feature) for feature in features)
        if not columns or len(set(columns)) < len(columns):
            msg = f"features must be different ones, and at least one, got {list(features)!r:.200}"
            raise SchemaError(msg)
        return columns

    def find_column(self, feature: int | str) -> int:
        """The column of a feature given by name or number."""
        names = self.features or ()
        if isinstance(feature, str):
            if feature in names:
                return names.index(feature)
            known = f"the features are {list(names)!r:.400}" if names else "features have no names"
            close = meant(feature, names)
            msg = f"there is no feature {feature!r}{close}; {known}, and are numbered from 0"
            raise SchemaError(msg)
        try:
            column = index(feature)
        except TypeError:
            msg = f"a feature must be given by its name or its number, got {feature!r}"
            raise SchemaError(msg) from None
        if not 0 <= column < self.n_features:
            msg = f"there is no feature {column}; they are numbered from 0 to {self.n_features - 1}"
            raise SchemaError(msg)
        return column

    def class_name(self, code: int) -> str:
        """The class as a message writes it."""
        label = self.classes[code]
        return repr(label.item() if hasattr(label, "item") else label)

    def feature_name(self, column: int) -> str:
        """The feature as a message writes it."""
        if self.features is not None:
            return repr(self.features[column])
        return f"feature {column if self.places is None else self.places[column]}"

    @property
    def titles(self) -> tuple[str, ...]:
        """What tables and figures call the features (d): their names, or their numbers."""
        return self.features or tuple(
            f"feature {column}" for column in self.places or range(self.n_features)
        )

    def same_features(self, other: "Schema") -> bool:
        """Whether the features are the same in number, kind and, where both have some, names."""
        named = self.features is not None and other.features is not None
        alike = (self.n_features, self.categorical) == (other.n_features, other.categorical)
        return alike and not (named and self.features != other.features)

    def feature_list(self, columns: Iterable[int], most: int = 6) -> str:
        """Several features in a message, shortened when there are many."""
        names = [self.feature_name(column) for column in columns]
        more = f" and {len(names) - most} more" if len(names) > most else ""
        return ", ".join(names[:most]) + more

    def position(self, label: object) -> int:
        """The number of the class with this label, or −1."""
        same = (code for code, known in enumerate(self.classes.tolist()) if known == label)
        return next(same, -1)


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    """Names given for the features, if there is one for each."""
    if names is not None and len(names) != n_features:
        msg = f"{n_features} features need as many names, got {list(names)}"
        raise SchemaError(msg)
    return None if names is None else tuple(names)
