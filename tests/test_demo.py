"""The demonstration tells the truth about the irises."""

import runpy
from pathlib import Path

import pytest
from rich.console import Console
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from gaussbayes.apps import demo
from gaussbayes.datasets import load_iris


def test_leave_one_out_errors_are_the_known_ones() -> None:
    # Leave-one-out errors of scikit-learn's QDA, LDA and GaussianNB (variances with n − 1) on iris,
    # refitted 150 times with priors estimated each time.
    data = load_iris()
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(demo.structure_table(data, demo.split(data)))
    known = {"QDA": 4, "LDA": 3, "Gaussian naive Bayes": 7}
    lines = [line.strip() for line in captured.get().splitlines()]
    for name, errors in known.items():
        (line,) = (line for line in lines if line.startswith(f"{name} "))
        assert line.endswith(f" {errors} ({100 * errors / 150:.1f} %)")


def test_the_held_out_flowers_are_a_fair_proportion_of_each_species() -> None:
    parts = demo.split(load_iris())
    for labels, count in ((parts.labels, 35), (parts.held_out_labels, 15)):
        assert [int((labels == name).sum()) for name in load_iris().class_names] == [count] * 3


def test_the_confusion_matrix_is_that_of_scikit_learn() -> None:
    parts = demo.split(load_iris())
    model = demo.classifier().fit(parts.rows, parts.labels)
    theirs = QuadraticDiscriminantAnalysis().fit(parts.rows, parts.labels)
    assert (model.predict(parts.held_out_rows) == theirs.predict(parts.held_out_rows)).all()
    assert demo.confusion_table(model, parts).row_count == 3


def test_the_report_is_whole_and_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    demo.main()
    report = capsys.readouterr().out
    for part in ("kernels", "priors", "covariances", "correlations", "confusion", *demo.STRUCTURES):
        assert part in report
    assert "…" not in report
    assert max(map(len, report.splitlines())) <= 80


def test_the_figure_in_the_readme_is_what_is_printed_now() -> None:
    docs = Path(__file__).parent.parent / "docs"
    drawn = runpy.run_path(str(docs / "demo_figure.py"))["draw"]()
    assert drawn == (docs / "demo.svg").read_text(encoding="utf-8")
