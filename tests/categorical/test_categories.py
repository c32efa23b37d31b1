"""Categories are sorted, of one type, and united."""

import pytest

from gaussbayes.base.errors import SchemaError
from gaussbayes.data.categories import in_order, kind, positions, unite


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        (("a", "c"), ("b",), ("a", "b", "c")),
        ((), ("b",), ("b",)),
        ((1, 3), (2, 3), (1, 2, 3)),
        ((False, True), (True,), (False, True)),
        ((False, True), (1, 5), (0, 1, 5)),
        ((True,), (1,), (1,)),
        ((), (), ()),
    ],
    ids=str,
)
def test_union_does_not_depend_on_the_order(a: tuple, b: tuple, both: tuple) -> None:
    for united in (unite(a, b, "'x'"), unite(b, a, "'x'")):
        assert united == both
        assert kind(united) is kind(both)


def test_positions() -> None:
    assert positions((1, 3), (1, 2, 3)).tolist() == [0, 2]


def test_texts_and_numbers_do_not_unite() -> None:
    with pytest.raises(SchemaError, match=r"'wind' .*different types, 'a' \(str\) and 1 \(int\)"):
        unite((1, 2), ("a",), "'wind'")


def test_each_once() -> None:
    assert in_order(["b", "a", "b"], "'x'") == ("a", "b")
