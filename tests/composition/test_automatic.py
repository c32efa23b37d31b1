"""The automatic choice, for every kind of data, whatever is missing in it."""

from functools import cache

import numpy as np
import pytest

from gaussbayes import AutoClassifier, load
from tests.composition.cases import (
    CLASSES,
    COMPLETENESS,
    KINDS,
    frame_of,
    labels_of,
    queries,
    rows,
)

CHOICES = [(kind, completeness) for kind in KINDS for completeness in COMPLETENESS]
every = pytest.mark.parametrize(("kind", "completeness"), CHOICES)
few = pytest.mark.parametrize(("kind", "completeness"), CHOICES[::3])


def automatic(kind):
    counts = {f"n{j}": "poisson" for j in range(KINDS[kind][1])}
    return AutoClassifier(families=counts or None, n_jobs=1)


@cache
def fitted(kind, completeness):
    data = rows(kind, completeness)
    return automatic(kind).fit(frame_of(data), labels_of(data))


def close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@every
def test_predictions_sets_and_files(kind, completeness, tmp_path):
    model, X = fitted(kind, completeness), frame_of(queries(kind))
    posterior = model.predict_proba(X)
    close(posterior.sum(axis=1), 1.0)
    close(np.exp(model.predict_log_proba(X)), posterior)
    assert model.predict(X).tolist() == [CLASSES[c] for c in posterior.argmax(axis=1)]
    if completeness == "complete" or kind == "numbers":
        # A row without any value has the class proportions, or nearly; in other cells, missing
        # values may themselves carry information about the class.
        close(posterior[-1], model.priors_, 0.25)
    few, many = (model.predict_set(X, coverage).members for coverage in (0.5, 0.95))
    assert few.shape == (len(X), 3)
    assert (many | ~few).all()
    loaded = load(model.save(tmp_path / "model.json", unlabelled_rows=True))
    close(loaded.predict_proba(X), posterior)


@few
def test_leave_one_out_is_finite_and_of_complete_rows_better_than_the_shares(kind, completeness):
    model, data = fitted(kind, completeness), rows(kind, completeness)
    if completeness != "complete":  # each row that is left out takes a fit
        data = rows(kind, completeness, n=15, seed=15)
    found = model.leave_one_out(frame_of(data), labels_of(data))
    close(np.exp(found.log_posterior).sum(axis=1), 1.0)
    assert found.evaluation.log_loss < (np.log(3) if completeness == "complete" else np.inf)


@few
def test_the_selection_is_printed_as_it_is(kind, completeness):
    selection = fitted(kind, completeness).selection_
    assert 0 <= selection.error < 1
    lines = str(selection).split("─\n")[1].splitlines()
    for line, each in zip(lines[:20], selection.candidates, strict=False):
        assert line.startswith(each.short_title)
        words = line.removeprefix(each.short_title).split()
        assert words[:2] == [str(each.shrinkage).lower(), str(each.n_parameters)]


@few
def test_strings_and_units_make_no_difference(kind, completeness):
    def changed(frame):
        frame = frame.copy()
        for name in frame.columns:
            if name.startswith("z"):
                frame[name] = frame[name].astype(object)
            if name.startswith("x"):
                frame[name] *= 1e-6 if name == "x0" else 1e3
        return frame

    data, X = rows(kind, completeness), frame_of(queries(kind))
    other = automatic(kind).fit(changed(frame_of(data)), labels_of(data))
    posterior = fitted(kind, completeness).predict_proba(X)
    close(other.predict_proba(changed(X)), posterior, 1e-5)
