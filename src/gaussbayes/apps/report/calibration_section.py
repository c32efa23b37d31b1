"""The part of the page about the probabilities."""

from collections.abc import Iterator

import numpy as np

from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import figures, paragraph, section
from gaussbayes.apps.report.markup import Html, table
from gaussbayes.apps.report.numbers import fixed, small


def calibration_section(contents: Contents) -> Html:
    """Whether the probabilities mean what they say."""
    found = contents.evaluation
    return section(
        "calibration",
        "Are the probabilities right?",
        paragraph(
            "A model that says 80 % should be right four times in five. Log loss is the mean of "
            "−log p(true class); a model that always says 1/k has log loss log k, here "
            f"{fixed(float(np.log(len(contents.classes))), 4)}. The Brier score is the mean "
            "squared gap between the probabilities and the truth, from 0 to 2. Less is better for "
            "both."
        ),
        table(
            "Scores of the probabilities",
            ["rows", "log loss", "Brier score"],
            _scores(found, contents.held_out),
        ),
        figures(contents, ["calibration", "sureness"]),
    )


def _scores(given: Evaluation, held_out: Evaluation | None) -> Iterator[list[str]]:
    both = [("given to the report", given), ("held out", held_out)]
    for where, found in both:
        if found is not None:
            yield [where, small(found.log_loss), small(found.brier)]
