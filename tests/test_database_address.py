"""Addresses of PostgreSQL with a password are refused in one sentence, which does not repeat them, wherever a command
takes one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.base.database_address import is_address
from mqstat.cli import run

VALID = (
    "postgresql://", "postgres://db/x?sslmode=verify-full", "postgresql://?service=monitoring", "postgresql://loader@h1:5432,h2:5433/x",
    "postgresql://me%40corp@[::1]:5432/x", "postgresql:///x?host=/run/postgresql&user=me", "postgresql://db/x?passfile=/etc/p&options=-c%20geqo=off", "postgresql://db/é",
)  # fmt: skip
SECRET = (
    "postgresql://me:geheim@db/x", "postgresql://me:geheim?1@db/x", "postgresql://me:geheim/1@db/x", "postgresql://me:geheim#1@db/x", "postgresql://me:ge@heim@db/x",
    "postgresql://me@corp:geheim@db/x", "postgresql://me:geheim%40@db/x", "postgresql://:geheim@db/x", "postgresql://me:@db/x", "postgresql://db/x?password=geheim",
    "postgresql://db/x?p%61ssword=geheim", "postgresql://db/x#?password=geheim", "postgresql://db/x?user=me&password=geheim", "postgresql://db?sslpassword=geheim",
    "postgresql://db?PASSWORD=geheim", "PostgreSQL://me:geheim@db/x", "host=db password=geheim", "mysql://me:geheim@db/x", "me:geheim@db/x", "postgresql://me:geheim@db/x y",
    "postgresql://me:geheim@db/x\n", "postgresql://u:p\tgeheim@db/x", "postgresql://[geheim",
)  # fmt: skip


@pytest.mark.parametrize("address", VALID)
def test_an_address_without_a_password(address: str) -> None:
    assert is_address(address)


@pytest.mark.parametrize("address", [*SECRET, ""])
def test_an_address_with_a_password(address: str) -> None:
    assert not is_address(address)


def test_no_command_takes_or_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for address in SECRET:
        assert run(["export", "postgresql", str(tmp_path), "--database", address]) == 16
        printed = "".join(capsys.readouterr())
        assert "--database must be an address without a password" in printed
        assert printed.count("\n") == 1
        assert "geheim" not in printed
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address",
    ["http://me:geheim@p:9090", "http://me:geheim?@p", "p:9090", "file:///etc/geheim", "https://", "http://p geheim"],
)
def test_addresses_of_prometheus_have_no_password(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "grafana", "--into", str(tmp_path / "g"), "--prometheus", address]) == 16
    printed = "".join(capsys.readouterr())
    assert "--prometheus must be an address without user and password" in printed
    assert printed.count("\n") == 1
    assert "geheim" not in printed
    assert list(tmp_path.iterdir()) == []
