"""Files dropped on the page: what cannot be used is reported in one sentence, the rest opens.

How cells become numbers and missing values is tested with the reader: see ``test_lab_files``.
"""

import re
from typing import Any

import numpy as np
import pytest

from gaussbayes import GaussianClassifier
from tests.page.driving import Lab, multiplies_out

NAME = '<img src=x onerror="window.hacked=1">'
RTL = "\u202eמין\u202c"


def table(names: list[str], rows: Any, separator: str = ",") -> str:
    """A file of these names and rows; what needs quotes gets them."""

    def cell(value: Any) -> str:
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if re.search(r'[",;\n]', text) else text

    return "\n".join(separator.join(map(cell, row)) for row in [names, *rows]) + "\n"


def rows_of(n_rows: int, n_columns: int, n_classes: int, seed: int = 1) -> list[list[Any]]:
    """Rows of numbers with a class at the end, whose mean is where the class is."""
    generator = np.random.default_rng(seed)
    codes = np.arange(n_rows) % n_classes
    numbers = np.round(generator.normal(size=(n_rows, n_columns)) + 3 * codes[:, None] ** 0.5, 3)
    return [
        [*row, f"class {code:03}"]
        for row, code in zip(numbers.tolist(), codes.tolist(), strict=True)
    ]


PLAIN = table(["p", "q", "kind"], rows_of(30, 2, 2))
WORDS = [[f"w{i}", "ab"[i % 2]] for i in range(20)]
IDENTIFIERS = [[i, i * i, f"r{i}"] for i in range(20)]
MEGABYTE = b"1.5,2.5,a\n" * 100_000

BAD: dict[str, tuple[str, str | bytes, int, str]] = {
    "empty": ("empty.csv", "", 1, "is empty"),
    "only spaces": ("blank.csv", " \n\n  \n", 1, "no rows"),
    "only header": ("header.csv", "p,q,kind\n", 1, "no rows"),
    "no header": ("bare.csv", "1.5,2.5,3\n2.5,3.5,4\n", 1, "names of the columns"),
    "one column": ("one.csv", "p\n1\n2\n3\n", 1, "one column"),
    "one class": ("same.csv", table(["p", "q", "kind"], rows_of(20, 2, 1)), 1, "classes"),
    "all text": ("words.csv", table(["p", "q"], WORDS), 1, "numbers"),
    "no repeated class": ("ids.csv", table(["p", "q", "id"], IDENTIFIERS), 1, "classes"),
    "201 classes": ("many.csv", table(["p", "q", "kind"], rows_of(804, 2, 201)), 1, "classes"),
    "binary": ("noise.csv", bytes(range(256)) * 20, 1, "not a text file"),
    "zip": ("sheet.xlsx", b"PK\x03\x04" + bytes(300), 1, "gaussbayes lab sheet.xlsx"),
    "program": ("lab.exe", b"MZ" + bytes(300), 1, "another format"),
    "51 MB": ("large.csv", MEGABYTE, 51, "50 MB"),
    "300 MB": ("huge.csv", MEGABYTE, 300, "300 MB"),
    "300 MB, binary": ("huge.bin", bytes(1_000_000), 300, "300 MB"),
    "open quote": ("quote.csv", 'p,q,kind\n1,"2,a\n3,4,b\n', 1, "quotation mark"),
    "ragged": ("ragged.csv", "p,q,kind\n1,2\n3,4\n5\n6,7,a\n", 1, "most rows"),
    "hostile name": (f"{NAME}.csv", "p\n1\n", 1, "one column"),
}  # fmt: skip


def test_files_that_cannot_be_used_change_nothing(lab: Lab) -> None:
    lab.drop("plain.csv", PLAIN)
    lab.slide("pooled", 0.4)
    before = lab.get("JSON.stringify([figure.state, app.place, app.index, location.hash])")
    for name, (file, content, repeats, words) in BAD.items():
        lab.drop(file, content, repeats)
        message = lab.message
        assert words in message, (name, message)
        assert file.removesuffix(".csv")[:20] in message, (name, message)
        assert message.endswith("."), (name, message)
        assert len(message) < 220, (name, message)
        # One sentence: a full stop at its end and in names and numbers.
        assert not re.search(r"[.!?] [A-Z]", message), (name, message)
        now = lab.get("JSON.stringify([figure.state, app.place, app.index, location.hash])")
        assert now == before, name
        assert lab.page.locator("img").count() == 0, name
    lab.slide("pooled", 0.2)
    assert lab.message == ""  # a message goes with the next change


ROWS = rows_of(60, 2, 3)


def decimal_comma(value: float) -> str:
    return f"{value:.2f}".replace(".", ",")


GOOD: dict[str, tuple[str | bytes, dict[str, Any]]] = {
    "BOM": ("\ufeff" + table(["längé", "q", "kind"], ROWS), {"names": ["längé", "q"]}),
    "UTF-16": (table(["längé", "q", "kind"], ROWS).encode("utf-16"), {"names": ["längé", "q"]}),
    "Latin-1": (
        table(["größe", "q", "käse"], ROWS).encode("latin-1"),
        {"names": ["größe", "q"], "target": "käse"},
    ),
    "formulas": (
        table(["=1+1", "@SUM(A1)", "kind"], [[a, b, f"=cmd|' /C calc'!{c}"] for a, b, c in ROWS]),
        {"names": ["=1+1", "@SUM(A1)"]},
    ),
    "HTML": (
        table([NAME, f"</script>{NAME}", NAME + "y"], [[a, b, f"{NAME}{c}"] for a, b, c in ROWS]),
        {"names": [NAME, f"</script>{NAME}"]},
    ),
    "quotes": (
        table(['say "p"', "a,b;c", "li\nne"], [[a, b, f'"{c}", ok'] for a, b, c in ROWS]),
        {"names": ['say "p"', "a,b;c"], "target": "li\nne"},
    ),
    "RTL": (
        table([RTL, "אורך", "kind"], [[a, b, f"{RTL}{c}"] for a, b, c in ROWS]),
        {"names": [RTL, "אורך"]},
    ),
    "same names": (table(["p", "p", "kind"], ROWS), {"names": ["p", "p (2)"]}),
    "decimal commas": (
        table(["p", "q", "kind"], [[*map(decimal_comma, row[:2]), row[2]] for row in ROWS], ";"),
        {"names": ["p", "q"]},
    ),
    "tiny": (table(["p", "q", "kind"], [[f"{a}e-12", f"{b}e-12", c] for a, b, c in ROWS]), {}),
    "huge": (table(["p", "q", "kind"], [[f"{a}e12", f"{b}e12", c] for a, b, c in ROWS]), {}),
    "units": (table(["p", "q", "kind"], [[f"{a}e-12", f"{b}e12", c] for a, b, c in ROWS]), {}),
    "timestamps": (
        table(["t", "q", "kind"], [[int(1.7e12 + 1e4 * a), b, c] for a, b, c in ROWS]),
        {"names": ["t", "q"]},
    ),
    "200 classes": (table(["p", "q", "kind"], rows_of(1000, 2, 200)), {"n_classes": 200}),
    "500 columns": (table([*(f"c{i}" for i in range(500)), "kind"], rows_of(60, 500, 3)), {}),
    "one feature": (table(["p", "kind"], rows_of(30, 1, 2)), {"names": ["p"]}),
}  # fmt: skip


def test_unusual_files_open(lab: Lab) -> None:
    for name, (content, expected) in GOOD.items():
        lab.drop(f"{name}.csv", content)
        assert lab.message == "", (name, lab.message)
        seen = lab.get(
            """({ names: figure.scene.names, classes: figure.scene.classes.map(String),
                target: figure.scene.table.target, problem: figure.scene.problem,
                all: figure.scene.table.names.length, n: figure.scene.table.n })"""
        )
        assert seen["problem"] is None, (name, seen)
        for member in ("names", "target"):
            assert expected.get(member, seen[member]) == seen[member], name
        assert len(seen["classes"]) == expected.get("n_classes", len(seen["classes"])), name
        assert lab.page.locator("img, .lab-panel script").count() == 0, name
        text = lab.page.locator("#lab").inner_text()
        assert not re.search(r"NaN|Infinity|undefined", text), name
        assert lab.card(), name
        assert all(map(multiplies_out, lab.card().values())), (name, lab.card())
        must_equal_library(lab, name)


def must_equal_library(lab: Lab, name: str) -> None:
    """The posteriors at the query are those of the library, whatever the units."""
    columns, labels, query, posterior = lab.get(
        """[figure.scene.columns.map((j) => Array.from(figure.scene.table.columns[j])),
            figure.scene.table.labels, figure.state.query,
            figure.scene.model.posterior(figure.scene.row)]"""
    )
    model = GaussianClassifier().fit(np.transpose(columns), labels)
    expected = model.predict_proba([query])[0]
    assert posterior == pytest.approx(expected.tolist(), rel=1e-6, abs=1e-9), name
