"""`mqstat daily` signs the dataset and copies the signature away: table `[sign]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from mqstat.dataset import log
from mqstat.dataset.manifest import SourceEntry
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.intake import publication
from tests.installation import DAY, NEXT, Installation, dump, installed_fixture, real_fixture  # noqa: F401 - fixtures

pytestmark = pytest.mark.slow


def with_key(installed: Installation) -> Path:
    """A key, and a configuration that signs with it; returns the public key."""
    key = Ed25519PrivateKey.generate()
    path = installed.root / "key.pem"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    public = installed.root / "pub.pem"
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    installed.configure(sign='key = "key.pem"\ncopy = "away"')
    return public


def test_each_run_that_changes_the_dataset_signs_it(installed: Installation) -> None:
    """A folder of copies that is not mounted is never created; the next run copies what is missing."""
    public = with_key(installed)
    away = installed.root / "away"
    installed.arrive("a.smf", dump(DAY))
    code, output = installed.run()
    assert code == 4
    assert f"sign     {away}: there is no such folder, so the signature was not copied." in output
    assert not away.exists()
    assert verify(installed.dataset, public).problems == []
    away.mkdir()
    generation = open_dataset(installed.dataset).manifest.generation
    for expected in (f"copied to {away / f'dataset-{generation:06d}.sig.json'}", ""):
        code, output = installed.run()
        assert code == 0, output
        assert ("sign  " in output) is bool(expected)
        assert expected in output
    installed.arrive("b.smf", dump(DAY, "MQ02"))
    code, output = installed.run()
    assert code == 0, output
    assert verify(installed.dataset, public).problems == []
    kept = sorted(away.iterdir())
    assert len(kept) == 2
    assert verify(installed.dataset, public, kept[0]).problems, "the older one does not cover the second dump"
    assert verify(installed.dataset, public, kept[1]).problems == []


def test_a_dataset_that_cannot_be_signed(installed: Installation) -> None:
    with_key(installed)
    installed.arrive("a.smf", dump(DAY))
    installed.run()
    (installed.dataset / log.HEAD).write_bytes(b"x")
    (installed.dataset / log.SIGNATURE).unlink()
    code, output = installed.run()
    assert code == 16
    assert "is not signed, because the log has a fault: manifest.head.json" in output


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes")
def test_a_key_that_others_can_read_stops_the_run(installed: Installation) -> None:
    with_key(installed)
    (installed.root / "key.pem").chmod(0o644)
    installed.arrive("a.smf", dump(DAY))
    for arguments in ((), ("--check",)):
        code, output = installed.run(NEXT, *arguments)
        assert code == 16
        assert "key.pem: the private key can be used by other users (mode 0644); run: chmod 600 " in output
    assert not installed.dataset.exists()


def test_new_rows_that_do_not_fit_are_reported_and_not_signed(
    installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ingest that counts a decoded record as raw in the manifest, so that the ledger still balances."""
    public = with_key(installed)
    right = publication.entry_of

    def wrong(*arguments: Any) -> SourceEntry:
        entry = right(*arguments)
        for side in ("bytes", "records"):
            entry.ledger[side]["decoded"] -= 1
            entry.ledger[side]["raw"] += 1
        return entry

    monkeypatch.setattr(publication, "entry_of", wrong)
    installed.arrive("a.smf", dump(DAY))
    code, output = installed.run()
    assert code == 12
    assert "verify   source 1 (a.smf): bytes_decoded is " in output
    assert " The dataset is not signed." in output
    assert "sign    " not in output
    assert not (installed.dataset / log.SIGNATURE).exists()
    assert verify(installed.dataset).problems == [], "without a look at the rows nothing is wrong"
    assert len(verify(installed.dataset, rows=True).problems) > 3
    assert verify(installed.dataset, public).problems
