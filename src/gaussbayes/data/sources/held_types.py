"""The types of columns of text, by a first block of them.

Whole numbers, numbers and truth values are what they are; everything else, dates and numbers with
leading zeros (``007``) included, is text and passed on as it is. A column without any value is
text, unless it is read as a feature: then all its values are missing, and later ones are numbers.
"""

from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.sources.bad_rows import shown
from gaussbayes.data.sources.fitting import cast_text
from gaussbayes.data.sources.request import Held

if TYPE_CHECKING:
    import pyarrow as pa

_DECIMAL_COMMA = r"^\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*$"
_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*$"
_DECIMAL_POINT = r"^\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*$"
_LEADING_ZERO = r"^\s*[+-]?0\d"
_SAMPLE = 1000
"""Values of a column of text that are looked at to see whether half of them are numbers."""


def hold(inferred: "pa.Table", text: "pa.Table", decimal: str = ".") -> Held:
    """The types to hold, given those that pyarrow infers and the same values as text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> text = pa.table({"a": [b"1", b"2"], "b": [b"007", b"8"]})
    >>> hold(pa.table({"a": [1, 2], "b": [7, 8]}), text).schema.types
    [DataType(int64), DataType(string)]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    fields, numbers, examples = [], set(), []
    for field in inferred.schema:
        values = text.column(field.name)
        kind, name = field.type, field.name
        zeros = pa.types.is_integer(kind) and (
            pc.any(pc.match_substring_regex(values, _LEADING_ZERO)).as_py()
        )
        if zeros or not (pa.types.is_integer(kind) or kind in {pa.float64(), pa.bool_()}):
            is_mixed, example = _mixed(values, decimal)
            if zeros or is_mixed:
                numbers.add(name)
            if example is not None:
                examples.append((name, example))
            kind = pa.string()
        fields.append(pa.field(name, kind))
    return Held(pa.schema(fields), frozenset(numbers), decimal, tuple(examples))


def has_decimal_commas(text: "pa.Table", file: str) -> bool:
    """Whether numbers are written 1,5, as they may be where semicolons separate them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> has_decimal_commas(pa.table({"a": [b"1,5", b"2"]}), "file")
    True
    """
    import pyarrow.compute as pc

    def count(values: Any, pattern: str) -> int:
        return pc.sum(pc.match_substring_regex(values, pattern)).as_py() or 0

    commas = sum(count(values, _DECIMAL_COMMA) for values in text.columns)
    if not commas:
        return False
    points = [name for name in text.column_names if count(text.column(name), _DECIMAL_POINT)]
    if points:
        why = f"others with a point (column {points[0]!r})"
    elif commas == sum(count(values, _THOUSANDS) for values in text.columns):
        why = "they could be thousands (1,234) or decimals (1.234)"
    else:
        return True
    msg = (
        f"{file} has numbers with a comma, and {why}: write decimals with a point and thousands "
        "without a separator, for example by exporting the file with English number formats"
    )
    raise DataError(msg)


def _mixed(values: Any, decimal: str) -> tuple[bool, str | None]:
    """Whether at least half of a column of text are numbers, and a value that is none.

    Without any value nothing is known: the column may still turn out to hold numbers.
    """
    import pyarrow as pa

    for some in (values[:_SAMPLE], values[_SAMPLE:]):  # the others only if these are all missing
        sample = some.combine_chunks()
        column, wrong = cast_text(sample, pa.float64(), decimal)
        n_numbers, n_wrong = len(column) - column.null_count, int(wrong.sum())
        if n_wrong:
            return n_numbers >= n_wrong, shown(sample[int(wrong.argmax())].as_py())
        if n_numbers:
            break
    return True, None
