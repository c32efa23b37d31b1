"""Several threads change one estimator: no update is lost."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.sklearn import GaussianNB

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(1600, 3)), np.repeat([0, 1], 800)
PARTS = [slice(start, None, 17) for start in range(17)]


@pytest.fixture(autouse=True)
def _often_interrupted() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[slice], object]) -> None:
    """Call the function on all parts but the first, on a thread each."""
    threads = [threading.Thread(target=work, args=(part,)) for part in PARTS[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("model", [GaussianClassifier(), GaussianNB()])
def test_rows_that_sixteen_threads_add_are_all_there(model: Any) -> None:
    first = PARTS[0]
    expected = type(model)().fit(X, Y)
    for _ in range(5):
        model = type(model)().partial_fit(X[first], Y[first], classes=[0, 1])
        at_once(lambda part, model=model: model.partial_fit(X[part], Y[part]))
        np.testing.assert_allclose(
            model.predict_log_proba(X), expected.predict_log_proba(X), rtol=0, atol=1e-11
        )


def test_parts_that_sixteen_threads_merge_and_forget() -> None:
    first = PARTS[0]
    parts = {part.start: GaussianClassifier().fit(X[part], Y[part]) for part in PARTS}
    alone = parts[0].predict_log_proba(X)
    model = GaussianClassifier().fit(X[first], Y[first])
    at_once(lambda part: model.merge(parts[part.start]))
    whole = GaussianClassifier().fit(X, Y)
    np.testing.assert_allclose(
        model.predict_log_proba(X), whole.predict_log_proba(X), rtol=0, atol=1e-11
    )
    at_once(lambda part: model.forget(X[part], Y[part]))
    np.testing.assert_allclose(model.predict_log_proba(X), alone, rtol=0, atol=1e-9)
