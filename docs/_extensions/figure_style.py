"""How figures of pages look that draw with matplotlib themselves: as those of `gaussbayes.plots`.

Cells of code, plotting examples and the gallery take their settings from here. Backgrounds are
transparent; the dark theme inverts figures (site.css), so that ink becomes light.
"""

import multiprocessing
from typing import Any

from gaussbayes.plots.style import COLORS, INK, LINES

_N = 4 * len(COLORS)  # every colour with each of the four lines, as classes have them
_COLORS = [COLORS[i % len(COLORS)] for i in range(_N)]
_LINES = [LINES[i % len(LINES)] for i in range(_N)]

LOOK: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.prop_cycle": f"cycler('color', {_COLORS}) + cycler('linestyle', {_LINES})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.dpi": 110,
    "figure.facecolor": "none",
    "figure.max_open_warning": 0,
    "legend.fontsize": "small",
    "legend.frameon": False,
    "savefig.facecolor": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}

KERNEL = f"""\
c.IPKernelApp.log_level = 40
c.InlineBackend.figure_formats = {{"retina"}}
c.InlineBackend.rc = {LOOK!r}
"""
"""Settings of IPython's kernels; twice the pixels, for print and sharp screens."""


def reset_gallery(_gallery_conf: dict[str, Any], _name: str) -> None:
    """Set the style anew for each example of the gallery, and how processes are started."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(LOOK)
    # Examples run in processes of joblib, whose start method the workers of Dask do not know.
    multiprocessing.set_start_method("spawn", force=True)
