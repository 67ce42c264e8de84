"""What a run of `mqstat daily` does so that changes are found: it checks the rows that it added, signs the dataset, and copies the signature away."""

from __future__ import annotations

from collections.abc import Collection

from mqstat.base import return_codes
from mqstat.base.errors import MqstatError, UsageError
from mqstat.base.formatting import plural
from mqstat.daily.config import Config
from mqstat.daily.current import Run
from mqstat.dataset import signature, store
from mqstat.dataset.row_check import check_rows

SHOWN = 5
"""Problems that the mail of a run lists."""


def check_key(config: Config) -> None:
    """Read the private key, if one is configured; UsageError if it cannot be used or others can read it."""
    if config.sign.key is not None:
        signature.private_key(config.sign.key)


def check_new_rows(run: Run, before: Collection[str]) -> bool:
    """Check the rows of all files that the dataset has now and had not `before`; false, and reported, if they do not fit."""
    if all(entry.path in before for entry in run.manifest().files):
        return True
    with store.reading(run.config.dataset.folder) as opened:
        added = [entry for entry in opened.manifest.files if entry.path not in before]
        problems = check_rows(opened, added).problems
    for text in problems[:SHOWN]:
        run.note("verify", f"{text} The dataset is not signed.", return_codes.UNUSABLE)
    if not problems:
        run.log("verify", f"{plural(sum(entry.rows for entry in added), 'new row')} checked")
    return not problems


def sign(run: Run) -> None:
    """Sign the dataset unless its last line is signed, and copy the signature; what fails is reported, and the run goes on."""
    config = run.config
    if config.sign.key is None or not store.is_dataset(config.dataset.folder):
        return
    path = config.dataset.folder / signature.NAME
    try:
        signed = signature.is_current(config.dataset.folder, signature.private_key(config.sign.key))
        if signed is None:
            path, signed = signature.sign(config.dataset.folder, config.sign.key)
            run.log("sign", f"generation {signed.generation} with the key {signed.fingerprint[:16]}: {path}")
    except MqstatError as error:
        run.note("sign", str(error), return_codes.FAILED)
        return
    if config.sign.copy is None:
        return
    try:
        copied = signature.copy(path, config.sign.copy, config.dataset.folder.resolve().name, signed.generation)
    except UsageError as error:
        run.note("sign", str(error), return_codes.WARNING)
        return
    if copied is not None:
        run.log("sign", f"copied to {copied}")
