"""Score rows in PostgreSQL: a private server is started on loopback, asked, and stopped.

It takes Debian's packages (``apt-get install postgresql``) and runs as an unprivileged user::

    python tests/export/postgres.py
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[2]))

from gaussbayes import AutoClassifier, Columns, GaussianClassifier
from tests.export.engines import DATABASES, assert_same_scores, mixed, numbers


def run(*command: str, text: str | None = None) -> str:
    """What a command prints, as the user postgres if this is root's process."""
    asked = ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)
    done = subprocess.run(asked, input=text, capture_output=True, text=True, check=False, cwd="/")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


@contextmanager
def server() -> Iterator[list[str]]:
    """The command that asks a server of its own, on a free port of loopback."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    place = Path(tempfile.mkdtemp(prefix="gaussbayes-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(place, "postgres")
    data = str(place / "data")
    try:
        run(str(programs / "initdb"), "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8")
        options = f"-p {port} -k {place} -c listen_addresses=127.0.0.1"
        log = str(place / "log")
        run(str(programs / "pg_ctl"), "-D", data, "-l", log, "-w", "-o", options, "start")
        try:
            yield [str(programs / "psql"), "-h", "127.0.0.1", "-p", port, "-U", "tester"]
        finally:
            run(str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> None:
    """Compare scores of all structures, families and transforms."""
    with server() as psql:
        ask = [*psql, "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-q"]

        def in_postgres(statement: str, table: pd.DataFrame, companion: str = "") -> pd.DataFrame:
            kinds = {"O": "text", "i": "bigint", "f": "double precision"}
            columns = ", ".join(
                f'"{name}" {kinds.get(table[name].dtype.kind, "text")}' for name in table
            )
            rows = table.to_csv(index=False, header=False, na_rep="\\N", float_format="%.17g")
            create = f"DROP TABLE IF EXISTS rows; CREATE TABLE rows ({columns});\n"
            copy = "COPY rows FROM STDIN (FORMAT csv, NULL '\\N');\n"
            run(*ask, text=f"{create}{copy}{rows}\\.\n")
            run(*ask, text=companion)
            answer = run(*ask, "--csv", text=f"SET extra_float_digits = 3;\n{statement};")
            return pd.read_csv(StringIO(answer))

        DATABASES["postgres"] = in_postgres
        folder = Path(tempfile.mkdtemp())
        for covariance in ("full", "diagonal", "spherical"):
            for shared in (False, True):
                table, y = numbers(missing=0.2)
                model = GaussianClassifier(covariance, shared=shared).fit(table[:2000], y[:2000])
                assert_same_scores("postgres", model, table, folder)
                print(covariance, "shared" if shared else "class-specific")
        table, y = mixed(2000)
        columns = Columns(categorical=["colour", "floor"])
        families = {"visits": "poisson", "member": "poisson"}
        transforms = {"width": "yeo-johnson", "length": "log"}
        textbook = GaussianClassifier(
            transforms=transforms, families=families, smoothing=1, columns=columns
        )
        levels = {("visits", "member", "colour", "floor"): "pairs"}
        pairs = GaussianClassifier(families=levels, columns=columns)
        for model in (textbook, AutoClassifier(columns=columns), pairs):
            model.fit(table[:1500], y[:1500])
            assert_same_scores("postgres", model, table, folder)
            print(type(model).__name__)
        rows, y = numbers(50)
        model = GaussianClassifier("diagonal").fit(rows, y)
        text = model.export(folder / "model.sql", dialect="postgres").read_text()
        marked = rows.astype({"a": str})
        marked.loc[:5, "a"] = " ?"
        assert in_postgres(text, marked)["prediction"].notna().all()
        print("text that stands for missing values")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
