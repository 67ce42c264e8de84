"""The detached signature of a dataset: Ed25519 over the last line of its log, which by its hash chain covers all lines and the SHA-256 of every file.

`manifest.sig.json` is one line of JSON. The signature covers the text before `,"signature"`. A log, checkpoint, head and files that were all written again
fit each other; only who has the private key can make a signature that fits them too.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from mqstat.base.atomic_write import replaced
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.formatting import pasted
from mqstat.base.object_store import StoredFile
from mqstat.dataset import audit, log, manifest, store
from mqstat.dataset.audit import Audit
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.dataset.place import Home

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NAME = log.SIGNATURE
VERSION = 1
START = b'{"signature_version":'
SIGNATURE = b',"signature":"'
TAIL = len(SIGNATURE) + 128 + len(b'"}')
"""The bytes at the end of a signature file that the signature does not cover: 64 bytes of signature in hexadecimal digits."""

LONGEST = 4096
"""More bytes than a signature file has."""


@dataclass(frozen=True)
class PublicKey:
    """A public key with the file it was read from and its fingerprint, the SHA-256 of its DER encoding (SubjectPublicKeyInfo)."""

    path: Path
    key: Ed25519PublicKey
    fingerprint: str


@dataclass(frozen=True)
class Signed:
    """What a signature covers: the first line of the log, which identifies the dataset, and the line that was the last one at a time."""

    first: str
    generation: int
    line: str
    time_utc: str
    fingerprint: str


# ------------------------------------------------------------------------------------------------------------------------- keys


def private_key(path: Path) -> Ed25519PrivateKey:
    """The Ed25519 private key of a PEM file. UsageError if it cannot be read or is another kind of key, or without the package cryptography."""
    _require_package()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    data = _pem(path)
    _refuse_readable(path)
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError:
        raise UsageError(
            f"{path}: the private key is encrypted, and mqstat asks for no passwords; decrypt it with: openssl pkey -in {pasted(str(path))} -out KEY.pem"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError(
            f"{path}: is not a private key in PEM format; create one with: openssl genpkey -algorithm ed25519 -out KEY.pem"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(
            f"{path}: is not an Ed25519 key; create one with: openssl genpkey -algorithm ed25519 -out KEY.pem"
        )
    return key


def public_key(path: Path) -> PublicKey:
    """The Ed25519 public key of a PEM file. UsageError if it cannot be read or is another kind of key, or without the package cryptography."""
    _require_package()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    data = _pem(path)
    cure = "extract it from the private key with: openssl pkey -in KEY.pem -pubout -out PUB.pem"
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError(f"{path}: is not a public key in PEM format; {cure}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError(f"{path}: is not an Ed25519 key; {cure}")
    return PublicKey(path, key, fingerprint_of(key))


def fingerprint_of(key: Ed25519PublicKey) -> str:
    """The SHA-256 of a public key in DER encoding."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _require_package() -> None:
    """UsageError if the package cryptography is not installed."""
    try:
        import cryptography.hazmat.primitives.serialization  # noqa: F401
    except ImportError:
        raise UsageError(
            "Signatures need the Python package cryptography; install it with: pip install 'mqstat[signature]'"
        ) from None


def _pem(path: Path) -> bytes:
    """The start of a key file; UsageError if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(1 << 16)
    except OSError as error:
        raise UsageError(f"{path}: the key cannot be read ({error.strerror}).") from None


def _refuse_readable(path: Path) -> None:
    """UsageError if others than its owner can read or change a private key; Windows has no such bits."""
    mode = path.stat().st_mode
    if os.name != "nt" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(
            f"{path}: the private key can be used by other users (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {pasted(str(path))}"
        )


# ---------------------------------------------------------------------------------------------------------------------- signing


def path_of(folder: Home) -> Path | StoredFile:
    """Where the signature of a dataset is."""
    return folder / NAME if isinstance(folder, Path) else StoredFile(f"{folder}/{NAME}", LONGEST)


@overload
def sign(folder: Path, key: Path, target: Path | None = None) -> tuple[Path, Signed]: ...


@overload
def sign(folder: Home, key: Path, target: Path | None = None) -> tuple[Path | StoredFile, Signed]: ...


def sign(folder: Home, key: Path, target: Path | None = None) -> tuple[Path | StoredFile, Signed]:
    """Sign the last line of the log of a dataset; writes `manifest.sig.json` in its folder or the file `target`.

    Returns the file and what was signed. Raises DatasetError if the log has a fault, UsageError about the key and for a file that cannot be written.
    """
    private = private_key(key)
    path = path_of(folder) if target is None else target
    if target is None and isinstance(folder, Path):
        _fold(folder)
    opened = store.open_dataset(folder, takes_facts=True)
    audited = audit.audited(folder, opened.manifest)
    if audited.missed:
        raise DatasetError(f"{folder}: is not signed, because its log was folded at this moment; sign it again.")
    if audited.problems:
        raise DatasetError(f"{folder}: is not signed, because the log has a fault: {audited.problems[0]}")
    if isinstance(path, Path):
        if isinstance(folder, Path):
            store.refuse_folders_of_tables(folder, path)
        _refuse_other_files(path)
    signed = Signed(
        first=audited.first,
        generation=opened.manifest.generation,
        line=opened.manifest.head,
        time_utc=dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        fingerprint=fingerprint_of(private.public_key()),
    )
    text = _text(signed)
    data = text + SIGNATURE + private.sign(text).hex().encode() + b'"}\n'
    if isinstance(path, Path):
        with replaced(path, follow=target is not None) as part:
            part.write_bytes(data)
    elif not isinstance(folder, Path):
        folder.create(NAME, data)
    return path, signed


def _fold(folder: Path) -> None:
    """Fold a long log, so that the signature covers the fold; only one without a fault, and not while somebody writes to the dataset."""
    with suppress(DatasetError, OSError):
        if log.is_long(folder, store.open_dataset(folder, takes_facts=True).manifest, is_signed_next=True):
            with store.writing(folder, takes_facts=True) as current:
                if not audit.audited(folder, current).problems:
                    log.fold(folder, current)


def copy(path: Path, folder: Path, name: str, generation: int) -> Path | None:
    """Copy a signature to a folder under the name of its dataset and its generation; None if this generation is there. UsageError if it cannot be written."""
    target = folder / f"{name}-{generation:06d}.sig.json"
    if not folder.is_dir():  # never created: a file system that is not mounted must not get its files on this machine
        raise UsageError(f"{folder}: there is no such folder, so the signature was not copied.")
    if target.exists():
        return None
    try:
        with replaced(target) as part:
            part.write_bytes(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{target}: the signature could not be copied ({error.strerror}).") from None
    return target


def is_current(folder: Path, private: Ed25519PrivateKey) -> Signed | None:
    """What the signature of a dataset covers, if that is its last line and the signature is valid for this key."""
    made = log.load(folder)
    public = private.public_key()
    try:
        signed = _verified(folder / NAME, PublicKey(folder / NAME, public, fingerprint_of(public)))
    except _RefusedError:
        return None
    return signed if made is not None and signed.line == made.head else None


def _text(signed: Signed) -> bytes:
    """The bytes that a signature covers."""
    data = {
        "signature_version": VERSION, "first_sha256": signed.first, "generation": signed.generation, "sha256": signed.line,
        "time_utc": signed.time_utc, "key_sha256": signed.fingerprint,
    }  # fmt: skip
    return json.dumps(data, separators=(",", ":")).encode()[:-1]


def _refuse_other_files(target: Path) -> None:
    """UsageError unless the file is missing, empty or a signature, so that a mistyped name overwrites no key and no other file."""
    if target.is_dir():
        raise UsageError(f"{target} is a folder; specify the file to write.")
    try:
        with target.open("rb") as stream:
            start = stream.read(len(START))
    except OSError:
        return  # a new file; what cannot be written is reported when it is
    if start and start != START:
        raise UsageError(f"{target} exists and is not a signature; choose another name.")


# --------------------------------------------------------------------------------------------------------------------- checking


class _RefusedError(DatasetError):
    """Why a signature file is not accepted."""


def read(path: Path | StoredFile, key: PublicKey) -> Signed | str:
    """What a signature file signs, or why it is not accepted."""
    try:
        return _verified(path, key)
    except _RefusedError as error:
        return f"{path}: {error}"


def check(
    path: Path | StoredFile, signed: Signed, log_read: Audit, current: Manifest, *, allow_unsigned: bool
) -> tuple[list[str], list[str]]:
    """Problems and remarks about a valid signature and the log of a dataset, which was read from its first line.

    What the dataset has now and had not when it was signed is a problem, and a remark with `allow_unsigned`.
    """
    if log_read.first != signed.first:
        return [f"{path}: is the signature of another dataset, or the first line of the log was replaced."], []
    folded = signed.generation < log_read.folded
    if not folded and log_read.seals.get(signed.generation) != signed.line:
        return [
            f"{path}: generation {signed.generation}, signed at {signed.time_utc}, is not in the log as it was signed: the log was cut or written again."
        ], []
    at = log_read.at
    total = sum(entry.rows for entry in (*current.files, *current.hourly))
    rows = 0 if at is None else signed_rows(at, current)
    text = f"{rows:,} of {total:,} rows are signed"
    if at is not None and is_same(at, current):
        covered = f"The log up to generation {signed.generation} has a valid signature of {signed.time_utc} (key {signed.fingerprint[:16]})"
        return [], [f"{covered}: {text}."]
    if folded:
        why = f"the log was folded in generation {log_read.folded}, after the signature of generation {signed.generation} ({signed.time_utc})"
    else:
        later = ", ".join(f"{number} {action}" for action, number in sorted(log_read.later.items()))
        why = f"after the signature of generation {signed.generation} ({signed.time_utc}) the log has {later}"
    if rows == total:
        why += ", which removed files or changed what is stated about inputs"
    text = f"{text}: {why}. Nobody has signed the rest; to accept the dataset as it is now, sign it again."
    return ([], [text]) if allow_unsigned else ([text], [])


def is_same(signed: Manifest, current: Manifest) -> bool:
    """Whether both list the same inputs, files and dropped classes; files that left and wait for their deletion do not count."""
    lists = (("sources", "source_id"), ("files", "path"), ("hourly", "path"), ("dropped", "day"))
    return all(_ordered(getattr(signed, name), key) == _ordered(getattr(current, name), key) for name, key in lists)


def _ordered(entries: Sequence[object], key: str) -> list[object]:
    return sorted(entries, key=lambda entry: (getattr(entry, key), str(getattr(entry, "name", ""))))


def signed_rows(signed: Manifest, current: Manifest) -> int:
    """The rows of the current state in files that were signed, of inputs whose entries are as they were signed."""
    files = {entry.path: entry for entry in (*signed.files, *signed.hourly)}
    sources = {source.source_id: source for source in signed.sources}
    same = {source.source_id for source in current.sources if sources.get(source.source_id) == source}

    def rows(entry: FileEntry) -> int:
        if files.get(entry.path) != entry:
            return 0
        return sum(number for source, number in entry.sources if source in same) if entry.sources else entry.rows

    return sum(map(rows, (*current.files, *current.hourly)))


def _verified(path: Path | StoredFile, key: PublicKey) -> Signed:
    """What a signature file signs, after its signature was checked; _RefusedError if it is not valid for this key."""
    from cryptography.exceptions import InvalidSignature

    try:
        with path.open("rb") as stream:
            data = stream.read(LONGEST).removesuffix(b"\n")
    except FileNotFoundError:
        raise _RefusedError("there is no such signature; create one with: mqstat sign DIR --key KEY.pem") from None
    except OSError as error:
        raise _RefusedError(f"the signature cannot be read ({error.strerror}).") from None
    text, digits = data[:-TAIL], data[-130:-2]
    if data[-TAIL:-130] != SIGNATURE or data[-2:] != b'"}' or not re.fullmatch(rb"[0-9a-f]{128}", digits):
        raise _RefusedError("is not a signature of mqstat.")
    signed = _signed(text)
    if signed.fingerprint != key.fingerprint:
        raise _RefusedError(
            f"was signed with the key {signed.fingerprint[:16]}, but {key.path} is the key {key.fingerprint[:16]}."
        )
    try:
        key.key.verify(bytes.fromhex(digits.decode()), text)
    except InvalidSignature:
        raise _RefusedError("the signature is invalid: the file was changed after it was signed.") from None
    return signed


def _signed(text: bytes) -> Signed:
    """The fields of a signature file; _RefusedError if they are not those of `sign`."""
    try:
        data: dict[str, Any] = json.loads(text + b"}")
        version = data["signature_version"]
        made = Signed(data["first_sha256"], data["generation"], data["sha256"], data["time_utc"], data["key_sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _RefusedError("is not a signature of mqstat.") from None
    if version != VERSION:
        raise _RefusedError(f"has signature version {version!r}; this mqstat reads version {VERSION}.")
    texts = (made.first, made.line, made.time_utc, made.fingerprint)
    fits = manifest.fits(made.generation, int) and all(isinstance(each, str) for each in texts)
    if not fits or _text(made) != text:
        raise _RefusedError("is not a signature of mqstat.")
    return made
