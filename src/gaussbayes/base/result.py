"""Results: frozen records that print as tables, show as HTML and convert to JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isfinite

import numpy as np

from gaussbayes.base.text_tables import Block, html_blocks, wrapped


class Result:
    """A result that ``print`` and notebooks show as sentences and tables."""

    __slots__ = ()

    @abstractmethod
    def tables(self) -> Sequence[Block]:
        """Return the sentences and tables to show, in this order."""

    def to_dict(self) -> dict[str, object]:
        """Return the fields as values that JSON can hold; NaN and infinities become None."""
        return _fields(self)

    def __str__(self) -> str:
        blocks = self.tables()
        texts = (wrapped(block) if isinstance(block, str) else str(block) for block in blocks)
        return "\n\n".join(texts)

    def _repr_html_(self) -> str:
        return html_blocks(self.tables())


def plain(value: object) -> object:
    """Convert a value to one that JSON can hold.

    Arrays become lists, records become dictionaries; NaN and infinities become None. Other objects,
    such as dates, become their text.

    >>> plain({"error": np.float32(0.5), "rows": np.array([1.0, np.nan])})
    {'error': 0.5, 'rows': [1.0, None]}
    """
    if isinstance(value, np.ndarray):
        value = (value.astype(str) if value.dtype.kind == "M" else value).tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Result):
        return value.to_dict()
    return _fields(value) if is_dataclass(value) else str(value)


def _fields(record: object) -> dict[str, object]:
    if not is_dataclass(record):
        msg = f"{type(record).__name__} must be a dataclass or define to_dict"
        raise TypeError(msg)
    return {field.name: plain(getattr(record, field.name)) for field in fields(record)}
