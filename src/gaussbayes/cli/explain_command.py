"""``gaussbayes explain MODEL DATA``: why one row is taken for what it is."""

from typing import Any

import click

from gaussbayes.analysis.explanation import explain
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.text_tables import Styled
from gaussbayes.cli import command_files, command_options, console, figure_file
from gaussbayes.cli.command_options import OUTPUT, SOURCE, RowOptions, as_names, option, takes
from gaussbayes.model.model import Model


def _reference(value: str) -> str | list[float]:
    """``mean``, ``rival`` or a number for each feature."""
    if value in {"mean", "rival"}:
        return value
    return command_options.as_numbers(value, "'mean', 'rival' or a number for each feature")


@click.command("explain")
@takes("model")
@click.argument("data", type=SOURCE)
@option("--row N", "number", type=click.IntRange(min=1), default=1)
@takes("row_names")
@option("--classes A,B", convert=as_names)
@option("--reference mean|rival|X,Y,...", convert=_reference, default="mean")
@command_options.other_priors_option()
@option("--plot FILE", "figure", type=OUTPUT)
@takes("format", json="Write everything as JSON, every number exact.")
def command(
    model: str,
    data: str,
    number: int,
    row_names: str | None,
    classes: tuple[str, ...] | None,
    reference: str | list[float],
    priors: Any,
    figure: str | None,
    file_format: str | None,
    as_json: bool,
) -> None:
    """Explain one row: Bayes' rule with every number, and what each feature adds.

    What a feature adds to the log-odds of two classes is its Shapley value: its mean part, over
    all orders of the features, in the way from a reference point to the row. These add up to the
    log-odds of the densities exactly. Features that are missing are integrated out and add nothing.
    What calibration and averaging change has a line of its own.

    \b
    gaussbayes explain iris.json new.csv --row 3
    gaussbayes explain iris.json new.csv --row 3 --classes setosa,virginica --plot why.png
    """
    command_files.check_one_input(model, data)
    if figure == command_options.STANDARD:
        msg = "the tables go to standard output: give --plot a file"
        raise click.UsageError(msg)
    if figure is not None:
        figure_file.check_place(figure, model, data)
    fitted = command_files.read_solved(model)
    if priors != "own":
        fitted = fitted.with_priors(priors)
    pair = None if classes is None else _pair(fitted, classes)
    source = command_files.open_files([data], RowOptions(file_format=file_format), fitted)
    if len(source.files) > 1:
        msg = (
            f"rows are numbered within a file, but {source.shown} are given: "
            "give the file that holds the row"
        )
        raise click.UsageError(msg)
    row_names = row_names or command_files.identifier_column(fitted, source)
    kept = [] if row_names is None else [row_names]
    command_files.check_columns(source, kept, "the column that names rows")
    row, columns = command_files.FeatureRows(source, fitted, model, kept).find_row(number)
    names = {name: columns.column(name)[0].as_py() for name in kept}
    place = f"{source.shown}, row {number}"
    place += "".join(command_files.identified(*item) for item in names.items())
    with command_files.naming(place):
        try:
            explanation = explain(fitted, row, pair, reference)
        except OptionError as error:
            raise click.BadParameter(str(error), param_hint="'--reference'") from None
    if as_json:
        about = {"model": model, "data": source.files[0], "row": number} | (
            {"name": names} if names else {}
        )
        console.write_json(about | explanation.as_record())
    else:
        what = Styled(f"what the model {model} says of {place}", "dim")
        console.print_blocks(console.stdout_console(), what, *explanation.tables())
    if figure is not None:
        from gaussbayes import plots

        figure_file.save(lambda: plots.explanation(explanation), figure)


def _pair(model: Model, classes: tuple[str, ...]) -> tuple[int, int]:
    """The codes of two classes given by name."""
    if len(classes) != 2:
        msg = f"two classes are compared, got {', '.join(classes)}"
        raise click.BadParameter(msg, param_hint="--classes")
    known = command_files.class_names(model)
    unknown = [name for name in classes if name not in known]
    if unknown:
        msg = f"the model has no class {unknown[0]!r}; it has {', '.join(known):.300}"
        raise DataError(msg)
    return known.index(classes[0]), known.index(classes[1])
