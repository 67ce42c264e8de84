"""Commands, options, formats and keys that earlier versions had: each answers with what to do instead.

`REMOVED` is the only list. A name has its kind first. Names are as a user writes them: a command with its group (`export ddl`), an option after
its command (`prove --jobs`; `* --jobs` after every command), a format alone (`junit`), by its file extension too (`.xml`), a key after its file
(`site tariff`, `daily output.kind`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from mqstat.base.errors import UsageError

Kind = Literal["command", "option", "format", "key"]

_GRAFANA = (
    "dashboards read Prometheus, which has the values of mqstat export series (--prometheus); "
    "a panel of yours reads the tables of mqstat export postgresql."
)
_JUNIT = (
    "a build step tests the return code of mqstat check (--fail-on and --max-rc choose it), or reads --format json."
)
_FEEDS = "--format ndjson has the same; docs/examples has the configuration of a collector that reads it"

REMOVED: Mapping[str, str] = MappingProxyType(
    {
        "command sbom": "run cyclonedx-py environment .venv (PyPI package cyclonedx-bom) for a software bill of materials.",
        "command chargeback": "mqstat report --report application/chargeback --site FILE --since DAY --until DAY "
        "writes the statement; the tables [[rate]] are in the site file.",
        "command export ddl": "mqstat export postgresql creates tables with descriptions; "
        "for another database, load the Parquet files of mqstat export folder --views with its loader.",
        "command facts": "mqstat export folder --from DIR --into FOLDER --views writes the rows of views as Parquet files.",
        "command test-rules": "make test ONLY=BP001 runs the test cases of a rule in a checkout of the source; "
        "mqstat check DUMP --rule BP001 --site FILE shows what a rule with the limits of a site finds in data.",
        "option export grafana --source": _GRAFANA,
        "option export grafana --database": _GRAFANA,
        "option export grafana --schema": _GRAFANA,
        "format junit": _JUNIT,
        "format splunk": f"{_FEEDS} (splunk-props.conf).",
        "format elastic": f"{_FEEDS} (filebeat.yml).",
        "format influx": f"{_FEEDS} (telegraf.conf).",
        "format .xml": _JUNIT,
    }
)
"""The sentence about each removed name: what to do instead."""

ONE_DATASET = "ingest their dumps into one dataset instead (mqstat ingest DUMP... --into DIR)"
"""What to do instead of reading several datasets as one."""


def instead(kind: Kind, name: str, of: str = "") -> str | None:
    """The sentence about a name that was removed from a command or file (`of`); None for every other name."""
    for owner in (f"{of} " if of else "", "* "):
        sentence = REMOVED.get(f"{kind} {owner}{name}")
        if sentence is not None:
            whole = f"{of} {name}".strip() if kind == "command" else name
            return f"The {kind} {whole} was removed: {sentence}"
    return None


def refuse_removed(kind: Kind, name: str, of: str = "") -> None:
    """UsageError with what to do instead, if the name was removed."""
    sentence = instead(kind, name, of)
    if sentence is not None:
        raise UsageError(sentence)
