"""Files of rows as verbs read them: opened, columns matched by name, bad rows told of."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.base.errors import DataError, GaussBayesError, SchemaError

if TYPE_CHECKING:
    from gaussbayes.data.sources import BadRows


def opened(data: Sequence[str], file_format: str | None = None, bad_rows: Any = "error") -> Any:
    """The source that the arguments of a verb name: files, folders, patterns, ``-``."""
    from gaussbayes.data.sources.opening import open_source

    given = data[0] if len(data) == 1 else list(data)
    return open_source(given, format=file_format, bad_rows=bad_rows)


def where(source: Any) -> str:
    """What a message calls the source.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> where(SimpleNamespace(files=("a.csv", "b.csv", "c.csv")))
    'a.csv and 2 more'
    """
    first, *others = source.files
    name = "standard input" if first == "-" else first
    return f"{name} and {len(others)} more" if others else str(name)


def require(source: Any, wanted: Sequence[str], what: str) -> None:
    """Raise unless every wanted column is there; the message lists those that are not.

    Parameters
    ----------
    wanted : names of columns
    what : what they are, for the message
    """
    from gaussbayes.base.spelling import closest
    from gaussbayes.data.sources.matching import listed

    there = list(source.schema.names)
    missing = [name for name in wanted if name not in there]
    if not missing:
        return
    others = [name for name in there if name not in wanted]
    told = []
    for name in missing[:_MOST]:
        close = closest(name, others)
        told.append(f"{name!r} (is it {close!r}?)" if close else repr(name))
    more = f" and {len(missing) - _MOST} more" if len(missing) > _MOST else ""
    some = "other " if len(others) < len(there) else ""
    rest = f"its {some}columns are {listed(others)}" if others else "it has no other columns"
    count = f"{len(missing)} of " if len(wanted) > 1 else ""
    msg = f"{where(source)} lacks {count}{what}: {', '.join(told)}{more}; {rest}"
    if any(_is_number(name) for name in there):
        msg += ". Does its first line name the columns?"
    raise SchemaError(msg)


def target_for(source: Any, target: str | None) -> str:
    """The column of the classes; without one, those to choose from are named."""
    if target is None:
        from gaussbayes.data.sources.matching import listed

        columns = listed(list(source.schema.names))
        msg = f"which column of {where(source)} holds the classes? Give -y with one of: {columns}"
        raise click.UsageError(msg)
    require(source, [target], "the target")
    return target


def schema_of(
    source: Any,
    columns: Sequence[str],
    numbers: Sequence[str] = (),
    as_held: Sequence[str] = (),
    categorical: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> Any:
    """The Arrow schema of these columns as `blocks` reads them.

    Refused if `numbers` are none, or what is `categorical` cannot be.
    """
    from gaussbayes.data.sources.kinds import is_number
    from gaussbayes.data.sources.opening import make_request
    from gaussbayes.data.sources.roles import refuse_not_categories

    request = make_request(
        source.held, columns, numbers, source.handling, as_held, categorical, texts
    )
    schema = request.schema
    refuse_not_categories(schema, categorical, where(source))
    wrong = [name for name in numbers if not is_number(schema.field(name).type)]
    if wrong:
        held = ", ".join(f"{name!r} ({schema.field(name).type})" for name in wrong[:_MOST])
        msg = (
            f"{where(source)}: the model's features are numbers, but these columns are not: {held}"
        )
        raise DataError(msg)
    return schema


def blocks(
    source: Any,
    what: str,
    columns: Sequence[str],
    numbers: Sequence[str] = (),
    present: Sequence[str] = (),
    as_held: Sequence[str] = (),
    categorical: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> Iterator[Any]:
    """The rows block by block, with a progress bar where somebody is watching.

    Parameters
    ----------
    what : what is being done with them, for the bar
    columns : which to read
    numbers : those that hold numbers, none of them infinite
    present : those in which every value must be there
    as_held : those whose whole numbers stay whole, though they are among `numbers`
    categorical : those that hold categories
    texts : those that are read as text, whatever their values look like
    """
    from gaussbayes.base.progress import count_rows

    every = source.blocks(
        columns,
        numbers=numbers,
        present=present,
        as_held=as_held,
        categorical=categorical,
        texts=texts,
    )
    total = source.n_rows
    yield from count_rows(every, what, total, lambda block: block.table.num_rows, source.share_read)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Let errors begin with what they are about, as only the command line can call it.

    Examples
    --------
    >>> with naming("new.csv does not fit iris.json"):
    ...     raise DataError("it has no rows")
    Traceback (most recent call last):
    gaussbayes.base.errors.DataError: new.csv does not fit iris.json: it has no rows
    """
    try:
        yield
    except GaussBayesError as error:
        msg = f"{what}: {error}"
        raise type(error)(msg) from None


def in_block(block: Any) -> AbstractContextManager[None]:
    """Let errors about some rows say which file and rows they come from."""
    last = block.first_row + block.table.num_rows - 1
    return naming(f"{block.file}, rows {block.first_row} … {last}")


def tell(text: str) -> None:
    """Say something on standard error, where it does not mix with data."""
    click.echo(text, err=True)


@contextmanager
def telling_warnings() -> Iterator[None]:
    """Say what the library warns of as the command says things: without lines of its code."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", UserWarning)
        yield
    for one in seen:
        tell(f"warning: {one.message}")


def tell_bad_rows(bad: "BadRows") -> None:
    """Say how many rows were left out, and name the first of them."""
    if bad.count == 0:
        return
    from gaussbayes.data.sources.bad_rows import described

    rows = "1 row was" if bad.count == 1 else f"{bad.count} rows were"
    tell(f"{rows} left out:")
    for one in bad.first:
        tell(f"  {described(one)}")
    if bad.count > len(bad.first):
        tell(f"  and {bad.count - len(bad.first)} more")


def bad_rows_record(bad: "BadRows") -> dict[str, Any]:
    """The same as plain values."""
    first = [
        {
            "file": one.file,
            "row": one.row,
            "column": one.column,
            "value": one.value,
            "problem": one.problem,
        }
        for one in bad.first
    ]
    return {"count": bad.count, "first": first}


def counted(number: float, thing: str, plural: str | None = None) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(1234567, "row")
    ('1 class', '1,234,567 rows')
    """
    return f"{number:,} {thing if number == 1 else plural or thing + 's'}"


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


_MOST = 10
"""Missing columns that are named."""
