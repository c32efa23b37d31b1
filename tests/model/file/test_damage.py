"""Files that are not good models: each is refused, and the message says where and why."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from gaussbayes.base.errors import FileError
from gaussbayes.model import file as model_file
from gaussbayes.model.file import dumps, load, loads
from tests.model.file.broken import BROKEN, GIVEN, GOOD, MISSING, MIXED, UNLABELLED, WEIGHT, text
from tests.model.file.files import members, resealed, seal_again


@pytest.mark.parametrize("case", BROKEN, ids=[case[0] for case in BROKEN])
def test_the_message_names_the_place(case: Any) -> None:
    _, data, change, message = case
    parts = members(data)
    change(parts)
    with pytest.raises(FileError, match=message):
        loads(resealed(parts))


def test_means_that_overflow() -> None:
    for data, (path, first), (second, at) in (
        (GOOD, ("statistics", "anchor"), ("offset", 4)),
        (GIVEN, ("density", "center"), ("offset", 3)),
    ):
        parts = members(data)
        record = parts["families"][0][path]
        record[first] = [1.7e308] * len(record[first])
        record[second][at] = 1.7e308
        with pytest.raises(FileError, match=rf"offset\[{at}\]: must be a finite mean"):
            loads(resealed(parts))
    parts = members(MISSING)
    cells = parts["families"][0]["statistics"]["cells"]
    cells["anchor"][5] = cells["offset"][5] = 1.7e308
    with pytest.raises(FileError, match=r"cells.offset\[5\]: must be a finite mean"):
        loads(resealed(parts))


def test_scatters_that_are_not_semi_definite() -> None:
    """Each pair of features is possible, the three together are not."""
    parts = members(GOOD)
    scatter = [1, 0, 1, 0, 0, 1, 1, -0.9, 1, -0.9, -0.9, 1]
    parts["families"][0]["statistics"]["scatter"] = scatter
    with pytest.raises(FileError, match="scatter: must be positive semi-.* matrix 1 is not"):
        loads(resealed(parts))


def test_weights_that_are_too_large_together() -> None:
    parts = members(MISSING)
    statistics = parts["families"][0]["statistics"]
    statistics["weight"][0] = statistics["cells"]["weight"][0] = 1.7e308
    with pytest.raises(FileError, match="finite sum, together with those of complete rows"):
        loads(resealed(parts))


def test_other_versions() -> None:
    newer = text('"version": 2', '"version": 3')
    with pytest.raises(FileError, match="by a newer gaussbayes.*pip install --upgrade"):
        loads(newer)
    first = b'{\n"format": "gaussbayes model",\n"version": 1,\n"settings": {}\n}\n'
    with pytest.raises(FileError, match=r"written by version 0\.1 .*: fit the model again"):
        loads(first)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"a,b,c\n1,2,3\n",
        b"\x80\x04\x95cos\nsystem\n",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        GOOD.decode().encode("utf-16"),
        b"\xff" * 100,
        bytes(1000),
        b'{"version": 2, "format": "gaussbayes model"}',
    ],
)
def test_what_is_no_model_file(data: bytes) -> None:
    with pytest.raises(FileError, match="^not a model file: it must begin with"):
        loads(data)


def test_an_edited_file_is_refused() -> None:
    edited = GOOD.replace(b"[20.0,20.0]", b"[20.0,21.0]")
    assert edited != GOOD
    with pytest.raises(FileError, match="checksum: .*edited or damaged after it was saved"):
        loads(edited)
    for laid_out in (json.dumps(members(GOOD), indent=2).encode(), GOOD + b"\n", GOOD[:-1] + b" "):
        with pytest.raises(FileError, match="checksum"):
            loads(laid_out)


def test_marks_of_windows_do_no_harm() -> None:
    assert dumps(loads(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))) == GOOD
    assert dumps(loads(GOOD[:-1])) == GOOD


@pytest.mark.parametrize("data", [GOOD, GIVEN, MIXED, UNLABELLED], ids=len)
def test_every_truncation(data: bytes) -> None:
    for length in range(len(data) - 1):  # without the last line feed it is whole
        with pytest.raises(FileError, match="not a model file|cut off"):
            loads(data[:length])


@pytest.mark.parametrize("data", [GOOD, UNLABELLED], ids=len)
def test_every_truncation_with_a_new_seal(data: bytes) -> None:
    """What the checksum does not tell, the reader does."""
    body = data[: data.rindex(b'"checksum"')]
    for length in range(len(body)):
        with pytest.raises(FileError):
            loads(seal_again(body[:length] + b'"checksum"'))


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(text(WEIGHT, '"weight": [20.0,-4.0]'))
    expected = "families[0].statistics.weight[1]: must be a weight, which is not negative, got -4.0"
    with pytest.raises(FileError, match=re.escape(f"model file {str(path)!r}: {expected}")):
        load(path)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load(tmp_path / "nowhere.json")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(FileError, match="it is not an ordinary file"):
            load(path)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(model_file.LARGEST_FILE + 1)  # no room is taken
    with pytest.raises(FileError, match="has at most 1,073,741,824 bytes, this one has"):
        load(path)
    path.write_bytes(GOOD)
    with pytest.raises(FileError, match="at most 100 bytes"):
        load(path, largest=100)
    with pytest.raises(FileError, match="at most 100 bytes"):
        loads(GOOD, largest=100)
