"""What all pictures need before they are drawn: matplotlib, and fonts for names in any script."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")

_WIDE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Devanagari",
    "Nirmala UI",
)
"""Families that have what matplotlib's own font lacks; those installed are asked after it."""

_LOOK = {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": "medium"}


def pyplot() -> Any:
    """`matplotlib.pyplot`, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = (
            "pictures are drawn with matplotlib, which is not installed: "
            "pip install 'gaussbayes[plot]'"
        )
        raise ImportError(msg) from error
    return plt


def picture(function: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Let a function draw in the style of all pictures, leaving the user's settings as they were.

    Examples
    --------
    >>> import matplotlib
    >>> picture(lambda: matplotlib.rcParams["axes.spines.top"])()
    False
    """

    @wraps(function)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        with pyplot().rc_context(_LOOK | {"font.family": _families()}):
            return function(*args, **kwargs)

    return drawn


def _families() -> list[str]:
    from matplotlib import rcParams

    return [*rcParams["font.family"], *_wide_fonts()]


@cache
def _wide_fonts() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return tuple(family for family in _WIDE_FONTS if family in installed)
