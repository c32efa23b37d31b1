"""A model judged on files of any size, block by block."""

from typing import TYPE_CHECKING, Any

from gaussbayes.cli import models, reading, rows

if TYPE_CHECKING:
    from gaussbayes.evaluation import Evaluation
    from gaussbayes.model import Model


def evaluated(stored: "Model", name: str, source: Any, target: str) -> "Evaluation":
    """Compare a model's predictions with the classes in a source, in bounded memory.

    Parameters
    ----------
    name : of the model, for messages
    source : an opened source that has the model's features and the target
    """
    from gaussbayes import scores
    from gaussbayes.evaluation import evaluate

    features = models.named_features(stored, name)
    reading.require(source, features, f"the model's {reading.counted(len(features), 'feature')}")
    parameters, classes = stored.estimate(), stored.schema.classes
    told: Evaluation | None = None
    columns = rows.chosen(source, target, features)
    for block in rows.blocks(source, columns, complete=False):
        codes = rows.codes_among(classes, block)
        own = evaluate(scores.log_posterior(parameters, block.rows, None), codes, classes)
        told = own if told is None else told + own
    if told is None:
        raise rows.nothing_in(source)
    return told
