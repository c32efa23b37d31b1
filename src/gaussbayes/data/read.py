"""`read`: a source of rows with its options, as one value that estimators accept as X."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.notices import Notice
from gaussbayes.base.option import Option, check_values
from gaussbayes.base.types import BadRowHandling, FormatName
from gaussbayes.data.columns import Columns, Request
from gaussbayes.data.schema import STANDARD_MARKS, ColumnTable, MissingMarks
from gaussbayes.data.tables import check_present, is_frame, is_lazy, is_paths, listed

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.files import SourceFile
    from gaussbayes.data.sources import OpenSource

SourceLike: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]] | object
"""One or several paths, a folder, a pattern, ``"-"``; a lazy frame, a relation, a Dask or Spark
frame."""

READ_OPTIONS: tuple[Option, ...] = (
    Option("header", True, "The first line of text files names the columns.", (True, False)),
    Option(
        "encoding",
        None,
        "Encoding of text files; the default is UTF-8, otherwise cp1252.",
        (None,),
        types=(str,),
        form="the name of an encoding",
        metavar="NAME",
    ),
    Option(
        "format",
        None,
        "Format of the files; the default follows from their names or first bytes.",
        (None, *get_args(FormatName)),
    ),
    Option(
        "bad_rows",
        "error",
        "Stop at a row that cannot be read, or skip and count it.",
        get_args(BadRowHandling),
    ),
    Option(
        "client",
        None,
        "Dask client or Spark session whose workers read the files.",
        types=(object,),
        form="a Dask client, a Spark session or None",
    ),
)
"""The arguments of `read`."""


@dataclass(frozen=True, eq=False)
class Source:
    """A source of rows that need not fit into memory, with its options; made by `read`.

    `fit`, `predict` and all other methods accept it as rows.
    """

    source: SourceLike  #: paths, or another container of rows
    header: bool = True  #: whether the first line of a file names the columns
    encoding: str | None = None  #: of text files; None detects it
    format: str | None = None  #: of files; None detects it by their names
    bad_rows: BadRowHandling = "error"  #: treatment of rows that cannot be read
    client: object = None  #: the Dask client or Spark session that reads the rows
    column_names: tuple[str, ...] | None = None  #: of files without a header

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all columns; only the start of the first file is read."""
        return tuple(self.opened().inferred.schema.names)

    def named(self, names: Sequence[str]) -> Source:
        """Return the same files without a header, with these column names."""
        source = replace(self, column_names=tuple(names))
        if "files" in self.__dict__:  # a pipe is copied once
            source.__dict__["files"] = self.files
        return source

    @property
    def is_files(self) -> bool:
        """Whether the rows are in files; otherwise a frame or a relation holds them."""
        return is_paths(self.source)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about the files: their encoding, renamed columns."""
        return self.opened().notices

    def columns(self, target: str | None = None, columns: Columns | None = None) -> ColumnTable:
        """Return the kind that `fit` would give each column, without fitting.

        Parameters
        ----------
        target : str or None
            The column that holds the labels.
        columns : Columns or None
            As in the estimators.

        Returns
        -------
        ColumnTable
            Name, kind and reason of each column; it prints as a table.

        Examples
        --------
        >>> from importlib.resources import files
        >>> iris = read(files("gaussbayes.datasets").joinpath("iris.csv"))
        >>> iris.columns("species").sentence
        'used 4 columns: 4 numbers'
        """
        from gaussbayes.data.sources import open_rows

        columns = columns or Columns()
        columns.check()
        roles = open_rows(self, Request(columns, target)).reader.schema.roles
        assert roles is not None
        return roles

    def batches(self, columns: ColumnTable | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order, in blocks, as Arrow tables with all columns.

        Parameters
        ----------
        columns : ColumnTable or None
            `columns_` of a fitted model: its features are read with their kinds in the model,
            independently of the values in this source.

        Yields
        ------
        pyarrow.Table
        """
        yield from self.tables(columns)

    def table(self, columns: ColumnTable | None = None) -> pa.Table:
        """Read all rows into one Arrow table.

        Parameters
        ----------
        columns : ColumnTable or None
            As in `batches`.

        Returns
        -------
        pyarrow.Table

        Examples
        --------
        >>> from importlib.resources import files
        >>> read(files("gaussbayes.datasets").joinpath("iris.csv")).table().num_rows
        150
        """
        import pyarrow as pa

        tables = list(self.batches(columns))
        return pa.concat_tables(tables) if tables else self.opened().inferred.schema.empty_table()

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """The files; a pipe is copied to disk once."""
        from gaussbayes.data.files import files_of, kept

        on_cluster = self.client is not None
        return tuple(kept(x, on_cluster=on_cluster) for x in files_of(self.source, self.format))

    def opened(self, missing: MissingMarks = STANDARD_MARKS) -> OpenSource:
        """The rows, after an inspection of the first ones."""
        packages = {type(x).__module__.partition(".")[0] for x in (self.source, self.client)}
        opened: Any = self.source
        if self.is_files:
            from gaussbayes.data.files import OpenFiles

            how: dict[str, Any] = {"header": self.header, "encoding": self.encoding}
            how |= {"names": self.column_names}
            opened = OpenFiles([replace(file, **how) for file in self.files], missing)
        if self.client is not None or packages & {"dask", "dask_expr", "pyspark"}:
            cluster = _cluster_module("pyspark" if "pyspark" in packages else "dask")
            if self.is_files:
                opened.cluster = cluster.cluster_of(self.client)
            else:
                opened = cluster.frame_of(opened, self.client)
        elif not self.is_files:
            from gaussbayes.data.engines import EngineTable

            opened = EngineTable(opened)
        opened.handling = self.bad_rows
        return opened  # type: ignore[no-any-return]

    def tables(
        self, columns: ColumnTable | None, used: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """As `batches`, for the `used` columns only."""
        missing = STANDARD_MARKS if columns is None else columns.missing
        yield from self.opened(missing).tables(columns, used)

    def __str__(self) -> str:
        if not self.is_files:
            return f"the {type(self.source).__name__}"
        return self.files[0].shown if len(self.files) == 1 else f"{len(self.files)} files"

    def __repr__(self) -> str:
        given = ((option, getattr(self, option.name)) for option in READ_OPTIONS)
        changed = [f"{option.name}={x!r}" for option, x in given if x != option.default]
        return f"read({', '.join([f'{self.source!r:.200}', *changed])})"


def _cluster_module(package: str) -> Any:
    """The module that reads on clusters of a package, which must be installed."""
    extra = "spark" if package == "pyspark" else "dask"
    try:
        import_module(package)
    except ImportError:
        msg = f"a {extra.title()} cluster needs {package}: pip install 'gaussbayes[{extra}]'"
        raise ImportError(msg) from None
    return import_module(f"gaussbayes.data.{extra}")


def read(
    source: SourceLike,
    *,
    header: bool = True,
    encoding: str | None = None,
    format: str | None = None,  # noqa: A002
    bad_rows: BadRowHandling = "error",
    client: object = None,
) -> Source:
    """Describe a source of rows that need not fit into memory.

    Nothing is read yet. Every method takes the result as X: ``fit(read("rows.csv"), "label")``. A
    path alone means ``read(path)``.

    Parameters
    ----------
    source : path, list of paths, folder, pattern or ``"-"``; or a lazy frame, relation or Dask or
        Spark frame. Files are CSV, TSV, JSON lines, Parquet or Arrow, also compressed (gzip,
        zstd, bzip2). Standard input and pipes are copied to a temporary file first.
    header : bool
        Whether the first line of text files names the columns; otherwise they are named by
        ``Columns(names=…)``, or x1, x2, ….
    encoding : str or None
        Encoding of text files. None is UTF-8 and, for text that is not, cp1252 with a notice.
    format : "csv", "tsv", "jsonl", "parquet", "arrow" or None
        None follows the names of the files, or their first bytes.
    bad_rows : "error" or "skip"
        Whether a row that cannot be read raises an error, or is skipped and counted in `notices_`.
    client : Dask client, Spark session or None
        Cluster whose workers read the files.

    Returns
    -------
    Source

    Examples
    --------
    >>> from importlib.resources import files
    >>> from gaussbayes import GaussianClassifier
    >>> iris = read(files("gaussbayes.datasets").joinpath("iris.csv"), bad_rows="skip")
    >>> iris.names[-1]
    'species'
    """
    values = {"header": header, "encoding": encoding, "format": format, "bad_rows": bad_rows}
    check_values(READ_OPTIONS, values)
    if isinstance(encoding, str):
        try:
            "".encode(encoding)
        except LookupError:
            msg = f"encoding must be the name of an encoding such as 'cp1252', got {encoding!r}"
            raise OptionError(msg) from None
    if not is_paths(source) and (is_frame(source) or not is_lazy(source)):
        msg = (
            "source must be paths, a lazy frame, a relation, or a Dask or Spark frame, got "
            f"{type(source).__name__}; give rows in memory as they are"
        )
        raise OptionError(msg)
    return Source(source, header, encoding, format, bad_rows, client)


def as_source(X: object, columns: Columns | None = None) -> Source:
    """A source unchanged, or `read` with its defaults; given names replace those of its columns."""
    source = X if isinstance(X, Source) else read(X)
    names = None if columns is None else columns.names
    return source if names is None else source.named(names)


def table_of(
    X: object, columns: ColumnTable | None, target: object = None, request: Columns | None = None
) -> pa.Table:
    """The rows of any source as one Arrow table, typed as a model needs them.

    Parameters
    ----------
    X : a source, or what `read` takes
    columns : kinds of the columns in a fitted model; None takes those that `fit` would find
    target : the column of the labels, if it is named
    request : the estimator's request about the columns
    """
    source = as_source(X, request)
    if columns is None:
        columns = source.columns(target if isinstance(target, str) else None, request)
    return source.table(columns)


def batches_of(
    X: object, columns: ColumnTable, request: Columns | None = None
) -> Iterator[pa.Table]:
    """The rows of any source as Arrow tables, typed as a fitted model needs them.

    Parameters
    ----------
    X : a source, or what `read` takes
    columns : kinds of the columns in the model; only features are read
    request : the estimator's request about the columns
    """
    source = as_source(X, request)
    used = [column.name for column in columns.used]
    check_present(source.names, used)
    unknown = [x for x in source.names if x not in columns.names and x != columns.target]
    if unknown:
        msg = f"the model has no column {listed(unknown)}: omit them, or fit with them"
        raise DataError(msg)
    yield from source.tables(columns, used)
