"""Fitted models as SQL for databases, and as ONNX files for other runtimes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from pathlib import Path

    from gaussbayes.model.model import Model


def export_model(
    model: Model,
    path: str | PathLike[str],
    *,
    table: str | Sequence[str] = "rows",
    dialect: str = "duckdb",
    keep: Sequence[str] = (),
    dtype: Literal["float64", "float32"] = "float64",
) -> Path:
    """Write a file that scores rows elsewhere; see `gaussbayes.GaussianClassifier.export`."""
    from pathlib import Path

    from gaussbayes.base.atomic import replace_file
    from gaussbayes.base.errors import OptionError

    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".sql":
        from gaussbayes.export.sql_statement import sql_statement

        content = sql_statement(model, table, dialect, keep).encode()
    elif suffix == ".onnx":
        from gaussbayes.export.onnx_file import onnx_file

        content = onnx_file(model, dtype)
    else:
        msg = f"path must end in .sql or .onnx, got {str(path)!r}"
        raise OptionError(msg)
    replace_file(file, content, "the export")
    return file
