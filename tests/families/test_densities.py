"""Densities of every family are densities: they sum to 1, and what is missing is integrated out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussbayes.data.rows import Rows
from gaussbayes.data.schema import Schema
from gaussbayes.families import FAMILIES, RECORDED, family_type
from gaussbayes.families.protocol import Sized
from tests.families.cases import (
    CASES,
    DISTRIBUTIONS,
    Case,
    estimated,
    probes,
    random_table,
    rows_of,
    tables,
)

every_family = pytest.mark.parametrize("case", CASES, ids=str)
every_distribution = pytest.mark.parametrize("case", DISTRIBUTIONS, ids=str)
few = settings(max_examples=12)


def in_class(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return scores[np.arange(codes.size), codes]


@every_family
@few
@given(data=st.data())
def test_log_likelihood_is_the_sum_over_the_rows(case: Case, data: st.DataObject) -> None:
    (table,) = data.draw(tables(case))
    codes, weights = table.targets.codes, table.targets.weights
    for density in probes(case, table.n_classes, table.n_columns):
        scores = density.log_density(table.rows)
        expected = weights @ in_class(scores, codes)
        found = density.log_likelihood(table.statistics)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
        complete, again = density.expect_statistics(table.statistics)
        assert again == found
        np.testing.assert_allclose(complete.weight, table.statistics.weight, rtol=1e-12)


@every_family
def test_the_estimate_is_the_best(case: Case) -> None:
    """Of the likelihood and the prior that smoothing stands for there is no better density."""
    table = random_table(case, k=2, d=1, n=60)
    family, names = table.family, table.names
    best = family.maximise(table.statistics, names)
    chart = best.coordinates(names)
    vector = chart.vector(best)

    def objective(at: np.ndarray) -> float:
        density = chart.density(at)
        return density.log_likelihood(table.statistics) + family.log_penalty(density)

    top = objective(vector)
    assert top == pytest.approx(
        best.log_likelihood(table.statistics) + family.log_penalty(best), rel=1e-12
    )
    random = np.random.default_rng(0)
    for length in (1e-1, 1e-2, 1e-3):
        for _ in range(10):
            step = length * random.normal(size=vector.size)
            assert objective(vector + step) <= top + 1e-9 * abs(top)


@every_family
@few
@given(data=st.data())
def test_missing_values_are_integrated_out(case: Case, data: st.DataObject) -> None:
    (table,) = data.draw(tables(case, least=1))
    k, d = table.n_classes, table.n_columns
    density = probes(case, k, d)[0]
    scores = density.log_density(table.rows)
    for i, row in enumerate(table.values):
        there = [j for j in range(d) if row[j] is not None or case.observes_missing]
        if not there:
            assert scores[i].tolist() == [0.0] * k
            continue
        part = density.marginal(there, Schema(np.arange(k), len(there)))
        assert (part.n_classes, part.n_columns) == (k, len(there))
        alone = part.log_density(rows_of(case, [[row[j] for j in there]], len(there)))
        np.testing.assert_allclose(scores[i], alone[0], rtol=1e-10, atol=1e-12)


@every_family
def test_the_marginal_is_the_model_of_fewer_columns(case: Case) -> None:
    table = random_table(case, k=3, d=2, n=90)
    for j in range(2):
        names = Schema(np.arange(3), 1)
        fewer = case.of(1).estimate(table.statistics.of_columns([j]), names).density
        rows = rows_of(case, [row[j : j + 1] for row in table.values], 1)
        np.testing.assert_allclose(
            estimated(table).marginal([j], names).log_density(rows),
            fewer.log_density(rows),
            rtol=1e-10,
            atol=1e-12,
        )


@every_distribution
def test_probabilities_sum_to_one(case: Case) -> None:
    support = rows_of(case, [[value] for value in case.column.support], 1)
    for density in [*probes(case, 3, 1), estimated(random_table(case, k=2, d=1))]:
        total = case.column.step * np.exp(density.log_density(support)).sum(axis=0)
        np.testing.assert_allclose(total, 1.0, rtol=1e-10)


@every_family
@few
@given(data=st.data())
def test_a_row_does_not_depend_on_those_beside_it(case: Case, data: st.DataObject) -> None:
    """Nor does the coding of its categories, or the number of threads, matter."""
    (table,) = data.draw(tables(case, least=1))
    density = probes(case, table.n_classes, table.n_columns)[0]
    scores = density.log_density(table.rows)
    np.testing.assert_array_equal(density.log_density(table.rows, 2), scores)
    for i, row in enumerate(table.values):
        alone = density.log_density(rows_of(case, [row], table.n_columns))
        np.testing.assert_allclose(alone[0], scores[i], rtol=1e-12)


@every_family
def test_many_rows_are_scored_in_blocks(case: Case) -> None:
    table = random_table(case, k=3, n=50, missing=0.2)
    density = probes(case, 3, 2)[0]
    which = np.random.default_rng(0).integers(0, 50, 100_000)
    many = density.log_density(table.rows[which], 2)
    np.testing.assert_allclose(many, density.log_density(table.rows)[which], rtol=1e-12)


@every_family
def test_scores_have_the_float_type_of_the_rows(case: Case) -> None:
    table = random_table(case, missing=0.2)
    density = probes(case, 2, 2)[0]
    single = Rows(table.rows.matrix.astype(np.float32), table.rows.codes, table.rows.categories)
    scores = density.log_density(single)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, density.log_density(table.rows), rtol=1e-5, atol=1e-5)


@every_family
def test_classes_are_selected(case: Case) -> None:
    table, density = random_table(case, k=3), probes(case, 3, 2)[0]
    np.testing.assert_allclose(
        density.selected([2, 0]).log_density(table.rows),
        density.log_density(table.rows)[:, [2, 0]],
        rtol=1e-12,
    )


@every_family
def test_families_and_their_names(case: Case) -> None:
    table = random_table(case, k=3, n=90)
    family = table.family
    if family.name in FAMILIES:
        assert family_type(family.name) is type(family)
    assert family.name in RECORDED
    assert list(family.variants(table.statistics, table.names)) == [[family]]
    if isinstance(family, Sized):
        assert family.n_parameters(3, 2) == estimated(table).n_parameters
    assert replace(family) == family


@every_distribution
def test_parameters_are_counted(case: Case) -> None:
    """As many as directions in which the density changes."""
    density, names = probes(case, 2, 1)[0], Schema(np.arange(2), 1)
    chart = density.coordinates(names)
    support = rows_of(case, [[value] for value in case.column.sample], 1)
    vector = chart.vector(density)
    steps = 1e-4 * np.eye(vector.size)
    changes = [
        chart.density(vector + step).log_density(support)
        - chart.density(vector - step).log_density(support)
        for step in steps
    ]
    rank = np.linalg.matrix_rank(np.stack(changes).reshape(vector.size, -1), tol=1e-6)
    assert density.n_parameters == rank
