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

from gaussbayes import GaussianClassifier
from tests.export.engines import assert_same_scores, mixed, numbers
from tests.models import STRUCTURES, automatic_classifier


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

        def in_postgres(statement: str, table: pd.DataFrame) -> pd.DataFrame:
            kinds = {"O": "text", "i": "bigint", "f": "double precision"}
            columns = ", ".join(
                f'"{name}" {kinds.get(table[name].dtype.kind, "text")}' for name in table
            )
            rows = table.to_csv(index=False, header=False, na_rep="\\N", float_format="%.17g")
            create = f"DROP TABLE IF EXISTS rows; CREATE TABLE rows ({columns});\n"
            copy = "COPY rows FROM STDIN (FORMAT csv, NULL '\\N');\n"
            run(*ask, text=f"{create}{copy}{rows}\\.\n")
            answer = run(*ask, "--csv", text=f"SET extra_float_digits = 3;\n{statement};")
            return pd.read_csv(StringIO(answer))

        for covariance, shared in STRUCTURES:
            table, y = numbers(missing=0.2)
            model = GaussianClassifier(covariance, shared=shared).fit(table[:2000], y[:2000])
            assert_same_scores(model, table, "postgres", in_postgres)
            print(covariance, "shared" if shared else "own")
        table, y = mixed(2000)
        names = {"categorical_features": ["colour", "floor"]}
        families = {"visits": "poisson", "member": "bernoulli"}
        transforms = {"width": "yeo-johnson", "length": "rank-normal"}
        model = GaussianClassifier(transforms=transforms, families=families, smoothing=1, **names)
        for each in (model, automatic_classifier(average=True, **names)):
            each.fit(table[:1500], y[:1500])
            assert_same_scores(each, table, "postgres", in_postgres)
            print("families and transforms" if each is model else "an automatic average")
        try:
            rows, y = numbers(50)
            model = GaussianClassifier().fit(rows, y)
            in_postgres(model.to_sql("rows", "postgres", errors="raise"), rows.mask(rows > 1002))
        except RuntimeError as error:
            assert "a row has no score" in str(error)  # noqa: PT017 (this is no test function)
            print("an error where one is asked for")


if __name__ == "__main__":
    main()
