"""Models to save, their files as Python reads them, and new seals for files that were changed."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from gaussbayes import AutoClassifier, GaussianClassifier
from tests.model.tables import fitted, weather

TREES = np.array(["ash", "oak"])


def trees(n: int = 40) -> pd.DataFrame:
    """Two kinds of trees in turn, a standard deviation apart in each feature."""
    X = np.random.default_rng(0).normal(size=(n, 3)) + (np.arange(n) % 2)[:, None]
    return pd.DataFrame(X, columns=["age", "girth", "height"])


def gaps() -> pd.DataFrame:
    """The same rows; some values are missing, in a few patterns that both kinds of trees have."""
    table = trees()
    for name, which in (("girth", slice(0, None, 5)), ("age", slice(1, None, 7))):
        table.loc[table.index[which], name] = np.nan
    table.loc[21] = np.nan
    return table


@cache
def models() -> dict[str, Any]:
    """A model of every kind that a file can hold."""
    y = pd.Series(TREES[np.arange(40) % 2], name="kind")
    some = {
        f"{name} {shared}": GaussianClassifier(name, shared=shared, shrinkage=0.1).fit(trees(), y)
        for name in ("full", "diagonal", "spherical")
        for shared in (False, 0.5, True)
    }
    given = GaussianClassifier.from_parameters(
        [0.25, 0.25, 0.5], [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]]
    )
    unlabelled = np.where(np.arange(40) % 4 == 0, None, y)
    return some | {
        "given": given,
        "missing": GaussianClassifier().fit(gaps(), y),
        "missing diagonal": GaussianClassifier("diagonal", priors="uniform").fit(gaps(), y),
        "mixed": fitted(*weather(60, missing=0.1)),
        "unlabelled": fitted(*weather(60, missing=0.1, unlabelled=0.3)),
        "numbers unlabelled": GaussianClassifier().fit(gaps(), unlabelled),
        "calibrated": GaussianClassifier(calibrate=True).fit(trees(), y),
        "transformed": GaussianClassifier(transforms="yeo-johnson").fit(trees(), y),
        "ranges": GaussianClassifier(transforms="range", shared=True).fit(trees(), y),
        "priors": GaussianClassifier(priors={"oak": 0.25, "ash": 0.75}).fit(trees(), y),
        "other priors": GaussianClassifier().fit(gaps(), y).with_priors([0.125, 0.875]),
        "marginal": GaussianClassifier().fit(gaps(), y).marginal(["height", "age"]),
        "automatic": AutoClassifier().fit(trees(), y),
        "automatic mixed": AutoClassifier().fit(*weather(60, missing=0.1)),
        "wide": AutoClassifier().fit(np.random.default_rng(0).normal(size=(8, 12)), [0, 1] * 4),
    }


def rows_of(name: str) -> Any:
    """Rows to score with a model, some values of which are missing."""
    if name in {"mixed", "unlabelled", "automatic mixed"}:
        return weather(30, seed=4, missing=0.2)[0]
    if name == "wide":
        return np.random.default_rng(1).normal(size=(8, 12))
    if name == "marginal":
        return gaps()[["height", "age"]]
    return gaps().to_numpy()[:, :2] if name == "given" else gaps()


@cache
def file_of(name: str) -> bytes:
    """The file of a model."""
    with TemporaryDirectory() as folder:
        return models()[name].save(Path(folder) / "model.json").read_bytes()


def members(data: bytes) -> dict[str, Any]:
    """The members of a file, as Python's own reader has them."""
    parts: dict[str, Any] = json.loads(data)
    return parts


def resealed(parts: dict[str, Any]) -> bytes:
    """A file with these members and a checksum that is right, whatever the rest is."""
    named = {name: part for name, part in parts.items() if name != "checksum"}
    lines = [f"{json.dumps(name)}: {json.dumps(part)},\n" for name, part in named.items()]
    return seal("".join(["{\n", *lines]).encode())


def seal(body: bytes) -> bytes:
    """A file of this text, with its checksum."""
    return body + b'"checksum": "sha256:' + sha256(body).hexdigest().encode() + b'"\n}\n'


def seal_again(data: bytes) -> bytes:
    """A file whose text was changed, with the checksum of the new text."""
    return seal(data[: data.rindex(b'"checksum"')])
