"""``gaussbayes demo``: Fisher's irises classified, as a report in the terminal."""

import click


@click.command("demo")
def command() -> None:
    """Show a first look: Fisher's irises classified, with errors and probabilities."""
    from gaussbayes.apps.demo import main

    main()
