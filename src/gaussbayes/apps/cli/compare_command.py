"""``gaussbayes compare DATA... -y TARGET``: which model errs least on rows held out?"""

from dataclasses import replace
from typing import Any

import click

from gaussbayes.apps.cli import (
    command_options,
    console,
    figure_file,
    fit_summary,
    memory_rows,
    row_files,
)
from gaussbayes.apps.cli.console import tell, warnings_told
from gaussbayes.apps.cli.figure_kinds import COMPARED


def _counts(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(number) for number in value.split(",") if number.strip())
    except ValueError:
        counts = (0,)
    if any(number < 1 for number in counts):
        msg = f"expected integers from 1 on, separated by commas, got {value!r}"
        raise click.BadParameter(msg)
    return counts


@click.command("compare")
@command_options.data_argument()
@command_options.target_option
@command_options.feature_options
@command_options.estimation_options
@command_options.option(
    "--auto/--no-auto",
    "automatic",
    default=True,
    what="Whether the automatic choice of structure and shrinkage is compared, too.",
)
@command_options.option(
    "--candidates", is_flag=True, what="List everything that it chose from, best first."
)
@command_options.compared_on_option
@command_options.option(
    "--neighbors A,B,...",
    callback=_counts,
    default="1,3,5,9,15",
    what="How many nearest neighbours vote; '' for none.",
)
@command_options.option(
    "--sample N",
    type=click.IntRange(1),
    default=COMPARED,
    what="Compare on at most so many rows, drawn at random.",
)
@command_options.option(
    "--plot FILE",
    "figure",
    type=command_options.OUTPUT,
    what="Plot the comparison as well, as a .png, .svg or .pdf file.",
)
@command_options.seed_option("Decides which rows are held out, and which are drawn.")
@command_options.label_options
@command_options.reading_options
@command_options.json_option("Write the figures as JSON.")
def command(
    data: tuple[str, ...],
    automatic: bool,
    candidates: bool,
    held_out: Any,
    neighbors: tuple[int, ...],
    sample: int,
    figure: str | None,
    seed: int,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare the six Gaussian structures and nearest neighbours on the same rows.

    Priors, divisor, shrinkage and families are those given; covariances are of each shape in turn,
    shared and not. The automatic choice, as of fit --covariance auto --shrinkage auto, is judged
    beside them: it chooses without the rows that are held out. Where features are categories or
    values are missing there are no nearest neighbours. Rows without label are learnt from, but not
    judged by.

    \b
    gaussbayes compare iris.csv -y species
    gaussbayes compare iris.csv -y species --candidates
    gaussbayes compare iris.csv -y species --held-out 0.3 --neighbors 1,5 --plot iris.png
    """
    if candidates and not automatic:
        msg = "--candidates are those of the automatic choice: leave out --no-auto"
        raise click.UsageError(msg)
    if not automatic and settings["shrinkage"] != "auto":
        command_options.check_no_selection("leave out --no-auto")
    command_options.check_compared_on(held_out)
    if figure is not None:
        figure_file.check_place(figure, *data)
    chosen = command_options.RowOptions.taken(settings)

    from gaussbayes.analysis.comparison import compare
    from gaussbayes.analysis.held_out import ModelOptions
    from gaussbayes.model.options import check_options

    checked = check_options(**settings)
    source = row_files.open_files(data, chosen.file_format, chosen.bad_rows)
    rows = row_files.training_rows(source, chosen, checked)
    chosen = replace(chosen, target=rows.target)
    blocks = row_files.LabelledBlocks(rows, rows.encoder)
    table = memory_rows.sampled_rows(blocks, sample, seed, labelled_only=chosen.labelled_only)
    with warnings_told():
        comparison = compare(
            table.features,
            table.labels,
            held_out=memory_rows.held_out_rows(held_out, table, chosen),
            neighbors=neighbors,
            model=ModelOptions(checked, table.categorical),
            automatic=automatic,
            random_state=seed,
        )
    named = [
        replace(each, problem=each.problem and command_options.in_options(each.problem))
        for each in comparison.candidates
    ]
    comparison = replace(comparison, candidates=tuple(named))
    row_files.tell_bad_rows(source.bad_rows)
    row_files.tell_unlabelled(blocks.n_unlabelled, chosen, row_files.LEARNT_FROM)
    selection = comparison.selection
    if as_json:
        console.write_json(
            {
                "data": list(source.files),
                "target": chosen.target,
                "how": comparison.how,
                "rows": comparison.n_rows,
                "unlabelled": blocks.n_unlabelled,
                "classes": comparison.classes.tolist(),
                "models": comparison.records(),
                "selection": None if selection is None else fit_summary.selection_record(selection),
                "bad_rows": row_files.bad_rows_record(source.bad_rows),
            }
        )
    else:
        out = console.stdout_console()
        out.print(comparison.table())
        if selection is not None:
            out.print()
            console.paragraph(out, f"automatic choice: {fit_summary.describe(selection)}")
            if candidates:
                console.print_tables(out, [fit_summary.candidate_table(selection)])
    if figure is not None:
        from gaussbayes import plots

        figure_file.save(lambda: plots.comparison(comparison), figure)
        tell(f"the plot is in {figure}")
