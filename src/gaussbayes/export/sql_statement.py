"""A model as one SELECT: label, posteriors and log evidence of every row of a table.

Formulas become common table expressions, one per stage, so that repeated terms are computed once.
Their arithmetic is the same in all dialects, with generated names. Tables of pairs of levels are
too large for a statement, which joins a companion table instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.types import FloatArray
from gaussbayes.export import model_formulas as formulas
from gaussbayes.export.ops import InputColumn, Operand, Ops, Value
from gaussbayes.export.sql_companion import Companion, companion_of, entry_names, stored_name
from gaussbayes.export.sql_dialects import Dialect, find_dialect
from gaussbayes.families.expression import QuadraticForm
from gaussbayes.model.model import Model

MOST_PATTERNS = 200
"""Patterns of missing values of one family: each takes about as many numbers as a covariance."""

_ALL_PATTERNS = 5
"""Up to this number of columns all 2^d patterns are listed."""

_WIDEST_SUM = 64
"""Terms that are added one after another; more are added in groups, because parsers limit the
depth."""

_ATOM, _PRODUCT, _SUM, _CONDITION = 3, 2, 1, 0
"""Precedence of the operators of an expression."""

_INFIX = {
    "Add": ("+", _SUM, _SUM, _PRODUCT),
    "Sub": ("-", _SUM, _SUM, _PRODUCT),
    "Mul": ("*", _PRODUCT, _PRODUCT, _ATOM),
    "Div": ("/", _PRODUCT, _PRODUCT, _ATOM),
    "Less": ("<", _CONDITION, _SUM, _SUM),
    "LessOrEqual": ("<=", _CONDITION, _SUM, _SUM),
    "Equal": ("=", _CONDITION, _SUM, _SUM),
    "And": ("AND", _CONDITION, _ATOM, _ATOM),
}
"""Each operator, its precedence, and the required precedence of its operands."""

_NEUTRAL = {"Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}

_FUNCTIONS = {"Log": "LN", "Exp": "EXP", "Abs": "ABS", "Floor": "FLOOR", "otherwise": "COALESCE"}


@dataclass(frozen=True, slots=True)
class Cell:
    """The expression of one column, and the columns that it uses."""

    text: str
    uses: frozenset[str] = frozenset()
    binding: int = _ATOM

    def within(self, binding: int) -> str:
        """Its text as an operand of at least this precedence."""
        return self.text if self.binding >= binding else f"({self.text})"


def _uses(cells: Sequence[Cell]) -> frozenset[str]:
    return frozenset().union(*(cell.uses for cell in cells))


def _total(cells: Sequence[Cell]) -> Cell:
    while len(cells) > _WIDEST_SUM:
        starts = range(0, len(cells), _WIDEST_SUM)
        groups = [_total(cells[start : start + _WIDEST_SUM]) for start in starts]
        cells = [Cell(f"({group.text})", group.uses) for group in groups]
    if len(cells) == 1:
        return cells[0]
    return Cell(" + ".join(cell.within(_PRODUCT) for cell in cells), _uses(cells), _SUM)


@dataclass(slots=True)
class SqlOps(Ops):
    """Columns as expressions; a block is a list of cells."""

    inputs: Sequence[InputColumn]
    dialect: Dialect
    stages: list[dict[str, Cell]] = field(default_factory=lambda: [{}])
    stage_of: dict[str, int] = field(default_factory=dict)
    stored_tables: list[FloatArray] = field(default_factory=list)
    joins: dict[str, Cell] = field(default_factory=dict)
    """Where each stored table is looked up, by what the statement calls it."""

    def __post_init__(self) -> None:
        for j, column in enumerate(self.inputs):
            self.stages[0][f"x{j}"] = Cell(self.dialect.column(column))
            self.stage_of[f"x{j}"] = 0

    def column(self, name: str) -> Cell:
        """A column of an earlier stage."""
        return Cell(name, frozenset([name]))

    def numbers(self, columns: Sequence[int]) -> Value:
        return Value(self, [self.column(f"x{j}") for j in columns], len(columns))

    def codes(self, column: int, values: Sequence[Any], *, missing: bool) -> Value:
        name, value, marks = f"x{column}", self.dialect.value, self.inputs[column].marks
        cases = [(f"{name} = {value(category)}", at) for at, category in enumerate(values)]
        if missing:
            absent = f"{name} IS NULL"
            if self.inputs[column].is_text:
                absent += f" OR {self.dialect.is_mark(name, marks.strings)}"
            elif marks.numbers:
                absent += f" OR {name} IN ({', '.join(map(value, sorted(marks.numbers)))})"
            cases.insert(0, (absent, len(values)))
        whens = [f" WHEN {condition} THEN {value(float(at))}" for condition, at in cases]
        text = f"CASE{''.join(whens)} END" if cases else value(np.nan)
        return Value(self, [Cell(text, frozenset([name]))], 1).bind()

    def elementwise(self, operation: str, operands: Sequence[Operand]) -> list[Cell]:
        width = max(x.width if isinstance(x, Value) else np.size(x) for x in operands)
        blocks = [self._cells(operand, width) for operand in operands]
        return [self._cell(operation, list(cells)) for cells in zip(*blocks, strict=True)]

    def _cells(self, operand: Operand, width: int) -> list[Cell]:
        if isinstance(operand, Value):
            return list(operand.data) if operand.width == width else operand.data * width
        numbers = np.broadcast_to(np.asarray(operand, np.float64).ravel(), (width,))
        return [Cell(self.dialect.value(number)) for number in numbers.tolist()]

    def _cell(self, operation: str, cells: list[Cell]) -> Cell:
        uses, texts = _uses(cells), [cell.text for cell in cells]
        if operation in _NEUTRAL and texts[1] == self.dialect.value(_NEUTRAL[operation]):
            return cells[0]
        if operation in _INFIX:
            symbol, binding, first, second = _INFIX[operation]
            text = f"{cells[0].within(first)} {symbol} {cells[1].within(second)}"
            return Cell(text, uses, binding)
        if operation == "IsNaN":
            return Cell(f"{cells[0].within(_ATOM)} IS NULL", uses, _CONDITION)
        if operation == "choose":
            cases = zip(texts[:-1:2], texts[1::2], strict=True)
            whens = "".join(f" WHEN {condition} THEN {result}" for condition, result in cases)
            return Cell(f"CASE{whens} ELSE {texts[-1]} END", uses)
        return Cell(f"{_FUNCTIONS[operation]}({', '.join(texts)})", uses)

    def reduced(self, operation: str, block: Value) -> list[Cell]:
        if operation == "ReduceSum":
            return [_total(block.data)]
        texts = [cell.text for cell in block.data]
        while len(texts) > 1:  # functions have a largest number of arguments
            starts = range(0, len(texts), _WIDEST_SUM)
            groups = [texts[start : start + _WIDEST_SUM] for start in starts]
            texts = [self._largest(group) for group in groups]
        return [Cell(texts[0], _uses(block.data))]

    def _largest(self, texts: Sequence[str]) -> str:
        # SQLite's MAX of one argument is the maximum over all rows.
        return texts[0] if len(texts) == 1 else f"{self.dialect.largest}({', '.join(texts)})"

    def product(self, block: Value, matrix: FloatArray) -> list[Cell]:
        sums = []
        for column in matrix.T:
            places = np.flatnonzero(column).tolist()
            pairs = zip(self._cells(column[places], len(places)), places, strict=True)
            terms = [self._cell("Mul", [block.data[place], number]) for number, place in pairs]
            sums.append(_total(terms or [Cell(self.dialect.value(0.0))]))
        return sums

    def taken(self, block: Value, places: list[int]) -> list[Cell]:
        return [block.data[place] for place in places]

    def joined(self, blocks: Sequence[Value]) -> list[Cell]:
        return [cell for block in blocks for cell in block.data]

    def looked_up(self, places: Value, table: FloatArray, otherwise: float) -> list[Cell]:
        if table.ndim == 1:
            return [self._entry(cell, table.tolist(), otherwise) for cell in places.data]
        (cell,) = places.data
        return [self._entry(cell, column, otherwise) for column in table.T.tolist()]

    def _entry(self, cell: Cell, entries: Sequence[float], otherwise: float) -> Cell:
        # Equal neighbours share a condition.
        whens = [
            f" WHEN {cell.within(_SUM)} <= {self.dialect.value(float(place))}"
            f" THEN {self.dialect.value(entry)}"
            for place, entry in enumerate(entries)
            if place + 1 == len(entries) or entry != entries[place + 1]
        ]
        return Cell(f"CASE{''.join(whens)} ELSE {self.dialect.value(otherwise)} END", cell.uses)

    def stored(self, places: Value, table: FloatArray) -> list[Cell]:
        """Columns of the companion table, which is joined in the stage that follows all others."""
        (place,) = places.data
        name = stored_name(len(self.stored_tables))
        self.stored_tables.append(table)
        self.joins[name], self.stage_of[name] = place, len(self.stages) - 1
        zero, entries = self.dialect.value(0.0), entry_names(table.shape[1])
        uses = frozenset([name])
        return [Cell(f"COALESCE({name}.{entry}, {zero})", uses) for entry in entries]

    def bound(self, block: Value) -> list[Cell]:
        """Columns of the first stage in which the cells can be computed."""
        cells = []
        for cell in block.data:
            if cell.uses and cell.text not in self.stage_of:
                stage = 1 + max(self.stage_of[name] for name in cell.uses)
                name = f"v{len(self.stage_of)}"
                self.stages += [{} for _ in range(stage + 1 - len(self.stages))]
                self.stages[stage][name], self.stage_of[name] = cell, stage
                cells.append(self.column(name))
            else:
                cells.append(cell)
        return cells

    def patterns(self, form: QuadraticForm, deviations: Value) -> NDArray[np.bool_]:
        d = deviations.width
        if len(form.seen) and d <= _ALL_PATTERNS:
            return np.asarray((np.arange(1, 2**d - 1)[:, None] >> np.arange(d)) & 1 == 1)
        if len(form.seen) > MOST_PATTERNS:
            msg = (
                f"the training rows have {len(form.seen):,} patterns of missing values, each with "
                f"a separate covariance, and SQL takes at most {MOST_PATTERNS}; ONNX takes any"
            )
            diagonal = Remedy("use covariances that need none", (("covariance", "diagonal"),))
            raise OptionError(msg).with_remedies([diagonal])
        return form.seen


def sql_statement(
    model: Model,
    table: str | Sequence[str] = "rows",
    dialect: str = "duckdb",
    keep: Sequence[str] = (),
) -> tuple[str, Companion | None]:
    """One SELECT with the columns `keep` of a table, then label, posteriors and log evidence.

    A model with pairs of levels has a companion table, which the statement joins.
    """
    ops, source = SqlOps(formulas.input_columns(model), find_dialect(dialect)), _table_names(table)
    results = _results(model, formulas.model_scores(model, ops), ops)
    columns = _kept([keep] if isinstance(keep, str) else list(keep), results, ops) | results
    stored = None
    if ops.stored_tables:
        stored = companion_of(ops.stored_tables, ops.dialect, source[:-1])
    stages = _stages(ops, _uses(list(columns.values())), source, stored)
    written = ", ".join(f"{name} AS {select}" for name, select in stages.items())
    last = [f"{cell.text} AS {ops.dialect.name_of(name)}" for name, cell in columns.items()]
    text = f"WITH {written}\nSELECT {', '.join(last)} FROM {list(stages)[-1]}\n"
    if stored is not None:
        text = f"-- {stored.notice}\n{text}"
    ops.dialect.check_size(text)
    return text, stored


def _kept(names: Sequence[str], results: Mapping[str, Cell], ops: SqlOps) -> dict[str, Cell]:
    """The expressions of the columns of the table to pass on, by name."""
    taken = [name for name in names if name.lower() in map(str.lower, results)]
    if taken or len({name.lower() for name in names}) < len(names):
        problem = f"{taken[0]!r} is the name of a result" if taken else "a column is named twice"
        msg = f"keep must be different columns, none named like a result, got {names}: {problem}"
        raise DataError(msg)
    for number, name in enumerate(names):
        ops.stages[0][f"k{number}"] = Cell(ops.dialect.name_of(name))
    return {name: ops.column(f"k{number}") for number, name in enumerate(names)}


def _stages(
    ops: SqlOps, needed: frozenset[str], source: Sequence[str], stored: Companion | None
) -> dict[str, str]:
    """The subquery of each stage, by its name; the first reads the table of rows."""
    rules, prefix = ops.dialect, "stage"
    while source[-1].lower().startswith(prefix):
        prefix += "_"
    place, written = rules.name_of(*source), {}
    for number, (stage, joined) in enumerate(_live(ops.stages, needed, ops.joins)):
        if len(stage) > rules.most_columns:
            msg = (
                f"{rules.name} allows {rules.most_columns:,} columns in a subquery, and this model "
                f"takes {len(stage):,}; export a model of fewer features, or choose another dialect"
            )
            raise OptionError(msg)
        columns = [x if cell.text == x else f"{cell.text} AS {x}" for x, cell in stage.items()]
        joins = [stored.join(name, ops.joins[name].text) for name in joined] if stored else []
        select = "\n  ".join([f"SELECT {', '.join(columns)} FROM {place}", *joins])
        is_marked = rules.materialised == "all" or (joins and rules.materialised == "joins")
        place = f"{prefix}{number}"
        written[place] = f"{'MATERIALIZED ' if is_marked else ''}(\n  {select}\n)"
    return written


def _results(model: Model, scores: formulas.Scores, ops: SqlOps) -> dict[str, Cell]:
    """The expressions of label, posteriors and log evidence, by name; NULL without a score."""
    classes, decisive = model.classes.tolist(), scores.decisive.bind()
    (top,) = (decisive.largest() * scores.is_scored).bind().data
    whens = [
        f" WHEN {cell.text} = {top.text} THEN {ops.dialect.value(label)}"
        for cell, label in zip(decisive.data, classes, strict=True)
    ]
    (nothing,) = (scores.is_scored * 0.0).data
    names = formulas.probability_columns
    results = {formulas.PREDICTION: Cell(f"CASE{''.join(whens)} END", _uses([*decisive.data, top]))}
    results |= dict.fromkeys(names(model.known_classes.tolist()), nothing)
    results |= dict(zip(names(classes), scores.posteriors.data, strict=True))
    return results | {formulas.EVIDENCE: scores.evidence.data[0]}


def _live(
    stages: Sequence[dict[str, Cell]], needed: frozenset[str], joins: Mapping[str, Cell]
) -> list[tuple[dict[str, Cell], list[str]]]:
    """The columns of each stage, and the stored tables that it joins.

    Columns are those computed there, and those that later stages still need.
    """
    live: list[tuple[dict[str, Cell], list[str]]] = []
    for stage in reversed(stages):
        made = {name: cell for name, cell in stage.items() if name in needed}
        if made:
            needed -= set(made)
            uses = _uses(list(made.values()))
            joined = [name for name in joins if name in uses]
            live.append(({name: Cell(name) for name in sorted(needed)} | made, joined))
            needed |= uses.difference(joined) | _uses([joins[name] for name in joined])
    return live[::-1]


def _table_names(table: str | Sequence[str]) -> list[str]:
    """Catalogue, schema and name of a table, or the last of these."""
    parts = table.split(".") if isinstance(table, str) else list(table)
    if not 1 <= len(parts) <= 3 or not all(parts):
        msg = (
            "table must be a name such as 'rows' or 'schema.rows', or a tuple of at most three "
            f"names, which may contain dots, got {table!r}"
        )
        raise OptionError(msg)
    return parts
