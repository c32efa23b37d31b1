"""Small files that are read as large ones are."""

import pytest

from gaussbayes.data.readers import binary, text


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files have many blocks and batches, as large ones have."""
    monkeypatch.setattr(text, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(binary, "FEWEST_ROWS", 64)
    monkeypatch.setattr(binary, "BATCH_BYTES", 64 * 8 * 4)
