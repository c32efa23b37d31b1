"""What a picture is drawn of: a model from its file or fitted to rows, and a sample of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import kinds, models, reading, rows, streamed
from gaussbayes.apps.cli.given import Given
from gaussbayes.apps.cli.model_rows import ModelRows, refuse_categories

if TYPE_CHECKING:
    from gaussbayes.analysis.comparison import Comparison
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.classifier import GaussianClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A model, rows, or both."""

    model: "GaussianClassifier | None"
    shown: rows.Rows | None
    evaluation: "Evaluation | None" = None  # of all rows, where they were not kept

    def evaluated(self) -> "Evaluation":
        """The model's predictions against the classes of the rows."""
        if self.evaluation is not None:
            return self.evaluation
        from gaussbayes.analysis.evaluation import evaluate
        from gaussbayes.analysis.view import view

        shown = self._rows()
        seen = view(self.model)
        matrix, codes = seen.labelled(shown.features, shown.labels)
        return evaluate(seen.model.predict_log_proba(matrix), codes, seen.classes)

    def compared(self, held_out: Any, seed: int) -> "Comparison":
        """The six models and nearest neighbours on the rows."""
        from gaussbayes.analysis.comparison import compare

        shown = self._rows()
        return compare(
            shown.features, shown.labels, held_out=held_out, model=self.model, random_state=seed
        )

    def _rows(self) -> rows.Rows:
        if self.shown is None:
            msg = "this picture needs rows"
            raise AssertionError(msg)
        return self.shown


def of_model(
    given: Given,
    kind: kinds.Kind,
    target: str | None,
    file_format: str | None,
    bad_rows: str,
    seed: int,
) -> Scene:
    """A model from its file, and rows of other files if there are any."""
    from gaussbayes.classifier import GaussianClassifier

    name = str(given.model)
    model = GaussianClassifier.load(name)
    if not given.data:
        return Scene(model, None)
    stored = models.read(name)
    features = models.named_features(stored, name)
    source = reading.opened(given.data, file_format, bad_rows)
    target = reading.target_for(source, target or stored.target)
    reading.require(source, features, f"the model's {reading.counted(len(features), 'feature')}")
    if kind.counts_all:
        taken = ModelRows(stored, name)
        found = Scene(model, None, streamed.evaluated(stored, taken, source, target))
        taken.tell_unseen()
    else:
        refuse_categories(stored, name, "this picture is")
        found = Scene(model, rows.sampled(source, target, features, kind.most_rows, seed))
    reading.tell_bad_rows(source.bad_rows)
    return found


def of_rows(
    given: Given,
    kind: kinds.Kind,
    target: str | None,
    learn_from: Sequence[str] | None,
    settings: dict[str, Any],
    file_format: str | None,
    bad_rows: str,
    seed: int,
) -> Scene:
    """Rows, and a model fitted to all of them while they are read."""
    from gaussbayes.classifier import GaussianClassifier

    source = reading.opened(given.data, file_format, bad_rows)
    target = reading.target_for(source, target)
    model = GaussianClassifier(**settings)
    shown = rows.sampled(
        source, target, learn_from, kind.most_rows, seed, meanwhile=model.partial_fit
    )
    reading.tell_bad_rows(source.bad_rows)
    return Scene(model.with_feature_names(shown.features.column_names), shown)
