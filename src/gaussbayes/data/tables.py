"""Tables of any kind, the contents of their columns, and their names in messages.

Tables are arrays, lists, frames (pandas, polars, Arrow), or sources that are read from elsewhere.
Their columns become numbers, or codes among their different values.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError
from gaussbayes.base.spelling import meant
from gaussbayes.base.threads import BLOCK_ROWS, even_ranges, for_each, n_threads
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.schema import ORDINARY, STANDARD_MARKS, ColumnMarks, MissingMarks
from gaussbayes.kernels.arrays import Columns

if TYPE_CHECKING:
    import pyarrow as pa

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
"""The types of numbers that are used without conversion."""

AMOUNT_SIGN = re.compile("[$€£¥%,]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = np.timedelta64(1, "D")

_WIDEST_SPAN = 1 << 16
"""Integers in a smaller range are counted in a table; others are sorted."""


def is_paths(X: object) -> bool:
    """Whether this is a path or a list of paths."""
    if isinstance(X, list | tuple):
        return bool(X) and all(isinstance(path, str | PathLike) for path in X)
    return isinstance(X, str | PathLike)


def is_source(X: Any) -> bool:
    """Whether rows are read from elsewhere: not an array, a list of rows or a frame in memory."""
    if isinstance(X, list | tuple | np.ndarray) or is_frame(X):
        return is_paths(X)
    package = type(X).__module__.partition(".")[0]
    if package == "scipy":  # a sparse matrix, for which `as_array` raises an error
        return False
    return package in {"dask", "dask_expr", "pyspark"} or not _is_exported(X)


def _is_exported(values: object) -> bool:
    """Whether this is an array of a library that supports the array protocols."""
    return hasattr(values, "__array__") or hasattr(values, "__dlpack__")


def as_numpy(values: Any, what: str) -> Any:
    """An array of another library, such as PyTorch, as one of NumPy; anything else unchanged.

    Values in the memory of the CPU are not copied.
    """
    if isinstance(values, np.ndarray) or not _is_exported(values) or is_frame(values):
        return values
    try:
        if hasattr(values, "__array__"):
            return np.asarray(values)
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError) as error:
        kind, problem = f"{type(values).__module__}.{type(values).__name__}", str(error).rstrip(".")
        msg = (
            f"{what} ({kind}) cannot be read as a NumPy array: {problem:.200}. Pass a float32 "
            f"array in the memory of the CPU; for PyTorch: {what}.detach().cpu().float().numpy()"
        )
        raise DataError(msg) from None


def is_frame(X: Any) -> bool:
    """Whether `X` is a table with named columns: pandas, polars or Arrow."""
    if isinstance(X, np.ndarray | list | tuple):
        return False
    import narwhals.stable.v2 as nw

    return bool(nw.dependencies.is_into_dataframe(X))


def is_lazy(X: Any) -> bool:
    """Whether `X` is a table whose rows are elsewhere: a lazy frame, a relation of a database."""
    if isinstance(X, np.ndarray | list | tuple):
        return False
    import narwhals.stable.v2 as nw

    return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)


def as_frame(X: Any) -> Any:
    """A frame of any kind as one of narwhals."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(X, eager_only=True)
    except DuplicateError as error:
        msg = f"two columns of X have the same name, set X.columns to different ones: {error}"
        raise DataError(msg) from None


def listed(names: Sequence[Any], most: int = 10) -> str:
    """Some names in a message, shortened when there are many."""
    some = ", ".join(map(repr, names[:most]))
    return some if len(names) <= most else f"{some} and {len(names) - most} more"


def check_distinct(what: str, names: Sequence[Any]) -> None:
    """Raise if a column has the name of another, or one that is not a string."""
    other = next((name for name in names if not isinstance(name, str)), None)
    if other is not None:
        msg = f"columns are found by names that are strings, but one is {other!r}: rename it"
        raise DataError(msg)
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        msg = (
            f"{what} has more than one column called {listed(twice)}: give the columns different "
            "names"
        )
        raise DataError(msg)


def check_present(columns: Sequence[str], wanted: Sequence[str], file: str | None = None) -> None:
    """Raise if a requested column does not exist, and list the existing ones.

    `file` is a further one of several, which must have the columns of those before it.
    """
    known = set(columns)
    missing = [name for name in wanted if name not in known]
    if not missing:
        return
    if file is None:
        each = ", ".join(f"{name!r}{meant(name, columns)}" for name in missing)
        msg = f"there is no column {each}; the columns are {listed(columns)}"
        raise DataError(msg)
    known = set(wanted)
    others = [name for name in columns if name not in known]
    instead = f"; it has {listed(others)} besides" if others else ""
    msg = f"{file} has no column {listed(missing)}, unlike the files before it{instead}"
    raise DataError(msg)


# Arrays.


class StringError(DataError):
    """A string where a number is needed."""


def amount_pattern(decimal: str = ".") -> str:
    """The pattern of an amount: $1,234.50, 12.5 %, or a number with thousands such as 1,234.50."""
    point, separator = (r"\.", ",") if decimal == "." else (",", r"\.")
    number = rf"-?((\d{{1,3}}({separator}\d{{3}})+|\d+)({point}\d+)?|{point}\d+)"
    thousands = rf"-?\d{{1,3}}({separator}\d{{3}})+{point}\d+"
    return rf"^\s*[+-]?([$€£¥]\s?{number}|{number}\s?[$€£¥%]|{thousands})\s*$"


def amount_marks(decimal: str = ".") -> str:
    """The pattern of the characters beside the number of an amount."""
    return rf"[$€£¥%\s{',' if decimal == '.' else '.'}]"


_AMOUNT, _AMOUNT_MARKS = re.compile(amount_pattern()), re.compile(amount_marks())


def is_amount(text: str) -> bool:
    """Whether a string is an amount of money, a percentage, or a number with thousands.

    >>> [is_amount(text) for text in ("$1,234.50", "-12 %", "€5", "1,234.5", "1,234", "$1,23")]
    [True, True, True, True, False, False]
    """
    return AMOUNT_SIGN.search(text) is not None and _AMOUNT.match(text) is not None


def as_array(X: Any) -> NDArray[Any]:
    """A table other than a frame as an array (n, d) of any type; strings are kept."""
    array: NDArray[Any] = X if type(X) is np.ndarray else _from_sequence(X)
    if array.ndim > 2:
        msg = f"Found array with dim {array.ndim} (shape={array.shape}), while dim <= 2 is required"
        raise DataError(msg)
    if array.ndim < 2:
        msg = (
            f"Expected a 2D array (rows, features), got one of shape {array.shape}. Reshape your "
            "data: X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one row"
        )
        raise DataError(msg)
    return array


def as_matrix(
    array: NDArray[Any], names: Sequence[object], missing: MissingMarks = STANDARD_MARKS
) -> RealArray:
    """An array (n, d) as float32 or float64; `names` returns the names of its columns in messages.

    Arrays of these two types are returned unchanged, with any strides, unless some numbers mark
    missing values. float16 becomes float32; integers, booleans, other floats and numbers held as
    objects become float64, missing values NaN. The kernels detect NaN when they read the rows.
    """
    if array.dtype in FLOATS and not missing.may_be_numbers:
        return array
    marks = [missing.of(name if isinstance(name, str) else None) for name in names]
    matrix: RealArray = array
    if array.dtype not in FLOATS and array.dtype.kind in "biuf":
        native = array.dtype.newbyteorder("=")
        if native == np.float16:
            native = np.dtype(np.float32)
        matrix = array.astype(native if native in FLOATS else np.float64)
    elif array.dtype not in FLOATS:
        matrix = np.stack(list(map(column_floats, array.T, names, marks)), axis=1)
    if not missing.may_be_numbers or not matrix.size:
        return matrix
    return np.stack(list(map(without_marks, matrix.T, marks)), axis=1)


def column_floats(
    values: NDArray[Any], name: object, marks: ColumnMarks, *, spelled: bool = False
) -> RealArray:
    """A column (n,) of another type as floats; strings may be numerals if `spelled`."""
    kind = values.dtype.kind
    if kind == "c":
        msg = "Complex data not supported: X holds complex numbers; give two features for each"
        raise DataError(msg)
    if kind == "O" and not {str, bytes, np.str_, np.bytes_} & set(map(type, values)):
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass  # one of them is not a number: find it
    if kind not in "OUST":
        msg = f"column {name!r} of X holds {values.dtype} values; give numbers"
        raise DataError(msg)
    floats = np.empty(values.shape)
    for row, value in enumerate(values):
        floats[row] = _as_float(value, row, f"column {name!r}", marks, spelled=spelled)
    return floats


def check_not_empty(shape: tuple[int, ...]) -> None:
    """Raise for a table without rows or without columns."""
    for axis, things in enumerate(("sample", "feature")):
        if shape[axis] == 0:
            problem = f"0 {things}(s) (shape={shape}) while a minimum of 1 is required"
            msg = f"Found array with {problem}."
            raise DataError(msg)


def _from_sequence(X: Any) -> NDArray[Any]:
    """Convert other containers to an array; strings in it do not change."""
    if hasattr(X, "tocsr") or hasattr(X, "todense"):
        msg = (
            f"Sparse data was passed ({type(X).__name__}), but a Gaussian needs every value: "
            "convert with X.toarray(), or reduce the features first, for example with TruncatedSVD"
        )
        raise DataError(msg)
    if np.ma.is_masked(X):
        data = np.ma.getdata(X)
        if data.dtype.kind in "US":  # NumPy would write 'nan'
            data = data.astype(object)
        return np.where(np.ma.getmaskarray(X), np.nan, data)
    X = as_numpy(X, "X")
    try:
        matrix = np.asarray(X)
        return np.asarray(X, dtype=object) if matrix.dtype.kind in "US" else matrix
    except ValueError:
        lengths = [np.size(row) for row in X]
        row = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
        msg = (
            f"the rows of X differ in length: row 0 has {lengths[0]} values, "
            f"row {row} has {lengths[row]}; each row needs one number for each feature"
        )
        raise DataError(msg) from None


def _as_float(value: object, row: int, column: str, marks: ColumnMarks, *, spelled: bool) -> float:
    if is_missing(value, marks):
        return np.nan
    if isinstance(value, str | bytes):
        with suppress(ValueError):
            if spelled and isinstance(value, str) and is_amount(value):
                value = _AMOUNT_MARKS.sub("", value)
            if spelled:
                return float(value)
        shown = repr(str(value) if isinstance(value, str) else bytes(value))
        msg = (
            f"{column} of X holds a string: {shown:.60} in row {row}; could not convert string "
            "to float. The column must hold numbers: pandas.to_numeric(..., errors='coerce') makes "
            "numbers of strings, and missing values of those that spell none"
        )
        raise StringError(msg)
    if isinstance(value, complex | np.complexfloating):
        msg = f"Complex data not supported: {column} of X holds {value} in row {row}"
        raise DataError(msg)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        # scikit-learn's tools expect a TypeError for what cannot be a number at all.
        msg = f"{column} of X holds {value!r:.60} in row {row}: {error}"
        raise TypeError(msg) from None


def is_missing(value: object, marks: ColumnMarks | None = None) -> bool:
    """Whether a value is missing: None, NaN, pandas' NA and NaT, or one of the marks."""
    if marks is not None and marks.include(value):
        return True
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)  # noqa: PLR0124 (NaN and NaT differ from themselves)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def without_marks(values: NDArray[Any], marks: ColumnMarks) -> NDArray[Any]:
    """Numbers (n,) with NaN in place of marks of missing values."""
    if not marks.numbers:
        return values
    marked = np.isin(values, list(marks.numbers))
    if not marked.any():
        return values
    return np.where(marked, np.nan, values).astype(np.result_type(values.dtype, np.float32))


# Columns of frames.


def frame_numbers(
    frame: Any,
    missing: MissingMarks = STANDARD_MARKS,
    origins: Mapping[str, str] = MappingProxyType({}),
) -> Columns | RealArray:
    """The numbers (n, d) of a frame of narwhals, float32 if all of them are, NaN for missing ones.

    Dates become days since the origin of their column, given by name. Contiguous storage is not
    copied, and neither are Arrow columns without missing values.
    """
    import narwhals.stable.v2 as nw

    types = set(frame.schema.values())
    width = np.dtype(np.float32 if types == {nw.Float32} else np.float64)
    is_arrow = frame.implementation.is_pyarrow()
    plain = types in ({nw.Float32}, {nw.Float64}) and not missing.may_be_numbers
    if plain and not is_arrow:
        matrix: NDArray[Any] = frame.to_native().to_numpy()
        if matrix.dtype == width:
            return matrix
    columns = (
        series_numbers(series, missing.of(series.name), origins.get(series.name))
        for series in frame.iter_columns()
    )
    if is_arrow:
        return Columns(tuple(column.astype(width, copy=False) for column in columns))
    matrix = np.empty(frame.shape, dtype=width, order="F")
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix


def series_numbers(series: Any, marks: ColumnMarks, origin: str | None = None) -> RealArray:
    """The numbers (n,) of a column, a series of narwhals, or the days of its dates from an origin.

    Numbers in a column of dates are already days.
    """
    if origin is not None and not series.dtype.is_numeric():
        return series_days(series, marks) - day_number(origin)
    is_arrow = series.implementation.is_pyarrow()
    values = column_values(series.to_native()) if is_arrow else series.to_numpy()
    if values.dtype.kind not in "biuf":
        values = column_floats(values, series.name, marks, spelled=True)
    return without_marks(values, marks)


def series_days(series: Any, marks: ColumnMarks) -> FloatArray:
    """The days from 1970 to each date of a column (n,), a series of narwhals."""
    import narwhals.stable.v2 as nw

    if isinstance(series.dtype, nw.Datetime) and series.dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if series.dtype == nw.Date or isinstance(series.dtype, nw.Datetime):
        codes, values = np.arange(len(series)), series.to_numpy()
    else:
        codes, values = column_codes(series, repr(series.name))
    days = days_of(codes, values, marks)
    if np.isinf(days).any():
        row = int(np.isinf(days).argmax())
        msg = (
            f"column {series.name!r} of X holds {values[codes[row]]!r:.60} in row {row}, which is "
            "no date such as '2024-01-31'"
        )
        raise DataError(msg)
    return days


def day_number(text: str) -> float:
    """The days from 1970 to a date or a time in ISO 8601; those without zone are UTC.

    Examples
    --------
    >>> day_number("1970-01-03"), day_number("1970-01-01T12:00"), day_number("1970-01-02T01:00+01")
    (2.0, 0.5, 1.0)
    """
    moment = datetime.fromisoformat(text.strip())
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return (moment - _EPOCH).total_seconds() / 86_400.0


def days_of(codes: NDArray[Any], values: NDArray[Any], marks: ColumnMarks = ORDINARY) -> FloatArray:
    """The days from 1970 to each date of a column (n,), NaN for missing dates.

    `codes` (n,) are positions in `values` (m,), −1 for missing values. The values are dates and
    times, also as strings. Other strings become infinite.
    """
    if values.dtype.kind == "M":
        days = (values - np.datetime64(0, "D")) / _DAY
    else:
        each = (_days(value, marks) for value in values.tolist())
        days = np.fromiter(each, np.float64, values.size)
    return np.asarray(np.append(days, np.nan)[codes])


def _days(value: Any, marks: ColumnMarks) -> float:
    if is_missing(value, marks):
        return np.nan
    try:
        return day_number(value if isinstance(value, str) else value.isoformat())
    except (ValueError, AttributeError):
        return np.inf


# Columns as codes among their different values.


def column_codes(column: Any, name: str) -> tuple[NDArray[np.signedinteger[Any]], NDArray[Any]]:
    """The codes of a column of any container, −1 for missing values, and their values."""
    if not isinstance(column, np.ndarray) and hasattr(column, "to_native"):  # of narwhals
        native = column.to_native()
        if column.implementation.is_pandas_like() and hasattr(native, "cat"):
            return native.cat.codes.to_numpy(), native.cat.categories.to_numpy()
        column = native if column.implementation.is_pyarrow() else _series_values(column)
    try:
        return (array_parts if isinstance(column, np.ndarray) else column_parts)(column)
    except TypeError as error:
        msg = f"{name} holds what cannot be a category: {error}"
        raise DataError(msg) from None


def _series_values(series: Any) -> NDArray[Any]:
    """The values (n,) of a series of narwhals, missing ones as None or NaN.

    With missing values, integers are kept as objects: NumPy represents missing values by floats,
    which would round large integers.
    """
    if series.dtype.is_integer() and series.null_count():
        return np.fromiter(series.to_list(), object, len(series))
    values: NDArray[Any] = series.to_numpy()
    return values


def column_values(column: "pa.ChunkedArray") -> NDArray[Any]:
    """The values of a column of numbers or booleans (n,), NaN for null."""
    import pyarrow as pa

    kind = value_type(column.type)
    if kind != column.type or pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(kind).cast(pa.float32() if kind == pa.float16() else pa.float64())
    elif pa.types.is_boolean(kind) and column.null_count:
        column = column.cast(pa.float64())
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks] or [np.empty(0)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def column_parts(column: "pa.ChunkedArray") -> tuple[NDArray[np.signedinteger[Any]], NDArray[Any]]:
    """The codes (n,) of a column, −1 for null and NaN, and their values (m,)."""
    import pyarrow as pa

    if is_string(column.type):
        column = column.dictionary_encode()
    if not is_dictionary(column.type):
        if not column.null_count:
            return array_parts(column_values(column))
        codes = np.full(len(column), -1, np.int32)
        codes[np.asarray(column.is_valid())], values = array_parts(
            column_values(column.drop_null())
        )
        return codes, values
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], column.type)
    indices = whole.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
    coded = indices.to_numpy(zero_copy_only=False).astype(np.intp, copy=False)
    dictionary = whole.dictionary
    if len(dictionary) > len(coded):  # of a long dictionary, only the values that occur
        occurring, coded = np.unique(coded, return_inverse=True)
        n_null = int(occurring.size > 0 and occurring[0] < 0)
        dictionary, coded = dictionary.take(pa.array(occurring[n_null:])), coded - n_null
    if dictionary.null_count or is_string(dictionary.type):
        return coded, np.fromiter(dictionary.to_pylist(), object, len(dictionary))
    return coded, dictionary.to_numpy(zero_copy_only=False)


def array_parts(values: NDArray[Any], n_jobs: int | None = 1) -> tuple[CodeArray, NDArray[Any]]:
    """The codes (n,) of an array among its different values, and these (m,); numbers are sorted.

    NaN among floats has the code −1; a TypeError is raised for objects that cannot be compared.
    """
    kind = values.dtype.kind
    if kind not in "biuf":
        listed = list(values) if kind in "Mm" else values.tolist()  # these would become integers
        code_of = {value: code for code, value in enumerate(dict.fromkeys(listed))}
        codes = np.fromiter(map(code_of.__getitem__, listed), np.int32, len(listed))
        distinct = np.fromiter(code_of, object, len(code_of))
        return codes, distinct if kind == "O" else distinct.astype(values.dtype)
    if kind == "f" and (missing := np.isnan(values)).any():
        codes = np.full(values.shape, -1, np.int32)
        codes[~missing], distinct = array_parts(values[~missing])
        return codes, distinct
    if values.size and (kind != "f" or (np.isfinite(values) & (np.rint(values) == values)).all()):
        lowest, highest = int(values.min()), int(values.max())
        if highest - lowest < _WIDEST_SPAN and lowest >= -(1 << 63) and highest < 1 << 63:
            return _parts_in_span(values, lowest, highest - lowest + 1, n_jobs)
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int32), distinct


def _parts_in_span(
    values: NDArray[Any], lowest: int, span: int, n_jobs: int | None
) -> tuple[CodeArray, NDArray[Any]]:
    """As `array_parts`, for integers in a span that begins with `lowest`."""
    codes, present = np.empty(values.size, np.int32), np.zeros(span, np.bool_)
    encode = kernels.active().encode

    def encode_block(block: slice) -> None:
        # All threads write the same into `present`: true for values that occur.
        encode(values[block].astype(np.int64, copy=False), lowest, codes[block], present)

    blocks = even_ranges(values.size, BLOCK_ROWS)
    for_each(encode_block, blocks, n_threads(n_jobs) if len(blocks) > 1 else 1)
    places = np.flatnonzero(present)
    if places[-1] + 1 > places.size:  # some between them do not occur, and codes are ranks
        kernels.active().renumber(codes, (np.cumsum(present) - 1).astype(np.int32))
    return codes, (places + lowest).astype(values.dtype.newbyteorder("="))


def occurring_values(codes: NDArray[np.signedinteger[Any]], n_values: int) -> NDArray[np.bool_]:
    """Which values occur (m,), by the codes of all rows; negative codes stand for no value."""
    present = codes if codes.min(initial=0) >= 0 else codes[codes >= 0]
    return np.bincount(present, minlength=n_values) > 0


# Samples of rows.


def spread_rows(places: NDArray[np.uint64], halvings: int) -> NDArray[np.intp]:
    """Select about one of 2^m rows, given by their positions in a table.

    They are spread evenly also in tables with a period: multiples of the golden ratio are
    equidistributed modulo 1, also in every k-th row.

    Examples
    --------
    >>> spread_rows(np.arange(20, dtype=np.uint64), 2).tolist()
    [0, 2, 5, 10, 13, 18]
    """
    if halvings == 0:
        return np.arange(places.size)
    keys = places * np.uint64(0x9E3779B97F4A7C15)  # modulo 2^64
    return np.flatnonzero(keys >> np.uint64(64 - halvings) == 0)


def sampled_places(n_rows: int, most: int) -> NDArray[np.intp]:
    """The positions of at most this many of n rows: all, or halved until they are few enough."""
    places = np.arange(n_rows, dtype=np.uint64)
    halvings = 0
    while (some := spread_rows(places, halvings)).size > most:
        halvings += 1
    return some


LOOKED_AT = 20
"""Number of rows examined per sampled row, so that a large file is not read completely."""


def sampled_rows(tables: "Iterable[pa.Table]", most: int) -> tuple["pa.Table", bool]:
    """Sample rows of tables, at least one, and return whether these are all; see `spread_rows`.

    Only the first of many rows are examined.
    """
    import pyarrow as pa

    kept: list[pa.Table] = []
    rows, halvings, n_read = np.empty(0, np.uint64), 0, 0  # positions of the sampled rows
    for table in tables:
        places = np.arange(n_read, n_read + table.num_rows, dtype=np.uint64)
        some = spread_rows(places, halvings)
        kept.append(table if halvings == 0 else table.take(some))
        rows = np.concatenate([rows, places[some]])
        n_read += table.num_rows
        while rows.size > most:
            halvings += 1
            some = spread_rows(rows, halvings)
            kept, rows = [pa.concat_tables(kept).take(some)], rows[some]
        if n_read >= LOOKED_AT * most:
            break
    return pa.concat_tables(kept), halvings == 0


# Types of Arrow.


def _is(kind: Any, *names: str) -> bool:
    """Whether a type of Arrow is one of these."""
    from pyarrow import types

    return any(getattr(types, f"is_{name}")(kind) for name in names)


def is_string(kind: Any) -> bool:
    """Whether this is a type of strings."""
    return _is(kind, "string", "large_string", "string_view")


def is_number(kind: Any) -> bool:
    """Whether values of a type can be numbers: numbers and booleans."""
    return _is(kind, "integer", "floating", "decimal", "boolean")


def is_date(kind: Any) -> bool:
    """Whether values of a type can be dates: dates, timestamps and strings."""
    return _is(value_type(kind), "date", "timestamp", "null") or is_string(value_type(kind))


def is_category(kind: Any) -> bool:
    """Whether values of a type can be categories or classes; without any value there are none."""
    kind = value_type(kind)
    return is_string(kind) or _is(kind, "integer", "floating", "boolean", "null")


def is_dictionary(kind: Any) -> bool:
    """Whether this is a type of categories."""
    return _is(kind, "dictionary")


def value_type(kind: Any) -> Any:
    """The type of the values, where a column may hold them by their codes in a dictionary."""
    return kind.value_type if is_dictionary(kind) else kind
