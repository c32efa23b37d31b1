"""Small files that are read as large ones are."""

import pytest

from gaussbayes.data import file_rows
from gaussbayes.data.readers import batches, text


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files have many blocks, batches and parts, as large ones have."""
    monkeypatch.setattr(text, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(batches, "FEWEST_ROWS", 64)
    monkeypatch.setattr(batches, "BATCH_BYTES", 64 * 8 * 4)
    monkeypatch.setattr(file_rows, "PART_BYTES", 4000)
