"""Which kernels run: by environment, for a while, and where no compiler was."""

import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pytest

from gaussbayes import kernels as choice
from gaussbayes.families.gaussian.statistics import summarise
from gaussbayes.kernels import Kernels, active, reference, show_config, using


def name_in_a_new_process(setting: str | None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "GAUSSBAYES_KERNELS"}
    if setting is not None:
        environment["GAUSSBAYES_KERNELS"] = setting
    code = "from gaussbayes import kernels; print(kernels.active().NAME)"
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_native_where_it_was_built() -> None:
    expected = "reference" if choice.native is None else "native"
    assert name_in_a_new_process(None).stdout.strip() == expected
    assert name_in_a_new_process("").stdout.strip() == expected


def test_the_environment_chooses() -> None:
    assert name_in_a_new_process("reference").stdout.strip() == "reference"
    if choice.native is not None:
        assert name_in_a_new_process("native").stdout.strip() == "native"


def test_an_unknown_word_in_the_environment() -> None:
    done = name_in_a_new_process("fastest")
    assert done.returncode != 0
    assert "kernels must be 'native' or 'reference', got 'fastest'" in done.stderr
    assert "GAUSSBAYES_KERNELS" in done.stderr


def test_for_a_while() -> None:
    before = active()
    with using("reference") as chosen:
        assert chosen is active()
        assert active().NAME == "reference"
    assert active() is before


def test_after_an_error_as_before() -> None:
    before = active()

    def fail() -> None:
        with using("reference"):
            msg = "on purpose"
            raise KeyError(msg)

    with pytest.raises(KeyError, match="on purpose"):
        fail()
    assert active() is before


def test_other_threads_are_not_concerned() -> None:
    seen = []
    before = active()
    with using("reference"):
        thread = Thread(target=lambda: seen.append(active()))
        thread.start()
        thread.join()
    assert seen == [before]


def test_threads_of_a_call_use_the_kernels_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    plain = reference.accumulate

    def counted(*arguments: object) -> object:
        calls.append(1)
        return plain(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reference, "accumulate", counted)
    X, codes = np.ones((600_000, 2)), np.zeros(600_000, dtype=np.int32)
    with using("reference"):
        summarise(X, codes, None, 1, "diagonal", threads=2)
    assert len(calls) > 1


def test_unknown_kernels() -> None:
    with pytest.raises(RuntimeError, match="'native' or 'reference', got 'cuda'"), using("cuda"):
        pass


def test_native_ones_that_were_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "native", None)
    with pytest.raises(RuntimeError, match=r"not built; .* C\+\+ compiler"), using("native"):
        pass


def test_show_config(kernels: Kernels, capsys: pytest.CaptureFixture[str]) -> None:
    show_config()
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("gaussbayes ")
    assert second.split()[:2] == ["kernels", kernels.NAME]
    assert ("NumPy" if kernels.NAME == "reference" else "C++") in second
