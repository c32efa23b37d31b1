"""``gaussbayes lessons``: which worked examples there are."""

import click

from gaussbayes.apps.cli import output


@click.command("lessons")
@click.option("--json", "as_json", is_flag=True, help="Write a JSON list instead of a table.")
def command(as_json: bool) -> None:
    """List the worked examples of the course.

    Replay one with: gaussbayes lesson NAME
    """
    from gaussbayes.lessons import all_lessons

    every = all_lessons()
    if as_json:
        records = [
            {
                "name": lesson.name,
                "title": lesson.title,
                "source": lesson.source,
                "results": len(lesson.results),
                "figures": len(lesson.figures),
            }
            for lesson in every
        ]
        output.write_json(records, indent=2)
        return

    from rich.text import Text

    table = output.table("name", "title and source", "results", "figures")
    table.columns[0].no_wrap = True
    for column in table.columns[2:]:
        column.justify, column.no_wrap = "right", True
    for lesson in every:
        described = Text(lesson.title, style="bold").append(f"\n{lesson.source}", style="not bold")
        counts = (str(len(lesson.results)), str(len(lesson.figures)))
        table.add_row(lesson.name, described, *counts)
    output.console().print(table)
    output.console(stderr=True).print("\nReplay one with: gaussbayes lesson NAME", style="dim")
