"""A PostgreSQL server of its own for tests, and what it has compared with the rows of views."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqstat.intake.open_data import open_data
from mqstat.intake.view_rows import chosen_views, compute
from mqstat.sql.columns import selected_columns

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), Path("/missing"))
needs_server = pytest.mark.skipif(not (PROGRAMS / "initdb").exists(), reason="PostgreSQL is not installed; Debian has it as postgresql")  # fmt: skip


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.fixture(scope="module", name="server")
def server_fixture() -> Iterator[str]:
    """The address of a server of its own; PostgreSQL does not run as root."""
    own: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="mqstat-postgresql-"))
    try:
        if own:
            shutil.chown(folder, "postgres", "postgres")
        port, data = free_port(), folder / "data"
        subprocess.run([PROGRAMS / "initdb", "-D", data, "-A", "trust", "-U", "mqstat", "-E", "UTF8"], check=True, capture_output=True, cwd=folder, **own)  # fmt: skip
        rules = data / "pg_hba.conf"
        rules.write_text("host all loader 127.0.0.1/32 scram-sha-256\n" + rules.read_text())  # others need no password
        process = subprocess.Popen(
            [PROGRAMS / "postgres", "-D", data, "-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **own,
        )  # fmt: skip
        try:
            for _ in range(150):
                if subprocess.run([PROGRAMS / "pg_isready", "-h", "127.0.0.1", "-p", str(port)], capture_output=True, check=False).returncode == 0:  # fmt: skip
                    break
                time.sleep(0.2)
            yield f"postgresql://mqstat@127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def asked(uri: str, query: str) -> list[tuple[Any, ...]]:
    from adbc_driver_postgresql.dbapi import connect

    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return [tuple(row) for row in cursor.fetchall()]


def check_sums(uri: str, dataset: Path, *names: str) -> int:
    """Compare number of rows, and number and sum of the values of each column, between database and views; the number
    of sums.
    """
    compared = 0
    with open_data(dataset=dataset) as database:
        chosen = chosen_views(names)
        compute(database, chosen)
        for view in chosen:
            parts, ours = ["count(*)::bigint"], ["count(*)::BIGINT"]
            for name, kind in selected_columns()[view].items():
                parts.append(f'count("{name}")::bigint')
                ours.append(f'count("{name}")::BIGINT')
                if kind in ("BIGINT", "INTEGER"):
                    parts.append(f'sum("{name}")::text')
                    ours.append(f'sum("{name}")::VARCHAR')
                elif kind == "DOUBLE":
                    parts.append(f'sum("{name}")::double precision')
                    ours.append(f'sum("{name}")::DOUBLE')
                elif kind == "VARCHAR":
                    parts.append(f'sum(length("{name}"))::bigint')
                    ours.append(f'sum(length("{name}"))::BIGINT')
                elif kind == "TIMESTAMP":
                    parts.append(f'max("{name}")::text')
                    ours.append(f'max("{name}")::VARCHAR')
            (theirs,) = asked(uri, f'SELECT {", ".join(parts)} FROM mqstat."{view}"')
            (expected,) = database.execute(f'SELECT {", ".join(ours)} FROM "{view}"').fetchall()
            for got, want in zip(theirs, expected, strict=True):
                assert got == (pytest.approx(want, rel=1e-9) if isinstance(want, float) else want), view
            compared += len(expected)
    return compared


def changed_by(uri: str, statement: str) -> None:
    from adbc_driver_postgresql.dbapi import connect

    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        connection.commit()
