"""Rows of files as a model takes them: its numbers, and its categories by their numbers.

Categories that training has not seen are counted, to be told of once, at the end.
"""

from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import models, reading
from gaussbayes.apps.cli.known_categories import KnownCategories
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.base.types import RealArray
    from gaussbayes.model.mixed import MixedRows
    from gaussbayes.model.model import Model


class ModelRows:
    """How the rows of a source become those of one model, and what was new in them.

    Parameters
    ----------
    stored : a model whose features have names
    name : that of its file, for messages
    """

    def __init__(self, stored: "Model", name: str) -> None:
        schema = stored.schema
        self.features = models.named_features(stored, name)
        self.categorical = tuple(self.features[j] for j in schema.categorical)
        self.numbers = tuple(each for each in self.features if each not in self.categorical)
        self.texts = stored.text_features
        categories = () if stored.counts is None else stored.counts.categories
        self._known = KnownCategories(self.categorical, categories)

    @property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """Which columns hold what, as `reading.blocks` and `reading.schema_of` ask for it."""
        return {"numbers": self.numbers, "categorical": self.categorical, "texts": self.texts}

    def require(self, source: Any) -> None:
        """Raise unless a source has every feature; the message names those that it lacks."""
        count = reading.counted(len(self.features), "feature")
        reading.require(source, self.features, f"the model's {count}")

    def of(self, table: Any) -> "RealArray | MixedRows":
        """The rows of an Arrow table; what is new in them is counted."""
        from gaussbayes.data.sources.columns import as_rows

        numbers = as_rows(table, self.numbers)
        if not self.categorical:
            return numbers
        from gaussbayes.model.mixed import MixedRows

        return MixedRows(numbers, self._known.coded(table))

    def with_numbers(self, numbers: list[float], table: Any) -> "list[float] | MixedRows":
        """A table of one row, whose numbers are known already."""
        if not self.categorical:
            return numbers
        import numpy as np

        from gaussbayes.model.mixed import MixedRows

        return MixedRows(np.array([numbers], dtype=np.float64), self._known.coded(table))

    def tell_unseen(self) -> None:
        """Say how many values have categories that training has not seen, if there are any."""
        self._known.tell_unseen()

    def unseen_record(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        return self._known.unseen_record()


def refuse_categories(stored: "Model", name: str, what: str) -> None:
    """Raise if a model has categories and what is to be done is for numbers alone."""
    if stored.counts is None:
        return
    every = stored.schema.of_categories
    names = every.feature_list(range(every.n_features))
    msg = (
        f"{what} for models of numbers, and the model {name} has categories: {names}; fit one "
        "without them, naming the features that hold numbers with --features"
    )
    raise DataError(msg)
