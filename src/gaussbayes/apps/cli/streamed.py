"""A model judged on files of any size, block by block."""

from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import rows, scoring
from gaussbayes.apps.cli.model_rows import ModelRows

if TYPE_CHECKING:
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.model.model import Model


def evaluated(stored: "Model", taken: ModelRows, source: Any, target: str) -> "Evaluation":
    """Compare a model's predictions with the classes in a source, in bounded memory.

    Parameters
    ----------
    taken : how the model takes rows; it counts the categories that are new
    source : an opened source that has the model's features and the target
    """
    from gaussbayes.analysis.evaluation import evaluate
    from gaussbayes.families.gaussian import scores

    taken.require(source)
    parameters, classes = stored.estimate_any(), stored.schema.classes
    told: Evaluation | None = None
    columns = rows.chosen(source, target, taken.features, None, taken.categorical, taken.texts)
    for block in rows.blocks(source, columns, complete=False, taken=taken):
        codes = rows.codes_among(classes, block)
        own = evaluate(scoring.answer(scores.log_posterior, parameters, block.rows), codes, classes)
        told = own if told is None else told + own
    if told is None:
        raise rows.nothing_in(source)
    return told
