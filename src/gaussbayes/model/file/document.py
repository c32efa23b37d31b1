"""The whole model file: a record ↔ bytes. The format is described in docs/model-format.md."""

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.errors import GaussBayesError, ModelFileError
from gaussbayes.base.schema import Schema
from gaussbayes.model.file import (
    choices,
    classes,
    features,
    given,
    incomplete,
    numbers,
    statistics,
)
from gaussbayes.model.file.fields import members, refuse, writable
from gaussbayes.model.file.limits import LARGEST_FILE
from gaussbayes.model.file.parsing import parse
from gaussbayes.model.model import Model

if TYPE_CHECKING:
    from gaussbayes.families.categorical import ClassCounts

FORMAT = "gaussbayes model"
VERSION = 1
_NAMES = (
    "format",
    "version",
    "settings",
    "classes",
    "features",
    "target",
    "moments",
    "parameters",
    "checksum",
)
_OPTIONAL = ("incomplete", "categories")
"""Members of some models only; files of others do not have them."""

_HEAD = re.compile(
    rb'[ \t\n\r]*+\{[ \t\n\r]*+"format"[ \t\n\r]*+:[ \t\n\r]*+"gaussbayes model"[ \t\n\r]*+,'
    rb'[ \t\n\r]*+"version"[ \t\n\r]*+:[ \t\n\r]*+([0-9]{1,9})[ \t\n\r]*+,'
)
_TAIL = re.compile(rb'(?<=\n)"checksum": "sha256:([0-9a-f]{64})"\n\}\n?\Z')
_TAIL_LENGTH = 100


def dumps(stored: Model) -> bytes:
    """The model file of a model; the same model gives the same bytes.

    If rows lacked something, the parameters are there too, so that whoever reads the file need not
    find them by EM: they are worked out now unless they are known.

    Raises
    ------
    ModelFileError
        If the labels are of a kind that a file cannot hold, or numbers are not finite.
    """
    k, d = stored.schema.classes.shape[0], stored.schema.n_features
    stored = _with_parameters(stored)
    try:
        parts: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "settings": choices.write(stored.settings, stored.schema.classes),
            "classes": classes.write(stored.schema.classes),
            "features": features.write(d, stored.schema.features, stored.schema.categorical),
            "target": None if stored.target is None else writable(stored.target, "target"),
            "moments": None if stored.moments is None else statistics.write(stored.moments),
            "parameters": None if stored.parameters is None else given.write(stored.parameters),
        }
        if stored.incomplete is not None:
            parts["incomplete"] = incomplete.write(stored.incomplete, stored.moments)
        if stored.counts is not None or stored.schema.categorical:
            parts["categories"] = _write_categories(stored)
        lines = [f"{json.dumps(name)}: {_written(part, name)},\n" for name, part in parts.items()]
        data = sealed("".join(["{\n", *lines]).encode("ascii"))
        refuse_large(len(data), LARGEST_FILE)
        parse(data)  # it has not too many texts to be read
    except ModelFileError as error:
        msg = f"this model of {k} classes and {d} features cannot be saved: {error}"
        raise ModelFileError(msg) from None
    return data


def sealed(body: bytes) -> bytes:
    """The lines of a file with the checksum and the closing bracket after them.

    Examples
    --------
    >>> sealed(b"{\\n")[:30]
    b'{\\n"checksum": "sha256:a6fb08fd'
    """
    return body + f'"checksum": "sha256:{sha256(body).hexdigest()}"\n}}\n'.encode()


def loads(data: bytes, *, largest: int = LARGEST_FILE) -> Model:
    """The model in a model file.

    Nothing in it is run, and no name in it is looked up: it is data that is checked, every part.

    Raises
    ------
    ModelFileError
        For anything that `dumps` would not have written; says where and what was expected.
    """
    refuse_large(len(data), largest)
    data = _plain(data)
    _refuse_foreign(data)
    _refuse_changed(data)
    found = members(parse(data), "", _NAMES, _OPTIONAL)
    _, _, chosen, labels, columns, target, moments, parameters, _, patterns, counted = found
    d, names, categorical = features.read(columns)
    schema = Schema(classes.read(labels), d, names, categorical)
    settings = choices.read(chosen, schema.classes)
    if target is not None and not isinstance(target, str):
        refuse("target", "a text or null", target)
    if patterns is None and (moments is None) == (parameters is None):
        refuse("the file", "moments or parameters, one of them null", "both or neither")
    if (counted is None) == bool(categorical):
        expected = "there if features hold categories, and only then"
        refuse("categories", expected, counted)
    if counted is not None and moments is None:
        refuse("moments", "those of the rows, where features hold categories", None)
    structure, of_numbers = settings.structure, schema.of_numbers
    learnt = None
    if moments is not None:
        k, d = len(schema.classes), of_numbers.n_features
        learnt = statistics.read(moments, k, d, structure)
    return Model(
        settings,
        schema,
        target,
        learnt,
        None if parameters is None else given.read(parameters, of_numbers, structure),
        incomplete=None if patterns is None else incomplete.read(patterns, learnt),
        counts=None if counted is None else _read_categories(counted, schema),
    )


def _with_parameters(stored: Model) -> Model:
    """With the parameters that EM finds, if rows lacked something and there are any yet."""
    try:
        return stored.solved()[0]
    except GaussBayesError:
        return stored  # too few rows so far: what was learnt is kept all the same


def _write_categories(stored: Model) -> dict[str, Any]:
    from gaussbayes.model.file import categories  # models of numbers do without

    schema = stored.schema
    if stored.counts is None or stored.moments is None:
        refuse("categories", "moments and counts where features hold categories", None)
    if stored.moments.n_features != schema.of_numbers.n_features:
        refuse("categories", "moments of the features that hold numbers", "others")
    return categories.write(stored.counts, len(schema.classes), len(schema.categorical))


def _read_categories(value: object, schema: Schema) -> "ClassCounts":
    from gaussbayes.model.file import categories

    return categories.read(value, len(schema.classes), len(schema.categorical))


def _written(part: Any, place: str) -> str:
    """A part as JSON; objects that hold arrays of floats with a line for each member."""
    if not isinstance(part, dict) or not any(isinstance(v, np.ndarray) for v in part.values()):
        return json.dumps(part, allow_nan=False)
    inner = [
        numbers.written(value, f"{place}.{name}")
        if isinstance(value, np.ndarray)
        else json.dumps(value)
        for name, value in part.items()
    ]
    lines = [f"  {json.dumps(name)}: {value}" for name, value in zip(part, inner, strict=True)]
    return "{\n" + ",\n".join(lines) + "\n}"


def _plain(data: bytes) -> bytes:
    """Without what an editor or a version control system of Windows may have added.

    A carriage return cannot be part of a text in JSON, so that no two files become one.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data.replace(b"\r\n", b"\n") if b"\r\n" in data else data


def refuse_large(size: int, largest: int) -> None:
    """Raise if a file of this size is larger than allowed."""
    if size > largest:
        msg = f"a model file has at most {largest:,} bytes, this one has {size:,}"
        raise ModelFileError(msg)


def _refuse_foreign(data: bytes) -> None:
    """Raise if this is not a model file, or one of a version that is not known here."""
    head = _HEAD.match(data)
    if head is None:
        start = data[:40].decode("utf-8", "backslashreplace")
        msg = (
            f'not a model file: expected it to begin with {{"format": "{FORMAT}", "version": '
            f"{VERSION}, got {start!r}"
        )
        raise ModelFileError(msg)
    version = int(head[1])
    if version > VERSION:
        msg = (
            f"version: this file is of version {version}, written by a newer gaussbayes; this one "
            f"reads version {VERSION}: upgrade with pip install --upgrade gaussbayes"
        )
        raise ModelFileError(msg)
    if version < VERSION or head[1] != str(version).encode():
        refuse("version", str(VERSION), head[1].decode())


def _refuse_changed(data: bytes) -> None:
    """Raise if the checksum is not that of everything before its line."""
    tail = _TAIL.search(data, max(0, len(data) - _TAIL_LENGTH))
    if tail is None:
        msg = (
            'checksum: expected the file to end with the line "checksum": "sha256:…" and a line '
            "with }; it was cut off, or changed after it was saved"
        )
        raise ModelFileError(msg)
    found = sha256(memoryview(data)[: tail.start()]).hexdigest()
    if found != tail[1].decode():
        msg = (
            "checksum: it is not that of the file, which was edited or damaged after it was saved; "
            "save the model again, or fetch the file again"
        )
        raise ModelFileError(msg)
