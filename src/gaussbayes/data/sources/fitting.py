"""Values read as text → the types that are held, and which of them do not fit."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.data.sources.bad_rows import Unfit, shown
from gaussbayes.data.sources.request import Request

if TYPE_CHECKING:
    import pyarrow as pa

NULLS = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "n/a",
    "nan",
    "null",
)
"""How a missing number or truth value may be written; those that pyarrow knows."""


def fitted(
    table: "pa.Table", request: Request, rows: NDArray[np.intp]
) -> tuple["pa.Table", list[Unfit]]:
    """The rows of a table of text whose values fit, and what is wrong with the others.

    Parameters
    ----------
    rows : (n,) what the rows are numbered in their block
    """
    import pyarrow as pa

    columns, unfit = [], {}
    keep = np.ones(table.num_rows, dtype=bool)
    for field in request.schema:
        values = table.column(field.name).combine_chunks()
        if field.name in request.categorical and pa.types.is_integer(field.type):
            values = _without_zeros(values)
        column, wrong = cast_text(values, field.type, request.decimal)
        columns.append(column)
        for row in np.flatnonzero(wrong & keep).tolist():
            value = shown(values[row].as_py())
            unfit[row] = Unfit(int(rows[row]), field.name, value, problem(field.type))
        keep &= ~wrong
    good = pa.Table.from_arrays(columns, schema=request.schema)
    return good.filter(pa.array(keep)), [unfit[row] for row in sorted(unfit)]


def problem(kind: Any) -> str:
    """What is wrong with a value that is not of this type."""
    import pyarrow as pa

    if pa.types.is_floating(kind):
        return "is not a number"
    if pa.types.is_integer(kind):
        return "is not a whole number, as the values at the start of the column are"
    if pa.types.is_boolean(kind):
        return "is not true or false, as the values at the start of the column are"
    return "is not UTF-8 text"


def cast_text(values: Any, kind: Any, decimal: str) -> tuple[Any, NDArray[np.bool_]]:
    """Text as another type, null where it does not fit, and where that is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column, wrong = cast_text(pa.array([b"1", b"x", b"NA"]), pa.float64(), ".")
    >>> column.to_pylist(), wrong.tolist()
    ([1.0, None, None], [False, True, False])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    wrong = np.zeros(len(values), dtype=bool)
    text = _halved(values, pa.string(), wrong)
    if pa.types.is_string(kind):
        return text, wrong
    if pa.types.is_dictionary(kind):
        return text.dictionary_encode().cast(kind), wrong
    text = pc.ascii_trim_whitespace(text)
    missing = pc.is_in(text, value_set=pa.array(NULLS))
    text = pc.if_else(missing, None, text)
    if decimal == "," and pa.types.is_floating(kind):
        # A point is no number where commas are.
        text = pc.replace_substring(pc.replace_substring(text, ".", "?"), ",", ".")
    return _halved(text, kind, wrong), wrong


def _without_zeros(values: Any) -> Any:
    """Text in which 3.0 is written 3, as a whole number with gaps beside it may not be."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.replace_substring_regex(values, r"\.0*(\s*)$", r"\1").cast(pa.binary())


def _halved(values: Any, kind: Any, wrong: NDArray[np.bool_]) -> Any:
    """Cast, by halves where it does not go; `wrong` is set where a single value does not fit."""
    import pyarrow as pa

    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        n = len(values)
        if n == 1:
            wrong[0] = True
            return pa.nulls(1, kind)
        half = n // 2
        return pa.concat_arrays(
            [
                _halved(values[:half], kind, wrong[:half]),
                _halved(values[half:], kind, wrong[half:]),
            ]
        )
