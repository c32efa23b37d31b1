"""The kernels' tests run with the reference and with every instruction set of the processor."""

from collections.abc import Iterator

import pytest

from gaussbayes.kernels import Kernels, native, using


def _instruction_sets() -> list[str]:
    """Those of the native kernels that this processor has."""
    if native is None:
        return []
    before = native.instruction_set()
    found = []
    for name in ("baseline", "avx2", "avx512"):
        try:
            native._native.use_instruction_set(name)
        except ValueError:
            continue
        found.append(name)
    native._native.use_instruction_set(before)
    return found


@pytest.fixture(params=["reference", *_instruction_sets()])
def kernels(request: pytest.FixtureRequest) -> Iterator[Kernels]:
    """The reference, and the native kernels with each instruction set."""
    if native is None or request.param == "reference":
        with using("reference") as chosen:
            yield chosen
        return
    before = native.instruction_set()
    native._native.use_instruction_set(request.param)
    with using("native") as chosen:
        yield chosen
    native._native.use_instruction_set(before)
