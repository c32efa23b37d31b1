"""Rows in memory, numbers and categories, before any model has said how it takes them."""

from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli.known_categories import KnownCategories

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gaussbayes.data.sources.choice import Choice


class MemoryRows:
    """How blocks of a source become arrays, of objects beside categories, and these a table.

    Parameters
    ----------
    columns : which are features, and which of these are categorical
    like : an Arrow table of rows known before; categories that are not among theirs are as good as
        missing, and counted
    """

    def __init__(self, columns: "Choice", like: Any = None) -> None:
        self.categorical = columns.categorical
        self.texts = () if like is None else text_columns(like, columns.categorical)
        self._columns = columns
        self._known: KnownCategories | None = None
        if like is not None:
            own = [
                tuple(like.column(name).unique().drop_null().to_pylist())
                for name in self.categorical
            ]
            self._known = KnownCategories(self.categorical, own)

    def of(self, table: Any) -> "NDArray[Any]":
        """The features (n, d) of an Arrow table; None is a missing category, NaN a number."""
        from gaussbayes.data.sources.columns import as_rows

        own = self._columns
        numbers = as_rows(table, own.numeric)
        if not own.categorical:
            return numbers
        import numpy as np

        from gaussbayes.base.schema import Schema
        from gaussbayes.data.coding import coded
        from gaussbayes.data.sources.categories import factors
        from gaussbayes.model.mixed import MixedRows
        from gaussbayes.model.mixed_rows import side_by_side

        if self._known is None:
            found = coded([factors(table.column(name), repr(name)) for name in own.categorical])
        else:
            found = self._known.coded(table)
        rows = MixedRows(numbers, found)
        schema = Schema(np.empty(0), len(own.features), own.features, own.places)
        return side_by_side(rows, schema)

    def framed(self, rows: "NDArray[Any]") -> Any:
        """An Arrow table of such rows (n, d)."""
        import pyarrow as pa

        own = self._columns
        # Of objects Arrow finds the type out itself; but numbers that are all missing have none.
        kinds = [
            pa.float64() if own.categorical and name in own.numeric else None
            for name in own.features
        ]
        columns = [pa.array(column, kind) for column, kind in zip(rows.T, kinds, strict=True)]
        return pa.table(columns, names=list(own.features))

    def tell_unseen(self) -> None:
        """Say how many values have categories that are not known, if there are any."""
        if self._known is not None:
            self._known.tell_unseen()


def text_columns(table: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those columns of an Arrow table that hold text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> text_columns(pa.table({"wind": ["S"], "month": [3]}), ("wind", "month"))
    ('wind',)
    """
    from gaussbayes.data.sources.kinds import is_text

    return tuple(name for name in names if is_text(table.schema.field(name).type))
