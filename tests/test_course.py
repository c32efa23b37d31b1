"""The course keeps its word: the numbers of the five documents, the 91 items and the errata."""

import doctest
import re
import sys
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes import Gaussian, GaussianClassifier, make_gaussian_dataset

# Numbers of the documents, through the public names that the chapters use ------------------------

N_DRAWS = 200


def bayes_error(model: GaussianClassifier) -> float:
    """Sum what the best rule loses over the plane: all joint densities but the largest."""
    side = np.arange(-18, 18, 0.1) + 0.05
    cells = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    return float(1 - np.exp(model.scores(cells).log_joint).max(axis=1).sum() * 0.1**2)


def roots(model: GaussianClassifier, a: object, b: object) -> np.ndarray:
    """Where two classes are equally probable, along one feature."""
    equation = model.boundary(a, b)
    return np.sort(np.roots([equation.quadratic[0, 0], equation.linear[0], equation.constant]))


class TestBiggio:
    centroids = ((-5, -5), (5, -5), (0, 5))
    covariances = (((3, -1), (-1, 3)), ((3, -0.5), (-0.5, 3)), ((1, -1), (-1, 3)))

    def test_the_least_error_is_that_of_600000_draws(self) -> None:
        truth = GaussianClassifier.from_parameters(None, self.centroids, self.covariances)
        # 0.169 % was counted; its standard error is 0.005 %.
        assert bayes_error(truth) == pytest.approx(0.00169, abs=0.00016)

    def test_four_errors_of_1500_lie_in_the_spread(self) -> None:
        counts = []
        for seed in range(N_DRAWS):
            draws = [
                make_gaussian_dataset([500] * 3, self.centroids, self.covariances, random_state=s)
                for s in (2 * seed, 2 * seed + 1)
            ]
            model = GaussianClassifier(divisor="unbiased").fit(*draws[0])
            counts.append(round(1500 * (1 - model.score(*draws[1]))))
        assert min(counts) < 4 < max(counts)
        assert np.mean(counts) == pytest.approx(1500 * 0.00169, rel=0.25)

    def test_given_parameters_have_straight_boundaries(self) -> None:
        model = GaussianClassifier.from_parameters(
            [1 / 4, 1 / 4, 1 / 2], [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]], [0, 1, 2]
        )
        assert model.covariances_.shape == (2, 2)  # shared: nothing was fitted
        lines = {}
        for pair in ((1, 0), (0, 2)):
            equation = model.boundary(*pair)
            assert not equation.quadratic.any()
            assert_allclose(equation.linear, [2, 2])
            lines[pair] = -equation.constant / 2
        assert_allclose(list(lines.values()), [2, -2 + np.log(2) / 2])


class TestKapourani:
    means = ((0, 0), (2, 2))
    covariances = (((2, -1), (-1, 2)), ((1, 0), (0, 1)))

    def test_the_best_rule_is_right_in_9284_of_10000(self) -> None:
        truth = GaussianClassifier.from_parameters(None, self.means, self.covariances)
        # Counted in 1,000,000 draws; the standard error is 0.026 points.
        assert 1 - bayes_error(truth) == pytest.approx(0.9284, abs=0.0008)

    def test_estimates_and_accuracies_of_the_sheet_lie_in_the_spread(self) -> None:
        sheet = (
            [(0.1600, -0.0031), (1.9633, 2.0848)],
            [
                ((1.9749, -1.0334), (-1.0334, 2.1867)),
                ((0.8095, 0.0047), (0.0047, 0.9766)),
            ],
        )
        accuracies, means, covariances = [], [], []
        for seed in range(N_DRAWS):
            train, test = (
                make_gaussian_dataset([n, n], self.means, self.covariances, random_state=s)
                for n, s in ((100, 2 * seed), (50, 2 * seed + 1))
            )
            model, neighbours = (
                GaussianClassifier().fit(*train),
                KNeighborsClassifier(3).fit(*train),
            )
            accuracies.append((model.score(*test), neighbours.score(*test)))
            means.append(model.means_)
            covariances.append(model.covariances_)
        for printed, drawn in zip(sheet, (means, covariances), strict=True):
            assert (np.min(drawn, axis=0) <= printed).all()
            assert (np.max(drawn, axis=0) >= printed).all()
        lowest, highest = np.min(accuracies, axis=0), np.max(accuracies, axis=0)
        correct = np.array([[47 + 43], [46 + 39]]).ravel() / 100
        assert_allclose(correct, [0.90, 0.85])
        assert (lowest < correct).all()
        assert (correct < highest).all()
        gaussians, votes = np.mean(accuracies, axis=0)
        assert gaussians > votes  # the data are Gaussian


class TestMacAodhaAndSiddharth:
    X = np.array([1.8, 2.1, 2.5, 3.2, 3.8, 5.8, 6.7, 7.0])[:, None]
    y = np.array(list("AAAAABBB"))

    @pytest.mark.parametrize(
        ("divisor", "variances"), [("mle", (0.5336, 0.26)), ("unbiased", (0.667, 0.39))]
    )
    def test_estimates(self, divisor: str, variances: ArrayLike) -> None:
        model = GaussianClassifier(divisor=divisor).fit(self.X, self.y)
        assert_allclose(model.means_.ravel(), [2.68, 6.5])
        assert_allclose(model.covariances_.ravel(), variances)
        assert_allclose(model.priors_, [5 / 8, 3 / 8])

    @pytest.mark.parametrize(
        ("priors", "expected"),
        [("uniform", (4.894721, 15.365512)), (None, (4.944434, 15.315800))],
    )
    def test_two_boundaries(self, priors: str | None, expected: ArrayLike) -> None:
        model = GaussianClassifier(priors=priors).fit(self.X, self.y)
        assert_allclose(roots(model, "B", "A"), expected, atol=5e-7)

    def test_parts_of_the_negative_log_likelihood(self) -> None:
        loss = GaussianClassifier().fit(self.X, self.y).negative_log_likelihood(self.X, self.y)
        assert_allclose(
            [loss.labels, loss.features, loss.total],
            [5.2925059, 7.7606258, 13.0531317],
            atol=5e-8,
        )


class TestBorela:
    X = np.array([[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1.0]])
    y = np.array([2, 2, 2, 1, 1, 1])
    query = np.array([[3.0, 4.0]])

    def test_estimates(self) -> None:
        full = GaussianClassifier().fit(self.X, self.y)
        assert_allclose(full.priors_, [0.5, 0.5])
        assert_allclose(full.means_, [[8.5, 1.8333], [1.8333, 7.5]], atol=5e-5)
        one, two = [[0.1667, 0.1667], [0.1667, 0.3889]], [[0.3889, -0.1667], [-0.1667, 0.1667]]
        assert_allclose(full.covariances_, [one, two], atol=5e-5)

    def test_the_query(self) -> None:
        naive = GaussianClassifier("diagonal").fit(self.X, self.y)
        scores = naive.scores(self.query)
        assert_allclose(scores.log_likelihood, [[-97.25548, -38.96977]], atol=5e-6)
        assert naive.log_odds(self.query, 2, 1)[0] == pytest.approx(58.285714, abs=5e-7)
        assert naive.predict(self.query)[0] == 2
        assert scores.posterior[0, 0] == pytest.approx(4.9e-26, rel=0.01)

    def test_the_printed_densities_come_from_the_covariance_in_place_of_its_inverse(self) -> None:
        means = np.array([[8.50, 1.83], [1.83, 6.84]])
        variances = np.array([[0.21, 0.40], [0.39, 0.17]])
        exponents = -0.5 * ((self.query - means) ** 2 * variances).sum(axis=1)
        densities = np.exp(exponents) / (2 * np.pi * np.sqrt(variances.prod(axis=1)))
        assert_allclose(densities, [8.95e-3, 0.238], rtol=0.005)
        assert_allclose(densities / densities.sum(), [0.036, 0.964], atol=5e-4)


class TestXue:
    def test_the_genetic_test(self) -> None:
        results = {"positive": [0.9, 0.1], "negative": [0.1, 0.9]}
        model = GaussianClassifier.from_parameters(
            [0.01, 0.99], classes=["defect", "none"], category_probabilities={"test": results}
        )
        positive = pd.DataFrame({"test": ["positive"]})
        assert model.predict_proba(positive)[0, 0] == pytest.approx(0.0833, abs=5e-5)
        assert model.predict_proba(positive)[0, 0] == pytest.approx(1 / 12, rel=1e-12)

    def test_rain(self) -> None:
        days = pd.DataFrame(
            {"humidity": list("111112222233333"), "wind": list("SMMSSSMMLLLMMLL")}, dtype="category"
        )
        rain = np.array([-1, -1, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1, -1])
        model = GaussianClassifier().fit(days, rain)
        question = pd.DataFrame({"humidity": ["2"], "wind": ["S"]})
        assert_allclose(np.exp(model.scores(question).log_joint), [[3 / 75, 2 / 75]])
        assert_allclose(model.predict_proba(question), [[0.6, 0.4]])
        assert model.predict(question)[0] == -1

    def test_a_density_without_the_factor_one_half_integrates_to_one_half(self) -> None:
        gaussian = Gaussian([0, 0], [[2, -1], [-1, 2]])
        side = np.arange(-18, 18, 0.1) + 0.05
        cells = np.stack(np.meshgrid(side, side), axis=-1)
        density = gaussian.pdf(cells)
        without = density * np.exp(-(gaussian.mahalanobis(cells) ** 2) / 2)
        assert_allclose([density.sum() * 0.01, without.sum() * 0.01], [1, 0.5], atol=1e-6)

    def test_the_doctors_prior_changes_the_decision(self) -> None:
        sample = GaussianClassifier.from_parameters([0.5, 0.5], [[40], [52]], [[[36]], [[64]]])
        doctor = sample.with_priors([0.8, 0.2])
        assert sample.predict([[48.0]])[0] == 1
        assert doctor.predict([[48.0]])[0] == 0
        moved = doctor.log_odds([[48.0]], 1, 0) - sample.log_odds([[48.0]], 1, 0)
        assert_allclose(moved, -np.log(4))


COURSE = Path(__file__).parent.parent / "docs" / "course"
CHAPTERS = sorted(COURSE.glob("[0-9]*.md"))

# The tables of items and errata -------------------------------------------------------------------

DOCUMENTS = {"000": 17, "001": 20, "002": 23, "003": 8, "004": 23}
KINDS = {"formula", "figure", "exercise", "claim", "code", "table"}


def text_of(page: str) -> str:
    """A page with one kind of minus sign."""
    return (COURSE / page).read_text(encoding="utf-8").replace("−", "-")


def tables(page: str) -> list[list[str]]:
    """The rows of all tables of a page, without heads."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text_of(page), flags=re.MULTILINE):
        for line in table.splitlines()[2:]:
            cells = re.split(r"(?<!\\)\|", line)[1:-1]  # a bar of the text is written \|
            found.append([cell.strip().replace(r"\|", "|") for cell in cells])
    return found


def slug(title: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w-]", "", title.strip().lower().replace(" ", "-"))


def section(page: str, anchor: str) -> str:
    """The text under a heading with its subsections; without an anchor, what precedes the first."""
    levels, starts, names, at, fenced = [1], [0], [""], 0, False
    text = text_of(page)
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        if not fenced and (heading := re.match(r"(##+) (.*)", line)):
            levels.append(len(heading[1]))
            starts.append(at)
            names.append(slug(heading[2]))
        at += len(line)
    assert anchor in names, f"{page} has no section {anchor}"
    here = names.index(anchor)
    level = levels[here] if anchor else 6
    ends = [start for start, depth in zip(starts, levels, strict=True) if depth <= level]
    return text[starts[here] : min((end for end in ends if end > starts[here]), default=len(text))]


def linked(cell: str) -> str:
    """All sections that a cell links to."""
    links = re.findall(r"\]\(([\w-]+\.md)(?:#([^)]+))?\)", cell)
    assert links, cell
    return "\n".join(section(page, anchor) for page, anchor in links)


ITEMS = [row for row in tables("items.md") if row[0].isdigit() and len(row[0]) < 3]
ERRATA = tables("errata.md")


def test_all_91_items_are_listed_once() -> None:
    assert [int(row[0]) for row in ITEMS] == list(range(1, 92))
    assert all(len(row) == 5 and all(row) and row[1] in KINDS for row in ITEMS)
    parts = re.split(r"^## (\d{3})", text_of("items.md"), flags=re.MULTILINE)[1:]
    counts = [len(re.findall(r"^\| \d+ \|", part, flags=re.MULTILINE)) for part in parts[1::2]]
    assert dict(zip(parts[::2], counts, strict=True)) == DOCUMENTS


@pytest.mark.parametrize("row", ITEMS, ids=[row[0] for row in ITEMS])
def test_names_and_numbers_of_an_item_occur_in_its_section(row: list[str]) -> None:
    text = linked(row[3])
    expected = re.findall(r"`([^`]+)`", row[4])
    assert expected
    assert [name for name in expected if name not in text] == []


def test_every_chapter_shows_items() -> None:
    shown = {page for row in ITEMS for page in re.findall(r"\]\(([\w-]+)\.md", row[3])}
    chapters = {path.stem for path in CHAPTERS}
    assert len(chapters) == 12
    assert chapters - shown == {"12-is-the-model-right"}  # it goes beyond the documents


@pytest.mark.parametrize("row", ERRATA, ids=[f"{row[0][:3]}-{row[1][:30]}" for row in ERRATA])
def test_an_erratum_is_in_its_chapter(row: list[str]) -> None:
    assert len(row) == 4
    assert all(row)
    text = linked(row[3])
    boxes = re.findall(r"^:::\{admonition\} Errat.*?^:::$", text, flags=re.MULTILINE | re.DOTALL)
    assert boxes
    printed = re.findall(r"\d+\.\d+(?:e-\d+)?", row[1])
    quoted = re.findall(r'"([^"]+)"', row[1])
    together = " ".join(" ".join(boxes).split()).replace("$", "")
    assert [part for part in (*printed, *quoted) if part not in together] == []


def test_titles_and_minutes_are_those_of_the_chapters() -> None:
    patterns = r"^# (.*)$", r"\*\*Time:\*\* (\d+) minutes"
    for row in tables("index.md"):
        page = re.findall(r"\(([\w-]+\.md)\)", row[0])[0]
        title, minutes = (re.search(p, text_of(page), flags=re.MULTILINE) for p in patterns)
        assert title is not None
        assert minutes is not None
        assert (row[0].partition("]")[0][1:], row[1]) == (title[1], minutes[1]), page


# Notebooks ----------------------------------------------------------------------------------------

sys.path.insert(0, str(COURSE.parent / "_extensions"))

import answers  # noqa: E402 - extensions of the site
import specs  # noqa: E402
from blocks import blocks  # noqa: E402
from notebooks import VERSIONS, notebook  # noqa: E402


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_notebooks_are_valid_and_ask_what_the_page_asks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    exercises = list(blocks(text, "exercise"))
    solutions = [cell.body for cell in blocks(text, "code-cell") if "solution" in cell.tags]
    assert len(exercises) >= 4
    for ending in VERSIONS:
        book = notebook(path, ending)
        nbformat.validate(book)
        codes = [cell.source for cell in book.cells if cell.cell_type == "code"]
        prose = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
        for code in codes:
            compile(code, path.name, "exec")
        assert prose.count("**Exercise ") == len(exercises)
        assert "{live" not in prose
        assert "```{" not in prose
        shown = [body.strip("\n") in codes for body in solutions]
        assert shown == [bool(ending)] * len(solutions)
        asked = codes.count("# Your code: assign the answer.\nanswer = ...")
        assert asked == (0 if ending else len(exercises))


def test_a_notebook_with_solutions_runs() -> None:
    book = notebook(COURSE / "01-probability.md", "-solutions")
    names: dict[str, object] = {}
    for cell in book.cells:
        if cell.cell_type == "code":
            exec(cell.source, names)  # noqa: S102
    assert "answer" in names


def test_an_empty_notebook_asks_for_an_answer() -> None:
    book = notebook(COURSE / "01-probability.md", "")
    first = next(cell.source for cell in book.cells if cell.source.startswith("assert "))
    for answer in (..., 0.0):
        with pytest.raises(AssertionError, match="Not yet"):
            exec(first, {"answer": answer})  # noqa: S102
    exec(first, {"answer": 28 / 52})  # noqa: S102


def test_examples_of_the_extensions() -> None:
    for module in (answers, specs, sys.modules["blocks"]):
        result = doctest.testmod(module)
        assert result.attempted
        assert not result.failed
