"""One class a format: how to look into a file, and how to read it piece by piece.

How a file is cut into pieces depends on the file alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from gaussbayes.base.errors import DataError
from gaussbayes.data.roles import (
    ColumnSelection,
    InferredTypes,
    Piece,
    check_distinct,
    check_same_columns,
)
from gaussbayes.data.source_files import SourceFile


class FileReader(ABC):
    """A file whose format is known, to look into and to read.

    What comes through a pipe can be read once: what was read of it to look is kept for the reading.
    """

    is_text = False
    bytes_read = 0
    """Of text, as it is on the disk."""
    most_columns: int | None = None

    def __init__(self, file: SourceFile) -> None:
        self.file = file

    def check_names(self, names: Sequence[str]) -> None:
        """Raise if there are too many columns, or some of the same name, before more is read."""
        if self.most_columns is not None and len(names) > self.most_columns:
            msg = (
                f"{self.file.shown} has {len(names):,} columns, and {self.most_columns:,} are the "
                "most: leave out those that do not matter"
            )
            raise DataError(msg)
        check_distinct(self.file.shown, names)

    def check_columns(self, names: Sequence[str], selection: ColumnSelection) -> None:
        """Raise if the file lacks columns that are to be read."""
        check_same_columns(self.file.shown, names, selection.columns)

    @abstractmethod
    def look(self) -> tuple[InferredTypes, bool]:
        """The columns and types by the first block, and whether there are rows in it."""

    @abstractmethod
    def pieces(
        self, selection: ColumnSelection, at_once: int = 1, first: int = 0
    ) -> Iterator[Piece]:
        """Its pieces in order; making one reads text, and calling it parses what was read.

        Parameters
        ----------
        at_once : how many pieces are called side by side; a single one may use all cores
        first : the number of the piece to begin with, where `piece_count` is known
        """

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, if the file says so itself."""
        return None

    def has_few_pieces(self, enough: int) -> bool:
        """Whether there are fewer pieces than enough, if that is known beforehand."""
        return False

    def piece_count(self, selection: ColumnSelection) -> int | None:
        """How many pieces there are, if that can be told without reading the rows."""
        return None

    def rows_before(self, selection: ColumnSelection, first: int) -> int:
        """How many rows are in the pieces before number `first`, where `piece_count` is known."""
        raise NotImplementedError
