"""How the tests ask what the page asks: by the text of a message."""

import json
from typing import Any

from gaussbayes.apps.lab.datasets import Store
from gaussbayes.apps.lab.messages import read
from gaussbayes.apps.lab.work import Answer, answer

FITTED: dict[str, Any] = {"from": "data"}


class Page:
    """A page that asks one store."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = Store() if store is None else store

    def ask(self, kind: str, **members: Any) -> Answer:
        """The answer to a request."""
        text = json.dumps({"number": 7, "kind": kind, **members})
        found = answer(read(text), self.store)
        assert found.head["kind"] == kind
        assert found.head["number"] == 7
        json.dumps(found.head, allow_nan=False)  # every head can be sent
        return found

    def data(self, preset: str, **members: Any) -> str:
        """The id of an example's rows."""
        split = members.pop("split", {})
        source = {"preset": preset, **members}
        found: str = self.ask("data", source=source, split=split).head["id"]
        return found

    def points(self, points: Any, classes: Any, **members: Any) -> str:
        """The id of painted points."""
        source = {"points": points, "classes": classes, "features": ["a", "b"]}
        found: str = self.ask("data", source=source, **members).head["id"]
        return found
