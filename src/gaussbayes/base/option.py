"""One option of an estimator, of `Columns` or of `read`: its values and its effect.

Constructor checks, command-line options, their help and the page of options are derived from tables
of these.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.spelling import meant


@dataclass(frozen=True, slots=True)
class Option:
    """An option, its values, its default and one sentence of help.

    Examples
    --------
    >>> shared = Option("shared", False, "Pool the covariances.", (True, False), (0, 1))
    >>> shared.expected
    'True, False or a number in [0, 1]'
    >>> shared.check(2)
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.OptionError: shared must be True, False or a number in [0, 1], got 2
    """

    name: str
    default: object
    help: str
    choices: tuple[str | bool | None, ...] = ()
    """Values that are listed one by one."""
    range: tuple[float, float] | None = None
    """The least and the greatest allowed number; infinity itself is excluded."""
    types: tuple[type, ...] = ()
    """Other allowed types; `form` describes them."""
    form: str = ""
    metavar: str = ""
    """The placeholder of the value on the command line, such as ``COLUMN``."""
    is_list: bool = False
    """Whether the option accepts several values."""
    is_integer: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """The accepted kinds of values: bool, number, integer, word, names, mapping, text.

        A `word` is one of the choices, `names` is a list of names, and `text` is any other string.
        """
        number = "integer" if self.is_integer else "number"
        has = {
            "bool": True in self.choices,
            number: self.range is not None,
            "word": any(isinstance(choice, str) for choice in self.choices),
            "names": self.is_list and list in self.types,
            "mapping": Mapping in self.types,
            "text": str in self.types and not self.is_list,
        }
        return tuple(kind for kind, present in has.items() if present)

    @property
    def expected(self) -> str:
        """The allowed values in words."""
        forms = [repr(choice) for choice in self.choices]
        if self.range is not None:
            least, most = self.range
            noun = "an integer" if self.is_integer else "a number"
            limits = f" in [{least:g}, {most:g}]" if np.isfinite(most) else f", at least {least:g}"
            forms.append(noun + ("" if np.isinf(least) else limits))
        if self.form:
            forms.append(self.form)
        return " or ".join([", ".join(forms[:-1])] * (len(forms) > 1) + forms[-1:])

    def accepts(self, value: object) -> bool:
        """Whether a value is allowed."""
        if value is None or isinstance(value, str | bool | np.bool_):
            if value in self.choices:
                return True
        elif self.range is not None and isinstance(value, int | float | np.integer | np.floating):
            whole = not self.is_integer or isinstance(value, int | np.integer)
            least, most = self.range
            return bool(whole and least <= value <= most and np.isfinite(value))
        return isinstance(value, self.types)

    def check(self, value: object) -> None:
        """Raise `OptionError` for an invalid value."""
        check_values([self], {self.name: value})


def check_values(options: Iterable[Option], values: Mapping[str, object]) -> None:
    """Raise one `OptionError` for all unknown names, with similar names, and all invalid values."""
    known = {option.name: option for option in options}
    unknown = [f"{name!r}{meant(name, known)}" for name in values if name not in known]
    problems = [
        f"{name} must be {option.expected}, got {values[name]!r:.200}"
        for name, option in known.items()
        if name in values and not option.accepts(values[name])
    ]
    if unknown:
        names = f"there is no option {', '.join(unknown)}; options are {', '.join(known)}"
        problems.insert(0, names)
    if problems:
        raise OptionError("; ".join(problems))
