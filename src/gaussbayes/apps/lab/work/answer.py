"""What is sent back: a head of plain values, and arrays beside it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.messages import Request


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answer to a request."""

    head: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)


def answered(
    request: Request, head: dict[str, Any], arrays: dict[str, NDArray[Any]] | None = None
) -> Answer:
    """An answer that says to what."""
    return Answer({"kind": request.kind, "number": request.number, **head}, arrays or {})


def single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Numbers as the page gets them; what is beyond them is infinite."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)
