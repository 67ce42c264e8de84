"""Two weeks of nightly runs over files as people have them: ruined and sent again, truncated, growing, doubled, one
name every night.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mqstat.cli import run as command
from mqstat.fixtures.damage import with_line_ends
from mqstat.intake.open_data import open_data
from tests.installation import DAY, Installation, dump, installed_fixture, real_fixture  # noqa: F401 - fixtures
from tests.support import file_of

NIGHTS = 14
NUMBERED = ("record_id", "source_id", "first_record_id", "record_number", "source_offset", "date")
"""Columns that depend on the order in which dumps arrive."""


def contents(folder: Path) -> dict[str, list[str]]:
    """The rows of every decoded table of a dataset that are in records which repeat no other, without `NUMBERED`,
    sorted.
    """
    out = {}
    with open_data(dataset=folder, views=["record"]) as database:
        query = "SELECT table_name, list(column_name ORDER BY column_name) FROM information_schema.columns WHERE table_schema = 'decoded' GROUP BY ALL"
        for table, columns in database.execute(query).fetchall():
            if "record_id" not in columns or table in ("damage", "repeated_record", "numbered_record"):
                continue
            listed = ", ".join(f't."{name}"' for name in columns if name not in NUMBERED)
            rows = database.execute(
                f"SELECT {listed} FROM decoded.{table} AS t SEMI JOIN record AS r ON r.record_id = t.record_id"
            ).fetchall()
            out[table] = sorted(map(repr, rows))
    return {table: rows for table, rows in out.items() if rows}


@pytest.mark.slow
def test_two_weeks_give_what_the_sound_dumps_give(installed: Installation, tmp_path: Path) -> None:
    days = [DAY + dt.timedelta(days=number) for number in range(NIGHTS)]
    of = {name: [dump(day, name) for day in days] for name in ("MQ01", "MQ02", "MQ03", "MQ04", "MQ05")}
    codes = []
    for night, day in enumerate(days):
        installed.arrive("smf.dat", of["MQ01"][night])
        ruined, truncated = of["MQ02"][3], of["MQ03"][4]
        if night in (3, 4, 5):
            installed.arrive("ruined.smf", with_line_ends(ruined) if night < 5 else ruined)
        if night in (4, 6):
            installed.arrive("cut.smf", truncated[:-2000] if night == 4 else truncated)
        if night >= 7:
            installed.arrive("grow.smf", b"".join(of["MQ04"][7 : night + 1]))
        if night == 8:
            installed.arrive("twice.smf", 2 * of["MQ05"][8])
        codes.append(installed.run(day + dt.timedelta(days=1))[0])
    installed.check()
    assert [night for night, code in enumerate(codes) if code == 12] == [3, 4]
    assert max(codes[5:]) <= 4
    sound = [*of["MQ01"], of["MQ02"][3], of["MQ03"][4], *of["MQ04"][7:], of["MQ05"][8]]
    files = [str(file_of(content, tmp_path, f"sound{number}.smf")) for number, content in enumerate(sound)]
    assert command(["ingest", *files, "--into", str(tmp_path / "again")]) == 0
    have, want = contents(installed.dataset), contents(tmp_path / "again")
    assert {*have} == {*want}
    assert {"record", "qpst"} <= {*have}
    differing = {table: sorted({*have[table]} ^ {*want[table]})[:4] for table in want if have[table] != want[table]}
    assert differing == {}
