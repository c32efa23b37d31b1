"""A worker that dies; alone in its module, which workers load."""

import os
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class MortalFold:
    """A fold that ends its process at the block of this number, counted by all processes."""

    fold: Any
    folder: Path  # has a file for every block that was begun
    dies_at: int
    seconds: float = 0.0  # that it takes over a block, so that somebody else can end it

    def __call__(self, block: Any, /) -> Any:
        time.sleep(self.seconds)
        if self._begun() == self.dies_at:
            os._exit(9)
        return self.fold(block)

    def _begun(self) -> int:
        """The number of this block: only one process can make a file."""
        for number in count():
            try:
                (self.folder / str(number)).touch(exist_ok=False)
            except FileExistsError:
                continue
            return number
        raise AssertionError
