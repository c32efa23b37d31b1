"""A Dask DataFrame gives the same bits as one machine; predictions stay lazy."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from distributed import Client, LocalCluster, get_task_stream

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data import file_rows
from gaussbayes.data.dask import PartitionRows, _partition_partial, predictions
from gaussbayes.data.readers import parquet as parquet_reader
from gaussbayes.data.reduction import open_rows
from gaussbayes.data.roles import Request
from gaussbayes.model.options import internal_options
from tests.data.tables import LAYOUTS, Found, bits, learn, observation
from tests.fuzz import kill_worker

KINDS = {
    "text": ["oak", "elm", "ash"],
    "objects": np.array(["oak", "elm", "ash"], dtype=object),
    "categories": pd.Categorical(["oak", "elm", "ash"], categories=["fir", "oak", "elm", "ash"]),
    "integers": [7, -2, 30],
    "numbers that may be missing": pd.array([7, -2, 30], dtype="Int64"),
    "booleans": [True, False, True],
}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two processes."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def rows(n: int = 700, kinds: Any = KINDS["text"]) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + 2.0 * codes[:, None]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    return frame.assign(kind=pd.Series(kinds).take(codes).array, w=rng.uniform(0, 2, n))


def in_parts(*parts: pd.DataFrame) -> Any:
    """A Dask DataFrame of exactly these partitions."""
    return dd.from_delayed([delayed(part) for part in parts], meta=parts[0].iloc[:0])


def on_one_machine(
    frame: Any, target: str, features: tuple[str, ...], weights: str | None, layout: str
) -> Found:
    request = Request(target, features, weights)
    rows = PartitionRows.open_frame(frame, request)
    covariance, shared = LAYOUTS[layout]
    fold = observation(rows, internal_options(covariance=covariance, shared=shared))
    tree = MergeTree()
    for number in range(frame.npartitions):
        part = frame.get_partition(number).compute(scheduler="sync")
        shared_with_all = (rows.roles, request, rows.encoder, fold)
        tree.add(number, _partition_partial(part, number, shared_with_all))
    total = tree.result()
    return Found(total.total.with_rows(), features, (), total.n_rows)


# The same bits


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_partitions_are_merged_as_on_one_machine(kinds: Any, layout: str) -> None:
    frame = dd.from_pandas(rows(kinds=kinds), npartitions=11)
    for weights in (None, "w"):
        features = ("a", "b", "c")
        found = learn(frame, "kind", features=features, weights=weights, layout=layout)
        assert bits(found) == bits(on_one_machine(frame, "kind", features, weights, layout))
        assert found.n_rows == 700


def test_any_number_of_workers_gives_the_same_bits(client: Client) -> None:
    truth = kill_worker.on_one_machine()
    for scheduler in ("synchronous", "threads"):  # no cluster
        with dask.config.set(scheduler=scheduler):
            assert bits(learn(kill_worker.lazy_blocks(), "kind")) == truth
    for n_workers in (2, 3):
        client.cluster.scale(n_workers)
        client.wait_for_workers(n_workers, timeout=600)
        found = learn(kill_worker.lazy_blocks(), "kind", client=client)
        assert bits(found) == truth


def test_a_worker_killed_in_the_middle() -> None:
    found, read_before, read_in_all = kill_worker.with_a_kill(after=6)
    assert found == kill_worker.on_one_machine()
    assert 6 <= read_before < kill_worker.N_BLOCKS <= read_in_all


def test_empty_partitions_and_classes_that_are_in_few_of_them() -> None:
    whole = rows(300)
    parts = [whole[whole["kind"] == kind] for kind in ("oak", "elm", "ash")]
    nothing = whole.iloc[:0]
    frame = in_parts(nothing, parts[0], nothing, parts[1], parts[2], nothing, nothing)
    found = learn(frame, "kind", features=["a", "b", "c"])
    assert found.classes.tolist() == ["ash", "elm", "oak"]
    for c, kind in enumerate(found.classes):
        own = whole.loc[whole["kind"] == kind, ["a", "b", "c"]].to_numpy()
        moments = found.moments
        assert moments.weight[c] == len(own)
        np.testing.assert_allclose(moments.mean[c], own.mean(0), rtol=1e-13)
        np.testing.assert_allclose(moments.scatter[c], len(own) * np.cov(own.T, ddof=0), rtol=1e-11)


def test_a_partition_whose_rows_weigh_nothing() -> None:
    whole = rows(40)
    light = whole.assign(w=0.0)
    found = learn(in_parts(light, whole), "kind", weights="w")
    alone = learn(in_parts(whole), "kind", weights="w")
    np.testing.assert_array_equal(found.moments.weight, alone.moments.weight)
    np.testing.assert_array_equal(found.moments.scatter, alone.moments.scatter)
    with pytest.raises(DataError, match="DataFrame .* weights in column 'w' are all zero"):
        learn(in_parts(light, light), "kind", weights="w")


def test_rows_that_lack_features(client: Client) -> None:
    whole = rows().drop(columns="w")
    gaps = np.random.default_rng(2).random((len(whole), 3)) < 0.1
    whole[["a", "b", "c"]] = whole[["a", "b", "c"]].mask(gaps)
    frame = dd.from_pandas(whole, npartitions=4)
    there, here = learn(frame, "kind", client=client), learn(frame, "kind")
    assert there.n_incomplete == here.n_incomplete == gaps.any(axis=1).sum()
    assert bits(there) == bits(here)


def test_rows_without_label_are_read_again_on_the_workers(folder: Path, client: Client) -> None:
    offset = np.full(20_000, 2.0)  # what a function takes along may be large

    def total(rows: Any, weights: Any) -> Any:
        return np.append(rows.matrix.sum(axis=0) + offset[0], weights.sum())

    for source in (folder, dd.from_pandas(rows(300), npartitions=4)):
        request = Request(None, ["a", "b"], "w")
        alone = open_rows(source, request)
        there = open_rows(source, request, client=client)
        found = there.unlabelled(there.encoder).reduce(total, 1)
        assert found.tobytes() == alone.unlabelled(alone.encoder).reduce(total, 1).tobytes()
        np.testing.assert_allclose(found[2], rows(300)["w"].sum(), rtol=1e-9)  # JSON rounds


# Bad input


def test_values_that_are_not_finite_are_named(client: Client) -> None:
    bad = rows(20)
    bad.loc[bad.index[2], "a"] = np.nan
    bad.loc[bad.index[4], "b"] = np.inf
    frame = in_parts(rows(10), bad)
    for scheduler in (None, client):
        with pytest.raises(DataError, match="partition 1: .*infinity in row 4, column 'b'"):
            learn(frame, "kind", client=scheduler)


def test_columns_that_hold_no_numbers() -> None:
    frame = dd.from_pandas(rows(20).assign(town="Bari", day=pd.Timestamp("2024-01-01")), 2)
    message = r"not numbers: column 'town' \(string\), 'day' \(datetime64.*the others"
    with pytest.raises(DataError, match=message):
        learn(frame, "kind")
    assert learn(frame, "kind", features=["b", "a"]).features == ("b", "a")


def test_text_that_the_types_did_not_announce() -> None:
    wrong = rows(5).assign(b=["1", "2", "x", "4", "5"])
    frame = dd.from_map(lambda part: part, [rows(5), wrong], meta=rows(1), enforce_metadata=False)
    with pytest.raises(DataError, match=r"partition 1: .*'b' \(string, for example '1' in row"):
        learn(frame, "kind")


@pytest.mark.parametrize("kinds", [["oak", None, "elm"], pd.Categorical(["oak", None, "elm"])])
def test_rows_without_a_label(kinds: Any) -> None:
    frame = in_parts(pd.DataFrame({"a": [1.0, 2.0, 3.0], "kind": kinds}))
    found = learn(frame, "kind")
    assert (found.n_rows, found.n_unlabelled, found.classes.tolist()) == (3, 1, ["elm", "oak"])
    assert found.learnt.unlabelled.rows.rows.matrix.tolist() == [[2.0]]


def test_labels_of_different_types() -> None:
    parts = [
        pd.DataFrame({"a": [1.0], "kind": pd.Series([kind], dtype=object)}) for kind in (1, "1")
    ]
    import dask

    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(DataError, match="labels of different types have no order"),
    ):
        learn(in_parts(*parts), "kind")


def test_weights_that_cannot_be() -> None:
    frame = in_parts(rows(10), rows(10).assign(w=[*([1.0] * 9), -2.0]))
    with pytest.raises(DataError, match="partition 1: .*not negative: row 9 has -2.0"):
        learn(frame, "kind", weights="w")


def test_no_rows() -> None:
    with pytest.raises(DataError, match="2 partitions: there are no rows"):
        learn(in_parts(rows(3).iloc[:0], rows(3).iloc[:0]), "kind")


def test_columns_that_are_not_there() -> None:
    frame = dd.from_pandas(rows(5), npartitions=1)
    with pytest.raises(DataError, match="no column 'sort'; the columns are 'a', 'b', 'c', 'kind'"):
        learn(frame, "sort")
    with pytest.raises(DataError, match="names that are strings, but one is 0"):
        learn(dd.from_pandas(pd.DataFrame([[1.0, 2.0]]), npartitions=1), "kind")


def test_rows_are_not_left_out_of_a_frame() -> None:
    with pytest.raises(OptionError, match="bad_rows is for files.*dropna"):
        learn(dd.from_pandas(rows(5), npartitions=1), "kind", bad_rows="skip")


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"pip install 'gaussbayes\[dask\]'"):
        learn("rows.csv", "kind", client=object())


# Files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five files of four formats, one without rows."""
    folder = tmp_path_factory.mktemp("rows")
    parts = [rows(300)[start::4] for start in range(4)]
    parts[0].to_csv(folder / "a.csv", index=False)
    parts[1].to_parquet(folder / "b.parquet", index=False, row_group_size=20)
    parts[1].iloc[:0].to_parquet(folder / "c.parquet", index=False)
    parts[2].to_csv(folder / "d.csv.gz", index=False)
    parts[3].to_json(folder / "e.jsonl", orient="records", lines=True)
    return folder


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_on_a_cluster(folder: Path, layout: str, client: Client) -> None:
    alone = learn(folder, "kind", weights="w", layout=layout)
    on_cluster = learn(folder, "kind", weights="w", layout=layout, client=client)
    assert bits(on_cluster) == bits(alone)
    assert on_cluster.n_rows == alone.n_rows == 300
    some = [folder / "d.csv.gz", folder / "a.csv"]
    on_cluster = learn(some, "kind", weights="w", layout=layout, client=client)
    assert bits(on_cluster) == bits(learn(some, "kind", weights="w", layout=layout))


def test_a_large_file_is_shared_among_the_workers(
    tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.parquet"
    piece = parquet_reader._PIECE_ROWS
    rows(7 * piece - 5).to_parquet(path, index=False, row_group_size=piece // 2)
    monkeypatch.setattr(file_rows, "PART_BYTES", path.stat().st_size // 5)
    alone = bits(learn(path, "kind"))
    with get_task_stream(client) as tasks:
        shared = learn(path, "kind", client=client)
    assert bits(shared) == alone
    readers = [task["worker"] for task in tasks.data if "part_partial" in str(task["key"])]
    assert len(readers) == 4  # eight places, two in each part
    assert len(set(readers)) > 1


def test_files_are_found_from_another_folder(
    folder: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert learn("*.parquet", "kind", client=client).n_rows == 75


def test_bad_rows_of_files_on_a_cluster(tmp_path: Path, client: Client) -> None:
    (tmp_path / "a.csv").write_text("x,kind\n1,a\n2,b\n3,a\n")
    (tmp_path / "b.csv").write_text("x,kind\n1,a\nold,b\n,a\n4,b\n")
    with pytest.raises(DataError, match="b.csv, row 2, column 'x': 'old' is not a number"):
        learn(tmp_path, "kind", client=client)
    found = learn(tmp_path, "kind", bad_rows="skip", client=client)
    assert [(Path(bad.file).name, bad.row) for bad in found.bad_rows.first] == [("b.csv", 2)]
    assert (found.bad_rows.count, found.n_incomplete) == (1, 1)
    assert found.learnt.weight.tolist() == [4.0, 2.0]
    np.testing.assert_allclose(found.moments.mean, [[5 / 3], [3.0]], rtol=1e-14)


def test_standard_input_stays_here(client: Client) -> None:
    with pytest.raises(DataError, match="a cluster cannot read standard input"):
        learn("-", "kind", client=client)


# Predictions


class Watched:
    """A model that knows how many rows it has been asked about."""

    def __init__(self, model: GaussianClassifier) -> None:
        self.model, self.asked = model, []
        self.classes_, self.feature_names_in_ = model.classes_, model.feature_names_in_

    def predict(self, X: Any) -> Any:
        self.asked.append(len(X))
        return self.model.predict(X)


def test_nothing_is_predicted_before_it_is_asked_for() -> None:
    whole = rows()
    model = Watched(GaussianClassifier().fit(whole[["a", "b", "c"]], whole["kind"]))
    frame = dd.from_pandas(whole, npartitions=4)
    column = predictions(model, frame)
    labelled = frame.assign(prediction=column)
    right = (labelled["prediction"] == labelled["kind"]).sum()
    assert model.asked == []
    share = model.model.score(whole[["a", "b", "c"]], whole["kind"])
    assert right.compute(scheduler="sync") == round(share * len(whole))
    assert sum(model.asked) == len(whole)


@pytest.mark.parametrize("kinds", [KINDS["text"], KINDS["integers"], KINDS["booleans"]])
def test_predictions_are_those_in_memory(kinds: Any, client: Client) -> None:
    whole = rows(kinds=kinds).set_index(pd.Index(np.arange(700) * 2, name="tree"))
    features = ["c", "a", "b"]  # another order than in the frame
    model = GaussianClassifier().fit(whole[features], whole["kind"])
    frame = dd.from_pandas(whole, npartitions=6)
    frame = frame.map_partitions(_without_some, meta=whole.iloc[:0])  # partition 0 becomes empty
    rest = _without_some(whole)

    labels = predictions(model, frame)
    found = labels.compute()
    assert labels.name == "prediction"
    assert labels.divisions == frame.divisions
    assert labels.dtype == found.dtype
    assert found.tolist() == model.predict(rest[features]).tolist()
    assert found.index.equals(rest.index)
    assert client.compute(labels).result().equals(found)

    shares = predictions(model, frame, proba=True)
    assert list(shares.columns) == [f"proba_{label}" for label in model.classes_]
    assert shares.divisions == frame.divisions
    posterior = shares.compute()
    np.testing.assert_array_equal(posterior.to_numpy(), model.predict_proba(rest[features]))
    assert posterior.index.equals(rest.index)
    assert (posterior.dtypes == shares.dtypes).all()


def _without_some(part: pd.DataFrame) -> pd.DataFrame:
    return part[part.index >= 300]


def test_narrow_rows_have_narrow_posteriors() -> None:
    whole = rows(50)
    narrow = whole[["a", "b"]].astype(np.float32)
    model = GaussianClassifier().fit(narrow, whole["kind"])
    shares = predictions(model, dd.from_pandas(narrow, npartitions=2), proba=True)
    assert set(shares.dtypes) == {np.dtype(np.float32)} == set(shares.compute().dtypes)


def test_predictions_need_the_columns_of_the_model() -> None:
    whole = rows(50)
    frame = dd.from_pandas(whole, npartitions=2)
    model = GaussianClassifier().fit(whole[["a", "b"]], whole["kind"])
    with pytest.raises(DataError, match="no column 'b'; the columns are 'a', 'c'"):
        predictions(model, frame[["a", "c"]])
    nameless = GaussianClassifier().fit(whole[["a", "b"]].to_numpy(), whole["kind"])
    with pytest.raises(DataError, match="features have none: .*with_feature_names"):
        predictions(nameless, frame)
