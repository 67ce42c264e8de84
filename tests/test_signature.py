"""A signed dataset: its signature fits after later publishes, and detects what the log alone cannot, a manifest that was written again."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from mqstat.cli import run
from mqstat.dataset import audit, log, signature
from mqstat.dataset.manifest import Change, Manifest
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from tests.manifests import Line, forged, refitted
from tests.support import file_of, invoke, small_dump

Key = Ed25519PrivateKey | x25519.X25519PrivateKey


def private_pem(key: Key, encryption: KeySerializationEncryption | None = None) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())


def public_pem(key: Key) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of keys: the one that signs, another one, and what is not an Ed25519 key that can be used."""
    folder = tmp_path_factory.mktemp("keys")
    own, other, exchange = (
        Ed25519PrivateKey.generate(),
        Ed25519PrivateKey.generate(),
        x25519.X25519PrivateKey.generate(),
    )
    for name, data in (
        ("own.pem", private_pem(own)), ("own-pub.pem", public_pem(own)), ("other-pub.pem", public_pem(other)),
        ("encrypted.pem", private_pem(own, BestAvailableEncryption(b"secret"))),
        ("exchange.pem", private_pem(exchange)), ("exchange-pub.pem", public_pem(exchange)), ("text.pem", b"no key\n"),
    ):  # fmt: skip
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600)
    return folder


@pytest.fixture(scope="module")
def signed(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed dataset of one source; not to be changed."""
    folder = tmp_path_factory.mktemp("signed")
    dump = file_of(small_dump(), folder, "dump1.smf")
    assert run(["ingest", str(dump), "--into", str(folder / "set")]) == 0
    assert run(["sign", str(folder / "set"), "--key", str(keys / "own.pem")]) == 0
    return folder / "set"


@pytest.fixture
def dataset(signed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(signed, tmp_path / "set"))


def checked(folder: Path, keys: Path, key: str = "own-pub.pem", *more: str) -> tuple[int, str]:
    """Return code and output of verify with a public key."""
    done = invoke("verify", folder, "--public-key", keys / key, *more)
    assert done.stderr == ""
    return done.returncode, done.stdout


def complete_manifest(folder: Path) -> None:
    """Write the head again so that it fits the log."""
    made = open_dataset(folder).manifest
    (folder / log.HEAD).write_bytes(log.sealed({"generation": made.generation, "line": made.head})[0])


def test_a_signed_dataset_is_clean(signed: Path, keys: Path) -> None:
    code, output = checked(signed, keys)
    assert code == 0
    assert "remark: The log up to generation " in output
    assert " has a valid signature of " in output
    assert "after the signature" not in output
    assert output.endswith(": clean.\n")


def test_the_signature_is_ed25519_over_the_text_before_it(signed: Path, keys: Path) -> None:
    """Other programs can check it, as docs/dataset.md shows."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key = load_pem_public_key((keys / "own-pub.pem").read_bytes())
    assert isinstance(key, Ed25519PublicKey)
    text, _, rest = (signed / signature.NAME).read_bytes().partition(b',"signature":"')
    key.verify(bytes.fromhex(rest.decode().removesuffix('"}\n')), text)
    line = (signed / log.NAME).read_bytes().splitlines()[-1]
    assert b'"sha256":"' + hashlib.sha256(line[: -log.SEALED]).hexdigest().encode() + b'"' in text


def test_rows_that_nobody_signed_are_never_a_pass(dataset: Path, keys: Path, tmp_path: Path) -> None:
    dump = file_of(small_dump() * 2, tmp_path, "dump2.smf")
    before = set(dataset.glob("*/*.parquet"))
    assert run(["ingest", str(dump), "--into", str(dataset)]) in (0, 4)
    code, output = checked(dataset, keys)
    assert code == 12
    signed = sum(entry.rows for entry in open_dataset(dataset).manifest.files if dataset / entry.path in before)
    text = f"{signed} of {verify(dataset).rows} rows are signed: after the signature of generation "
    assert f"problem: {text}" in output
    assert " ingest" in output
    code, output = checked(dataset, keys, "own-pub.pem", "--allow-unsigned")
    assert code == 0
    assert f"remark: {text}" in output
    assert run(["sign", str(dataset), "--key", str(keys / "own.pem")]) == 0
    code, output = checked(dataset, keys)
    assert code == 0
    assert f": {verify(dataset).rows:,} of {verify(dataset).rows:,} rows are signed.\n" in output


def test_rows_that_were_removed_after_the_signature(dataset: Path, keys: Path) -> None:
    """All rows that are left were signed, but the dataset is not as it was signed; files that were deleted later make no difference."""
    assert run(["prune", str(dataset), "--before", "2027-01-01"]) == 0
    code, output = checked(dataset, keys)
    assert code == 12
    assert ", which removed files or changed what is stated about inputs. Nobody has signed the rest" in output
    assert run(["sign", str(dataset), "--key", str(keys / "own.pem")]) == 0
    manifest = open_dataset(dataset).manifest
    assert manifest.retired
    paths = tuple(entry.path for entry in manifest.retired)
    log.append(dataset, manifest, Change("prune", deleted=paths))
    for path in paths:
        (dataset / path).unlink(missing_ok=True)
    assert checked(dataset, keys)[0] == 0


def test_a_dataset_that_was_compacted_later_is_not_signed(dataset: Path, keys: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mqstat.intake.ingest.merge_as_it_grows", lambda _, manifest, **__: manifest)
        for number in (2, 3):
            dump = file_of(small_dump() * number, tmp_path, f"dump{number}.smf")
            assert run(["ingest", str(dump), "--into", str(dataset)]) in (0, 4)
    assert run(["sign", str(dataset), "--key", str(keys / "own.pem")]) == 0
    before = set(dataset.glob("*/*.parquet"))
    assert run(["compact", str(dataset)]) == 0
    assert set(dataset.glob("*/*.parquet")) != before
    code, output = checked(dataset, keys)
    assert code == 12
    assert " the log has 1 compact. " in output


def test_an_older_copy_with_its_signature_is_found_by_the_generation(
    signed: Path, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generation = open_dataset(signed).manifest.generation
    assert checked(signed, keys, "own-pub.pem", "--expect-generation", str(generation))[0] == 0
    code, output = checked(signed, keys, "own-pub.pem", "--expect-generation", str(generation + 1))
    assert code == 12
    assert f"its signature has generation {generation}, but {generation + 1} is expected: " in output
    assert run(["verify", str(signed), "--expect-generation", str(generation)]) == 0
    assert run(["verify", str(signed), "--expect-generation", str(generation + 1)]) == 12


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes")
def test_a_key_that_others_can_read_is_refused(signed: Path, keys: Path, tmp_path: Path) -> None:
    key = Path(shutil.copy(keys / "own.pem", tmp_path))
    for mode in (0o640, 0o604, 0o620):
        key.chmod(mode)
        done = invoke("sign", signed, "--key", key, "--into", tmp_path / "new.json")
        assert done.returncode == 16
        assert f"own.pem: the private key can be used by other users (mode {mode:04o}); run: chmod 600 " in done.stderr
        assert len(done.stderr.splitlines()) == 1


def folded(folder: Path, keys: Path, patch: pytest.MonkeyPatch) -> Manifest:
    """Sign a dataset whose log is long enough to be folded; returns the manifest before."""
    made = open_dataset(folder).manifest
    patch.setattr(log, "FOLD_FROM", made.size - 1)
    assert run(["sign", str(folder), "--key", str(keys / "own.pem")]) == 0
    return made


def test_a_fold_is_covered_by_the_signature(dataset: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is one line with the same inputs and files; a fold without the key leaves no row signed."""
    before = folded(dataset, keys, monkeypatch)
    after = open_dataset(dataset).manifest
    assert len((dataset / log.NAME).read_bytes().splitlines()) == 1
    assert after.folded == after.generation == before.generation + 1
    assert (after.sources, after.files, after.first) == (before.sources, before.files, before.first)
    assert checked(dataset, keys)[0] == 0
    log.fold(dataset, after)
    code, output = checked(dataset, keys)
    assert code == 12
    assert "problem: 0 of " in output
    assert "rows are signed: the log was folded in generation " in output
    assert checked(dataset, keys, "own-pub.pem", "--allow-unsigned")[0] == 0


def test_a_folded_log_that_was_changed_is_found(
    dataset: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folded(dataset, keys, monkeypatch)
    good = (dataset / log.NAME).read_bytes()
    assert b'"schema_version":4,"action":"fold"' in good, "what an earlier mqstat refuses with one sentence"
    (dataset / log.NAME).write_bytes(good.replace(b'"state":"', b'"state":"A', 1))
    assert run(["verify", str(dataset)]) == 16
    state = log.state_of(log.unsealed(good[:-1])[0])
    state["sources"][0]["name"] = "other.smf"

    def change(lines: list[Line]) -> None:
        lines[0]["state"] = log.packed(state)

    (dataset / log.NAME).write_bytes(good)
    forged(dataset, change)
    complete_manifest(dataset)
    assert verify(dataset).problems == []
    code, output = checked(dataset, keys)
    assert code == 12
    assert "is not in the log as it was signed" in output


def test_a_log_folded_while_it_is_verified(dataset: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process folds the log between the moment at which `verify` opened the dataset and its look at the lines."""
    read = audit.audited

    def later(folder: Path, manifest: Manifest, at: int | None = None) -> audit.Audit:
        monkeypatch.setattr(audit, "audited", read)
        log.fold(folder, log.append(folder, manifest, Change("ingest")))
        return read(folder, manifest, at)

    monkeypatch.setattr(audit, "audited", later)
    assert verify(dataset).problems == []


def test_a_manifest_that_was_written_again_is_detected(dataset: Path, keys: Path) -> None:
    """Somebody changes values, and makes every file, checksum, line, checkpoint and head fit: only the signature does not."""
    path = next((dataset / "qwac").glob("*.parquet"))
    table = pq.ParquetFile(path).read()
    number = table.schema.get_field_index("commits")
    refitted(dataset, path, table.set_column(number, "commits", pc.add(table["commits"], 1)))
    complete_manifest(dataset)
    assert verify(dataset).problems == []
    code, output = checked(dataset, keys)
    assert code == 12
    assert "is not in the log as it was signed: the log was cut or written again.\n" in output
    assert output.endswith(": 1 problem.\n")


def test_a_log_that_was_cut_with_its_head_is_detected(signed: Path, keys: Path, tmp_path: Path) -> None:
    """A dataset as it was before a publish that was signed."""
    folder = Path(shutil.copytree(signed, tmp_path / "set"))
    assert run(["prune", str(folder), "--before", "2026-03-29"]) == 0
    assert run(["sign", str(folder), "--key", str(keys / "own.pem"), "--into", str(tmp_path / "kept.json")]) == 0
    code, output = checked(signed, keys, "own-pub.pem", "--signature", str(tmp_path / "kept.json"))
    assert code == 12
    assert "is not in the log as it was signed" in output
    assert checked(folder, keys, "own-pub.pem", "--signature", str(tmp_path / "kept.json"))[0] == 0


def test_the_signature_of_another_dataset(dataset: Path, keys: Path) -> None:
    def change(lines: list[Line]) -> None:
        lines[0]["time_utc"] = "2020-01-01T00:00:00Z"

    forged(dataset, change)
    complete_manifest(dataset)
    assert verify(dataset).problems == []
    code, output = checked(dataset, keys)
    assert code == 12
    assert "is the signature of another dataset, or the first line of the log was replaced.\n" in output


def test_a_rebuilt_manifest_is_not_the_signed_one(dataset: Path, keys: Path) -> None:
    (dataset / log.NAME).unlink()
    code, output = checked(dataset, keys, "own-pub.pem", "--rebuild")
    assert code == 12
    assert "is the signature of another dataset, or the first line of the log was replaced.\n" in output


def test_the_key_of_somebody_else(signed: Path, keys: Path) -> None:
    code, output = checked(signed, keys, "other-pub.pem")
    assert code == 12
    assert "manifest.sig.json: was signed with the key " in output
    assert f"but {keys / 'other-pub.pem'} is the key " in output


@pytest.mark.slow
def test_no_changed_signature_is_accepted(signed: Path, keys: Path, tmp_path: Path) -> None:
    """Every bit, every length, and every other content."""
    key = signature.public_key(keys / "own-pub.pem")
    good = (signed / signature.NAME).read_bytes()
    path = tmp_path / "changed.json"

    def refused(data: bytes) -> bool:
        path.write_bytes(data)
        return isinstance(signature.read(path, key), str)

    assert not refused(good)
    accepted = []
    for place in range(len(good) - 1):  # without the line end
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        if not refused(bytes(changed)):
            accepted.append(place)
    assert accepted == []
    assert all(refused(good[:size]) for size in range(len(good) - 1))
    tail = good[-signature.TAIL - 1 :]
    for text in (
        b"",
        b"[]",
        b"{}",
        b"null",
        b"[" * 3000,
        b'{"a":1',
        b'{"signature_version":1,"first_sha256":7',
        b"\xff",
        good * 50,
    ):
        assert refused(text)
        assert refused(text + tail)


def test_an_invalid_signature_is_reported_as_such(dataset: Path, keys: Path) -> None:
    path = dataset / signature.NAME
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"time_utc":"2', b'"time_utc":"3'))
    code, output = checked(dataset, keys)
    assert code == 12
    assert "manifest.sig.json: the signature is invalid: the file was changed after it was signed.\n" in output
    path.unlink()
    code, output = checked(dataset, keys)
    assert code == 12
    assert "manifest.sig.json: there is no such signature; create one with: mqstat sign DIR --key KEY.pem\n" in output
    path.mkdir()
    assert "the signature cannot be read" in checked(dataset, keys)[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.pem", "missing.pem: the key cannot be read (No such file or directory)."),
        ("text.pem", "text.pem: is not a private key in PEM format; "),
        ("own-pub.pem", "own-pub.pem: is not a private key in PEM format; "),
        ("exchange.pem", "exchange.pem: is not an Ed25519 key; "),
        ("encrypted.pem", "encrypted.pem: the private key is encrypted, and mqstat asks for no passwords; "),
    ],
)
def test_a_private_key_that_cannot_be_used(name: str, message: str, dataset: Path, keys: Path) -> None:
    (dataset / signature.NAME).unlink()
    done = invoke("sign", dataset, "--key", keys / name)
    assert done.returncode == 16
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (dataset / signature.NAME).exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.pem", "missing.pem: the key cannot be read (No such file or directory)."),
        ("own.pem", "own.pem: is not a public key in PEM format; extract it from the private key with: openssl pkey "),
        ("exchange-pub.pem", "exchange-pub.pem: is not an Ed25519 key; "),
    ],
)
def test_a_public_key_that_cannot_be_used(name: str, message: str, signed: Path, keys: Path) -> None:
    done = invoke("verify", signed, "--public-key", keys / name)
    assert done.returncode == 16
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_the_package(signed: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization", None)
    assert run(["verify", str(signed)]) == 0
    for arguments in (
        ("sign", signed, "--key", keys / "own.pem"),
        ("verify", signed, "--public-key", keys / "own-pub.pem"),
    ):
        done = invoke(*arguments)
        assert done.returncode == 16
        assert "install it with: pip install 'mqstat[signature]'" in done.stderr


def test_sign_replaces_signatures_only(signed: Path, keys: Path, tmp_path: Path) -> None:
    key = Path(shutil.copy(keys / "own.pem", tmp_path))
    content = key.read_bytes()
    done = invoke("sign", signed, "--key", key, "--into", key)
    assert done.returncode == 16
    assert "own.pem is an input of this command" in done.stderr
    other = file_of(content, tmp_path, "other.pem")
    done = invoke("sign", signed, "--key", key, "--into", other)
    assert "other.pem exists and is not a signature; choose another name." in done.stderr
    assert key.read_bytes() == other.read_bytes() == content
    assert invoke("sign", signed, "--key", key, "--into", tmp_path).returncode == 16
    for _ in range(2):
        assert invoke("sign", signed, "--key", key, "--into", tmp_path / "new.json").returncode == 0


def test_only_a_sound_log_is_signed(dataset: Path, keys: Path) -> None:
    (dataset / log.HEAD).write_bytes(b"x")
    open_dataset(dataset)  # readers do without it
    done = invoke("sign", dataset, "--key", keys / "own.pem")
    assert done.returncode == 16
    assert "is not signed, because the log has a fault: manifest.head.json: is missing or damaged" in done.stderr


def test_a_signature_file_needs_a_key(signed: Path) -> None:
    done = invoke("verify", signed, "--signature", signed / signature.NAME)
    assert done.returncode == 16
    assert "--signature FILE is checked with a public key: add --public-key PEM." in done.stderr
