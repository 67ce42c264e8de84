"""All errors that a user can cause, as one tree.

Each message is one sentence with the file (and the offset, if known) and what to do. The command line prints it
without a traceback and maps it to a return code of the z/OS ladder.
"""

from __future__ import annotations

import errno
from typing import Protocol

ONE_DATASET = "ingest their dumps into one dataset instead (mqstat ingest DUMP... --into DIR)"
"""What to do instead of reading several datasets as one."""


class MqstatError(Exception):
    """Base of all errors that mqstat raises on purpose; `return_code` is what a job step sees."""

    return_code = 16


class UsageError(MqstatError):
    """The arguments of the command are not valid or cannot be combined."""


class InputError(MqstatError):
    """An input cannot be read or contains nothing that mqstat can use."""

    return_code = 12


class NoDataError(InputError):
    """Nothing to judge: the input has no MQ records, or the selection matches none."""


class LayoutError(MqstatError):
    """A record layout contradicts itself or the published lengths."""


class DatasetError(MqstatError):
    """A dataset folder cannot be read, written or locked."""


class DamagedFileError(DatasetError):
    """A file of a dataset cannot be read: no figure that comes from it can be trusted."""


class SqlFileError(MqstatError):
    """A view, report or rule file is malformed."""


class RuleError(MqstatError):
    """A rule cannot be run."""


class SiteError(MqstatError):
    """The site file is malformed or names something unknown."""


class ConfigError(MqstatError):
    """The configuration of `mqstat daily` is malformed, or names a folder that does not exist."""


class Exists(Protocol):
    """A folder, or a place in an object store."""

    def exists(self) -> bool:
        """Whether it is there."""


def write_failure(folder: Exists, what: str, error: Exception, state: str) -> DatasetError:
    """Why something below a folder could not be written: the folder was removed, the disk is full, or the system's
    message.

    what: what failed, as a predicate of the folder; state: the resulting state, as the end of the sentence.
    """
    reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
    if not folder.exists():
        return DatasetError(f"{folder}: was removed or renamed during the run; run it again.")
    full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return DatasetError(f"{folder}: {what} ({reason}); {state}{'. Free some space and run it again' if full else ''}.")


class ViewError(MqstatError):
    """A view could not be computed; the message contains its name and the cause."""
