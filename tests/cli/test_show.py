"""What a model holds, in words and as JSON."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell


def test_everything_as_json(shell: Shell, fitted: GaussianClassifier) -> None:
    done = shell("cat iris.json | gaussbayes show - --json")
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert record["settings"] == {
        "covariance": "full",
        "shared": False,
        "priors": None,
        "divisor": "mle",
        "shrinkage": None,
        "target": "diagonal",
        "estimate": "plug_in",
        "unlabelled_weight": 1,
        "families": [{"family": "gaussian", "features": list(load_iris().feature_names)}],
    }
    assert record["kinds"] == ["number"] * 4
    assert record["classes"] == fitted.classes_.tolist()
    assert record["features"] == list(load_iris().feature_names)
    assert record["weights"] == [50.0, 50.0, 50.0]
    assert record["priors"] == fitted.priors_.tolist()
    assert record["means"] == fitted.means_.tolist()
    assert record["covariances"] == fitted.covariances_.tolist()
    assert record["correlations"] == fitted.correlations_.tolist()
    variances = np.diagonal(fitted.covariances_, axis1=1, axis2=2)
    np.testing.assert_allclose(record["deviations"], np.sqrt(variances), rtol=1e-15)
    # 2 priors, 3 · 4 means, 3 · 4 · 5 / 2 covariances
    assert record["n_parameters"] == {"priors": 2, "gaussian": 42, "total": 44}
    assert (record["missing_values"], record["unlabelled"]) == (False, 0)
    assert record["problem"] is None


def test_tables_for_people(call: Call, fitted: GaussianClassifier) -> None:
    result = call("show", "iris.json")
    assert (result.exit_code, result.stderr) == (0, "")
    text = result.stdout
    assert "covariance  full" in text
    assert "parameters  44: 2 of priors, 42 of gaussian" in text
    assert "0.33333" in text
    assert all(f" {label}" in text for label in fitted.classes_)
    # The mean petal length of the species, and a deviation and a correlation of setosa.
    petals = next(line for line in text.splitlines() if line.startswith("petal length"))
    assert petals.split()[-3:] == ["1.462", "4.26", "5.552"]
    assert "0.34895" in text  # √(Σ (x − 5.006)² / 50)
    assert "0.74255" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "Not shown" not in text


@pytest.mark.parametrize("shared", [False, True, 0.4])
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_every_structure(call: Call, tmp_path: Path, covariance: str, shared: bool | float) -> None:
    data = load_iris()
    model = GaussianClassifier(covariance, shared=shared, priors="uniform")
    model.fit(data.rows, data.labels).save(tmp_path / "m.json")
    record = json.loads(call("show", "m.json", "--json").stdout)
    assert record["n_parameters"]["total"] == model.n_parameters_
    assert (record["features"], record["n_features"]) == (None, 4)
    variances = np.diagonal(model.covariances_, axis1=-2, axis2=-1)
    deviations = np.broadcast_to(np.sqrt(variances), (3, 4))
    np.testing.assert_allclose(record["deviations"], deviations, rtol=1e-15)
    assert ("covariances" in record) == (covariance == "full")
    if covariance == "full":
        np.testing.assert_array_equal(record["covariances"], model.covariances_)
    text = call("show", "m.json").stdout
    assert f"covariance  {covariance}\n" in text
    assert f"shared      { {False: 'no', True: 'yes'}.get(shared, shared) }\n" in text
    assert (text.count(" all\n") > 0) == (shared is True)
    assert record["settings"]["shared"] == shared
    assert "priors      uniform" in text
    assert "feature 3" in text
    assert max(map(len, text.splitlines())) <= 80


def test_many_classes_and_features_are_shortened(call: Call, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.normal(size=(3000, 40)))
    frame.columns = [f"a feature with a long name, number {j}" for j in range(40)]
    labels = [f"class number {c}" for c in np.arange(3000) % 30]
    GaussianClassifier().fit(frame, labels).save(tmp_path / "m.json")
    text = call("show", "m.json").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) < 200
    assert "Not shown: 10 of 30 classes, the parameters of 25 classes, 28 of mean, 28 of" in text
    assert len(json.loads(call("show", "m.json", "--json").stdout)["covariances"]) == 30


def test_models_that_cannot_predict_yet(call: Call, tmp_path: Path) -> None:
    model = GaussianClassifier().partial_fit([[1.0, 2.0], [3.0, 5.0]], ["a", "b"])
    model.save(tmp_path / "m.json")
    result = call("show", "m.json")
    assert result.exit_code == 0
    assert "It cannot predict yet" in result.stdout
    record = json.loads(call("show", "m.json", "--json").stdout)
    assert "covariances" not in record
    assert record["weights"] == [1.0, 1.0]
    assert "'a'" in record["problem"]


def test_models_made_from_parameters(call: Call, tmp_path: Path) -> None:
    GaussianClassifier.from_parameters(
        [0.25, 0.75], [[0.0], [4.0]], [[[1.0]], [[4.0]]], ["no", "yes"]
    ).save(tmp_path / "m.json")
    text = call("show", "m.json").stdout
    assert "nothing: its parameters were given" in text
    assert "priors      given" in text
    record = json.loads(call("show", "m.json", "--json").stdout)
    assert (record["weights"], record["priors"]) == (None, [0.25, 0.75])


def test_files_that_are_no_models(call: Call, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    result = call("show", "m.json")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "m.json" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_least_error_of_any_rule(call: Call, tmp_path: Path) -> None:
    # Two classes 4 standard deviations apart: the error is Φ(−2), the bound ½ exp(−2).
    GaussianClassifier.from_parameters(None, [[0.0], [4.0]], [[1.0]]).save(tmp_path / "m.json")
    record = json.loads(call("show", "m.json", "--bayes-error", "--json").stdout)["bayes_error"]
    assert abs(record["error"] - norm.cdf(-2)) < 4 * record["standard_error"] < 1e-3
    assert record["bound"] == pytest.approx(np.exp(-2) / 2, rel=1e-12)
    assert record["n_draws"] == 100_000
    line = call("show", "m.json", "--bayes-error").stdout.splitlines()[-1]
    assert line.startswith(f"Bayes error {100 * record['error']:.4g} % ± 0.0")
    assert line.endswith("Bhattacharyya bound 6.767 %")
    assert "Bayes error" not in call("show", "m.json").stdout
    assert "bayes_error" not in json.loads(call("show", "m.json", "--json").stdout)


def test_no_least_error_before_a_model_can_predict(call: Call, tmp_path: Path) -> None:
    model = GaussianClassifier().partial_fit([[1.0, 2.0], [3.0, 5.0]], ["a", "b"])
    model.save(tmp_path / "m.json")
    assert "Bayes error" not in call("show", "m.json", "--bayes-error").stdout
    record = json.loads(call("show", "m.json", "--bayes-error", "--json").stdout)
    assert record["bayes_error"] is None
