"""mqstat: reads IBM MQ for z/OS SMF type 115 and 116 dumps, writes reports and evaluates rules.

For use from Python (docs/python.md): `decode` for dumps as Arrow batches, `open_dump` and `open_dataset` for views,
reports, findings and SQL, `schemas` for what the decoded tables hold. Everything that mqstat raises on purpose is an
`MqstatError` whose message is one sentence.
"""

from __future__ import annotations

from mqstat.base.version import __version__

TYPE_CHECKING = False  # as in typing, which is slow to import
if TYPE_CHECKING:
    from mqstat.api.decoding import decode, schemas
    from mqstat.api.opened import OpenData, open_dataset, open_dump
    from mqstat.base.errors import MqstatError
    from mqstat.base.selection import Selection

__all__ = [
    "MqstatError", "OpenData", "Selection", "__version__", "decode", "open_dataset", "open_dump", "schemas",
]  # fmt: skip

_MODULES = {
    "MqstatError": "mqstat.base.errors",
    "OpenData": "mqstat.api.opened",
    "Selection": "mqstat.base.selection",
    "decode": "mqstat.api.decoding",
    "open_dataset": "mqstat.api.opened",
    "open_dump": "mqstat.api.opened",
    "schemas": "mqstat.api.decoding",
}
"""The module of each public name: it is imported when the name is first used, so that `import mqstat` costs nothing."""


if not TYPE_CHECKING:  # type checkers know the names from the imports above and report others

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module 'mqstat' has no attribute {name!r}")
        from importlib import import_module

        from mqstat.base.checkout import check_parts

        check_parts()
        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
