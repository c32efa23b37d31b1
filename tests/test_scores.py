"""The negative log-likelihood of labelled rows (to be asked of a Model)."""

# The negative log-likelihood


def test_the_two_species() -> None:
    # The course's example: petal lengths, printed parts 5.2925059 and 7.7606258.
    X = np.array([[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]])
    codes = np.array([0] * 5 + [1] * 3, dtype=np.int32)
    model = estimate(summarise(X, codes, None, 2), Schema(np.array(["A", "B"]), 1), Structure())
    parts = scores.negative_log_likelihood(model, X, codes)
    assert parts.labels == pytest.approx(5.2925059, abs=5e-8)
    assert parts.features == pytest.approx(7.7606258, abs=5e-8)
    assert parts.total == pytest.approx(13.0531317, abs=5e-8)


@each_structure
@each_width
def test_negative_log_likelihood_is_the_sum_of_log_joints(
    structure: Structure, dtype: type
) -> None:
    model, X = fitted(structure), queries(60, dtype=dtype)
    codes = np.arange(60, dtype=np.int32) % 3
    weights = np.linspace(0, 2, 60)
    own = scores.log_joint(model, X)[np.arange(60), codes].astype(np.float64)
    eps = float(np.finfo(dtype).eps)
    bound = 60 * 16 * eps * float(np.abs(own).max())
    plain = scores.negative_log_likelihood(model, X, codes)
    assert plain.total == pytest.approx(-own.sum(), abs=bound)
    assert plain.labels == pytest.approx(-model.log_prior[codes].sum(), rel=1e-14)
    weighted = scores.negative_log_likelihood(model, X, codes, weights)
    assert weighted.total == pytest.approx(-(weights * own).sum(), abs=2 * bound)


def test_no_rows_have_no_likelihood() -> None:
    parts = scores.negative_log_likelihood(
        fitted(Structure()), np.zeros((0, 4)), np.zeros(0, dtype=np.int32)
    )
    assert (parts.labels, parts.features, parts.total) == (0.0, 0.0, 0.0)
