"""Everything a user can cause, as one tree.

Each message is one sentence that names the file (and the offset, where there is one) and says what to do. The command line prints it
without a traceback and maps it to a return code of the z/OS ladder.
"""

from __future__ import annotations


class MqstatError(Exception):
    """Base of all errors that mqstat raises on purpose; `return_code` is what a job step sees."""

    return_code = 16


class UsageError(MqstatError):
    """The command was called with words that do not go together."""


class InputError(MqstatError):
    """An input cannot be read or holds nothing that mqstat can use."""

    return_code = 12


class NoDataError(InputError):
    """Nothing to judge: the input holds no MQ record, or the selection matches none."""


class LayoutError(MqstatError):
    """A record layout contradicts itself or the published lengths."""


class DatasetError(MqstatError):
    """A dataset folder cannot be read, written or locked."""


class SqlFileError(MqstatError):
    """A view, report or rule file is malformed."""


class RuleError(MqstatError):
    """A rule cannot be run."""


class SiteError(MqstatError):
    """The site file is malformed or names something unknown."""


class ConfigError(MqstatError):
    """The configuration of `mqstat daily` is malformed, or names a place that is not there."""
