"""Whether columns can be what they are chosen for, by their types."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gaussbayes.base.errors import DataError
from gaussbayes.data.sources import choice
from gaussbayes.data.sources.kinds import is_category, is_label, is_number

if TYPE_CHECKING:
    import pyarrow as pa

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")


def refuse_not_numbers(
    schema: "pa.Schema", names: Sequence[str], examples: Sequence[tuple[str, str]], file: str
) -> None:
    """Raise for features or weights that are not numbers, and show what they are.

    Parameters
    ----------
    names : the columns that must hold numbers
    examples : values of columns of text
    """
    wrong = [name for name in names if not is_number(schema.field(name).type)]
    if not wrong:
        return
    values = dict(examples)
    first = values.get(wrong[0], "")
    if _DECIMAL_COMMA.fullmatch(first):
        msg = f"{file}: column {wrong[0]!r} holds {first!r}: write decimals with a point (1.5)"
        raise DataError(msg)
    kinds = [
        f"{schema.field(name).type}, for example {values[name]!r}"
        if name in values
        else schema.field(name).type
        for name in wrong
    ]
    choice.refuse_not_numbers(list(zip(wrong, kinds, strict=True)), file)


def refuse_not_labels(schema: "pa.Schema", target: str, file: str) -> None:
    """Raise for a target that cannot be classes."""
    kind = schema.field(target).type
    if not is_label(kind):
        msg = (
            f"{file}: the target {target!r} holds {kind} values, but classes are text, whole "
            "numbers or truth values: is it the right column?"
        )
        raise DataError(msg)


def refuse_not_categories(schema: "pa.Schema", names: Sequence[str], file: str) -> None:
    """Raise for features that cannot be categories."""
    for name in names:
        kind = schema.field(name).type
        if not is_category(kind):
            msg = (
                f"{file}: column {name!r} holds {kind} values, but categories are text, whole "
                "numbers or truth values: cast it, or leave it out"
            )
            raise DataError(msg)
