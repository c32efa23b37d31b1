"""Lessons as pages and notebooks: what cells compute, and what a class needs.

`make docs` runs every cell of every page; here run those whose numbers are checked.
"""

import ast
import json
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import norm

from gaussbayes import Gaussian, GaussianClassifier, lessons
from gaussbayes.apps.cli.lesson_command import lesson_command
from gaussbayes.lessons.notebook import cells, notebook, page

PAGES = sorted(file.stem for file in Path(lessons.__file__).with_name("pages").glob("*.md"))


def test_every_lesson_has_a_page() -> None:
    assert sorted(lessons.names()) == PAGES


@cache
def names_after(name: str) -> dict[str, Any]:
    """The names that the code of a page defines; what it printed is under "printed"."""
    names: dict[str, Any] = {}
    said = StringIO()
    with redirect_stdout(said):
        for cell in cells(page(name)):
            if cell.is_code:
                exec(compile(ast.parse(cell.text), name, "exec"), names)  # noqa: S102
    assert plt.get_fignums()  # a page without a figure teaches less
    plt.close("all")
    return names | {"printed": said.getvalue()}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_what_a_class_needs(name: str) -> None:
    parts = list(cells(page(name)))
    text = "\n".join(cell.text for cell in parts if not cell.is_code)
    for needed in (f"# {lessons.get(name).title}\n", "**The question.**", "\n## Exercises\n", "$$"):
        assert needed in text
    assert "**The handout" in text
    solutions = [cell for cell in parts if "hide-cell" in cell.tags]
    assert 2 <= len(solutions) <= 3
    imports = [line for cell in parts for line in cell.text.splitlines() if "gaussbayes." in line]
    assert all(
        line.startswith("from gaussbayes.datasets import") for line in imports if "import" in line
    )
    code = "\n".join(cell.text for cell in parts if cell.is_code)
    assert "print(" in code
    assert ast.parse(code).body


def test_densities_obey_the_rules_of_probabilities() -> None:
    names = names_after("probability")
    x, step = names["x"], names["step"]
    assert names["density"].sum() * step**2 == pytest.approx(1.0, abs=1e-7)
    np.testing.assert_allclose(names["summed"], norm.pdf(x), atol=1e-8)
    # Given x2 = 1.5 the mean is ρ · 1.5, the variance 1 − ρ².
    np.testing.assert_allclose(names["cut"], norm.pdf(x, 0.8 * 1.5, 0.6), atol=1e-8)
    assert names["draw"].explain(["red"]).bayes.classes[0].posterior == pytest.approx(13 / 26)


def test_a_restricted_covariance_is_that_of_the_derivation() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 3)) @ [[2, 1, 0], [0, 1, 0.5], [0, 0, 3]]
    full = np.cov(rows.T, ddof=0)
    for shape, expected in {
        "diagonal": np.diag(np.diag(full)),
        "spherical": np.trace(full) / 3 * np.eye(3),
    }.items():
        fitted = Gaussian.fit(rows, covariance=shape)
        np.testing.assert_allclose(fitted.covariance, expected, rtol=1e-12, atol=1e-14)


def test_densities_have_two_humps_each_and_the_posterior_is_one_step() -> None:
    names = names_after("generative")
    groups, x = names["groups"], np.linspace(-8, 9, 2001)
    joint = np.array(
        [
            prior * norm.pdf(x, mean[0], covariance[0, 0] ** 0.5)
            for prior, mean, covariance in zip(
                groups.priors_, groups.means_, groups.covariances_, strict=True
            )
        ]
    )
    for density in (joint[:2].sum(axis=0), joint[2:].sum(axis=0)):
        inner = density[1:-1]
        assert np.sum((inner > density[:-2]) & (inner > density[2:])) == 2
    expected = joint[2:].sum(axis=0) / joint.sum(axis=0)
    posterior = groups.predict_proba(x[:, None])[:, 2:].sum(axis=1)
    np.testing.assert_allclose(posterior, expected, atol=1e-12)
    assert np.count_nonzero(np.diff(posterior > 0.5)) == 1


def test_a_feature_map_and_a_transform_repair_what_a_line_cannot() -> None:
    names = names_after("generative")
    test = names["R_test"], names["ring_test"]
    error = {name: 1 - model.score(*test) for name, model in names["fits"].items()}
    assert error["logistic regression"] > 0.4  # no line separates rings
    assert max(error[name] for name in error if name != "logistic regression") < 0.05
    rows, rows_test = np.exp(names["X"]), np.exp(names["X_test"])
    straight, repaired = (
        GaussianClassifier(shared=True, transforms=transform).fit(rows, names["y"])
        for transform in (None, "log")
    )
    assert repaired.score(rows_test, names["y_test"]) > straight.score(rows_test, names["y_test"])


def test_naive_bayes_is_optimal_under_independence_only() -> None:
    names = names_after("independence")
    # Φ(−√(dᵀ Σ⁻¹ d) / 2) with d = (2, 1): dᵀ Σ⁻¹ d = (4 − 4ρ + 1) / (1 − ρ²).
    for rho in (0.0, 0.5, 0.8):
        best, naive = names["both_errors"](rho)
        assert best == pytest.approx(100 * norm.sf(((5 - 4 * rho) / (1 - rho**2)) ** 0.5 / 2))
        assert naive == pytest.approx(100 * norm.sf(5 / (5 + 4 * rho) ** 0.5 / 2))
        assert naive == pytest.approx(best) if rho == 0 else naive > best + 1
    for shape, expected in zip(("full", "diagonal"), names["both_errors"](0.8), strict=True):
        model = GaussianClassifier(shape, shared=True).fit(*names["train"])
        error = 1 - model.score(*names["test"])
        assert abs(100 * error - expected) < 400 * (error * (1 - error) / 100_000) ** 0.5


def test_a_notebook_is_the_page(tmp_path: Path) -> None:
    file = tmp_path / "petals.ipynb"
    answer = CliRunner().invoke(lesson_command, ["petals", "--notebook", str(file)])
    assert answer.exit_code == 0, answer.output
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document == notebook("petals")
    code = ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]
    assert code == [cell.text for cell in cells(page("petals")) if cell.is_code]
    hidden = [cell for cell in document["cells"] if cell["metadata"].get("tags") == ["hide-cell"]]
    assert len(hidden) == 3
    assert "> **Erratum**" in "".join("".join(cell["source"]) for cell in document["cells"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["petals", "rain", "--notebook", "x.ipynb"], "one lesson, got 2"),
        (["petal", "--notebook", "x.ipynb"], "petals"),
        (["petals", "--notebook", "missing/x.ipynb"], "missing"),
    ],
)
def test_notebooks_that_cannot_be(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(lesson_command, arguments)
    assert answer.exit_code != 0
    assert message in f"{answer.output}{answer.exception}"
