"""The signature of the dataset after a run of `mqstat daily`, and its copy in another folder."""

from __future__ import annotations

from mqstat.base import return_codes
from mqstat.base.errors import MqstatError, UsageError
from mqstat.daily.config import Config
from mqstat.daily.current import Run
from mqstat.dataset import signature, store


def check_key(config: Config) -> None:
    """Read the private key, if one is configured; UsageError if it cannot be used or others can read it."""
    if config.sign_key is not None:
        signature.private_key(config.sign_key)


def sign(run: Run) -> None:
    """Sign the dataset unless its last line is signed, and copy the signature; what fails is reported, and the run goes on."""
    config = run.config
    if config.sign_key is None or not store.is_dataset(config.dataset):
        return
    path = config.dataset / signature.NAME
    try:
        signed = signature.is_current(config.dataset, signature.private_key(config.sign_key))
        if signed is None:
            path, signed = signature.sign(config.dataset, config.sign_key)
            run.log("sign", f"generation {signed.generation} with the key {signed.fingerprint[:16]}: {path}")
    except MqstatError as error:
        run.note("sign", str(error), return_codes.FAILED)
        return
    if config.sign_copy is None:
        return
    try:
        copied = signature.copy(path, config.sign_copy, config.dataset.resolve().name, signed.generation)
    except UsageError as error:
        run.note("sign", str(error), return_codes.WARNING)
        return
    if copied is not None:
        run.log("sign", f"copied to {copied}")
