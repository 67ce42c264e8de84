"""Chargeback: the monthly statement of work in MQ, by the rates of a small TOML file.

    currency = "EUR"

    [[rate]]
    charge_to = "Payments"
    application = "PAY*"
    cpu_second = 0.02
    thousand_messages = 0.05
    mib = 0.001

Each piece of work (the calls of an application on one queue, and its calls without a queue) is charged once, by the first rate whose patterns it matches.
"""

# ruff: noqa: S608 - statements are built from texts of this module; patterns are written as literals

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from mqstat.base.errors import SiteError, UsageError
from mqstat.base.nearest import did_you_mean
from mqstat.base.toml_lines import Lines, TomlError, read
from mqstat.sql.database import Database
from mqstat.sql.plans import rows
from mqstat.sql.schemas import literal

COLUMN_OF: Mapping[str, str] = {
    "application": "application", "queue": "base_name", "channel": "channel_name", "user": "operator_id", "qmgr": "qmgr", "type": "connection_type_name",
}  # fmt: skip
"""Pattern of a rate -> column of view charge_item that it is compared with."""

PRICES: Mapping[str, tuple[str, int]] = {
    "cpu_second": ("cpu_us", 1_000_000),
    "thousand_messages": ("messages", 1000),
    "mib": ("bytes", 1_048_576),
}
"""Price of a rate -> figure of the statement and how many of it the price is for."""

ITEMS = "SELECT * FROM charge_item"
UNATTRIBUTED = "SELECT lpar, qmgr, reason, unattributed_cpu_us, unattributed_calls FROM work_unattributed ORDER BY lpar, qmgr, reason"

COLUMNS: Mapping[str, pa.DataType] = {"month": pa.string(), "lpar": pa.string(), "qmgr": pa.string(), "row_kind": pa.string(), "charge_to": pa.string(),
    "connection_type_name": pa.string(), "application": pa.string(), "charge_source": pa.string(), "in_own_bill": pa.bool_(),
    "cpu_us": pa.int64(), "messages": pa.int64(), "bytes": pa.int64(), "amount": pa.decimal128(38, 6), "currency": pa.string(),}  # fmt: skip
"""Columns of a statement; docs/chargeback.md describes them. Amounts have the decimal places of the rates."""

DAMAGED = "not billable: damaged"
"""The kind of lines of records that are damaged, next to damaged bytes, or have impossible figures (view charge_doubt)."""

OWN_BILL = frozenset({"CICS", "TSO or batch", "IMS control", "IMS MPP/BMP", "RRS batch"})
"""Connection types whose CPU time in MQ is also in the CPU time of their own address space."""


@dataclass(frozen=True)
class Rate:
    """Whom a piece of work is charged to, and for how much; patterns by their key, prices by theirs."""

    charge_to: str
    patterns: Mapping[str, str]
    prices: Mapping[str, Decimal]

    @property
    def condition(self) -> str:
        """The patterns as an SQL condition over the columns of view charge_item."""
        tests = [
            f"coalesce({COLUMN_OF[key]} GLOB {literal(value.replace('[', '[[]'))}, false)"
            for key, value in self.patterns.items()
        ]
        return " AND ".join(tests) or "true"

    def amount(self, line: Mapping[str, Any], decimals: int) -> Decimal:
        """The price of a line, rounded half to even: what the lines of a statement add up to is their total."""
        exact = sum(
            (price * (line[PRICES[key][0]] or 0) / PRICES[key][1] for key, price in self.prices.items()), Decimal(0)
        )
        return exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)


@dataclass(frozen=True)
class Rates:
    """A file of rates that was read and checked."""

    rates: tuple[Rate, ...]
    currency: str = ""
    decimals: int = 2


def load_rates(path: Path) -> Rates:
    """Read and check a file of rates; SiteError names the file and the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError(
            f"The rates {path.name} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}."
        ) from error
    try:
        data, lines = read(text)
    except TomlError as error:
        raise SiteError(f"{path.name}, line {error.line}: the rates are not TOML: {error.reason}.") from error
    _known(data, ("currency", "decimals", "rate"), path.name, lines)
    currency, decimals, listed = data.get("currency", ""), data.get("decimals", 2), data.get("rate", [])
    if not isinstance(currency, str):
        raise SiteError(f"{path.name}, line {lines.of('currency')}: currency must be a text.")
    if type(decimals) is not int or not 0 <= decimals <= 6:
        raise SiteError(f"{path.name}, line {lines.of('decimals')}: decimals must be a whole number from 0 to 6.")
    if not isinstance(listed, list) or not listed or not all(isinstance(each, dict) for each in listed):
        raise SiteError(f"{path.name}: there is no rate; write at least one table [[rate]].")
    return Rates(
        tuple(_rate(each, number, path.name, lines) for number, each in enumerate(listed, 1)), currency, decimals
    )


def _rate(table: Mapping[str, Any], number: int, name: str, lines: Lines) -> Rate:
    where = f"{name}, rate {number}"
    _known(table, ("charge_to", *COLUMN_OF, *PRICES), where, None)
    charge_to = table.get("charge_to")
    if not isinstance(charge_to, str) or not charge_to.strip():
        raise SiteError(f"{where}: charge_to must be a text: who pays.")
    patterns = {key: table[key] for key in COLUMN_OF if key in table}
    prices = {key: table[key] for key in PRICES if key in table}
    for key, value in patterns.items():
        if not isinstance(value, str):
            raise SiteError(f"{where}: {key} must be a text, a name or a pattern with * and ?.")
    for key, value in prices.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
            raise SiteError(f"{where}: {key} must be a number from 0 to below 1000000000.")
    return Rate(charge_to, patterns, {key: Decimal(str(value)) for key, value in prices.items()})


def _known(table: Mapping[str, Any], names: Sequence[str], where: str, lines: Lines | None) -> None:
    for key in table:
        if key not in names:
            at = f", line {lines.of(key)}" if lines else ""
            raise SiteError(f"{where}{at}: {key} is not a known key{did_you_mean(key, names)}.")


def month_of(text: str) -> tuple[dt.datetime, dt.datetime]:
    """The first moment of a month such as 2026-10, and of the next one; UsageError for anything else."""
    try:
        start = dt.datetime.strptime(text, "%Y-%m")
    except ValueError:
        raise UsageError(f"--month {text} is not a month; write 2026-10.") from None
    return start, (start + dt.timedelta(days=32)).replace(day=1)


def statement(db: Database, rates: Rates, month: str) -> pa.Table:
    """The statement of the work in a database, with COLUMNS.

    Lines of row_kind charged and no rate have all accounted work; accounted is their sum for each queue manager. Work of damaged records has lines of its
    own, without a price and outside that sum. unattributed is what class 1 and
    statistics count and accounting does not attribute, without a price.
    """
    choice = " ".join(f"WHEN {rate.condition} THEN {number}" for number, rate in enumerate(rates.rates))
    query = f"""
        SELECT
          lpar, qmgr, connection_type_name, application, charge_source, rate_number, doubt_reason, sum(charge_cpu_us)::BIGINT AS cpu_us,
          sum(charge_puts + charge_gets)::BIGINT AS messages, sum(charge_bytes)::BIGINT AS bytes
        FROM (SELECT *, CASE WHEN doubt_reason IS NULL THEN CASE {choice} END END AS rate_number FROM charge_item)
        GROUP BY lpar, qmgr, connection_type_name, application, charge_source, rate_number, doubt_reason
        ORDER BY lpar, qmgr, doubt_reason NULLS FIRST, rate_number NULLS LAST, cpu_us DESC, connection_type_name, application, charge_source
    """
    lines = [_line(row, rates, month) for row in rows(db, query)]
    missed = rows(db, UNATTRIBUTED)
    blank = dict.fromkeys(COLUMNS) | {"month": month, "currency": rates.currency or None}
    out: list[dict[str, Any]] = []
    for lpar, qmgr in sorted({(row["lpar"], row["qmgr"]) for row in (*lines, *missed)}, key=str):
        owner = {"lpar": lpar, "qmgr": qmgr}
        every = [line for line in lines if (line["lpar"], line["qmgr"]) == (lpar, qmgr)]
        mine = [line for line in every if line["row_kind"] != DAMAGED]
        total = {key: sum(line[key] or 0 for line in mine) for key in ("cpu_us", "messages", "bytes")}
        zero = Decimal(0).quantize(Decimal(1).scaleb(-rates.decimals))
        amount = sum((line["amount"] for line in mine if line["amount"] is not None), zero)
        out += mine
        out.append({**blank, **owner, **total, "row_kind": "accounted", "amount": amount})
        out += [line for line in every if line["row_kind"] == DAMAGED]
        out += [
            {**blank, **owner, "row_kind": "unattributed", "charge_to": row["reason"], "cpu_us": row["unattributed_cpu_us"], "messages": row["unattributed_calls"]}
            for row in missed
            if (row["lpar"], row["qmgr"]) == (lpar, qmgr)
        ]  # fmt: skip
    kinds = {**COLUMNS, "amount": pa.decimal128(38, rates.decimals)}
    return pa.Table.from_pylist(out, schema=pa.schema(list(kinds.items())))


def _line(row: Mapping[str, Any], rates: Rates, month: str) -> dict[str, Any]:
    rate = None if row["rate_number"] is None else rates.rates[row["rate_number"]]
    line = {
        key: row[key]
        for key in (
            "lpar",
            "qmgr",
            "connection_type_name",
            "application",
            "charge_source",
            "cpu_us",
            "messages",
            "bytes",
        )
    }
    return {
        **line,
        "month": month,
        "row_kind": DAMAGED if row["doubt_reason"] else "no rate" if rate is None else "charged",
        "charge_to": row["doubt_reason"] if rate is None else rate.charge_to,
        "in_own_bill": row["connection_type_name"] in OWN_BILL,
        "amount": None if rate is None else rate.amount(row, rates.decimals),
        "currency": rates.currency or None,
    }
