"""A page for the tests: it asks by the text of a message."""

import json
from typing import Any

from gaussbayes.apps.lab.answers import answer
from gaussbayes.apps.lab.messages import read
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import Answer

FITTED: dict[str, Any] = {"from": "data"}


class Page:
    """A page that asks one store."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = Store() if store is None else store

    def ask(self, kind: str, **members: Any) -> Answer:
        """The answer to a request."""
        text = json.dumps({"number": 7, "kind": kind, **members})
        request = read(text)
        assert (request.kind, request.number) == (kind, 7)
        answered = answer(request, self.store)
        json.dumps(answered.head, allow_nan=False)  # every head can be sent
        return answered

    def data(self, preset: str, **members: Any) -> str:
        """The id of an example's rows."""
        split = members.pop("split", {})
        source = {"from": "preset", "preset": preset, **members}
        key: str = self.ask("data", source=source, split=split).head["id"]
        return key

    def points(self, points: Any, classes: Any, **members: Any) -> str:
        """The id of painted points."""
        source = {"from": "points", "points": points, "classes": classes, "features": ["a", "b"]}
        key: str = self.ask("data", source=source, **members).head["id"]
        return key
