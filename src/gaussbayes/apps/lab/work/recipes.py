"""How to do in Python, or on the command line, what the page does."""

import csv
import io
import shlex
from collections.abc import Sequence
from pprint import pformat
from typing import Any

import numpy as np

from gaussbayes.apps.lab.datasets import Dataset
from gaussbayes.apps.lab.messages import ByHand, FromData, ModelChoice, Neighbours
from gaussbayes.apps.lab.work.sight import shown
from gaussbayes.base.types import LabelArray

_WIDTH = 88


def target_name(dataset: Dataset) -> str:
    """What the column of the classes is called in a file; no feature has the same name."""
    name = dataset.table.target
    while name in dataset.table.features:
        name += "_"
    return name


def hand_labels(dataset: Dataset, choice: ByHand) -> LabelArray:
    """The labels (k,) of classes set by hand; those that the data have not get names."""
    labels, k = dataset.table.labels, choice.priors.size
    if k <= labels.size:
        return labels[:k]
    more = [f"class {code + 1}" for code in range(labels.size, k)]
    return np.array([*map(str, labels.tolist()), *more])


def python_text(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> str:
    """A script that reads lab.csv, makes the model, and counts its errors."""
    lines = ["import csv", "", "import numpy as np"]
    if dataset.test.any():
        lines.append("from sklearn.model_selection import train_test_split")
    if isinstance(choice, Neighbours):
        lines.append("from sklearn.neighbors import KNeighborsClassifier")
    else:
        lines += ["", "from gaussbayes import GaussianClassifier"]
    lines += ["", *_reading(dataset), *_parts(dataset, choice)]
    every = tuple(range(len(dataset.table.features)))
    features = shown(dataset, pair).columns if isinstance(choice, ByHand) else every
    columns = "" if features == every else f"[:, {list(features)}]"
    lines += _model(dataset, choice, pair)
    for part in ("train", "test") if dataset.test.any() else ("train",):
        rows = f"X[{part}]{columns}"
        lines.append(f'print("{part} error", np.mean(model.predict({rows}) != y[{part}]))')
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
    target = shlex.quote(target_name(dataset))
    table, split = dataset.table, dataset.split
    held_out = f" --held-out {split.test} --seed {split.seed}" if dataset.test.any() else ""
    data = f"lab.csv -y {target}"
    if isinstance(choice, Neighbours):
        lines = [f"gaussbayes compare {data} --neighbors {choice.k}{held_out}"]
        return "\n".join(lines) + "\n"
    if isinstance(choice, ByHand):
        lines = [
            "# Parameters set by hand are in the model file, lab.json.",
            "gaussbayes show lab.json",
            f"gaussbayes evaluate lab.json {data}",
        ]
        return "\n".join([*lines, *_picture(dataset, pair)]) + "\n"
    settings = _settings_words(dataset, choice)
    lines = []
    if held_out:
        lines += [
            "# The same rows are held out. The model of the others is in the model file, lab.json.",
            f"gaussbayes evaluate {data}{settings}{held_out}",
        ]
    elif choice.first is not None and choice.first < table.codes.size:
        fitting = f"gaussbayes fit - --format csv -y {target}{settings} -o lab.json"
        lines += [
            f"# The model of the first {choice.first} rows.",
            f"head -n {choice.first + 1} lab.csv | {fitting}",
        ]
    else:
        lines.append(f"gaussbayes fit {data}{settings} -o lab.json")
        if leave_one_out:
            lines.append(f"gaussbayes evaluate {data}{settings} --loo")
    return "\n".join([*lines, *_picture(dataset, pair)]) + "\n"


def _picture(dataset: Dataset, pair: tuple[int, int]) -> list[str]:
    """The line that draws what the page shows, of rows that lack nothing."""
    if np.isnan(dataset.table.X).any():
        return []
    names = [dataset.table.features[column] for column in shown(dataset, pair).columns]
    kind = "regions" if len(names) == 2 else "univariate"
    quoted = io.StringIO()
    csv.writer(quoted, lineterminator="").writerow(names)
    features = shlex.quote(quoted.getvalue())
    target = shlex.quote(target_name(dataset))
    how = f"--kind {kind} --features {features} -o {kind}.png"
    return [f"gaussbayes plot lab.json lab.csv -y {target} {how}"]


def _settings_words(dataset: Dataset, choice: FromData) -> str:
    """The settings that are not the usual ones, as options."""
    words = ""
    if choice.covariance != "full":
        words += f" --covariance {choice.covariance}"
    if choice.shared is True or choice.shared == 1:
        words += " --shared"
    elif choice.shared:
        words += f" --sharing {choice.shared}"
    if choice.divisor != "mle":
        words += f" --divisor {choice.divisor}"
    if choice.shrinkage is not None:
        words += f" --shrinkage {choice.shrinkage}"
    if choice.priors is not None:
        words += f" --priors {_priors_word(dataset, choice.priors)}"
    return words


def _priors_word(dataset: Dataset, priors: tuple[float, ...] | str) -> str:
    """The priors as an option takes them: in the order of the sorted classes."""
    if isinstance(priors, str):
        return priors
    order = np.argsort(dataset.table.labels, kind="stable").tolist()
    return ",".join(str(priors[code]) for code in order if code < len(priors))


def _reading(dataset: Dataset) -> list[str]:
    kind = dataset.table.labels.dtype.kind
    label = {"i": "int(line[-1])", "u": "int(line[-1])", "b": 'line[-1] == "True"'}.get(
        kind, "line[-1]"
    )
    return [
        'with open("lab.csv", encoding="utf-8", newline="") as file:',
        "    header, *lines = csv.reader(file)",
        'X = np.array([[float(value or "nan") for value in line[:-1]] for line in lines])',
        f"y = np.array([{label} for line in lines])",
        "",
    ]


def _parts(dataset: Dataset, choice: ModelChoice) -> list[str]:
    first = choice.first if isinstance(choice, FromData) else None
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


def _model(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> list[str]:
    if isinstance(choice, Neighbours):
        return [f"model = KNeighborsClassifier({choice.k}).fit(X[train], y[train])"]
    if isinstance(choice, FromData):
        settings = _settings_code(dataset, choice)
        return [f"model = GaussianClassifier({settings}).fit(X[train], y[train])"]
    seen = shown(dataset, pair)
    axes = list(seen.axes)
    values: dict[str, Any] = {
        "priors": choice.priors,
        "means": choice.means[:, axes],
        "covariances": choice.covariances[:, axes][:, :, axes],
        "classes": hand_labels(dataset, choice),
        "covariance": "full",
    }
    written = [f"    {name}={_literal(value)}," for name, value in values.items()]
    return ["model = GaussianClassifier.from_parameters(", *written, ")"]


def _settings_code(dataset: Dataset, choice: FromData) -> str:
    usual, parts = FromData(), []
    for name in ("covariance", "shared", "priors", "divisor", "shrinkage"):
        value = getattr(choice, name)
        if value != getattr(usual, name) or type(value) is not type(getattr(usual, name)):
            if name == "priors" and isinstance(value, tuple):
                value = dict(zip(dataset.table.labels.tolist(), value, strict=False))
            parts.append(f"{name}={_literal(value)}")
    return ", ".join(parts)


def _literal(value: "Any | Sequence[Any]") -> str:
    """A value as Python writes it, arrays and tuples as lists."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    return pformat(value, width=_WIDTH, compact=True, sort_dicts=False).replace("\n", "\n    ")
