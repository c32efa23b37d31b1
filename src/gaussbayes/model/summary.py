"""A model as people read it: what it is called, its classes, and the parameters of every family.

Of many classes and features the first are shown; what is left out is said.
"""

from collections.abc import Iterator, Sequence

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.numerals import counted, five_digits, percent, shortened
from gaussbayes.base.text_tables import Block, Styled, TextTable
from gaussbayes.families.protocol import Describable, ParameterTable
from gaussbayes.model.model import Model
from gaussbayes.model.select import model_name, shrinkage_name

_MOST_CLASSES = 20  # lines of the table of classes
_MOST_COLUMNS = 5  # classes side by side
_MOST_LINES = 12  # lines of a table of parameters
_MOST_TABLES = 12  # tables of the parameters of one family
_WIDEST_HEADING, _WIDEST_TITLE = 10, 60


def parameter_tables(model: Model) -> Iterator[ParameterTable]:
    """The parameters of every family that can show them."""
    names = model.settings.names(model.schema)
    for density, name in zip(model.densities, names, strict=True):
        if isinstance(density, Describable):
            yield from density.tables(name)


def model_title(model: Model) -> str:
    """What a model is called, as the automatic choice has it; of an average, its largest part.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [7.0]], ["a", "a", "b", "b", "b"]
    >>> model_title(GaussianClassifier(shared=0.5, shrinkage=0.1).fit(X, y).model_)
    'full, 50 % shared, shrinkage 0.1'
    """
    (weight, first), *others = model.weighted_members
    settings = first.settings
    shrinkage = "" if settings.first("shrinkage") is None else shrinkage_name(settings)
    title = f"{model_name(settings)}{shrinkage}"
    if others:
        return f"average of {len(others) + 1} models, {percent(weight, 2)} of {title}"
    return title if model.calibration is None else f"{title}, calibrated"


def model_blocks(model: Model) -> list[Block]:
    """What a model is, in a sentence, and its tables; why it cannot predict yet, if it cannot."""
    size = (
        f"{counted(len(model.classes), 'class', 'classes')}, "
        f"{counted(model.schema.n_features, 'feature')}"
    )
    what = f"{model_title(model)}: {size}"
    try:
        solved = model.solved()
    except GaussBayesError as error:
        return [what, f"It cannot predict yet: {error}", *model_tables(model)]
    notice = None if model.calibration is None else model.calibration.notice
    notices = [] if notice is None else [f"Notice: {notice}"]
    parameters = counted(solved.n_parameters, "parameter")
    return [f"{what}, {parameters}", *notices, *model_tables(solved)]


def model_tables(model: Model) -> list[Block]:
    """The classes, models that are averaged, the parameters, and what is not shown of them."""
    listed = model.schema.listed or ()
    order = listed if len(listed) == len(model.classes) else range(len(model.classes))
    names = [str(model.classes[code]) for code in order]
    members = model.weighted_members
    parameters = list(parameter_tables(model)) if model.solution is not None else []
    shown = parameters[:_MOST_TABLES]
    blocks: list[Block] = [_class_table(names, order, model)]
    if len(members) > 1:
        blocks.append(_member_table(members))
    blocks += [_parameter_table(names, order, each) for each in shown]
    longer = [
        (f"{{}} of {len(names)} classes", len(names) - _MOST_CLASSES),
        ("the parameters of {} classes", len(names) - _MOST_COLUMNS if parameters else 0),
        ("{} tables", len(parameters) - _MOST_TABLES),
        *((f"{{}} of {each.title}", len(each.columns) - _MOST_LINES) for each in shown),
    ]
    omitted = [what.format(more) for what, more in longer if more > 0]
    if omitted:
        blocks.append(Styled(f"Not shown: {', '.join(omitted)}.", "dim"))
    return blocks


def _table(
    first: str, columns: Sequence[str], rows: Sequence[Sequence[str]], title: str
) -> TextTable:
    headings = (shortened(column, _WIDEST_HEADING).rjust(_WIDEST_HEADING - 2) for column in columns)
    return TextTable((first.ljust(12), *headings), rows, shortened(title, _WIDEST_TITLE))


def _class_table(names: list[str], order: Sequence[int], model: Model) -> TextTable:
    calibration = model.calibration
    columns = {
        "prior": None if model.solution is None else model.prior,
        "weight": None if model.learnt is None else model.learnt.weight,
        "offset": None if calibration is None else calibration.offsets,
    }
    known = {name: values.tolist() for name, values in columns.items() if values is not None}
    rows = [
        (shortened(name, 40), *(five_digits(values[code]) for values in known.values()))
        for code, name in list(zip(order, names, strict=True))[:_MOST_CLASSES]
    ]
    return _table("class", list(known), rows, "classes")


def _member_table(members: Sequence[tuple[float, Model]]) -> TextTable:
    """The models that are averaged, the one that weighs most first."""
    rows = [
        (
            shortened(model_name(member.settings), 50),
            _written(member.settings.first("shrinkage")),
            five_digits(weight),
        )
        for weight, member in members
    ]
    return _table("model", ("shrinkage", "weight"), rows, "models that are averaged")


def _parameter_table(
    names: list[str], order: Sequence[int], parameters: ParameterTable
) -> TextTable:
    """A line for each feature or category, a column for each class, or one for all."""
    values, shown = parameters.values, ["all"]
    if len(values) == len(names):
        values, shown = values[list(order)], names[:_MOST_COLUMNS]
    lines = zip(parameters.columns, *values[:_MOST_COLUMNS].tolist(), strict=True)
    rows = [
        (shortened(name, 78 - 11 * len(shown)), *map(five_digits, cells))
        for name, *cells in list(lines)[:_MOST_LINES]
    ]
    return _table("", shown, rows, parameters.title)


def _written(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
