"""The table that a statement looks probabilities up in: a script that creates and fills it.

One row holds the entries of one stored table at one place. Its name contains a hash of its rows, so
that a statement never reads the table of another model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.export.sql_dialects import Dialect, float_text

ENTRIES_AT_ONCE = 20_000
"""Numbers in one INSERT: half a megabyte of text."""


_STORED = "t"


@dataclass(frozen=True, slots=True)
class Companion:
    """A table beside a statement: its name as the statement writes it, and the script."""

    name: str
    script: str

    @property
    def notice(self) -> str:
        """The text of the table in the statement."""
        return f"Run the companion file (.pairs.sql) once, before this: it creates {self.name}."

    def join(self, stored: str, place: str) -> str:
        """The clause that looks up a position in a stored table; no row without one."""
        number = stored.removeprefix(_STORED)
        return (
            f"LEFT JOIN {self.name} AS {stored}"
            f" ON {stored}.part = {number} AND {stored}.place = {place}"
        )


def stored_name(number: int) -> str:
    """What a statement calls a stored table."""
    return f"{_STORED}{number}"


def entry_names(width: int) -> list[str]:
    """The columns with the entries of a row."""
    return [f"e{number}" for number in range(width)]


def companion_of(
    tables: Sequence[FloatArray], dialect: Dialect, schema: Sequence[str]
) -> Companion:
    """The companion table of some tables (m, width), in the schema of the table of rows."""
    width = max(table.shape[1] for table in tables)
    if width + 2 > dialect.most_columns:
        msg = (
            f"{dialect.name} allows {dialect.most_columns:,} columns in a table, and the table of "
            f"pairs takes {width + 2:,}, two for each class; choose another dialect, or write ONNX"
        )
        raise OptionError(msg)
    lines = list(_lines(tables, width))
    digest = sha256("\n".join(lines).encode()).hexdigest()[:8]
    name = dialect.name_of(*schema, f"pairs_{digest}")
    columns = ["part INTEGER", "place INTEGER"]
    columns += [f"{entry} {dialect.double}" for entry in entry_names(width)]
    columns += ["PRIMARY KEY (part, place)"] * dialect.has_keys
    statements = [f"DROP TABLE IF EXISTS {name}", f"CREATE TABLE {name} ({', '.join(columns)})"]
    at_once = max(1, ENTRIES_AT_ONCE // width)
    for start in range(0, len(lines), at_once):
        values = ",\n".join(lines[start : start + at_once])
        statements.append(f"INSERT INTO {name} VALUES\n{values}")
    return Companion(name, "".join(f"{statement};\n" for statement in statements))


def _lines(tables: Sequence[FloatArray], width: int) -> Iterator[str]:
    """The rows as tuples of constants: the number of a table, a place in it, and its entries."""
    for number, table in enumerate(tables):
        lacking = ", NULL" * (width - table.shape[1])
        for place, entries in enumerate(table.tolist()):
            yield f"({number}, {place}, {', '.join(map(float_text, entries))}{lacking})"
