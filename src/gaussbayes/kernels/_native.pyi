from typing import Any

from numpy.typing import NDArray

def instruction_set() -> str: ...
def use_instruction_set(name: str) -> None: ...
def encode(
    labels: NDArray[Any], lowest: int, codes: NDArray[Any], present: NDArray[Any]
) -> bool: ...
def merge(
    a: tuple[NDArray[Any], ...],
    b: tuple[NDArray[Any], ...],
    n_classes: int,
    n_features: int,
    layout: str,
    to: tuple[NDArray[Any], ...],
) -> None: ...
def renumber(codes: NDArray[Any], numbers: NDArray[Any]) -> None: ...
def score_pairs(
    codes: NDArray[Any], table: NDArray[Any], share: float, out: NDArray[Any]
) -> None: ...
def score_pairs_without(
    codes: NDArray[Any],
    own: NDArray[Any],
    lost: NDArray[Any],
    count: NDArray[Any],
    beside: NDArray[Any],
    observed: NDArray[Any],
    n_levels: NDArray[Any],
    backoffs: NDArray[Any],
    exact: bool,
    smallest: float,
    out: NDArray[Any],
    reliable: NDArray[Any],
) -> None: ...
def factor(
    covariances: NDArray[Any],
    whiteners: NDArray[Any],
    log_det: NDArray[Any],
    unexplained: NDArray[Any],
) -> None: ...
def complete(
    transposed: NDArray[Any],
    columns: NDArray[Any],
    cell: NDArray[Any],
    points: NDArray[Any],
    covariance: NDArray[Any],
    log_det: NDArray[Any],
    squares: NDArray[Any],
) -> None: ...
def shorten(
    precision: NDArray[Any],
    columns: NDArray[Any],
    cell: NDArray[Any],
    a: NDArray[Any],
    b: NDArray[Any],
    squares: NDArray[Any],
    log_det: NDArray[Any],
) -> None: ...
def spread(
    covariance: NDArray[Any], columns: NDArray[Any], weight: NDArray[Any], to: NDArray[Any]
) -> None: ...
def packed_size(n_features: int, narrow: bool) -> int: ...
def pack(triangle: NDArray[Any], packed: NDArray[Any]) -> None: ...
def accumulate(
    X: NDArray[Any],
    codes: NDArray[Any],
    weights: NDArray[Any] | None,
    n_classes: int,
    layout: str,
    weight: NDArray[Any],
    anchor: NDArray[Any],
    offset: NDArray[Any],
    scatter: NDArray[Any],
) -> None: ...
def accumulate_columns(
    columns: list[NDArray[Any]],
    codes: NDArray[Any],
    weights: NDArray[Any] | None,
    n_classes: int,
    layout: str,
    weight: NDArray[Any],
    anchor: NDArray[Any],
    offset: NDArray[Any],
    scatter: NDArray[Any],
) -> None: ...
def score_quadratic(
    X: NDArray[Any],
    center: NDArray[Any],
    offset: NDArray[Any],
    remainder: NDArray[Any],
    whitener: NDArray[Any],
    log_constant: NDArray[Any],
    diagonal: bool,
    shared: bool,
    task: str,
    prune: bool,
    out: NDArray[Any],
    bias: NDArray[Any] | None,
) -> int: ...
def score_linear(
    X: NDArray[Any],
    center: NDArray[Any],
    coefficient: NDArray[Any],
    log_constant: NDArray[Any],
    task: str,
    out: NDArray[Any],
    bias: NDArray[Any] | None,
) -> int: ...
def score_whitened(
    X: NDArray[Any],
    center: NDArray[Any],
    mean: NDArray[Any],
    whitener: NDArray[Any],
    log_constant: NDArray[Any],
    task: str,
    out: NDArray[Any],
    bias: NDArray[Any] | None,
) -> int: ...
def score_masked(
    X: NDArray[Any],
    center: NDArray[Any],
    offset: NDArray[Any],
    remainder: NDArray[Any],
    scale: NDArray[Any],
    correlation: NDArray[Any],
    log_feature: NDArray[Any],
    log_constant: NDArray[Any],
    density: bool,
    task: str,
    out: NDArray[Any],
    bias: NDArray[Any] | None,
) -> int: ...
