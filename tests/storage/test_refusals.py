"""Files that are not good models: each is refused, and the message says where and why."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from gaussbayes import GaussianClassifier, ModelFileError
from gaussbayes.model import file as storage
from gaussbayes.model.file import loads
from tests.storage.broken import BROKEN, GIVEN, GOOD, WEIGHT, text
from tests.storage.files import members, resealed, seal_again


def broken_files() -> list[Any]:
    cases = []
    for name, data, change, said in BROKEN:
        parts = members(data)
        change(parts)
        cases.append(pytest.param(resealed(parts), said, id=name))
    return cases


@pytest.mark.parametrize(("data", "said"), broken_files())
def test_the_message_names_the_place(data: bytes, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        loads(data)


def test_a_mean_that_overflows() -> None:
    parts = members(GOOD)
    parts["moments"]["anchor"][4] = parts["moments"]["offset"][4] = 1.7e308
    with pytest.raises(ModelFileError, match=r"moments.offset\[4\]: expected a finite mean"):
        loads(resealed(parts))
    parts = members(GIVEN)
    parts["parameters"]["center"][1] = parts["parameters"]["offset"][3] = 1.7e308
    with pytest.raises(ModelFileError, match=r"parameters.offset\[3\]: expected a finite mean"):
        loads(resealed(parts))


def test_a_scatter_that_is_not_semi_definite() -> None:
    """Each pair of features is possible, the three together are not."""
    parts = members(GOOD)
    parts["moments"]["scatter"] = [1, 0, 1, 0, 0, 1, 1, -0.9, 1, -0.9, -0.9, 1]
    with pytest.raises(ModelFileError, match="moments.scatter: matrix 1 is not positive semi-def"):
        loads(resealed(parts))


def test_a_newer_version_asks_for_an_upgrade() -> None:
    later = text('"version": 1', '"version": 2')
    with pytest.raises(
        ModelFileError, match="written by a newer gaussbayes.*pip install --upgrade"
    ):
        loads(later)


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
        b'{"version": 1, "format": "gaussbayes model"}',
    ],
)
def test_what_is_no_model_file(data: bytes) -> None:
    with pytest.raises(ModelFileError, match="^not a model file: expected it to begin with"):
        loads(data)


def test_an_edited_file_is_refused() -> None:
    edited = GOOD.replace(b"[20.0,20.0]", b"[20.0,21.0]")
    assert edited != GOOD
    with pytest.raises(ModelFileError, match="checksum: .*edited or damaged after it was saved"):
        loads(edited)


def test_a_file_of_another_layout_is_refused() -> None:
    for laid_out in (
        json.dumps(members(GOOD), indent=2).encode(),
        GOOD + b"\n",
        GOOD.strip() + b" ",
    ):
        with pytest.raises(ModelFileError, match="checksum"):
            loads(laid_out)


def test_marks_of_windows_do_no_harm() -> None:
    assert storage.dumps(loads(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))) == GOOD
    assert storage.dumps(loads(GOOD[:-1])) == GOOD


@pytest.mark.parametrize("data", [GOOD, GIVEN], ids=["moments", "parameters"])
def test_every_truncation(data: bytes, tmp_path: Path) -> None:
    for length in range(len(data) - 1):  # without the last line feed it is whole
        with pytest.raises(ModelFileError, match="not a model file|cut off"):
            loads(data[:length])
    path = tmp_path / "cut.json"
    path.write_bytes(data[:500])
    with pytest.raises(ModelFileError, match=r"^model file '.*cut\.json': checksum: .*cut off"):
        GaussianClassifier.load(path)


def test_every_truncation_with_a_new_seal() -> None:
    """The parser alone: nothing is told by the checksum."""
    body = GOOD[: GOOD.rindex(b'"checksum"')]
    for length in range(len(body)):
        with pytest.raises(ModelFileError):
            loads(seal_again(body[:length] + b'"checksum"'))


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(text(WEIGHT, '"weight": [20.0,-4.0]'))
    expected = "moments.weight[1]: expected a weight, not negative, got -4.0"
    with pytest.raises(ModelFileError, match=re.escape(f"model file {str(path)!r}: {expected}")):
        GaussianClassifier.load(path)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        GaussianClassifier.load(tmp_path / "nowhere.json")
    with pytest.raises(IsADirectoryError):
        GaussianClassifier.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ModelFileError, match="it is not an ordinary file"):
            GaussianClassifier.load(path)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(storage.LARGEST_FILE + 1)  # no room is taken
    with pytest.raises(ModelFileError, match="has at most 1,073,741,824 bytes, this one has"):
        storage.load(path)
    path.write_bytes(GOOD)
    with pytest.raises(ModelFileError, match="at most 100 bytes"):
        storage.load(path, largest=100)
    with pytest.raises(ModelFileError, match="at most 100 bytes"):
        storage.loads(GOOD, largest=100)
