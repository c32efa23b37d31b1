"""Files to keep: the rows, the model, and how to do the same in Python or on the command line."""

import csv
import io
import math
import shlex
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
    labels_by_hand,
    model_file,
    shown_features,
    view_of,
)
from gaussbayes.apps.lab.performance import left_out_record
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset
from gaussbayes.apps.lab.wire_format import Answer

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
            view = view_of(dataset, choice, all_features(dataset, choice, pair), store)
            can_leave_out = not isinstance(view, Problem) and bool(
                left_out_record(dataset, choice, view, store)
            )
            text = command_text(dataset, choice, pair, leave_one_out=can_leave_out)
    file, media_type = _FILES[request.what]
    return Answer({"text": text, "file": file, "type": media_type})


def csv_text(dataset: Dataset) -> str:
    """All rows with their classes in the last column; what is missing is empty.

    Numbers are written so that they are read as the same ones again.
    """
    table = dataset.table
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*table.features, dataset.target_name])
    labels = table.labels.tolist()
    for row, code in zip(table.X.tolist(), table.codes.tolist(), strict=True):
        writer.writerow(["" if math.isnan(value) else value for value in row] + [labels[code]])
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
    features = all_features(dataset, choice, pair).columns
    every_feature = features == tuple(range(len(dataset.table.features)))
    columns = "" if every_feature else f"[:, {list(features)}]"
    lines += _model_code(dataset, choice, pair)
    lines += [
        f'print("{part} error", np.mean(model.predict(X[{part}]{columns}) != y[{part}]))'
        for part in parts
    ]
    if not isinstance(choice, Neighbours):
        names = _literal([dataset.table.features[column] for column in features])
        lines += ["", f"model = model.with_feature_names({names})"]
    return "\n".join(lines) + "\n"


def command_text(
    dataset: Dataset, choice: ModelChoice, pair: tuple[int, int], *, leave_one_out: bool
) -> str:
    """Lines of shell that do the same with lab.csv, or with lab.json where the model is needed.

    `leave_one_out` says whether there is a model without each of the rows.
    """
    target = shlex.quote(dataset.target_name)
    split = dataset.split
    held_out = f" --held-out {split.test} --seed {split.seed}" if dataset.test.any() else ""
    data = f"lab.csv -y {target}"
    match choice:
        case Neighbours():
            lines = [f"gaussbayes compare {data} --neighbors {choice.k}{held_out}"]
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
                if leave_one_out:
                    lines.append(f"gaussbayes evaluate {data}{settings} --loo")
    return "\n".join([*lines, *_plot_command(dataset, pair)]) + "\n"


def _plot_command(dataset: Dataset, pair: tuple[int, int]) -> list[str]:
    """The line that draws what the page shows, of rows without missing values."""
    if np.isnan(dataset.table.X).any():
        return []
    names = [dataset.table.features[column] for column in shown_features(dataset, pair).columns]
    kind = "regions" if len(names) == 2 else "univariate"
    quoted = io.StringIO()
    csv.writer(quoted, lineterminator="").writerow(names)
    features = shlex.quote(quoted.getvalue())
    target = shlex.quote(dataset.target_name)
    options = f"--kind {kind} --features {features} -o {kind}.png"
    return [f"gaussbayes plot lab.json lab.csv -y {target} {options}"]


def _settings_options(dataset: Dataset, choice: FitSettings) -> str:
    """The settings that are not the usual ones, as options."""
    options = ""
    if choice.covariance != "full":
        options += f" --covariance {choice.covariance}"
    if choice.shared is True or choice.shared == 1:
        options += " --shared"
    elif choice.shared:
        options += f" --sharing {choice.shared}"
    if choice.divisor != "mle":
        options += f" --divisor {choice.divisor}"
    if choice.shrinkage is not None:
        options += f" --shrinkage {choice.shrinkage}"
    if isinstance(choice.priors, str):
        options += f" --priors {choice.priors}"
    elif choice.priors is not None:  # in the order of the sorted classes
        order = np.argsort(dataset.table.labels, kind="stable").tolist()
        priors = [str(choice.priors[code]) for code in order if code < len(choice.priors)]
        options += f" --priors {','.join(priors)}"
    return options


def _reading_code(dataset: Dataset) -> list[str]:
    integer = "int(line[-1])"
    labels = {"i": integer, "u": integer, "b": 'line[-1] == "True"'}
    label = labels.get(dataset.table.labels.dtype.kind, "line[-1]")
    return [
        'with open("lab.csv", encoding="utf-8", newline="") as file:',
        "    header, *lines = csv.reader(file)",
        'X = np.array([[float(value or "nan") for value in line[:-1]] for line in lines])',
        f"y = np.array([{label} for line in lines])",
        "",
    ]


def _split_code(dataset: Dataset, choice: ModelChoice) -> list[str]:
    first = choice.first if isinstance(choice, FitSettings) else None
    some = "" if first is None else f"[:{first}]"
    if not dataset.test.any():
        return [f"train = np.arange(len(y)){some}"]
    split = dataset.split
    return [
        "train, test = train_test_split(",
        f"    np.arange(len(y)), test_size={split.test}, random_state={split.seed}, stratify=y",
        ")",
        f"train, test = np.sort(train){some}, np.sort(test)",
    ]


def _model_code(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> list[str]:
    match choice:
        case Neighbours():
            return [f"model = KNeighborsClassifier({choice.k}).fit(X[train], y[train])"]
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
    usual, arguments = FitSettings(), []
    for name in ("covariance", "shared", "priors", "divisor", "shrinkage"):
        value = getattr(choice, name)
        if value != getattr(usual, name) or type(value) is not type(getattr(usual, name)):
            if name == "priors" and isinstance(value, tuple):
                value = dict(zip(dataset.table.labels.tolist(), value, strict=False))
            arguments.append(f"{name}={_literal(value)}")
    return ", ".join(arguments)


def _literal(value: Any) -> str:
    """A value as Python writes it, arrays and tuples as lists."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    return pformat(value, width=_WIDTH, compact=True, sort_dicts=False).replace("\n", "\n    ")
