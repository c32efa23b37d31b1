"""Fitted models as SQL for databases, and as ONNX files for other runtimes."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from gaussbayes.base.atomic import replace_file
from gaussbayes.base.errors import OptionError
from gaussbayes.model.model import Model


def export_model(
    model: Model,
    path: str | PathLike[str],
    *,
    table: str | Sequence[str] = "rows",
    dialect: str = "duckdb",
    keep: Sequence[str] = (),
    dtype: str = "float64",
) -> Path:
    """Write a file that scores rows elsewhere; see `gaussbayes.GaussianClassifier.export`."""
    file = Path(path)
    # The libraries that write the files are optional.
    if file.suffix.lower() == ".sql":
        from gaussbayes.export.sql_statement import sql_statement

        statement, companion = sql_statement(model, table, dialect, keep)
        content = statement.encode()
        if companion is not None:
            beside = file.with_suffix(".pairs.sql")
            replace_file(beside, companion.script.encode(), "the companion table")
    elif file.suffix.lower() == ".onnx":
        from gaussbayes.export.onnx_file import onnx_file

        content = onnx_file(model, dtype)
    else:
        msg = f"path must end in .sql or .onnx, got {str(path)!r}"
        raise OptionError(msg)
    replace_file(file, content, "the export")
    return file
