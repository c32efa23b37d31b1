"""Files to keep: the rows, the model, and how to do the same in Python or on the command line."""

import csv
import io
import shlex
from collections.abc import Sequence
from pprint import pformat
from typing import Any

import numpy as np

from gaussbayes.apps.lab.messages import (
    ExportRequest,
    FitSettings,
    GaussiansByHand,
    ModelChoice,
    Neighbours,
)
from gaussbayes.apps.lab.model_views import (
    Problem,
    all_features,
    fit_options,
    has_unlabelled,
    labels_by_hand,
    model_file,
    shown_features,
    view_of,
)
from gaussbayes.apps.lab.performance import left_out_record
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset
from gaussbayes.apps.lab.wire_format import Answer
from gaussbayes.data.categories import kind
from gaussbayes.data.tables import is_missing

_WIDTH = 88
"""Of the lines of a script."""

_FILES = {
    "csv": ("lab.csv", "text/csv"),
    "model": ("lab.json", "application/json"),
    "python": ("lab.py", "text/x-python"),
    "command": ("lab.sh", "text/x-shellscript"),
}


def answer_export(request: ExportRequest, store: Store) -> Answer:
    """The file that is wanted: text, file (its name) and type."""
    dataset = store.dataset(request.data)
    dataset.check_features(*request.pair)
    choice, pair = request.model, request.pair
    match request.what:
        case "csv":
            text = csv_text(dataset)
        case "model":
            text = model_file(dataset, choice, pair, store)
        case "python":
            text = python_text(dataset, choice, pair)
        case "command":
            text = command_text(dataset, choice, pair, _left_out_option(dataset, choice, store))
    file, media_type = _FILES[request.what]
    return Answer({"text": text, "file": file, "type": media_type})


def csv_text(dataset: Dataset) -> str:
    """All rows with their classes in the last column; what is missing is empty.

    Numbers are written so that they are read as the same ones again.
    """
    table = dataset.table
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_names(dataset), dataset.target_name])
    labels = [*table.labels.tolist(), None]  # −1, which is no label, is the last entry
    rows = table.encoder.decode(table.rows).tolist()
    for row, code in zip(rows, table.codes.tolist(), strict=True):
        writer.writerow(["" if is_missing(value) else value for value in (*row, labels[code])])
    return out.getvalue()


def python_text(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> str:
    """A script that reads lab.csv, makes the model, and counts its errors."""
    parts = ("train", "test") if dataset.test.any() else ("train",)
    lines = ["import csv", "", "import numpy as np"]
    if "test" in parts:
        lines.append("from sklearn.model_selection import train_test_split")
    if isinstance(choice, Neighbours):
        lines.append("from sklearn.neighbors import KNeighborsClassifier")
    else:
        lines += ["", "from gaussbayes import GaussianClassifier"]
    lines += ["", *_reading_code(dataset), *_split_code(dataset, choice)]
    features = _columns(dataset, choice, pair)
    columns = _column_code(dataset, features) if isinstance(choice, GaussiansByHand) else ""
    lines += _model_code(dataset, choice, pair)
    # Rows without label do not count in the score.
    lines += [
        f'print("{part} error", 1 - model.score(X[{part}]{columns}, y[{part}]))' for part in parts
    ]
    if not isinstance(choice, Neighbours):
        names = _literal([_names(dataset)[column] for column in features])
        lines += ["", f"model = model.with_feature_names({names})"]
    return "\n".join(lines) + "\n"


def command_text(
    dataset: Dataset, choice: ModelChoice, pair: tuple[int, int], left_out: str | None
) -> str:
    """Lines of shell that do the same with lab.csv, or with lab.json where the model is needed.

    `left_out` is the option that leaves out rows; None if there is no model without them.
    """
    target = shlex.quote(dataset.target_name)
    split = dataset.split
    held_out = f" --held-out {split.test} --seed {split.seed}" if dataset.test.any() else ""
    data = f"lab.csv -y {target}"
    match choice:
        case Neighbours():
            chosen = _column_code(dataset, _columns(dataset, choice, pair))
            numbers = f" --features {_listed(dataset.table.features)}" if chosen else ""
            lines = [f"gaussbayes compare {data}{numbers} --neighbors {choice.k}{held_out}"]
            return "\n".join(lines) + "\n"
        case GaussiansByHand():
            lines = [
                "# Parameters set by hand are in the model file, lab.json.",
                "gaussbayes show lab.json",
                f"gaussbayes evaluate lab.json {data}",
            ]
        case FitSettings():
            settings = _settings_options(dataset, choice)
            if held_out:
                lines = [
                    "# The same rows are held out. The model of the others is in lab.json.",
                    f"gaussbayes evaluate {data}{settings}{held_out}",
                ]
            elif choice.first is not None and choice.first < dataset.table.codes.size:
                fit = f"gaussbayes fit - --format csv -y {target}{settings} -o lab.json"
                lines = [
                    f"# The model of the first {choice.first} rows.",
                    f"head -n {choice.first + 1} lab.csv | {fit}",
                ]
            else:
                lines = [f"gaussbayes fit {data}{settings} -o lab.json"]
                if left_out is not None:
                    lines.append(f"gaussbayes evaluate {data}{settings} {left_out}")
    return "\n".join([*lines, *_plot_command(dataset, pair)]) + "\n"


def _left_out_option(dataset: Dataset, choice: ModelChoice, store: Store) -> str | None:
    """How the command leaves out rows; None if there is no model without them."""
    if not isinstance(choice, FitSettings):
        return None
    view = view_of(dataset, choice, dataset.every_feature, store)
    record = None if isinstance(view, Problem) else left_out_record(dataset, choice, view, store)
    if record is None:
        return None
    return "--loo" if record["folds"] is None else f"--held-out {record['folds']}"


def _plot_command(dataset: Dataset, pair: tuple[int, int]) -> list[str]:
    """The line that draws what the page shows."""
    names = [dataset.table.features[column] for column in shown_features(dataset, pair).numbers]
    if not names:
        return []
    kind = "regions" if len(names) == 2 else "univariate"
    target = shlex.quote(dataset.target_name)
    options = f"--kind {kind} --features {_listed(names)} -o {kind}.png"
    return [f"gaussbayes plot lab.json lab.csv -y {target} {options}"]


def _listed(names: Sequence[str]) -> str:
    """Names of columns as an option takes them."""
    quoted = io.StringIO()
    csv.writer(quoted, lineterminator="").writerow(names)
    return shlex.quote(quoted.getvalue())


def _settings_options(dataset: Dataset, choice: FitSettings) -> str:
    """The settings that are not the usual ones, as options of the command."""
    options = [_option(dataset, *each) for each in fit_options(dataset, choice).items()]
    return "".join(f" {option}" for option in options)


def _option(dataset: Dataset, name: str, value: Any) -> str:
    match name:
        case "shared":
            return "--shared" if value is True else f"--sharing {value}"
        case "priors" if isinstance(value, tuple):  # in the order of the sorted classes
            order = [code for code in dataset.table.order.tolist() if code < len(value)]
            return f"--priors {','.join(str(value[code]) for code in order)}"
        case "categorical_features":
            return f"--categorical {_listed([_names(dataset)[column] for column in value])}"
    return f"--{name.replace('_', '-')} {value}"


def _names(dataset: Dataset) -> tuple[str, ...]:
    """The names of all features, in their order."""
    assert dataset.table.encoder.names is not None
    return dataset.table.encoder.names


def _columns(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> list[int]:
    """The columns of lab.csv that a model takes: a fitted one all of them."""
    if isinstance(choice, FitSettings):
        return list(range(len(_names(dataset))))
    return dataset.table.columns_of(all_features(dataset, choice, pair))


def _column_code(dataset: Dataset, columns: list[int]) -> str:
    """What takes these columns out of X; nothing if they are all."""
    return "" if columns == list(range(len(_names(dataset)))) else f"[:, {columns}]"


def _reading_code(dataset: Dataset) -> list[str]:
    table = dataset.table
    kinds = ["float"] * len(_names(dataset))
    for column, categories in zip(table.encoder.categorical, table.categories, strict=True):
        kinds[column] = {int: "int", bool: '"True".__eq__'}.get(kind(categories), "str")
    lines, values = [], '[[float(value or "nan") for value in line[:-1]] for line in lines]'
    if set(kinds) != {"float"}:
        lines = [f"kinds = [{', '.join(kinds)}]"]
        each = "kind(value) if value else None for kind, value in zip(kinds, line)"
        values = f"[[{each}] for line in lines], dtype=object"
    integer, boolean = "int(line[-1])", 'line[-1] == "True"'
    label = {"i": integer, "u": integer, "b": boolean}.get(table.labels.dtype.kind, "line[-1]")
    labels = f"[{label} for line in lines]"
    if has_unlabelled(dataset):
        labels = f"[{label} if line[-1] else None for line in lines], dtype=object"
    return [
        'with open("lab.csv", encoding="utf-8", newline="") as file:',
        "    header, *lines = csv.reader(file)",
        *lines,
        f"X = np.array({values})",
        f"y = np.array({labels})",
        "",
    ]


def _split_code(dataset: Dataset, choice: ModelChoice) -> list[str]:
    """Which rows are learnt from and which are held out; those without label are learnt from."""
    first = choice.first if isinstance(choice, FitSettings) else None
    some = "" if first is None else f"[:{first}]"
    rows, train, stratify, lines = "np.arange(len(y))", "train", "y", []
    if has_unlabelled(dataset):
        lines = ["labelled = np.array([label is not None for label in y])"]
        rows, stratify = "np.flatnonzero(labelled)", "y[labelled]"
        train = "np.append(train, np.flatnonzero(~labelled))"
    if not dataset.test.any():
        return [*lines, f"train = np.arange(len(y)){some}"]
    split = dataset.split
    return [
        *lines,
        "train, test = train_test_split(",
        f"    {rows}, test_size={split.test}, random_state={split.seed}, stratify={stratify}",
        ")",
        f"train, test = np.sort({train}){some}, np.sort(test)",
    ]


def _usable_code(dataset: Dataset) -> list[str]:
    """Neighbours are found of rows that have a label and all numbers."""
    usable = ["labelled"] if has_unlabelled(dataset) else []
    if np.isnan(dataset.table.X).any():
        usable.append("~np.isnan(X).any(axis=1)")
    if not usable:
        return []
    lines = [f"usable = {' & '.join(usable)}", "train = train[usable[train]]"]
    return [*lines, *(["test = test[usable[test]]"] if dataset.test.any() else [])]


def _model_code(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> list[str]:
    match choice:
        case Neighbours():
            chosen = _column_code(dataset, _columns(dataset, choice, pair))
            numbers = [f"X = X{chosen}.astype(float)"] if chosen else []
            fit = f"model = KNeighborsClassifier({choice.k}).fit(X[train], y[train])"
            return [*numbers, *_usable_code(dataset), fit]
        case FitSettings():
            settings = _settings_code(dataset, choice)
            return [f"model = GaussianClassifier({settings}).fit(X[train], y[train])"]
        case GaussiansByHand():
            axes = list(shown_features(dataset, pair).axes)
            values: dict[str, Any] = {
                "priors": choice.priors,
                "means": np.array(choice.means)[:, axes],
                "covariances": np.array(choice.covariances)[:, axes][:, :, axes],
                "classes": labels_by_hand(dataset, choice),
                "covariance": "full",
            }
            written = [f"    {name}={_literal(value)}," for name, value in values.items()]
            return ["model = GaussianClassifier.from_parameters(", *written, ")"]


def _settings_code(dataset: Dataset, choice: FitSettings) -> str:
    """The settings that are not the usual ones, as arguments of the classifier."""
    arguments = fit_options(dataset, choice)
    if isinstance(arguments.get("priors"), tuple):
        labels = dataset.table.labels.tolist()
        arguments["priors"] = dict(zip(labels, arguments["priors"], strict=False))
    return ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())


def _literal(value: Any) -> str:
    """A value as Python writes it, arrays and tuples as lists."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    return pformat(value, width=_WIDTH, compact=True, sort_dicts=False).replace("\n", "\n    ")
