"""``gaussbayes compare DATA... -y TARGET``: which model errs least on rows held out?"""

from dataclasses import replace
from typing import Any

import click

from gaussbayes.analysis.comparison import compare
from gaussbayes.cli import command_files, command_options, console, figure_file, fit_command
from gaussbayes.cli.command_options import OUTPUT, option, takes
from gaussbayes.cli.console import tell, warnings_told
from gaussbayes.cli.labelled_files import LabelledFiles
from gaussbayes.cli.predict_command import read_costs

COMPARED = 20_000  # rows that models are compared on, if there are more
COMPARED_SINGLY = 300  # the same if each row takes a fit of every model


def _counts(value: str) -> tuple[int, ...]:
    parts = [part for part in value.split(",") if part.strip()]
    counts = all(part.strip().isdecimal() and int(part) >= 1 for part in parts)
    command_options.expect(counts, "integers from 1 on, separated by commas", value)
    return tuple(map(int, parts))


@click.command("compare")
@takes("data", "target", "features", "categorical", "estimation")
@option("--auto/--no-auto", "automatic", default=True)
@option("--average/--no-average", default=False)
@option("--candidates", is_flag=True)
@takes("held_out")
@option("--neighbors A,B,...", convert=_counts, default="1,3,5,9,15")
@option("--costs A:B=COST,...|FILE")
@option("--sample N", type=click.IntRange(1))
@option("--plot FILE", "figure", type=OUTPUT)
@takes(
    "labels",
    "reading",
    seed="Decides which rows are held out, and which are drawn.",
    json="Write the figures as JSON.",
)
def command(
    data: tuple[str, ...],
    automatic: bool,
    average: bool,
    candidates: bool,
    neighbors: tuple[int, ...],
    costs: str | None,
    sample: int | None,
    figure: str | None,
    seed: int,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare the six Gaussian structures and their peers on the same rows.

    Priors, divisor, shrinkage and families are those given; covariances are of each shape in turn,
    shared and not. The automatic model, as of fit, and with --average the average, are judged
    beside them: they choose and weigh without the rows that are held out. So are logistic
    regression and nearest neighbours, on standardised numbers and a 0 or 1 for each category;
    missing values are filled in with the mean or the most frequent category of the rows learnt
    from. Last are the class frequencies of these rows; models that are worse are named. Rows
    without label are learnt from, but not judged by.

    \b
    gaussbayes compare iris.csv -y species
    gaussbayes compare iris.csv -y species --cv 5 --candidates
    gaussbayes compare iris.csv -y species --held-out 0.3 --neighbors 1,5 --plot iris.png
    """
    if candidates and not automatic:
        msg = "--candidates are those of the automatic choice: leave out --no-auto"
        raise click.UsageError(msg)
    if not automatic and settings["shrinkage"] != "auto":
        command_options.check_no_selection("leave out --no-auto")
    held_out = command_options.take_held_out(settings)
    if figure is not None:
        figure_file.check_place(figure, *data)
    chosen = command_options.RowOptions.taken(settings)

    options = command_options.plain_options(settings)
    source = command_files.open_files(data, chosen)
    files = LabelledFiles.to_learn_from(source, chosen, options)
    singly = held_out == command_options.LEAVE_ONE_OUT
    rows = files.sample(sample or (COMPARED_SINGLY if singly else COMPARED), seed)
    schema = files.encoder.schema(rows.table.classes)
    with warnings_told():
        comparison = compare(
            rows.table.rows,
            rows.labels,
            held_out=files.held_out(held_out, rows),
            neighbors=neighbors,
            model=rows.recipe(options),
            automatic=automatic,
            average=average,
            costs=None if costs is None else read_costs(costs, schema),
            random_state=seed,
        )
    named = [
        replace(each, problem=each.problem and command_options.in_options(each.problem))
        for each in comparison.candidates
    ]
    comparison = replace(comparison, candidates=tuple(named))
    files.tell(command_files.LEARNT_FROM)
    selection = comparison.selection
    if as_json:
        console.write_json(
            files.record()
            | {
                "how": comparison.how,
                "rows": comparison.n_rows,
                "classes": comparison.classes.tolist(),
                "notes": list(comparison.notes),
                "warnings": comparison.warnings,
                "baseline": comparison.baseline and comparison.baseline.record(),
                "models": comparison.records(),
                "selection": selection and fit_command.selection_record(selection),
            }
        )
    else:
        blocks = [*comparison.tables()]
        if selection is not None:
            blocks.append(f"automatic choice: {selection.choice}")
            blocks += fit_command.in_words(selection).tables(None) if candidates else []
        console.print_blocks(console.stdout_console(), *blocks)
    if figure is not None:
        from gaussbayes import plots

        figure_file.save(lambda: plots.comparison(comparison), figure)
        tell(f"the plot is in {figure}")
