"""`evaluate` on fitted and held-out rows; results print as tables."""

import numpy as np
import pandas as pd
from sklearn import config_context

from gaussbayes import AutoClassifier, GaussianClassifier, compare, drift
from gaussbayes.model.model import Model
from tests.models import iris

X, Y = iris()


def test_everything_prints_as_a_table_and_as_html() -> None:
    names = np.array(["<b>", "x & y", "ok"])
    labels = names[np.searchsorted(np.unique(Y), Y)]
    frame = pd.DataFrame(X, columns=["<i>", "b", "c", "d"])
    model = AutoClassifier().fit(frame, labels)
    row = frame.iloc[0]
    results = [
        model,
        model.model_,
        model.selection_,
        model.explain(row.tolist()),
        model.decide(frame, reject_below=0.9),
        model.leave_one_out(frame, labels),
        model.evaluate(frame, labels),
        model.scores(frame),
        model.predict_set(frame),
        model.estimate_priors(frame),
        model.importance(frame, labels),
        model.columns_,
        model.boundary("<b>", "ok") if hasattr(model, "coef_") else model.columns_,
        compare(frame, labels, models={"ours": GaussianClassifier()}, cv=2),
        drift(model, frame[::2], labels[::2]),
    ]
    for result in results:
        text = str(result)
        assert max(map(len, text.splitlines())) <= 88, text
        assert len(text.splitlines()) < 90
        assert "array(" not in text
        mime = getattr(result, "_repr_mimebundle_", None)
        html = mime()["text/html"] if mime else result._repr_html_()
        assert "<i></th>" not in html
        assert '"><b></td>' not in html
        assert "x & y<" not in html
    assert "… 130 more rows" in str(results[4])
    assert str(model).startswith(model.selection_.title)
    assert "&lt;i&gt;" in model.model_._repr_html_()
    assert str(GaussianClassifier()) == "GaussianClassifier()"
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_a_model_that_cannot_predict_yet_prints() -> None:
    model = GaussianClassifier().partial_fit([[1.0, 2.0], [3.0, 5.0]], ["a", "b"])
    assert "It cannot predict yet: class 'a'" in str(model)
    record = model._model
    assert isinstance(record, Model)
    assert "weight" in str(record)
