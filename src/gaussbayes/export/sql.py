"""A model as one SELECT: label, posteriors and log evidence of every row of a table.

The formulas of `gaussbayes.export.scalar_scores` become common table expressions, one a stage, so
that what is used several times is calculated once. Names of the table and its columns, labels and
categories are quoted by sqlglot; all names between are our own. Floats are written so that they are
read back to the bit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, TypeAlias

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.spelling import meant
from gaussbayes.export.model_expression import InputColumn, ModelExpression
from gaussbayes.export.scalar import Scalar, column
from gaussbayes.export.scalar_scores import Scores, write_scores

try:
    from sqlglot import expressions as sql
except ModuleNotFoundError as error:
    msg = "SQL is written with sqlglot: pip install 'gaussbayes[sql]'"
    raise ModuleNotFoundError(msg, name="sqlglot") from error

Errors: TypeAlias = Literal["null", "raise"]
"""What becomes of rows without a score: NULL, or an error of the engine."""

Node: TypeAlias = sql.Expression

NO_SCORE = "gaussbayes: a row has no score: a value that cannot be, or missing values in a pattern "
NO_SCORE += "that was not exported"
"""What engines say of such a row, if they are to raise an error."""


def _function(name: str, *arguments: Node) -> Node:
    return sql.Anonymous(this=name, expressions=list(arguments))


def _double(node: Node) -> Node:
    return sql.cast(node, "DOUBLE")


def _text(node: Node) -> Node:
    return sql.cast(node, "TEXT")


def _strings(values: Sequence[str]) -> list[Node]:
    return [sql.Literal.string(each) for each in values]


def _trimmed(node: Node) -> Node:
    return _function("TRIM", _text(node))


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between engines: how their numbers, dates and errors are, and their limits."""

    name: str
    days: Callable[[Node], Node]  # from 1970 to a date or a time
    fail: Callable[[Node, Node], Node]  # an error with a message, given a boolean that is not true
    most_columns: int  # of a subquery
    materialised: bool = False
    """Whether a subquery must be told to be calculated once: else it may be copied into whatever
    uses it, stage by stage."""
    largest: str = "GREATEST"
    nan_equals_nan: bool = True
    typed: bool = True  # whether a column holds values of one type
    cast_floats: bool = False  # whether 1e0 is a decimal number
    wide_integers: bool = True  # whether there are integers beyond 2⁶³

    def number(self, node: Node, feature: InputColumn) -> Node:
        """A column of numbers as floats, NULL where it is missing."""
        number = _double(node)
        if not self.typed:
            # Text is missing if it says so; what else it is has no score.
            kind = _function("TYPEOF", node)
            marks = _trimmed(node.copy()).isin(*_strings(sorted(feature.marks.strings)))
            said = sql.Or(this=sql.Is(this=node.copy(), expression=sql.null()), expression=marks)
            cases = [(kind.isin(*_strings(["integer", "real"])), number), (said, sql.null())]
            number = _case(cases, sql.Literal.number("9e999"))
        elif self.nan_equals_nan:
            number = sql.Nullif(this=number, expression=_double(sql.Literal.string("NaN")))
        else:
            number = _case([(_function("IS_NAN", number), sql.null())], number.copy())
        for mark in sorted(feature.marks.numbers):
            number = sql.Nullif(this=number, expression=self.value(mark))
        return number

    def value(self, constant: Any) -> Node:
        """A constant; floats to the bit."""
        if constant is None:
            return sql.null()
        if isinstance(constant, bool):
            return sql.true() if constant else sql.false()
        self._check(constant)
        if isinstance(constant, str):
            return sql.Literal.string(constant)
        text = repr(abs(constant))
        if isinstance(constant, float) and "e" not in text:
            text += "e0"
        literal: Node = sql.Literal.number(text)
        if str(constant).startswith("-"):
            literal = sql.Neg(this=literal)
        if self.cast_floats and isinstance(constant, float):
            literal = _double(literal)
        return literal

    def _check(self, constant: Any) -> None:
        """Raise for a label or category that cannot be written."""
        expected = None
        if not isinstance(constant, str | int | float):
            expected = "strings, numbers or booleans"
        elif isinstance(constant, str) and "\0" in constant:
            expected = "without null characters"
        elif isinstance(constant, int) and not self.wide_integers and constant >= 2**63:
            expected = f"integers below 2⁶³, as {self.name} has no others"
        if expected is not None:
            msg = (
                f"labels and categories must be {expected} to be written as SQL, got "
                f"{constant!r:.80}: make them strings before fitting, or others"
            )
            raise OptionError(msg)

    def date(self, node: Node, feature: InputColumn) -> Node:
        """A column of dates or times as days since its origin."""
        return sql.Sub(this=self.days(node), expression=self.value(feature.origin))

    def category(self, node: Node, feature: InputColumn) -> Node:
        """A column of categories, as it is."""
        # Comparing an enumeration with a string that is none of its values may be an error.
        return _text(node) if feature.is_text else node


def _timestamp(node: Node) -> Node:
    return sql.cast(node, "TIMESTAMP")


def _per_day(seconds: Node, factor: str = "86400e0") -> Node:
    return sql.Div(this=seconds, expression=sql.Literal.number(factor))


def _message() -> Node:
    return sql.Literal.string(NO_SCORE)


def _with_boolean(condition: Node) -> Node:
    """The message, depending on a row: what is constant may be worked out before there is one."""
    return sql.DPipe(
        this=_message(), expression=sql.Coalesce(this=_text(condition), expressions=_strings([""]))
    )


def _epoch_postgres(node: Node) -> Node:
    return _per_day(_double(sql.Extract(this=sql.Var(this="EPOCH"), expression=_timestamp(node))))


def _epoch_sqlite(node: Node) -> Node:
    # Not as a Julian day, a float that has no room for milliseconds.
    whole, second, fine = (_strftime(mark, node.copy()) for mark in ("%s", "%S", "%f"))
    seconds = sql.Add(this=whole, expression=sql.Paren(this=sql.Sub(this=fine, expression=second)))
    return _per_day(sql.Paren(this=seconds))


def _strftime(mark: str, node: Node) -> Node:
    return _double(_function("STRFTIME", sql.Literal.string(mark), node))


def _epoch_spark(node: Node) -> Node:
    start = sql.cast(sql.Literal.string("1970-01-01"), "TIMESTAMP_NTZ")
    moment = sql.cast(node, "TIMESTAMP_NTZ")
    elapsed = _function("TIMESTAMPDIFF", sql.Var(this="MICROSECOND"), start, moment)
    return _per_day(_double(elapsed), "86400e6")


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "duckdb",
            days=lambda node: _per_day(_function("EPOCH", _timestamp(node))),
            fail=lambda text, _: _function("ERROR", text),
            most_columns=100_000,
        ),
        Dialect(
            "postgres",
            days=_epoch_postgres,
            fail=lambda _, condition: sql.cast(_with_boolean(condition), "BOOLEAN"),
            most_columns=1600,
            materialised=True,
            cast_floats=True,
        ),
        Dialect(
            "sqlite",
            days=_epoch_sqlite,
            fail=lambda _, condition: _function(
                "JSON_EXTRACT", sql.Literal.string("{}"), _with_boolean(condition)
            ),
            most_columns=2000,
            materialised=True,
            largest="MAX",
            typed=False,
            wide_integers=False,
        ),
        Dialect(
            "spark",
            days=_epoch_spark,
            fail=lambda text, _: _function("RAISE_ERROR", text),
            most_columns=100_000,
        ),
        Dialect(
            "bigquery",
            days=lambda node: _per_day(
                _double(_function("UNIX_MICROS", sql.cast(node, "TIMESTAMPTZ"))), "86400e6"
            ),
            fail=lambda text, _: _function("ERROR", text),
            most_columns=10_000,
            nan_equals_nan=False,
            wide_integers=False,
        ),
    )
}
"""The engines that statements are written for."""


def find_dialect(name: object) -> Dialect:
    """The dialect of this name."""
    if not isinstance(name, str) or name not in DIALECTS:
        close = meant(name, list(DIALECTS)) if isinstance(name, str) else ""
        msg = f"dialect must be one of {', '.join(map(repr, DIALECTS))}, got {name!r}{close}"
        raise OptionError(msg)
    return DIALECTS[name]


def select_scores(
    model: ModelExpression,
    table: str | Sequence[str],
    dialect: str = "duckdb",
    *,
    keep: Sequence[str] = (),
    errors: Errors = "null",
    patterns: str = "seen",
) -> str:
    """One SELECT with the columns `keep` of a table, then label, posteriors and log evidence.

    For the arguments see `gaussbayes.Model.to_sql`.
    """
    rules = find_dialect(dialect)
    for name, given, possible in (
        ("errors", errors, ("null", "raise")),
        ("patterns", patterns, ("seen", "all")),
    ):
        if given not in possible:
            msg = f"{name} must be one of {', '.join(map(repr, possible))}, got {given!r}"
            raise OptionError(msg)
    place = _table_names(table)
    scores = write_scores(model, patterns)
    statement = Statement(rules, scores, model.inputs, quoted_table(*place))
    return statement.with_scores(list(scores.outputs), keep, fails=errors == "raise")


def _table_names(table: str | Sequence[str]) -> list[str]:
    parts = table.split(".") if isinstance(table, str) else list(table)
    if not 1 <= len(parts) <= 3 or not all(parts):
        msg = (
            "table must be a name such as 'rows' or 'schema.rows', or a tuple of at most three "
            f"names, which may hold dots, got {table!r}"
        )
        raise OptionError(msg)
    return parts


def _quoted(name: str) -> Node:
    if "\0" in name:
        msg = f"a name in SQL must be without null characters, got {name!r:.60}"
        raise DataError(msg)
    return sql.to_identifier(name, quoted=True)


def quoted_table(*place: str) -> Node:
    """A table by its names: catalogue, schema and its own, or the last of these."""
    names = zip(("this", "db", "catalog"), map(_quoted, reversed(place)), strict=False)
    return sql.Table(**dict(names))


_SOUND = "sound"  # whether a row has scores, if it is an error that it has none


@dataclass(frozen=True, slots=True)
class Statement:
    """The formulas of a model in one dialect, about the rows of a table."""

    rules: Dialect
    scores: Scores
    inputs: Sequence[InputColumn]
    source: Node  # the table

    def with_scores(
        self, wanted: Sequence[str], keep: Sequence[str] = (), *, fails: bool = False
    ) -> str:
        """One SELECT of columns to be kept, and of outputs; a row without scores has NULL."""
        names = [keep] if isinstance(keep, str) else list(keep)
        taken = [name for name in names if name.lower() in map(str.lower, wanted)]
        if taken or len({name.lower() for name in names}) < len(names):
            what = f"{taken[0]!r} is what a result is called" if taken else "a column comes twice"
            msg = f"keep must be different columns, none of which is a result, got {names}: {what}"
            raise DataError(msg)
        is_valid = self.scores.is_valid
        condition = column(_SOUND) if fails else is_valid
        results = self.scores.results(wanted, condition)
        return self.text(results, dict(enumerate(names)), is_valid if fails else None)

    def text(
        self, results: Mapping[str, Scalar], keep: Mapping[int, str], checked: Scalar | None = None
    ) -> str:
        """One SELECT of columns to be kept and of formulas; an error where a condition is false."""
        stages, writer = self.scores.program.stages[1:], _Writer(self.rules)
        kept = {f"k{number}": name for number, name in keep.items()}
        # From the end: which columns are still needed after each stage.
        needed = set(kept) if checked is None else set(kept) | checked.columns
        for result in results.values():
            needed |= result.columns
        after = []
        for stage in reversed(stages):
            after.append(needed)
            made = {name: formula for name, formula in stage.items() if name in needed}
            needed = needed - set(made)
            for formula in made.values():
                needed = needed | formula.columns
        first = {
            name: getattr(self.rules, each.kind)(_column(each.name), each)
            for name, each in zip(self.scores.inputs, self.inputs, strict=True)
            if name in needed
        }
        selections = [first | {name: _column(kept[name]) for name in kept}]
        for stage, names in zip(stages, reversed(after), strict=True):
            carried = {name: sql.column(name) for name in selections[-1] if name in names}
            nodes = {name: writer.node(each) for name, each in stage.items() if name in names}
            if nodes:
                selections.append(carried | nodes)
        if checked is not None:
            failure = self.rules.fail(_message(), writer.node(checked))
            sound = _case([(writer.node(checked), sql.true())], failure)
            carried = {name: sql.column(name) for name in selections[-1]}
            selections.append(carried | {_SOUND: sound})
        last: dict[str, Node] = {kept[name]: sql.column(name) for name in kept}
        last |= {name: writer.node(each) for name, each in results.items()}
        return self._joined(selections, last)

    def _joined(self, selections: Sequence[Mapping[str, Node]], last: Mapping[str, Node]) -> str:
        widest = max(len(last), *map(len, selections))
        if widest > self.rules.most_columns:
            msg = (
                f"{self.rules.name} allows {self.rules.most_columns:,} columns in a subquery, and "
                f"this model takes {widest:,}: export one of fewer features (marginal) or, of "
                "models that are averaged, a single one; or choose another dialect"
            )
            raise OptionError(msg)
        prefix = "stage"
        while self.source.name.lower().startswith(prefix):
            prefix += "_"
        hint = "MATERIALIZED " if self.rules.materialised else ""
        written, place = [], self.source
        for number, selection in enumerate(selections):
            columns = [_named(node, name) for name, node in selection.items()]
            body = sql.select(*columns, copy=False).from_(place).sql(dialect=self.rules.name)
            written.append(f"{prefix}{number} AS {hint}(\n  {body}\n)")
            place = sql.to_table(f"{prefix}{number}")
        columns = [sql.Alias(this=node, alias=_quoted(name)) for name, node in last.items()]
        body = sql.select(*columns, copy=False).from_(place).sql(dialect=self.rules.name)
        return f"WITH {', '.join(written)}\n{body}\n"


def _named(node: Node, name: str) -> Node:
    plain = isinstance(node, sql.Column) and node.name == name
    return node if plain else sql.Alias(this=node, alias=sql.to_identifier(name))


def _column(name: str) -> Node:
    return sql.Column(this=_quoted(name))


def _case(pairs: Sequence[tuple[Node, Node]], otherwise: Node | None = None) -> Node:
    """``CASE WHEN … THEN … ELSE … END``; without the last it is NULL."""
    cases = [sql.If(this=condition, true=result) for condition, result in pairs]
    return sql.Case(ifs=cases, default=otherwise)


_BINARY: dict[str, Any] = {
    "minus": sql.Sub,
    "over": sql.Div,
    "less": sql.LT,
    "at_most": sql.LTE,
    "equal": sql.EQ,
}
_CHAINED: dict[str, Any] = {"sum": sql.Add, "product": sql.Mul, "both": sql.And, "either": sql.Or}
_CALLED = {"ln": "LN", "exp": "EXP", "abs": "ABS", "floor": "FLOOR", "first_known": "COALESCE"}
_PLAIN = (sql.Column, sql.Literal, sql.Func, sql.Cast, sql.Case, sql.Neg, sql.Null, sql.Boolean)


def _wrapped(node: Node) -> Node:
    return node if isinstance(node, _PLAIN) else sql.Paren(this=node)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Formulas as expressions of sqlglot: a method for each operation that is no common one."""

    rules: Dialect

    def node(self, formula: Scalar) -> Node:
        """A formula as an expression."""
        operation, arguments = formula.operation, formula.arguments
        if operation in _BINARY:
            first, second = (_wrapped(self.node(each)) for each in arguments)
            result: Node = _BINARY[operation](this=first, expression=second)
        elif operation in _CHAINED:
            kind, nodes = _CHAINED[operation], map(self.node, arguments)
            inside = sql.Mul if operation == "sum" else ()
            parts = (each if isinstance(each, inside) else _wrapped(each) for each in nodes)
            result = reduce(lambda a, b: kind(this=a, expression=b), parts)
        elif operation in _CALLED:
            result = _function(_CALLED[operation], *map(self.node, arguments))
        else:
            result = getattr(self, f"_{operation}")(*arguments)
        return result

    def _column(self, name: str) -> Node:
        return sql.column(name)

    def _value(self, constant: Any) -> Node:
        return self.rules.value(constant)

    def _largest(self, *terms: Scalar) -> Node:
        return _function(self.rules.largest, *map(self.node, terms))

    def _not(self, condition: Scalar) -> Node:
        return sql.Not(this=_wrapped(self.node(condition)))

    def _is_missing(self, x: Scalar) -> Node:
        return sql.Is(this=_wrapped(self.node(x)), expression=sql.null())

    def _among(self, x: Scalar, values: Sequence[Any]) -> Node:
        searched = self.node(x)
        if isinstance(values[0], str):
            searched = _trimmed(searched)
        return searched.isin(*map(self.rules.value, values))

    def _choose(self, *arguments: Scalar) -> Node:
        *flat, otherwise = map(self.node, arguments)
        return _case(list(zip(flat[::2], flat[1::2], strict=True)), otherwise)
