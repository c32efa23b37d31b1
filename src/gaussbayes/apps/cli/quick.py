"""A quick start for verbs that need neither pandas nor scikit-learn."""

import sys
from importlib.machinery import ModuleSpec

_HIDDEN = "pandas"


class _Hiding:
    """Tells Python's importer that there is no such library."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        """None, so that others are asked, for every name but one."""
        if name == _HIDDEN:
            msg = f"{name} is not needed here"
            raise ImportError(msg)
        return None


def start() -> None:
    """Load pyarrow without pandas.

    pyarrow looks for pandas at its first conversion, remembers whether it is there, and loads it if
    so, which takes as long as all the rest of predicting a hundred rows. Whoever asks pyarrow for a
    pandas frame later still gets one: it then looks again.
    """
    if _HIDDEN in sys.modules:
        return
    hiding = _Hiding()
    sys.meta_path.insert(0, hiding)
    try:
        import pyarrow as pa

        pa.array([0])
    finally:
        sys.meta_path.remove(hiding)
