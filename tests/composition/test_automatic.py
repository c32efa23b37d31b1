"""The automatic choice and the average, for every kind of data, whatever is missing in it."""

from functools import cache

import numpy as np
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import OptionError
from gaussbayes.families.coded import Coding, NumberCode
from tests.composition.cases import (
    CLASSES,
    COMPLETENESS,
    KINDS,
    frame_of,
    labels_of,
    queries,
    rows,
)
from tests.models import automatic_classifier

CHOICES = [
    (kind, completeness, (i + j) % 2 == 1)  # averaged or not: each with every kind and completeness
    for i, kind in enumerate(KINDS)
    for j, completeness in enumerate(COMPLETENESS)
]
every = pytest.mark.parametrize(("kind", "completeness", "average"), CHOICES)
few = pytest.mark.parametrize(("kind", "completeness", "average"), CHOICES[::3])


def automatic(kind, average):
    counts = {f"n{j}": "poisson" for j in range(KINDS[kind][1])}
    return automatic_classifier(average=average, families=counts or None, n_jobs=1)


@cache
def fitted(kind, completeness, average):
    data = rows(kind, completeness)
    return automatic(kind, average).fit(frame_of(data), labels_of(data))


def close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@every
def test_predictions(kind, completeness, average):
    model, X = fitted(kind, completeness, average), frame_of(queries(kind))
    posterior = model.predict_proba(X)
    close(posterior.sum(axis=1), 1.0)
    close(np.exp(model.predict_log_proba(X)), posterior)
    assert model.predict(X).tolist() == [CLASSES[c] for c in posterior.argmax(axis=1)]
    # A row that lacks every value says nothing, unless missing values are coded as others are: the
    # shares of the labelled rows, or nearly.
    members = [member for _, member in model.model_.weighted_members]
    families = [family for member in members for family in member.settings.families]
    codes = [code for family in families for code in getattr(family, "coding", Coding(())).of]
    if not any(getattr(code, "missing", code != NumberCode()) for code in codes):
        close(posterior[-1], model.priors_, 0.25)


@every
def test_sets_grow_with_their_coverage(kind, completeness, average):
    model, X = fitted(kind, completeness, average), frame_of(queries(kind))
    few, many = (model.predict_set(X, coverage).members for coverage in (0.5, 0.95))
    assert few.shape == (len(X), 3)
    assert (many | ~few).all()


@few
def test_leave_one_out_is_finite_and_of_complete_rows_better_than_the_shares(
    kind, completeness, average
):
    model, data = fitted(kind, completeness, average), rows(kind, completeness)
    if completeness != "complete":  # each row that is left out takes a fit
        data = rows(kind, completeness, n=15, seed=15)
    if len(model.model_.weighted_members) > 1:
        with pytest.raises(OptionError, match="judge an average by folds"):
            model.leave_one_out(frame_of(data), labels_of(data))
        return
    found = model.leave_one_out(frame_of(data), labels_of(data))
    close(np.exp(found.log_posterior).sum(axis=1), 1.0)
    assert found.evaluation.log_loss < (np.log(3) if completeness == "complete" else np.inf)


@every
def test_a_file_keeps_the_model(kind, completeness, average, tmp_path):
    model, X = fitted(kind, completeness, average), frame_of(queries(kind))
    model.save(tmp_path / "model.json", unlabelled_rows=True)
    loaded = GaussianClassifier.load(tmp_path / "model.json")
    close(loaded.predict_proba(X), model.predict_proba(X))


@few
def test_strings_and_units_make_no_difference(kind, completeness, average):
    def changed(frame):
        frame = frame.copy()
        for name in frame.columns:
            if name.startswith("z"):
                frame[name] = frame[name].astype(object)
            if name.startswith("x"):
                frame[name] *= 1e-6 if name == "x0" else 1e3
        return frame

    data, X = rows(kind, completeness), frame_of(queries(kind))
    other = automatic(kind, average).fit(changed(frame_of(data)), labels_of(data))
    posterior = fitted(kind, completeness, average).predict_proba(X)
    close(other.predict_proba(changed(X)), posterior, 1e-5)
