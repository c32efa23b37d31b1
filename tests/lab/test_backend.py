"""The whole server with what really answers: whatever comes, the page is told, and it goes on."""

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from websockets.sync.client import ClientConnection

from gaussbayes.apps.lab.backend import Backend
from gaussbayes.apps.lab.lab_tables import NamedTable
from tests.lab.server_double import TOKEN, Running, decode, running

GIVEN = NamedTable(
    "two.csv",
    pa.table({"x": [0.0, 1.0, 2.0, 5.0], "y": [0.0, 2.0, 1.0, None], "kind": ["a", "a", "b", "b"]}),
    "kind",
)
HAND = {
    "from": "hand",
    "priors": [0.5, 0.5],
    "means": [[0, 0], [1, 1]],
    "covariances": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]],
}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with Backend(GIVEN) as lab, running(lab, most=100_000) as found:
        yield found


@pytest.fixture
def page(server: Running) -> Iterator[ClientConnection]:
    with server.open_socket() as socket:
        yield socket


def ask(page: ClientConnection, kind: str, **body: Any) -> Any:
    """The head that comes back, or the error."""
    page.send(json.dumps({"number": 7, "kind": kind, **body}))
    message = page.recv(20)
    return json.loads(message) if isinstance(message, str) else decode(message)[0]


def scene(page: ClientConnection, **changes: Any) -> Any:
    data = ask(page, "data", source={"from": "preset", "preset": "unequal"})["id"]
    return ask(page, "scene", **{"data": data, "pair": [0, 1], "model": HAND, **changes})


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        ("[" * 100_000, "must be an object"),
        ("NaN", "JSON"),
        ('{"number": 1, "kind": "format the disk"}', "kind"),
        ('{"number": NaN, "kind": "scene"}', "JSON"),
        ("x" * 5_000_000, "bytes"),
        (b"\0\1\2", "binary"),
    ],
)
def test_what_is_no_request(page: ClientConnection, message: str | bytes, about: str) -> None:
    page.send(message)
    error = json.loads(page.recv(20))
    assert error["kind"] == "error"
    assert about in error["text"]
    assert len(error["text"]) < 1000
    assert scene(page)["kind"] == "scene"


@pytest.mark.parametrize(
    "model",
    [
        HAND | {"covariances": [[[1, 2], [2, 1]], [[1, 0], [0, 1]]]},  # not definite
        HAND | {"covariances": [[[1, 0.5], [0, 1]], [[1, 0], [0, 1]]]},  # not symmetric
        HAND | {"covariances": [[[0, 0], [0, 0]], [[1, 0], [0, 1]]]},
        HAND | {"means": [[0, 0], [1e300, 1]]},
        HAND | {"means": [[0, 0]]},
        HAND | {"priors": [0.5, 0.6]},
        HAND | {"priors": [1.5, -0.5]},
        HAND | {"priors": [1e-4] * 10_000},
        {key: value * 5000 if isinstance(value, list) else value for key, value in HAND.items()},
        {"from": "data", "covariance": "round"},
        {"from": "neighbours", "k": 0},
        None,
    ],
)
def test_models_that_are_none(page: ClientConnection, model: Any) -> None:
    error = scene(page, model=model)
    assert (error["kind"], error["of"], error["number"]) == ("error", "scene", 7)
    assert 10 < len(error["text"]) < 1000
    assert scene(page)["kind"] == "scene"


def test_points_of_too_many_classes(page: ClientConnection) -> None:
    source = {
        "from": "points",
        "points": [[0, 0, code] for code in range(10_000)],
        "classes": [str(code) for code in range(10_000)],
        "features": ["x", "y"],
    }
    error = ask(page, "data", source=source)
    assert error["kind"] == "error"
    assert "must be an integer <= 49, got 50" in error["text"]
    assert scene(page)["kind"] == "scene"


def test_a_file_that_is_dropped_on_the_page(server: Running, page: ClientConnection) -> None:
    content = b"width,height,kind\n1,2,a\n2,1,a\n5,5,b\n6,7,b\n"
    response, body = server.ask(
        "POST", f"/{TOKEN}/upload", content, Origin=server.origin, X_File_Name="..%2Fleaves.csv"
    )
    kept = json.loads(body)
    assert (response.status, kept["columns"]) == (200, ["width", "height", "kind"])
    head = ask(page, "data", source={"from": "upload", "upload": kept["upload"]}, target="kind")
    assert (head["name"], head["classes"]) == ("leaves.csv", ["a", "b"])
    assert (head["features"], head["n"]) == (["width", "height"], 4)


@pytest.mark.parametrize("content", [b"", b"a,b\n", b"PAR1 and then nothing", b"\xff\xfe\x00"])
def test_files_that_cannot_be_used(server: Running, content: bytes) -> None:
    response, body = server.ask(
        "POST", f"/{TOKEN}/upload", content, Origin=server.origin, X_File_Name="leaves.parquet"
    )
    assert response.status == 422
    text = json.loads(body)["text"]
    assert "leaves.parquet" in text
    assert "/tmp" not in text


def test_the_rows_of_the_command_line(server: Running, page: ClientConnection) -> None:
    _, body = server.ask("GET", f"/{TOKEN}/about.json")
    about = json.loads(body)
    assert about["given"]["name"] == "two.csv"
    assert about["given"]["columns"] == ["x", "y", "kind"]
    assert about["given"]["target"] == "kind"
    head = ask(page, "data", source={"from": "given"})
    assert (head["classes"], head["features"], head["n"]) == (["a", "b"], ["x", "y"], 4)


def test_what_the_page_is_told(server: Running) -> None:
    _, body = server.ask("GET", f"/{TOKEN}/about.json")
    about = json.loads(body)
    names = {"version", "colours", "shapes", "presets", "lessons", "given", "limits", "endings"}
    assert names | {"glossary"} == set(about)
    assert "prior" in about["glossary"]["field"]
    assert {"name", "title", "about", "classes", "n"} <= set(about["presets"][0])
    assert {"name", "title"} <= set(about["lessons"][0])
    assert "unequal" in {preset["name"] for preset in about["presets"]}
