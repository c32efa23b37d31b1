"""Files to keep: the rows, the model, and how to do the same in Python or on the command line."""

import csv
import io
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pprint import pformat
from typing import Any

import numpy as np

from gaussbayes.apps.lab.lab_tables import LabTable
from gaussbayes.apps.lab.messages import ExportRequest
from gaussbayes.apps.lab.model_views import (
    MOST_CHOSEN_BY,
    AskedModel,
    AutomaticModel,
    FittedModel,
    ModelByHand,
    VotesOfNeighbours,
)
from gaussbayes.apps.lab.wire_format import Answer
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.data.categories import kind
from gaussbayes.data.tables import is_missing
from gaussbayes.model.file import dumps

_WIDTH = 88  # of the lines of a script
_FORMULA = tuple("=+-@\t\r")  # what begins a formula in a spreadsheet
_BOOLEAN = '"True".__eq__'
_NUMPY = "import csv\n\nimport numpy as np\n"
_SPLITTER = "from sklearn.model_selection import train_test_split\n"
_NEIGHBOURS = "from sklearn.neighbors import KNeighborsClassifier\n"
_CLASSIFIER = "\nfrom gaussbayes import GaussianClassifier\n"
# A missing value is None, or NaN among numbers alone; a missing label is None.
_READING = """\
with open("lab.csv", encoding="utf-8", newline="") as file:
    header, *lines = csv.reader(file)
kinds = {kinds}
read = [[kind(text) if text else None for kind, text in zip(kinds, line)] for line in lines]
X = np.array([line[:-1] for line in read], dtype={values})
y = np.array([line[-1] for line in read], dtype={labels})
labelled = np.array([label is not None for label in y])
"""
# Rows without label, and the only row of a class, are learnt from.
_SPLIT = """\
alone = [label for label, n in zip(*np.unique(y[labelled], return_counts=True)) if n == 1]
split = labelled & ~np.isin(y, alone)
train, test = train_test_split(
    np.flatnonzero(split), test_size={test}, random_state={seed}, stratify=y[split]
)
train, test = np.sort(np.append(train, np.flatnonzero(~split))){some}, np.sort(test)
"""


def answer_export(request: ExportRequest, asked: AskedModel) -> Answer:
    """The file that is wanted: text, file (its name) and type."""
    file, media_type, write = _FILES[request.what]
    text = csv_text(asked, request.escape_formulas) if request.what == "csv" else write(asked)
    return Answer({"text": text, "file": file, "type": media_type})


def csv_text(asked: AskedModel, escape_formulas: bool = False) -> str:
    """All rows with their classes in the last column; what is missing is empty.

    Numbers are written so that they are read as the same ones again. Strings that a spreadsheet
    would take for a formula get an apostrophe in front, if that is asked for.
    """

    def cells(values: Iterable[Any]) -> list[Any]:
        known = ["" if is_missing(value) else value for value in values]
        if not escape_formulas:
            return known
        return [
            f"'{cell}" if str(cell)[:1] in _FORMULA and type(cell) is str else cell
            for cell in known
        ]

    table = asked.dataset.table
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(cells([*table.names, asked.dataset.target_name]))
    labels = [*table.labels.tolist(), None]  # −1, which is no label, is the last entry
    rows = table.encoder.decode(table.rows).tolist()
    for row, code in zip(rows, table.codes.tolist(), strict=True):
        writer.writerow(cells((*row, labels[code])))
    return out.getvalue()


def python_text(asked: AskedModel) -> str:
    """A script that reads lab.csv, makes the model, and counts its errors."""
    dataset, table = asked.dataset, asked.dataset.table
    first, votes = getattr(asked.choice, "first", None), isinstance(asked, VotesOfNeighbours)
    some = "" if first is None else f"[:{first}]"
    parts, imports, split = ["train"], "", f"train = np.arange(len(y)){some}\n"
    if dataset.test.any():
        parts, imports = ["train", "test"], _SPLITTER
        split = _SPLIT.format(test=dataset.split.test, seed=dataset.split.seed, some=some)
    columns = table.columns_of(asked.all_features)
    if asked.knows_categories:
        columns.sort()  # all of them
    lines = []
    if len(columns) < len(table.names):
        lines.append(f"X = X[:, {columns}].astype(float)")
    if votes:
        lines.append("usable = labelled & ~np.isnan(X).any(axis=1)")
        lines += [f"{part} = {part}[usable[{part}]]" for part in parts]
    lines += _model_code(asked)
    # Rows without label do not count in the score.
    lines += [f'print("{part} error", 1 - model.score(X[{part}], y[{part}]))' for part in parts]
    if not votes:
        names = _literal([table.names[column] for column in columns])
        lines += ["", f"model = model.with_feature_names({names})"]
    imports += _NEIGHBOURS if votes else _CLASSIFIER
    return f"{_NUMPY}{imports}\n{_reading_code(table)}\n{split}" + "\n".join(lines) + "\n"


def command_text(asked: AskedModel) -> str:
    """Lines of shell that do the same with lab.csv, or with lab.json where the model is needed."""
    dataset, table = asked.dataset, asked.dataset.table
    split, target = dataset.split, shlex.quote(dataset.target_name)
    held_out = f" --held-out {split.test} --seed {split.seed}" if dataset.test.any() else ""
    data = f"lab.csv -y {target}"
    if isinstance(asked, VotesOfNeighbours):
        names = f" --features {_listed(table.features)}"
        return f"gaussbayes compare {data}{names} --neighbors {asked.choice.k}{held_out}\n"
    if isinstance(asked, FittedModel):
        lines = _fit_commands(asked, data, held_out)
    else:
        lines = [
            "# Parameters set by hand are in the model file, lab.json.",
            "gaussbayes show lab.json",
            f"gaussbayes evaluate lab.json {data}",
        ]
    shown = [table.features[column] for column in asked.shown().numbers]
    if shown:
        drawn = "regions" if len(shown) == 2 else "univariate"
        options = f"--kind {drawn} --features {_listed(shown)} -o {drawn}.png"
        lines.append(f"gaussbayes plot lab.json {data} {options}")
    return "\n".join(lines) + "\n"


def _fit_commands(asked: FittedModel, data: str, held_out: str) -> list[str]:
    options, note = asked.kind | asked.fit_options(), []
    if isinstance(asked, AutomaticModel):
        n = min(asked.training.size, MOST_CHOSEN_BY)
        if n < asked.training.size:
            note = [f"# The page chooses by {n:,} rows, which may make a difference."]
        if asked.choice.priors is not None:
            options["priors"] = asked.choice.priors
            note.append("# The choice is made with these priors; on the page they came afterwards.")
    settings = "".join(f" {_option(asked, *each)}" for each in options.items())
    first = asked.choice.first
    if held_out:
        return [
            *note,
            "# The same rows are held out. The model of the others is in lab.json.",
            f"gaussbayes evaluate {data}{settings}{held_out}",
        ]
    if first is not None and first < asked.dataset.table.codes.size:
        data = data.replace("lab.csv", "- --format csv", 1)
        return [
            *note,
            f"# The model of the first {first} rows.",
            f"head -n {first + 1} lab.csv | gaussbayes fit {data}{settings} -o lab.json",
        ]
    lines = [*note, f"gaussbayes fit {data}{settings} -o lab.json"]
    if isinstance(asked, AutomaticModel):  # also the choice is made without the rows held out
        return [*lines, f"gaussbayes evaluate {data}{settings} --held-out 10"]
    left_out = None
    with suppress(GaussBayesError):
        left_out = asked.left_out()
    if left_out is not None:
        evaluation, n_folds = left_out
        how = "--loo" if n_folds == evaluation.n_rows else f"--held-out {n_folds}"
        lines.append(f"gaussbayes evaluate {data}{settings} {how}")
    return lines


def _option(asked: FittedModel, name: str, value: Any) -> str:
    table = asked.dataset.table
    match name:
        case "shared":
            return "--shared" if value is True else f"--sharing {value}"
        case "priors" if isinstance(value, tuple):  # in the order of the sorted classes
            order = [code for code in table.order.tolist() if code < len(value)]
            return f"--priors {','.join(str(value[code]) for code in order)}"
        case "categorical_features":
            return f"--categorical {_listed([table.names[column] for column in value])}"
    return f"--{name.replace('_', '-')} {value}"


def _listed(names: Sequence[str]) -> str:
    """Names of columns as an option takes them."""
    quoted = io.StringIO()
    csv.writer(quoted, lineterminator="").writerow(names)
    return shlex.quote(quoted.getvalue())


def _reading_code(table: LabTable) -> str:
    label = {"i": "int", "u": "int", "b": _BOOLEAN}.get(table.labels.dtype.kind, "str")
    kinds = [*("float" for _ in table.names), label]
    for column, categories in zip(table.encoder.categorical, table.categories, strict=True):
        kinds[column] = {int: "int", bool: _BOOLEAN}.get(kind(categories), "str")
    runs = [f"[{name}] * {len(list(run))}" for name, run in groupby(kinds)]
    values = "float" if set(kinds[:-1]) == {"float"} else "object"
    labels = "None" if table.has_label.all() else "object"
    return _READING.format(kinds=" + ".join(runs), values=values, labels=labels)


def _model_code(asked: AskedModel) -> list[str]:
    if isinstance(asked, ModelByHand):
        written = [f"    {name}={_literal(value)}," for name, value in asked.parameters.items()]
        nameless = ").with_feature_names(None)" if asked.knows_categories else ")"  # as X is
        return ["model = GaussianClassifier.from_parameters(", *written, nameless]
    afterwards: list[str] = []
    call = f"KNeighborsClassifier({asked.choice.k}" if isinstance(asked, VotesOfNeighbours) else ""
    if isinstance(asked, FittedModel):
        arguments = asked.fit_options()
        priors: Any = asked.choice.priors
        if isinstance(priors, tuple):
            priors = dict(zip(asked.dataset.table.labels.tolist(), priors, strict=False))
        if isinstance(asked, AutomaticModel) and priors is not None:
            afterwards = [f"model = model.with_priors({_literal(priors)})"]
        elif priors is not None:
            arguments["priors"] = priors
        settings = [f"{name}={_literal(value)}" for name, value in arguments.items()]
        call = f"{asked.maker}({', '.join(settings)}"
    return [f"model = {call}).fit(X[train], y[train])", *afterwards]


def _literal(value: Any) -> str:
    """A value as Python writes it, arrays and tuples as lists."""
    if isinstance(value, np.ndarray | tuple):
        value = np.asarray(value).tolist()
    return pformat(value, width=_WIDTH, compact=True, sort_dicts=False).replace("\n", "\n    ")


_FILES: dict[str, tuple[str, str, Callable[[Any], str]]] = {
    "csv": ("lab.csv", "text/csv", csv_text),
    "model": ("lab.json", "application/json", lambda asked: dumps(asked.file_model()).decode()),
    "python": ("lab.py", "text/x-python", python_text),
    "command": ("lab.sh", "text/x-shellscript", command_text),
}
