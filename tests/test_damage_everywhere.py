"""Damage follows every figure: each command that prints figures returns 4 or 12 over damaged input and names the
damage, and no command is left out.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from typer.core import TyperGroup

from mqstat.base.return_codes import damage_text
from mqstat.cli import run
from mqstat.cli.app import command
from mqstat.fixtures.scenarios import SCENARIOS
from tests.support import file_of

RATES = '[[rate]]\ncharge_to = "All"\nthousand_messages = 0.3\ncpu_second = 0.02\n'
BILL = ("--report", "application/chargeback", "--format", "csv")
NO_FIGURES = {
    "rules", "reports", "explain", "help", "site init", "site check", "verify", "prune", "drop", "compact", "redact", "daily", "doctor", "demo",
    "export grafana", "export index-templates", "export postgresql",
}  # fmt: skip
"""Commands that print no figures of the data, or whose result is a diagnosis of its own: of them no figure is taken for
a sound one. `export postgresql` needs a database."""


def commands() -> set[str]:
    """All commands, those of a group with its name."""
    group = command()
    names = set()
    for name, each in group.commands.items():
        names |= {f"{name} {below}" for below in each.commands} if isinstance(each, TyperGroup) else {name}
    return names


def overwritten(content: bytes, share: float) -> bytes:
    """The content with this share of its bytes replaced by random ones, in stretches of up to 4,000."""
    out, chance = bytearray(content), random.Random(7)
    left = int(len(out) * share)
    while left > 0:
        size = min(chance.randrange(200, 4000), left)
        at = chance.randrange(0, len(out) - size)
        out[at : at + size] = chance.randbytes(size)
        left -= size
    return bytes(out)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    content = SCENARIOS["applications_wasteful"].build()
    return file_of(overwritten(content, 0.29), tmp_path_factory.mktemp("damage"), "damaged.smf")


@pytest.fixture(scope="module")
def dataset(damaged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset") / "ds"
    assert run(["ingest", str(damaged), "--into", str(folder)]) == 12
    return folder


def arguments(name: str, inputs: Iterable[str], folder: Path, dump: Path) -> list[str]:
    """The arguments with which a command reads these inputs."""
    return {
        "report": ["report", *inputs],
        "check": ["check", *inputs],
        "compare": ["compare", str(dump), str(dump)],
        "map": ["map", *inputs],
        "sql": ["sql", "SELECT count(*) AS n FROM message_manager", *inputs],
        "tables": ["tables", *inputs],
        "ledger": ["ledger", str(dump)],
        "raw": ["raw", str(dump), "--structure", "qmst"],
        "trace": ["trace", str(dump), "3"],
        "prove": ["prove", "DQ001/inputs", *inputs],
        "plan": ["plan", "log_size_and_count", *inputs],
        "export mq-smf-csv": ["export", "mq-smf-csv", str(dump), "--into", str(folder / "csv")],
        "export series": ["export", "series", *inputs],
        "export findings": ["export", "findings", *inputs],
        "export folder": ["export", "folder", str(dump), "--into", str(folder / "frozen")],
        "ingest": ["ingest", str(dump), "--into", str(folder / "again")],
    }[name]


FIGURES = sorted(commands() - NO_FIGURES)
FAST = ("ledger", "map", "raw", "sql", "tables", "trace")


@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in FIGURES]
)
def test_a_command_over_a_damaged_dump_returns_12_and_names_the_damage(
    name: str, damaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = arguments(name, [str(damaged)], tmp_path, damaged)
    assert run(given) == 12
    shown = capsys.readouterr()
    assert "damaged" in shown.out + shown.err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report", "check", "map", "sql", "tables", "export series"])
def test_a_command_over_a_dataset_of_it_does_so_too(
    name: str, damaged: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments(name, ["--from", str(dataset)], tmp_path, damaged)) == 12
    shown = capsys.readouterr()
    assert "damaged" in shown.out + shown.err


def test_a_command_over_sound_input_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = file_of(SCENARIOS["three_states"].build(), tmp_path)
    for name in ("map", "sql", "tables", "raw", "trace"):
        assert run(arguments(name, [str(dump)], tmp_path, dump)) == 0
        assert "damaged" not in capsys.readouterr().err


def billed(dump: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    site = folder / "site.toml"
    site.write_text(RATES, encoding="utf-8")
    run(["report", str(dump), "--site", str(site), *BILL])
    return list(csv.DictReader(capsys.readouterr().out.splitlines()))


def test_damaged_records_are_not_billed(damaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound = billed(file_of(SCENARIOS["applications_wasteful"].build(), tmp_path), tmp_path, capsys)
    lines = billed(damaged, tmp_path, capsys)
    assert not [line for line in sound if line["row_kind"] == "not billable: damaged"]
    doubtful = [line for line in lines if line["row_kind"] == "not billable: damaged"]
    assert {line["charge_to"] for line in doubtful} >= {"impossible figures", "next to damaged bytes"}
    assert all(line["charge_amount"] == "" for line in doubtful)
    totals = [
        sum(int(line["charge_messages"]) for line in rows if line["row_kind"] in ("charged", "no rate"))
        for rows in (sound, lines)
    ]
    assert totals[1] <= totals[0]


HOSTILE = ("-rf;$(touch PWN).dat", "a b'c.dat", "--help", "$(x)`y`.dat")


@pytest.mark.parametrize("name", HOSTILE)
def test_commands_in_messages_are_quoted(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a message suggests to paste has the name as one word that is no option."""
    import shlex

    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b"no dump" * 100)
    Path("folder", name).mkdir(parents=True)
    calls: list[Callable[[], list[str]]] = [
        lambda: ["report", "--", name],
        lambda: ["trace", "--", name, "99999"],
        lambda: ["sql", "--", name],
        lambda: ["verify", "--", f"folder/{name}"],
        lambda: ["daily", "--init", str(Path("folder") / name / "daily.toml")],
    ]
    seen = 0
    for call in calls:
        run(call())
        shown = capsys.readouterr()
        for line in (shown.out + shown.err).splitlines():
            for start in [
                at
                for at in range(len(line))
                if line.startswith(
                    (
                        "mqstat doctor ",
                        "mqstat ledger ",
                        "mqstat ingest ",
                        "mqstat sql ",
                        "mqstat daily --",
                        "mqstat verify --",
                    ),
                    at,
                )
            ]:
                if name.split(";", maxsplit=1)[0] not in line[start:] and "folder" not in line[start:]:
                    continue
                words = shlex.split(line[start:])
                assert any(word.removesuffix(".").endswith((name, f"{name}/daily.toml")) for word in words), line
                assert not [word for word in words[2:] if word.startswith("-") and word == name]
                seen += 1
    assert seen >= 2


def test_the_sentence_about_damage() -> None:
    assert damage_text(["a"], 10, 0, 0, "mqstat ledger d") == ""
    assert damage_text(["a", "b", "c", "d"], 1000, 5, 1, "mqstat ledger d").startswith(
        "the input is damaged: 1 record, 5 of 1,000 bytes (0.5 %) of a, b, c and 1 more;"
    )
