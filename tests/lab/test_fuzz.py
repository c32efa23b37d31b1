"""Short runs of what ``python -m tests.fuzz.lab_messages`` and ``lab_uploads`` do at length."""

from tests.fuzz import lab_messages, lab_uploads


def test_mutated_messages_get_sentences() -> None:
    outcomes = lab_messages.fuzz(400)
    assert outcomes.total() == 400
    assert {"answered", "refused"} <= set(outcomes)


def test_mutated_uploads_get_sentences() -> None:
    outcomes = lab_uploads.fuzz(6)
    assert outcomes.total() == 6
    assert "crashed" not in outcomes
