"""A family of columns of any kind: coded as numbers, then another family."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import TransformName
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.coded.coding import CategoryCode, Coding, learn
from gaussbayes.families.coded.density import CodedDensity
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.mapped import Mapped
from gaussbayes.families.protocol import AnyDensity, Kind
from gaussbayes.families.transformed import Standardised, Transformed
from gaussbayes.families.transformed.transform import Transform

_AS_IT_IS = Standardised()


@dataclass(frozen=True, slots=True)
class Coded(Mapped):
    """Numbers and categories whose codes follow a family together; see `Coding`.

    So categories have to do with each other and with the numbers, and that a value is missing tells
    something, too. The code is learnt from rows before any are observed, as transforms of the
    numbers are; from then on it is a setting.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.array([[0], [0], [1], [1], [1], [0]], np.int32)
    >>> x = np.array([[1.0], [2.0], [3.0], [2.5], [4.0], [3.5]])
    >>> rows = Rows(x, codes, (("no", "yes"),))
    >>> targets = Targets(np.array([0, 0, 0, 1, 1, 1], np.int32), 2)
    >>> names = Schema(np.arange(2), 2, ("x", "answer"), categorical=(1,))
    >>> (family,) = Coded(Gaussian.of(shared=True)).fix(rows, targets, names)
    >>> density = family.estimate(family.observe(rows, targets, names), names).density
    >>> [table.title for table in density.tables(names)]
    ['mean', 'standard deviation', 'p(answer | class)']
    """

    family: Any  # of the codes; transformed once the code is learnt
    wanted: tuple[Transform | TransformName | None, ...] = (None,)
    """What numbers are to be transformed by: one for each column, or one for all."""
    coding: Coding | None = None

    name: ClassVar[str] = "coded"
    kind: ClassVar[Kind] = "any"
    remedy: ClassVar[str] = "GaussianClassifier gives categories a family of their own"

    @classmethod
    def of(
        cls,
        covariance: object = "full",
        shared: object = False,
        divisor: object = "mle",
        shrinkage: object = None,
        target: object = "diagonal",
        estimate: object = "plug_in",
    ) -> "Coded":
        """The family whose codes are Gaussian as users describe it."""
        return cls(Gaussian.of(covariance, shared, divisor, shrinkage, target, estimate))

    @property
    def map(self) -> Coding:
        """The codes; they must have been learnt."""
        if self.coding is None:
            msg = "the code of categories must be fixed before it is used"
            raise OptionError(msg)
        return self.coding

    @property
    def plain(self) -> "Coded":
        """The same before anything was learnt, without transforms."""
        return Coded(self.family if self.coding is None else self.family.family)

    @property
    def transforms(self) -> tuple[Transform | TransformName | None, ...]:
        """What each column is transformed by; None for categories."""
        if self.coding is None:
            return self.wanted
        first = zip(self.coding.of, self.coding.starts[:-1], strict=True)
        return tuple(
            None if isinstance(code, CategoryCode) else self.family.transforms[start]
            for code, start in first
        )

    @property
    def kinds(self) -> tuple[TransformName | None, ...]:
        """The transforms by name; None where a column is as it came."""
        plain = (None, _AS_IT_IS)
        return tuple(
            None if each in plain else each if isinstance(each, str) else each.kind
            for each in self.transforms
        )

    @property
    def contents(self) -> tuple[str, ...]:
        """What each column must hold in files."""
        pairs = zip(self.map.of, self.kinds, strict=True)
        return tuple("positive" if kind == "log" else code.content for code, kind in pairs)

    @property
    def is_fixed(self) -> bool:
        """Whether the code is learnt."""
        return self.coding is not None

    def fix(
        self, rows: Rows, targets: Targets, names: Schema, *, wide: bool = False
    ) -> "list[Coded]":
        """This family with the code of the rows, and transforms that suit their numbers."""
        coding, family = self.coding, self.family
        if coding is None:
            coding = learn(rows, targets.total_weights(), names.categorical)
            family = self._transformed(coding)
        families = family.fix(coding.mapped(rows)[0], targets, coding.names(names), wide=wide)
        return [replace(self, family=family, coding=coding) for family in families]

    def _transformed(self, coding: Coding) -> Transformed:
        """The family of the codes, whose numbers are to be transformed as is wanted."""
        wanted = self.wanted * (len(coding.of) if len(self.wanted) == 1 else 1)
        transforms: list[Any] = [_AS_IT_IS] * coding.width
        for code, start, transform in zip(coding.of, coding.starts[:-1], wanted, strict=True):
            if transform is not None and not isinstance(code, CategoryCode):
                transforms[start] = transform
        return Transformed(tuple(transforms), self.family)

    def of_columns(self, columns: Sequence[int]) -> "Coded":
        """The family of some of the columns, in this order."""
        if self.coding is None:
            each = len(self.wanted) > 1
            return replace(self, wanted=tuple(self.wanted[j] for j in columns)) if each else self
        family = self.family.of_columns(self.coding.places(columns))
        return replace(self, family=family, coding=self.coding.of_columns(columns), wanted=(None,))

    def n_bytes(self, n_classes: int, n_columns: int) -> int:
        """How much memory the statistics of so many classes take."""
        width = n_columns if self.coding is None else self.coding.width
        return int(self.family.n_bytes(n_classes, width))

    def density_of(self, mapped: Coding, inner: AnyDensity) -> CodedDensity:
        """The density of rows whose codes have this density."""
        return CodedDensity(mapped, inner)

    def n_parameters(self, n_classes: int, n_columns: int) -> int:
        """Free parameters of the family of the codes."""
        del n_columns
        return int(self.family.n_parameters(n_classes, self.map.width))
