"""The numbers of records: starts, runs, missing numbers, and the intervals of which records were lost. Numbers are
followed one by one, in sets of Python.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

from tests.oracle import Data, Row, view

SECOND, HOUR = 1_000_000, 3_600_000_000
ALL = 0
CUT = (65_537, 65_538, 65_544, 65_545)
Owner = tuple[str, str]


def numbered(data: Data) -> list[Row]:
    """The records that have a number, each once, damaged ones too."""
    return [
        {**row, "counter": (1 if row["resource_manager"] == "1A" else 2) * 65_536 + row["instrumentation_id"]}
        for row in data.raw("record")
        if row["resource_manager"] in ("1A", "F7") and row["instrumentation_sequence"] and row["lpar"] and row["qmgr"]
    ]


def undamaged(data: Data) -> dict[Owner, list[Row]]:
    """Undamaged records without doubt by queue manager, by store clock and number."""
    out: dict[Owner, list[Row]] = defaultdict(list)
    doubt = {row["record_id"] for row in data.view("record_doubt")}
    for row in numbered(data):
        if row["damage"] is None and row["record_id"] not in doubt:
            out[row["lpar"], row["qmgr"]].append(row)
    for rows in out.values():
        rows.sort(key=lambda row: (row["header_stck_utc"], row["trace_sequence"]))
    return out


def twice(data: Data) -> set[Owner]:
    """Queue managers whose intervals overlap."""
    return {(row["lpar"], row["qmgr"]) for row in data.view("interval_cut") if (row["overlap_seconds"] or 0) > 1}


@view("sequence_start", "lpar qmgr run_start_utc")
def sequence_start(data: Data) -> list[Row]:
    starts: dict[tuple[str, str, int], None] = {}
    for owner, rows in undamaged(data).items():
        if owner in twice(data):
            continue
        for row in rows:
            if row["record_class"] == "115.240":
                begun = row["record_start_utc"]
                starts[(*owner, row["header_stck_utc"] if begun is None else begun + 1)] = None
        for before, row in pairwise(rows):
            later = row["header_stck_utc"] - before["header_stck_utc"]
            if row["trace_sequence"] < before["trace_sequence"] and later > SECOND:
                starts[(*owner, row["header_stck_utc"])] = None
    return [{"lpar": lpar, "qmgr": qmgr, "run_start_utc": start} for lpar, qmgr, start in starts]


@view("sequence_number", "record_id")
def sequence_number(data: Data) -> list[Row]:
    starts: dict[Owner, list[int]] = defaultdict(list)
    for row in data.view("sequence_start"):
        starts[row["lpar"], row["qmgr"]].append(row["run_start_utc"])
    return [
        {**row, "run": sum(start <= row["header_stck_utc"] for start in starts[owner])}
        for owner, rows in undamaged(data).items()
        for row in rows
    ]


def counted(data: Data) -> dict[tuple[Any, ...], list[tuple[int, Row]]]:
    """(number, record) of each counter of each run."""
    out: dict[tuple[Any, ...], list[tuple[int, Row]]] = defaultdict(list)
    for row in data.view("sequence_number"):
        run = row["lpar"], row["qmgr"], row["run"]
        out[(*run, row["counter"])].append((row["instrumentation_sequence"], row))
        if row["trace_sequence"]:
            out[(*run, ALL)].append((row["trace_sequence"], row))
    return out


def keyed(key: tuple[Any, ...]) -> Row:
    return dict(zip(("lpar", "qmgr", "run", "counter"), key, strict=True))


@view("sequence_block", "lpar qmgr run counter block")
def sequence_block(data: Data) -> list[Row]:
    blocks: dict[tuple[Any, ...], list[tuple[int, Row]]] = defaultdict(list)
    for key, pairs in counted(data).items():
        for number, row in pairs:
            blocks[(*key, number // 32)].append((number, row))
    out = []
    for block, pairs in blocks.items():
        rows = [row for _, row in pairs]
        made: Row = {**keyed(block[:4]), "block": block[4], "records": len(rows)}
        made["numbers_present"] = sum(1 << bit for bit in {number % 32 for number, _ in pairs})
        for name, column in (("class", "record_class"), ("stck_utc", "header_stck_utc"), ("total", "trace_sequence"), ("written_local", "written_local")):  # fmt: skip
            made[f"first_{name}"], made[f"last_{name}"] = min(r[column] for r in rows), max(r[column] for r in rows)
        out.append(made)
    return out


@view("sequence_gap", "lpar qmgr run counter first_missing")
def sequence_gap(data: Data) -> list[Row]:
    runs: dict[Owner, set[int]] = defaultdict(set)
    begun = set()
    for row in data.view("sequence_number"):
        runs[row["lpar"], row["qmgr"]].add(row["run"])
        if row["record_class"] == "115.240" and row["instrumentation_sequence"] == 1:
            begun.add((row["lpar"], row["qmgr"], row["run"]))
    out = []
    for key, pairs in counted(data).items():
        by_number: dict[int, Row] = {}
        for number, row in sorted(pairs, key=lambda pair: pair[1]["record_id"]):
            by_number.setdefault(number, row)
        numbers = sorted(by_number)
        if key[:3] in begun and key[2] > min(runs[key[:2]]):
            numbers.insert(0, 0)
        begun_at = min(row["header_stck_utc"] for own, rows in counted(data).items() if own[:3] == key[:3] for _, row in rows)  # fmt: skip
        of_interval = key[3] != ALL and min(row["record_class"] for _, row in pairs).startswith("115.")
        for before, after in pairwise(numbers):
            if after > before + 1:
                gap = _gap(data, key, before, after, by_number)
                seconds = (
                    max(0, gap["after_utc"] - (begun_at if gap["before_utc"] is None else gap["before_utc"])) / SECOND
                )
                most = 100 + seconds if of_interval else 100_000 * (1 + seconds)
                gap["countable"] = after - before - 1 <= most
                if gap["missing_numbers"] > 0:
                    out.append(gap)
    return out


def _gap(data: Data, key: tuple[Any, ...], before: int, after: int, by_number: dict[int, Row]) -> Row:
    first, last = by_number.get(before, {}), by_number[after]
    number = "trace_sequence" if key[3] == ALL else "instrumentation_sequence"
    doubt = {row["record_id"] for row in data.view("record_doubt")}
    broken = {
        (row["counter"], row["instrumentation_sequence"], row["damage"] is not None)
        for row in numbered(data)
        if (row["damage"] is not None or row["record_id"] in doubt)
        and (row["lpar"], row["qmgr"]) == key[:2]
        and key[3] in (ALL, row["counter"])
        and before < row[number] < after
        and not (first and not first["written_local"] - HOUR <= row["written_local"] <= last["written_local"] + HOUR)
    }
    spans = 0
    for span in data.raw("damage"):
        at, same = span["damage_offset"], first and first["source_id"] == last["source_id"]
        if same and span["source_id"] == first["source_id"]:
            ends = sorted((first["source_offset"], last["source_offset"]))
            spans += span["spans"] * (ends[0] <= at <= ends[1])
        elif not first:
            spans += span["spans"] * (span["source_id"] == last["source_id"] and at <= last["source_offset"])
        elif not same:
            spans += span["spans"] * (span["source_id"] == first["source_id"] and at >= first["source_offset"])
            spans += span["spans"] * (span["source_id"] == last["source_id"] and at <= last["source_offset"])
    lost = sum(
        row["records"]
        for row in data.raw("other_record")
        if first and row["smf_type"] == 7 and row["lpar"] == key[0]
        and row["last_written_local"] >= first["written_local"] and row["first_written_local"] <= last["written_local"]
    )  # fmt: skip
    return {
        **keyed(key), "first_missing": before + 1, "last_missing": after - 1, "missing_numbers": after - before - 1 - sum(not is_damaged for *_, is_damaged in broken),
        "damaged_records": sum(is_damaged for *_, is_damaged in broken),
        "before_utc": first.get("header_stck_utc"), "after_utc": last["header_stck_utc"], "before_local": first.get("written_local"),
        "after_local": last["written_local"], "before_total": first.get("trace_sequence"), "after_total": last["trace_sequence"],
        "after_record_id": last["record_id"], "damaged_spans": spans, "smf_lost_data": lost,
    }  # fmt: skip


@view("record_sequence", "lpar qmgr run counter")
def record_sequence(data: Data) -> list[Row]:
    gaps: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for gap in data.view("sequence_gap"):
        gaps[tuple(gap[name] for name in ("lpar", "qmgr", "run", "counter"))].append(gap)
    classes: dict[int, set[str]] = defaultdict(set)
    types: dict[int, set[int]] = defaultdict(set)
    inputs: dict[Owner, set[int]] = defaultdict(set)
    for row in numbered(data):
        types[row["source_id"]].add(row["smf_type"])
        inputs[row["lpar"], row["qmgr"]].add(row["source_id"])
    every = counted(data)
    for key, pairs in every.items():
        classes[key[3]] |= {row["record_class"] for _, row in pairs}
    out = []
    for key, pairs in every.items():
        numbers, rows = [number for number, _ in pairs], [row for _, row in pairs]
        own = {row["record_class"] for row in rows}
        made = keyed(key) | {
            "first_number": min(numbers), "last_number": max(numbers), "records_seen": len(rows), "repeated_numbers": len(rows) - len(set(numbers)),
            "missing_numbers": sum(gap["missing_numbers"] for gap in gaps[key]), "damaged_records": sum(gap["damaged_records"] for gap in gaps[key]),
            "first_stck_utc": min(row["header_stck_utc"] for row in rows), "last_stck_utc": max(row["header_stck_utc"] for row in rows),
            "first_written_local": min(row["written_local"] for row in rows), "last_written_local": max(row["written_local"] for row in rows),
            "counted_class": "all numbered" if key[3] == ALL else " and ".join(sorted({min(own), max(own)})), "sequence_state": "judged",
        }  # fmt: skip
        if key[:2] in twice(data):
            made["sequence_state"] = "two queue managers of one name"
        elif key[3] != ALL and len(classes[key[3]]) > 1:
            made["sequence_state"] = "one identifier for two classes"
        elif not all(gap["countable"] for gap in gaps[key]):
            made["sequence_state"] = "not countable: the input is destroyed"
        elif key[3] == ALL and any(len(types[source]) == 1 for source in inputs[key[:2]]):
            made["sequence_state"] = "an input has records of one type only"
        elif key[3] == ALL and _unexplained(key, gaps, every) > 2:
            made["sequence_state"] = "numbers are skipped"
        judged = made["sequence_state"] == "judged"
        made["lost_records"] = made["missing_numbers"] - made["damaged_records"] if judged else None
        out.append(made)
    return out


def _unexplained(key: tuple[Any, ...], gaps: Any, every: Any) -> int:
    """Gaps over all kinds where no kind has one, none begins later and none ended before."""
    count = 0
    for gap in gaps[key]:
        low, high = gap["before_total"] or 0, gap["after_total"]
        explained = False
        for other, pairs in every.items():
            if other[:3] != key[:3] or other[3] == ALL:
                continue
            totals = [row["trace_sequence"] for _, row in pairs]
            explained |= min(totals) >= high or max(totals) <= low
            explained |= any((own["before_total"] or 0) <= low and own["after_total"] >= high for own in gaps[other])
        count += not explained
    return count


@view("interval_lost", "lpar qmgr interval_start_utc")
def interval_lost(data: Data) -> list[Row]:
    out = []
    for cut in data.view("interval_cut"):
        if cut["startup_interval"] or cut["gap_seconds"] is None or cut["gap_seconds"] <= 2 or not cut["gap_confirmed"]:
            continue
        owner, begin = (cut["lpar"], cut["qmgr"]), cut["previous_end_utc"] + SECOND
        missing = [
            (gap["missing_numbers"], gap["missing_numbers"] - gap["damaged_records"])
            for gap in data.view("sequence_gap")
            if (gap["lpar"], gap["qmgr"]) == owner and gap["counter"] in CUT and gap["after_utc"] > begin
            and (gap["before_utc"] is None or gap["before_utc"] < cut["interval_end_utc"])
        ]  # fmt: skip
        goes_on = any(
            (run["lpar"], run["qmgr"]) == owner and run["counter"] in CUT and run["sequence_state"] == "judged"
            and run["first_stck_utc"] < begin and run["last_stck_utc"] > cut["interval_start_utc"]
            for run in data.view("record_sequence")
        )  # fmt: skip
        made = {name: cut[name] for name in ("lpar", "qmgr", "interval_start_utc", "previous_end_utc", "gap_seconds")}
        made["lost_intervals"], made["gap_cause"] = (0, "never written") if goes_on else (None, "unknown")
        if missing:
            fitting = max(1, int((cut["gap_intervals"] or 0) + 0.5))
            made["lost_intervals"] = min(*(numbers for numbers, _ in missing), fitting)
            made["gap_cause"] = "lost" if min(lost for _, lost in missing) else "damaged"
        out.append(made)
    return out


@view("sequence_loss", "lpar qmgr")
def sequence_loss(data: Data) -> list[Row]:
    owners: dict[Owner, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in data.view("record_sequence"):
        owners[row["lpar"], row["qmgr"]][row["run"]].append(row)
    out = []
    for owner, runs in owners.items():
        rows = [row for own in runs.values() for row in own]
        made: Row = {
            "lpar": owner[0],
            "qmgr": owner[1],
            "runs": len(runs),
            "lost_records": None,
            "unknown_kind_lost": None,
            "damaged_numbers": 0,
            "destroyed_kinds": sum(row["sequence_state"].startswith("not countable") for row in rows),
        }
        for own in runs.values():
            kinds = [row for row in own if row["counter"] != ALL]
            total = [row for row in own if row["counter"] == ALL]
            of_kinds = [row["lost_records"] for row in kinds if row["lost_records"] is not None]
            of_all = [row["lost_records"] for row in total if row["lost_records"] is not None]
            if of_kinds or of_all:
                lost = max([sum(of_kinds)] * bool(of_kinds) + of_all)
                made["lost_records"] = (made["lost_records"] or 0) + lost
                made["unknown_kind_lost"] = (made["unknown_kind_lost"] or 0) + lost - sum(of_kinds)
            damaged = [sum(row["damaged_records"] for row in part) for part in (kinds, total)]
            made["damaged_numbers"] += max(damaged)
        kinds = [row for row in rows if row["counter"] != ALL]
        made["numbered_records"] = sum(row["records_seen"] for row in kinds)
        made["repeated_numbers"] = sum(row["repeated_numbers"] for row in kinds)
        made["first_written_local"] = min(row["first_written_local"] for row in rows)
        made["last_written_local"] = max(row["last_written_local"] for row in rows)
        by_class: dict[str, int] = defaultdict(int)
        for row in sorted(kinds, key=lambda row: [int(part) for part in row["counted_class"].split(" ")[0].split(".")]):
            if row["sequence_state"] == "judged":
                by_class[row["counted_class"]] += row["lost_records"]
        made["classes_text"] = ", ".join(by_class) or None
        texts = [f"{lost:,} of {name}" for name, lost in by_class.items() if lost]
        texts += [f"{made['unknown_kind_lost']:,} of a kind that is not known"] if made["unknown_kind_lost"] else []
        made["lost_text"] = ", ".join(texts)
        judged = {(row["run"], row["counter"]) for row in rows if row["sequence_state"] == "judged"}
        losses = [
            gap for gap in data.view("sequence_gap")
            if (gap["lpar"], gap["qmgr"]) == owner and (gap["run"], gap["counter"]) in judged and gap["missing_numbers"] > gap["damaged_records"]
        ]  # fmt: skip
        first = min(losses, key=lambda gap: (gap["after_utc"], gap["after_record_id"]), default={})
        made["loss_record_id"] = first.get("after_record_id")
        made["first_loss_local"] = min((gap["before_local"] or gap["after_local"] for gap in losses), default=None)
        made["last_loss_local"] = max((gap["after_local"] for gap in losses), default=None)
        made["lost_apart"] = None if made["lost_records"] is None else _apart(data, owner, losses)
        made["loss_damaged_spans"] = max((gap["damaged_spans"] for gap in losses), default=0)
        made["loss_smf_records"] = max((gap["smf_lost_data"] for gap in losses), default=0)
        out.append(made)
    return out


def _apart(data: Data, owner: Owner, losses: list[Row]) -> int:
    """The lost records of gaps that do not reach over an interval whose records were lost, where no restart explains
    it.
    """
    restarts = {
        row["interval_start_utc"]: row["restart_seen"]
        for row in data.view("interval_cut")
        if (row["lpar"], row["qmgr"]) == owner
    }
    holes = [
        (row["previous_end_utc"] + SECOND, row["interval_start_utc"])
        for row in data.view("interval_lost")
        if (row["lpar"], row["qmgr"]) == owner
        and row["gap_cause"] == "lost"
        and restarts[row["interval_start_utc"]] is False
    ]
    by_run: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for gap in losses:
        inside = gap["before_utc"] is not None and any(
            gap["before_utc"] < end and gap["after_utc"] > begin for begin, end in holes
        )
        by_run[gap["run"]][gap["counter"] == ALL] += 0 if inside else gap["missing_numbers"] - gap["damaged_records"]
    return sum(map(max, by_run.values()))
