"""Every page of commands prints what it shows; ``make accept`` rewrites the pages."""

from pathlib import Path

import pytest

from tests.transcripts.runner import PAGES, directory, rewritten


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    with directory() as folder:
        found = rewritten(page, folder)
    assert "Traceback" not in page
    assert found.splitlines() == page.splitlines(), "`make accept` rewrites it; read the difference"
