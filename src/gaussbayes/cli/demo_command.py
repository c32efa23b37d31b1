"""``gaussbayes demo``: a first look."""

import click


@click.command("demo")
def command() -> None:
    """Show a first look: Fisher's irises classified, with errors and probabilities."""
    from gaussbayes.apps.demo import main

    main()
