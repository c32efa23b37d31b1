"""Remedies for settings that have no estimate: each is tried, and those that work are returned."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.model.settings import Settings


def remedies(settings: Settings, attempt: Callable[[Settings], object]) -> Iterator[Remedy]:
    """Changes of settings under which `attempt` raises nothing, the automatic model first.

    The automatic model may ignore unlabelled rows: it has an `unlabelled_weight` of 0.
    """
    alternatives = [family.alternatives() for family in settings.families]
    for remedy in dict.fromkeys(chain.from_iterable(alternatives)):
        pairs = zip(alternatives, settings.families, strict=True)
        changed = settings.with_families([others.get(remedy, family) for others, family in pairs])
        if remedy == AUTOMATIC_MODEL:
            changed = replace(changed, unlabelled_weight=0.0)
        with suppress(GaussBayesError):
            attempt(changed)
            yield remedy
