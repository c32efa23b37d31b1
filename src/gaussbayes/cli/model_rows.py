"""Rows of files as a model takes them: its numbers, and its categories by their numbers.

Categories that training has not seen are counted, to be told of once, at the end.
"""

import re
from typing import TYPE_CHECKING, Any

from gaussbayes.cli import models, reading
from gaussbayes.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.categorical import CodedColumns, Unseen
    from gaussbayes.categorical.categories import Categories
    from gaussbayes.mixed import MixedRows
    from gaussbayes.model import Model
    from gaussbayes.types import CodeArray, RealArray

_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_TRUTH = {"true": True, "false": False}


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
        self._categories = () if stored.counts is None else stored.counts.categories
        self._names = schema.of_categories
        self._unseen: dict[int, Unseen] = {}

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
        from gaussbayes.sources.columns import as_rows

        numbers = as_rows(table, self.numbers)
        if not self.categorical:
            return numbers
        from gaussbayes.mixed import MixedRows

        return MixedRows(numbers, self._coded(table))

    def with_numbers(self, numbers: list[float], table: Any) -> "list[float] | MixedRows":
        """A table of one row, whose numbers are known already."""
        if not self.categorical:
            return numbers
        import numpy as np

        from gaussbayes.mixed import MixedRows

        return MixedRows(np.array([numbers], dtype=np.float64), self._coded(table))

    def _coded(self, table: Any) -> "CodedColumns":
        from gaussbayes.categorical.coding import coded, unite_unseen
        from gaussbayes.sources.categories import factors

        every = zip(self.categorical, self._categories, strict=True)
        columns = coded(
            [alike(*factors(table.column(name), repr(name)), known) for name, known in every],
            self._categories,
        )
        for one in columns.unseen:
            before = self._unseen.get(one.column)
            self._unseen[one.column] = one if before is None else unite_unseen(before, one)
        return columns

    def tell_unseen(self) -> None:
        """Say how many values have categories that training has not seen, if there are any."""
        if self._unseen:
            from gaussbayes.categorical.warning import unseen_message

            reading.tell(unseen_message(self._in_order(), self._names))

    def unseen_record(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        return [
            {
                "feature": self.categorical[one.column],
                "values": one.n_values,
                "examples": list(one.examples),
            }
            for one in self._in_order()
        ]

    def _in_order(self) -> "list[Unseen]":
        return [self._unseen[column] for column in sorted(self._unseen)]


def alike(
    codes: "CodeArray", found: "Categories", known: "Categories"
) -> "tuple[CodeArray, Categories]":
    """The categories of a column as numbers where it holds text and the model has numbers.

    A column that is all numbers in one file may be text in another, because of one value.

    Examples
    --------
    >>> import numpy as np
    >>> codes, categories = alike(np.array([0, 1, 2], np.int32), ("1.0", "NA", "x"), (1, 2))
    >>> codes.tolist(), categories
    ([0, -2, 1], (1, 'x'))
    """
    if not (found and known and isinstance(found[0], str)) or isinstance(known[0], str):
        return codes, found
    import numpy as np

    from gaussbayes.categorical.coding import MISSING, UNSEEN
    from gaussbayes.sources.fitting import NULLS

    there = [str(text) for text in found if str(text).strip() not in NULLS]
    number = {text: code for code, text in enumerate(there)}
    # The last two entries are those of −2 and −1, counted from the end.
    translation = [*(number.get(str(text), MISSING) for text in found), MISSING, UNSEEN]
    return np.array(translation, dtype=np.int32)[codes], tuple(map(_number, there))


def _number(text: str) -> Any:
    """The whole number or the truth value that a text writes, or the text."""
    plain = text.strip()
    if _WHOLE.fullmatch(plain):
        return int(plain.partition(".")[0])
    return _TRUTH.get(plain.lower(), text)


def refuse_categories(stored: "Model", name: str, what: str) -> None:
    """Raise if a model has categories and what is to be done is for numbers alone."""
    if stored.counts is None:
        return
    every = stored.schema.of_categories
    names = every.feature_list(range(every.n_features))
    msg = (
        f"{what} for models of numbers, and the model {name} has categories: {names}; fit one "
        "without them"
    )
    raise DataError(msg)
