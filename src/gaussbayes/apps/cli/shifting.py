"""The priors of rows whose classes are not known, for ``predict --priors from-data``.

The rows are read once more for that, block by block, and their posteriors are kept: k numbers a
row, up to a bound. Then come the steps of EM, which need nothing but these.
"""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import models, reading, rows, scoring
from gaussbayes.apps.cli.model_rows import ModelRows
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.model.model import Model

MOST_BYTES = 1 << 30
"""Of posteriors that are kept; EM takes about three times that."""


def with_priors_of(source: Any, stored: "Model", taken: ModelRows) -> "Model":
    """The model under the priors that make the rows of a source most probable; tells them.

    Parameters
    ----------
    source : an opened source that has the model's features; it is read here once
    taken : how the model takes rows
    """
    import numpy as np

    from gaussbayes.analysis.prior_shift import prior_shift
    from gaussbayes.families.gaussian import scores

    once = [file.shown for file in source.listed if file.is_read_once]
    if once:
        msg = (
            f"the rows of {once[0]} are read twice, first to estimate the priors: write them to a "
            "file, or give the priors as numbers"
        )
        raise click.UsageError(msg)
    parameters = stored.estimate_any()
    parts, size = [], 0
    for block in reading.blocks(source, "estimating the priors", taken.features, **taken.kinds):
        with reading.in_block(block):
            own = taken.of(block.table)
            parts.append(scoring.answer(scores.log_posterior, parameters, own))
        size += parts[-1].nbytes
        if size > MOST_BYTES:
            msg = (
                f"{reading.where(source)} has too many rows to keep their posteriors, more than "
                f"{MOST_BYTES >> 20} MiB: estimate the priors from some of the rows, and give them "
                "as numbers for all"
            )
            raise DataError(msg)
    if not parts:
        raise rows.nothing_in(source)
    found = prior_shift(np.concatenate(parts), parameters.prior)
    shares = ", ".join(
        f"{name} {share:.4g}"
        for name, share in zip(models.class_names(stored), found.prior.tolist(), strict=True)
    )
    sure = "" if found.converged else f" (not exact: {found.n_iterations} steps were not enough)"
    reading.tell(f"priors of {reading.where(source)}: {shares}{sure}")
    return stored.with_priors(found.prior)
