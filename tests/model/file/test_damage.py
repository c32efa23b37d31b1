"""Files that are not good models: each is refused, and the message says where and why."""

import json
import os
import random
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gaussbayes
from gaussbayes import FileError
from tests.model.file.models import file_of, members, resealed, seal, seal_again

GOOD = file_of("full False")
WEIGHT = '"weight":[20.0,20.0]'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def loads(data: bytes, folder: Path) -> Any:
    path = folder / "model.json"
    path.write_bytes(data)
    return gaussbayes.load(path)


def refusal(data: bytes, folder: Path) -> str:
    """Why a file is refused; nothing if it is loaded."""
    try:
        loads(data, folder)
    except FileError as error:
        return str(error)
    return ""


def text(old: str, new: str, data: bytes = GOOD) -> bytes:
    """A file in which a text stands in the place of another."""
    assert old in data.decode()
    return seal_again(data.decode().replace(old, new, 1).encode())


# Every value of every file in turn is something else

WRONG = [None, True, -1, 0, 2.5, 1e300, "x", [], {}, [None], "drop"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places in a file; of long arrays the first and the last."""
    if path:
        yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))
    elif isinstance(value, list):
        for at in sorted({0, len(value) - 1} if value else ()):
            yield from places(value[at], (*path, at))


@pytest.mark.parametrize(
    "name", ["full False", "given", "missing", "unlabelled", "calibrated", "transformed", "wide"]
)
def test_any_value_in_any_place_is_refused_or_loaded(name: str, folder: Path) -> None:
    """A message names the place, or the record that it is in."""
    good = file_of(name)
    for path in places(members(good)):
        if path[0] in {"format", "version", "checksum"}:
            continue
        for wrong in WRONG:
            parts = members(good)
            record = parts
            for step in path[:-1]:
                record = record[step]
            if wrong == "drop":
                if isinstance(record, list):
                    continue  # what it contradicts is named
                del record[path[-1]]
            elif record[path[-1]] == wrong:
                continue
            else:
                record[path[-1]] = wrong
            message = refusal(resealed(parts), folder)
            assert not message or f"model file '{folder}/model.json': " in message
            if message and (wrong is None or isinstance(wrong, str | dict)):  # of another type
                steps = [step for step in path if isinstance(step, str)]
                assert any(step in message for step in steps), (path, wrong, message)


@pytest.mark.parametrize(
    ("name", "path", "value", "problem"),
    [
        ("full False", "classes.labels", ["oak", "ash"], r"labels\[1\]: .*sorted"),
        ("full False", "classes.labels", ["ash", "ash"], r"labels\[1\]: .*different"),
        ("full False", "features", ["a", "b", "a"], "features: .*all different"),
        ("full False", "features", ["age"], "features: must be null or 3 names"),
        ("full False", "families.0.columns", [0, 1, 1], "families: .*each in one"),
        ("full False", "families.0.columns", [0, 1, 7], "families: .*columns 0 to 2"),
        ("full False", "families", [], r"model\.families: .*length >= 1"),
        ("full False", "families.0.family", "os", r"families\[0\].family: must be one of"),
        ("full False", "families.0.settings.sharing", 1.5, "sharing: .*<= 1.0"),
        ("full False", "priors", {"labels": [], "values": [0.5, 0.6]}, "values: .*sum to 1"),
        ("full False", "priors", {"labels": [], "values": [1.5, -0.5]}, "values: .*none below 0"),
        ("full False", "priors", {"labels": ["ash", "elm"], "values": [0.5, 0.5]}, "also 'oak'"),
        ("full False", "families.0.statistics.weight", [20, -4], r"weight\[1\]: .*not negative"),
        ("full False", "families.0.statistics.weight", [1e308] * 2, "weight: .*finite sum"),
        ("full False", "families.0.statistics.anchor", [0.0] * 5, "anchor: must be an array of 6"),
        ("full False", "families.0.statistics.scatter", [-1.0] * 12, "scatter: .*negative, got -1"),
        (
            "full False",  # each pair of features is possible, the three together are not
            "families.0.statistics.scatter",
            [1, 0, 1, 0, 0, 1, 1, -0.9, 1, -0.9, -0.9, 1],
            "scatter: must be positive semi-.* matrix 1 is not",
        ),
        ("diagonal False", "families.0.settings.covariance", "full", "layout: .*'diagonal'"),
        ("missing", "families.0.statistics.cells.observed", [], "observed: must be an array of 18"),
        ("given", "families.0.density.covariance", [1.0, 2.0, 1.0], "collinear|negative"),
        ("calibrated", "calibration.weight", -1.0, "weight"),
        ("transformed", "families.0.settings.transforms.0.numbers", [0], "numbers: must be an"),
    ],
)  # fmt: skip
def test_values_that_contradict_each_other(
    name: str, path: str, value: Any, problem: str, folder: Path
) -> None:
    parts = members(file_of(name))
    *outer, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    record: Any = parts if path.partition(".")[0] in parts else parts["model"]
    for step in outer:
        record = record[step]
    record[last] = value
    with pytest.raises(FileError, match=problem):
        loads(resealed(parts), folder)


@pytest.mark.parametrize("name", ["full False", "mixed", "calibrated"])
def test_bytes_changed_at_random_are_refused_or_loaded(name: str, folder: Path) -> None:
    """With a checksum that is right again, so that the checks behind it are tried."""
    good, rng = file_of(name), random.Random(7)
    body = good[: good.rindex(b'"checksum"')]
    refused = 0
    for _ in range(300):
        data = body
        for _ in range(rng.choice([1, 1, 2, 4])):
            start, to = rng.randrange(len(data)), rng.randrange(len(data))
            end = start + rng.randrange(1, 40)
            piece = rng.choice([b"", data[to : to + 40], rng.randbytes(1), b"1e999", b"null"])
            data = data[:start] + piece + data[end:]
        refused += bool(refusal(seal(data), folder))
    assert refused > 100


# What is no model file


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{}", b"[]", b"null", b"a,b,c\n1,2,3\n", b"\x80\x04\x95cos\nsystem\n"),
        *(b"PK\x03\x04", b"\x1f\x8b\x08", GOOD.decode().encode("utf-16"), b"\xff" * 100),
        *(bytes(1000), b'{"version": 3, "format": "gaussbayes model"}'),
        *(text("gaussbayes model", "other model"), GOOD.replace(b"{", b"{ {", 1)),
    ],
    ids=lambda data: repr(data[:20]),
)
def test_what_is_no_model_file(data: bytes, folder: Path) -> None:
    with pytest.raises(FileError, match="not a model file: it must begin with"):
        loads(data, folder)


def test_other_versions(folder: Path) -> None:
    version = re.search(r'"version": (\d+)', GOOD.decode())
    assert version
    for number, problem in (
        (int(version[1]) + 1, "by a newer gaussbayes"),
        (2, r"written by gaussbayes 0\.2|version 0\.2"),
        (1, r"0\.1"),
        (0, "version"),
    ):
        with pytest.raises(FileError, match=problem):
            loads(text(version[0], f'"version": {number}'), folder)


def test_changed_and_cut_off_files(folder: Path) -> None:
    edited = GOOD.replace(b"[20.0,20.0]", b"[20.0,21.0]")
    laid_out = json.dumps(members(GOOD), indent=2).encode()
    for data in (edited, laid_out, GOOD + b"\n", GOOD[:-1] + b" "):
        with pytest.raises(FileError, match="checksum"):
            loads(data, folder)
    windows = loads(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"), folder)
    assert windows.save(folder / "again.json").read_bytes() == GOOD
    body = GOOD[: GOOD.rindex(b'"checksum"')]
    for length in range(0, len(GOOD) - 1, 7):  # without the last line feed it is whole
        with pytest.raises(FileError, match="not a model file|cut off"):
            loads(GOOD[:length], folder)
        if length < len(body):  # what the checksum does not tell, the reader does
            with pytest.raises(FileError):
                loads(seal_again(body[:length] + b'"checksum"'), folder)


JSON = {
    '"sharing":0.0': {'"sharing": True': "invalid character"},
    WEIGHT: {
        '"weight": [20.0,NaN]': "must be JSON .*invalid character",
        '"weight": [20.0,1e999]': r"weight\[1\]: must be a finite number",
        f'"weight": [20.0,{"1" * 90000}]': "at most 1000 characters",
        '"weight": [20.0,020]': "invalid number",
        '"weight": [20,20,]': "trailing comma",
        '"weight": [0x14,20]': "expected ',' or ']'",
    },
    '"shrinkage":0.1': {
        '"shrinkage":' + '{"a":' * 5000 + "0" + "}" * 5000: "recursion",
        '"shrinkage":' + "[" * 9999 + "]" * 9999: "recursion",
        '"shrinkage":1e999': "settings.shrinkage: .*out of range",
    },
    '"age"': {
        r'"a\ge"': "invalid escape",
        r'"\ud800"': "must be JSON",
        '"a\tge"': "invalid character",
        f'"{"a" * (1 << 25)}"': "strings, of 16,777,216 bytes together",
        "'age'": "invalid character",
        "{}": r"features\[0\]: .*`str`, got `object`",
    },
}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [(old, new, problem) for old, some in JSON.items() for new, problem in some.items()],
    ids=lambda value: str(value)[:30],
)
def test_json_that_is_not_of_this_form(old: str, new: str, problem: str, folder: Path) -> None:
    with pytest.raises(FileError, match=problem):
        loads(text(old, new), folder)
    with pytest.raises(FileError, match="must be JSON .*utf-8.*invalid start"):
        loads(seal_again(GOOD.replace(b'"age"', b'"\xff"', 1)), folder)


FILLERS = {
    "empty arrays": '"weight": [{}]'.format("[]," * 2_000_000 + "[]"),
    "nested arrays": '"weight": ' + "[" * 3_000_000 + "]" * 3_000_000,
    "tiny numbers": '"weight": [{}0]'.format("0," * 3_000_000),
    "strings": '"weight": [{}"ab"]'.format('"ab",' * 1_200_000),
    "members": '"weight": {{{}"x":0}}'.format("".join(f'"m{i}":0,' for i in range(500_000))),
    "a long string": '"weight": "{}"'.format("a" * 6_000_000),
    "escapes": '"weight": "{}"'.format(r"\"" * 3_000_000),
    "spaces": '"weight": [{}1,1]'.format(" " * 6_000_000),
    "a long number": '"weight": [1.{},20]'.format("1" * 6_000_000),
    "wide characters": '"weight": ["{}"]'.format('","'.join(["\U0001f600" + "a" * 1000] * 6000)),
}
PLACES = [
    ('["ash","oak"]', "[{}0]".format("12345678," * 2_000_000), "at most 500,000 lab"),
    ('["age","girth","height"]', '[{}"a"]'.format('"ab",' * 2_000_000), "500,000 strings"),
    ('"families":[', '"families": [' + "0," * 9_000_000, r"families\[0\]"),
    ('"columns":[0,1,2]', '"columns": [{}0]'.format("0," * 9_000_000), "at most 500,000"),
]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [(WEIGHT, filler, "must be|has at most") for filler in FILLERS.values()] + PLACES,
    ids=[*FILLERS, *(old for old, _, _ in PLACES)],
)
def test_no_file_fills_the_memory(old: str, new: str, problem: str, folder: Path) -> None:
    """At most 50 MB beyond twice the file's size."""
    data = text(old, new)
    (folder / "model.json").write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=problem):
            gaussbayes.load(folder / "model.json")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2 * len(data) + 50_000_000


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        gaussbayes.load(tmp_path / "nowhere.json")
    with pytest.raises(IsADirectoryError):
        gaussbayes.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(FileError, match="it is not an ordinary file"):
            gaussbayes.load(path)
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate((1 << 30) + 1)  # no room is taken
    with pytest.raises(FileError, match="has at most 1,073,741,824 bytes, this one has"):
        gaussbayes.load(tmp_path / "large.json")
