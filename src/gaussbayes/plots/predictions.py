"""What became of test rows: the colour and marker say the predicted class, rings the errors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.grid import limits
from gaussbayes.analysis.view import pair_view, view
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import points, style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@picture
def predictions(
    model: GaussianClassifier,
    X: Any,
    y: Any,
    *,
    label: object = None,
    features: Sequence[int | str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw test rows by the class the model predicts for them, and ring the errors.

    The predictions are those of the whole model, whichever two features are shown.

    Parameters
    ----------
    X, y : rows with every feature of the model, and their true classes
    label : show only the rows of this true class; None shows all
    features : the two to show, by name or number; needed if the model has more than two

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> predictions(model, [[0, 0], [3, 3]], [0, 0], label=0).get_title()
    'true class 0: 1 of 2 rows predicted wrongly'
    >>> plt.close("all")
    """
    whole, seen = view(model), pair_view(model, features)
    rows, codes = whole.labelled(X, y)
    predicted = whole.model.predict_log_proba(rows).argmax(axis=1)
    places = rows[:, seen.columns]
    low, high = limits(None, places)  # of all rows, so that pictures of several classes compare
    chosen = np.ones(codes.size, np.bool_)
    title = ""
    styles = style.class_styles(seen.classes)
    if label is not None:
        code = int(whole.codes([label])[0])
        chosen = codes == code
        short = styles[code].label
        title = f"true class {short}" + ("\n" if "\n" in short else ": ")
    wrong = chosen & (predicted != codes)
    ax = style.axes_for(ax)
    points.draw_points(ax, places[chosen], predicted[chosen], styles)
    points.draw_rings(ax, places[wrong])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_title(f"{title}{wrong.sum()} of {chosen.sum()} rows predicted wrongly")
    style.name_axes(ax, seen.names)
    handles = [*points.class_handles(styles), points.ring_handle("error")]
    style.legend_beside(ax, handles, "predicted class")
    return ax
