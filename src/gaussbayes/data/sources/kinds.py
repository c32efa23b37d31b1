"""What the types of Arrow columns are good for: features, labels, text."""

from typing import Any


def is_text(kind: Any) -> bool:
    """Whether this is a type of text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_text(pa.string()), is_text(pa.int64())
    (True, False)
    """
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_number(kind: Any) -> bool:
    """Whether values of an Arrow type can be features: numbers and truth values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_number(pa.int8()), is_number(pa.date32())
    (True, False)
    """
    from pyarrow import types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


def is_label(kind: Any) -> bool:
    """Whether values of an Arrow type can be classes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_label(pa.string()), is_label(pa.date32())
    (True, False)
    """
    from pyarrow import types

    if types.is_dictionary(kind):
        return is_label(kind.value_type)
    return is_text(kind) or (is_number(kind) and not types.is_decimal(kind))


def is_category(kind: Any) -> bool:
    """Whether values of an Arrow type can be categories; a column without any value has none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_category(pa.dictionary(pa.int8(), pa.string())), is_category(pa.date32())
    (True, False)
    """
    from pyarrow import types

    return is_label(kind) or bool(types.is_null(kind))


def is_dictionary(kind: Any) -> bool:
    """Whether this is a type of categories.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_dictionary(pa.dictionary(pa.int8(), pa.string())), is_dictionary(pa.string())
    (True, False)
    """
    from pyarrow import types

    return bool(types.is_dictionary(kind))


def plain(kind: Any) -> Any:
    """The type of the values, where a column may hold them by their numbers in a dictionary.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain(pa.dictionary(pa.int8(), pa.string()))
    DataType(string)
    """
    return kind.value_type if is_dictionary(kind) else kind
