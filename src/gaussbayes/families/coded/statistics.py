"""What coded rows say: the statistics of their codes by another family."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gaussbayes.base.schema import Schema
from gaussbayes.data.categories import Categories
from gaussbayes.families.likelihood_ratio import FamilyTests
from gaussbayes.families.mapped import MappedStatistics


@dataclass(frozen=True, slots=True, eq=False)
class CodedStatistics(MappedStatistics):
    """The statistics of rows as a coding has them."""

    differs = (
        "statistics computed under different codes cannot be combined: each fit fixes the "
        "categories and the features with missing values. Fit one model to all rows, update it "
        "with more rows, or fit the second model like the first"
    )

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.map.of)

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        categories: tuple[Categories, ...] = self.map.categories
        return categories

    def inner_names(self, names: Schema) -> Schema:
        """What messages call the codes; sums of parts of one table come without names."""
        return self.map.names(names) if names.n_features == self.n_columns else names

    def of_columns(self, columns: Sequence[int]) -> "CodedStatistics":
        """Only these columns, in this order."""
        inner = self.inner.of_columns(self.map.places(columns))
        return CodedStatistics(self.map.of_columns(columns), inner)

    def tested(self, other: "CodedStatistics", names: Schema) -> FamilyTests:
        """Whether the codes are like those of other rows; they must be coded alike."""
        self.check_alike(other.map)
        tests: FamilyTests = self.inner.tested(other.inner, self.inner_names(names))
        note = "categories are compared by their codes, whose means are Gaussian in large samples"
        return replace(tests, notes=(*tests.notes, note))
