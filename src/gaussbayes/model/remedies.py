"""What can be done where settings have no estimate: others are tried, and those that work named."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.model.settings import Settings

_LABELLED_ONLY = Remedy("leave the unlabelled rows out", (("unlabelled_weight", 0),))


def remedies(
    settings: Settings, attempt: Callable[[Settings], object], *, unlabelled: bool = False
) -> Iterator[Remedy]:
    """Changes of settings under which `attempt` raises nothing, the automatic choice first.

    If there are `unlabelled` rows, the automatic choice may count them for nothing, and they may be
    left out: such settings have an `unlabelled_weight` of 0.
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
    if unlabelled:
        with suppress(GaussBayesError):
            attempt(replace(settings, unlabelled_weight=0.0))
            yield _LABELLED_ONLY
