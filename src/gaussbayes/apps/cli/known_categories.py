"""Columns of categories that are known: as numbers, and what was new in them.

Categories that training has not seen are counted, to be told of once, at the end.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import reading

if TYPE_CHECKING:
    from gaussbayes.base.types import CodeArray
    from gaussbayes.data.categories import Categories
    from gaussbayes.families.categorical import CodedColumns, Unseen

_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_TRUTH = {"true": True, "false": False}


class KnownCategories:
    """How columns of a source become numbers of categories, block by block.

    Parameters
    ----------
    names : of the columns
    categories : those of each that are known
    """

    def __init__(self, names: Sequence[str], categories: "Sequence[Categories]") -> None:
        self._names = tuple(names)
        self._categories = tuple(categories)
        self._unseen: dict[int, Unseen] = {}

    def coded(self, table: Any) -> "CodedColumns":
        """The columns of an Arrow table; what is new in them is counted."""
        from gaussbayes.data.coding import coded, unite_unseen
        from gaussbayes.data.sources.categories import factors

        every = zip(self._names, self._categories, strict=True)
        columns = coded(
            [alike(*factors(table.column(name), repr(name)), known) for name, known in every],
            self._categories,
        )
        for one in columns.unseen:
            before = self._unseen.get(one.column)
            self._unseen[one.column] = one if before is None else unite_unseen(before, one)
        return columns

    def tell_unseen(self) -> None:
        """Say how many values have categories that are not known, if there are any."""
        if not self._unseen:
            return
        import numpy as np

        from gaussbayes.base.schema import Schema
        from gaussbayes.data.category_warnings import unseen_message

        schema = Schema(np.empty(0), len(self._names), self._names)
        reading.tell(unseen_message(self._in_order(), schema))

    def unseen_record(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        return [
            {
                "feature": self._names[one.column],
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

    from gaussbayes.data.coding import MISSING, UNSEEN
    from gaussbayes.data.sources.fitting import NULLS

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
