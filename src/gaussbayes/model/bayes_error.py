"""Plug-in estimate of the Bayes error: the error rate of Bayes' rule on rows drawn from the model.

The most probable class of a row x is wrong with probability ``1 − max_c p(c | x)``; the error is
the mean over rows that are drawn from the model, of each class in proportion to its prior.

The estimate is optimistic: it assumes that the fitted densities are the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.numerals import percent
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.families.protocol import Samplable
from gaussbayes.model.model import Model
from gaussbayes.model.solution import score

_DRAWS = 50_000
_LEAST = 1e-5  # smallest error that the draws distinguish from 0
_MOST_PRODUCTS = 2 * 10**8  # multiplications: a tenth of a second


@dataclass(frozen=True, slots=True)
class BayesError(Result):
    """Plug-in estimate of the Bayes error, with the standard error of its simulation."""

    error: float  #: error rate of Bayes' rule if the fitted densities are the true ones
    standard_error: float  #: of the simulation

    def tables(self) -> Sequence[Block]:
        """Return one sentence."""
        little = f"less than {percent(_LEAST, 2)}"
        estimate = little if self.error < _LEAST else percent(self.error, 2)
        text = (
            f"Plug-in estimate of the Bayes error: {estimate}. "
            "It is optimistic: it takes the fitted densities for the true ones."
        )
        return [text.replace("\xa0", " ")]


def bayes_error(model: Model, n_draws: int | None = None, n_jobs: int | None = 1) -> BayesError:
    """Estimate the error rate of the most probable class for rows drawn from the model.

    Parameters
    ----------
    model : Model
    n_draws : int, optional
        50,000 by default, fewer for models with many features.
    n_jobs : int, optional

    Raises
    ------
    OptionError
        If a family of the model cannot be simulated.
    """
    if model.settings.is_combined:
        msg = (
            "the Bayes error of a pooled or averaged model is not estimated: its posteriors have "
            "no densities"
        )
        raise OptionError(msg)
    k, d = model.schema.classes.shape[0], model.schema.n_features
    n = max(500, min(_DRAWS, _MOST_PRODUCTS // (k * d * d))) if n_draws is None else n_draws
    generator = np.random.default_rng(0)
    densities = model.capable(Samplable, "the Bayes error")
    # The draws are distributed over the classes in proportion, with one random offset.
    steps = (np.arange(n) + generator.random()) / n
    last = int(np.flatnonzero(model.prior)[-1])  # rounding may make the sum less than 1
    codes = np.minimum(np.searchsorted(np.cumsum(model.prior), steps, side="right"), last)
    codes, wrong = codes.astype(np.int32), np.empty(n)
    for block in ranges(n, rows_at_once(d, 1024)):
        parts = [density.draw(codes[block], generator) for density in densities]
        posterior = score(model.parameters, parts, "posterior", n_jobs)
        posterior[np.arange(len(posterior)), posterior.argmax(axis=1)] = 0.0
        wrong[block] = posterior.sum(axis=1)
    return BayesError(float(wrong.mean()), float(wrong.std(ddof=1)) / float(np.sqrt(n)))
