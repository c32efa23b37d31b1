"""What the columns and the classes are called, so that every message can name them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import index

import numpy as np

from gaussbayes.base.errors import SchemaError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import LabelArray


@dataclass(frozen=True, slots=True)
class Schema:
    """The classes in order, the number of features, their names if they have any, and their kinds.

    Examples
    --------
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
        """The schema of the features that hold numbers.

        Examples
        --------
        >>> Schema(np.array([0, 1]), 2, ("age", "wind"), (1,)).of_numbers.features
        ('age',)
        """
        if not self.categorical:
            return self
        return self.part([j for j in range(self.n_features) if j not in self.categorical])

    @property
    def of_categories(self) -> "Schema":
        """The schema of the features that hold categories, which are numbered among themselves.

        Examples
        --------
        >>> Schema(np.array([0, 1]), 2, ("age", "wind"), (1,)).of_categories.feature_name(0)
        "'wind'"
        """
        return self.part(self.categorical)

    def part(self, columns: Sequence[int]) -> "Schema":
        """The schema of some of the features, which are numbered among themselves."""
        names = None if self.features is None else tuple(self.features[j] for j in columns)
        return Schema(self.classes, len(columns), names, (), tuple(columns))

    def marginal(self, columns: Sequence[int]) -> "Schema":
        """The schema of a model of some of the features, in this order.

        Examples
        --------
        >>> Schema(np.array([0, 1]), 3, ("age", "wind", "sex"), (1, 2)).marginal([2, 0])
        Schema(classes=array([0, 1]), n_features=2, features=('sex', 'age'), categorical=(0,),
        places=None)
        """
        names = None if self.features is None else tuple(self.features[j] for j in columns)
        hold = tuple(place for place, j in enumerate(columns) if j in self.categorical)
        return Schema(self.classes, len(columns), names, hold)

    def with_names(self, names: Sequence[str] | None) -> "Schema":
        """The same features with other names, or none.

        Examples
        --------
        >>> Schema(np.array([0, 1]), 1).with_names(["age"]).features
        ('age',)
        """
        return replace(self, features=check_names(names, self.n_features))

    def find_columns(self, features: Sequence[int | str]) -> tuple[int, ...]:
        """The columns of features given by name or number, each at most once.

        Examples
        --------
        >>> Schema(np.array([0, 1]), 3, ("age", "height", "weight")).find_columns(["weight", 0])
        (2, 0)
        """
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
        return repr(
            self.classes[code].item() if hasattr(self.classes[code], "item") else self.classes[code]
        )

    def feature_name(self, column: int) -> str:
        """The feature as a message writes it."""
        if self.features is not None:
            return repr(self.features[column])
        return f"feature {column if self.places is None else self.places[column]}"

    @property
    def titles(self) -> tuple[str, ...]:
        """What tables and pictures call the features (d): their names, or their numbers.

        Examples
        --------
        >>> Schema(np.array([0, 1]), 2).titles
        ('feature 0', 'feature 1')
        """
        return self.features or tuple(
            f"feature {column}" for column in self.places or range(self.n_features)
        )

    def same_features(self, other: "Schema") -> bool:
        """Whether the features are the same in number, kind and, where both have some, names.

        Examples
        --------
        >>> classes = np.array([0, 1])
        >>> Schema(classes, 1, ("age",)).same_features(Schema(classes, 1))
        True
        """
        named = self.features is not None and other.features is not None
        alike = (self.n_features, self.categorical) == (other.n_features, other.categorical)
        return alike and not (named and self.features != other.features)

    def feature_list(self, columns: Iterable[int], most: int = 6) -> str:
        """Several features in a message, shortened when there are many."""
        every = list(columns)
        names = ", ".join(self.feature_name(column) for column in every[:most])
        return names if len(every) <= most else f"{names} and {len(every) - most} more"

    def position(self, label: object) -> int:
        """The number of the class with this label, or −1.

        Examples
        --------
        >>> Schema(np.array(["no", "yes"]), 1).position("yes")
        1
        """
        found = np.flatnonzero(np.asarray([own == label for own in self.classes.tolist()]))
        return int(found[0]) if found.size else -1


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    """Names given for the features, if there is one for each.

    Examples
    --------
    >>> check_names(["age", "height"], 2)
    ('age', 'height')
    """
    if names is not None and len(names) != n_features:
        msg = f"{n_features} features need as many names, got {list(names)}"
        raise SchemaError(msg)
    return None if names is None else tuple(names)
