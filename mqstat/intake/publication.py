"""Staged inputs -> dataset: which are added, which of their records are duplicates, and one publish.

All work by rows is done before the lock of the dataset is taken, with the dataset as it was then. If others have
published meanwhile, only what they have added is compared, and the publish is tried again.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base import return_codes
from mqstat.base.errors import DatasetError, NoDataError, write_failure
from mqstat.base.formatting import plural
from mqstat.base.selection import Selection
from mqstat.dataset import publishing, snapshot, store
from mqstat.dataset.drop import Taken, remembered, source_of, taken_out, undamaged
from mqstat.dataset.manifest import Change, FileEntry, Manifest, SourceEntry, Staged
from mqstat.dataset.paths import day_of
from mqstat.dataset.place import Home, local
from mqstat.dataset.reservation import first_record_id
from mqstat.dataset.steps import ConflictError
from mqstat.intake import duplicates
from mqstat.intake.open_data import check_not_empty
from mqstat.intake.part import Job
from mqstat.intake.pipeline import SourceResult, reader_tables
from mqstat.intake.staging import Input
from mqstat.parsers.batch import TOO_BIG

Hold = Callable[[Input], str | None]
"""Gives the reason why an input is not added yet, if there is one."""


@dataclass(frozen=True)
class Terms:
    """How inputs are added: `hold` may postpone them; `again` = also content that was dropped; `replace` = in place of
    this source, which it has the records of unless `force`.
    """

    hold: Hold | None = None
    again: bool = False
    replace: str | None = None
    force: bool = False


USUAL = Terms()


def decide(inputs: Sequence[Input], manifest: Manifest, selection: Selection, terms: Terms) -> None:
    """Decide which inputs are added: not those that are refused, without data, in the dataset already, dropped, or
    held. What was decided stays unless it was to be added.
    """
    dropped = {} if terms.again else {each.sha256: each for each in manifest.dropped_sources}
    own: dict[str, Input] = {}
    for each in inputs:
        if each.state not in ("", "added"):
            continue
        result, digest = each.result, each.result.sha256 or ""
        if not each.state:
            if result.refusal:
                each.refuse(result.refusal, result.verdict.return_code())
                continue
            try:
                check_not_empty([result], selection)
            except NoDataError as error:
                is_without = result.verdict.is_sound and not result.part.ledger.mq_records
                each.refuse(str(error), return_codes.CLEAR if is_without else error.return_code)
                continue
        have, before = manifest.source_with(digest), own.get(digest)
        if have is not None and have.selection != selection.as_dict():
            text = (
                f"{each.name}: the same content is already in the dataset as source {have.source_id} ({have.name}), with another selection. "
                "Ingest it into a new folder to change the selection."
            )
            each.refuse(text, return_codes.FAILED)
        elif have is not None:
            dropped_days = (
                f", its days before {have.pruned_before} were dropped since then" if have.pruned_before else ""
            )
            each.state, each.text = "there", _there(each, have.source_id, have.name, dropped_days)
        elif before is not None:
            each.state, each.equals = "there", before
        elif (former := dropped.get(digest)) is not None:
            why = f" ({former.reason})" if former.reason else ""
            text = f"{each.name}: its content was taken out of the dataset on {former.on}{why}. Add it all the same: mqstat ingest --again"
            each.refuse(text, return_codes.WARNING)
        elif not each.state and terms.hold is not None and (reason := terms.hold(each)) is not None:
            each.state, each.text = "held", f"{each.name}: {reason}"
        else:
            each.state = "added"
            own[digest] = each


def _there(each: Input, source_id: int, name: str, remark: str = "") -> str:
    return f"{each.name}: already in the dataset as source {source_id} ({name}){remark}; nothing added."


def publish(
    folder: Home,
    inputs: Sequence[Input],
    files: Sequence[Staged],
    selection: Selection,
    root: Path,
    *,
    manifest: Manifest,
    terms: Terms = USUAL,
    wait_seconds: float = 0,
) -> Manifest:
    """Add inputs with their staged files to a dataset in one step, and note the result in each; returns the manifest of
    the dataset.

    root: a folder on the file system of the dataset, for what is written here; manifest: one of the dataset that was
    read before. Raises DatasetError; then nothing was added.
    """
    base, compared, files = manifest, set[int](), list(files)
    while True:
        decide(inputs, base, selection, terms)
        added = [each for each in inputs if each.state == "added"]
        older = _replaced(folder, added, files, base, selection, terms)
        added = [each for each in added if each.state == "added"]
        if not added:
            break
        left = {each.source_id for each in inputs} - {each.source_id for each in added}
        replaced = {each.entry.source_id for each in older.values()}
        others = {source.source_id for source in base.sources} - replaced - compared
        try:
            files = duplicates.without_sources(files, left) if left else files
            root.mkdir(parents=True, exist_ok=True)
            out = Path(tempfile.mkdtemp(prefix="out", dir=root))
            taken = taken_out(folder, base, replaced, out) if replaced else Taken()
            known = [entry for entry in base.files if entry.path not in {*taken.retire}]
            known += [each.entry for each in taken.files]
            at = {each.entry.path: each.path for each in taken.files}
            files = duplicates.mark(folder, known, others, files, added, root / "spill", at)
            change = _change(added, files, older, taken, root, selection)
        except (OSError, pa.ArrowException, DatasetError) as error:
            if manifest.generation >= 0 and not snapshot.is_current(folder, base):
                base = _loaded(folder)
                continue
            if isinstance(error, DatasetError):
                raise
            names = ", ".join(each.name for each in added[:3])
            raise write_failure(
                folder, f"the rows of {names} could not be completed", error, "nothing of it was added"
            ) from None
        compared |= others
        with store.writing(folder, wait_seconds, base) as current:
            if _fits(current, base, change, compared | replaced):
                try:
                    base = publishing.publish(folder, current, change)
                except ConflictError:
                    base = _loaded(folder)
                    continue
                for each in added:
                    replaced_source = older.get(each.source_id)
                    each.replaces = None if replaced_source is None else replaced_source.entry.source_id
                    each.text = _line(each, replaced_source)
                break
        base = current
    for each in inputs:
        if each.equals is not None:
            each.text = _there(each, each.equals.source_id, each.equals.name)
    return base


def _loaded(folder: Home) -> Manifest:
    current = snapshot.load(folder)
    return Manifest() if current is None else current


def _fits(current: Manifest, base: Manifest, change: Change, compared: set[int]) -> bool:
    """Whether a change of `base` was made with all that the dataset has now. DatasetError if an input left with which
    it was compared.
    """
    paths = {entry.path for entry in (*current.files, *current.computed)} if change.retire else set[str]()
    if left := {source.source_id for source in base.sources} - {source.source_id for source in current.sources}:
        raise DatasetError(
            f"another mqstat has taken source {min(left)} out of this dataset meanwhile; nothing was added. Run it again."
        )
    before = {source.source_id: source for source in base.sources}
    if any(before.get(each.source_id, each) != each for each in current.sources):
        return False
    sources = {source.source_id: source.sha256 for source in current.sources}
    for each in change.sources:
        if sources.get(each.source_id, each.sha256) != each.sha256:
            raise DatasetError(
                f"source {each.source_id} is the number of another input of the dataset; reserve numbers again."
            )
    return sources.keys() <= compared and set(change.retire) <= paths and sources.keys() >= set(change.drop_sources)


@dataclass(frozen=True)
class _Replaced:
    """A source that an input replaces, and why, as a clause."""

    entry: SourceEntry
    why: str = ""


def _replaced(
    folder: Home,
    added: Sequence[Input],
    files: Sequence[Staged],
    manifest: Manifest,
    selection: Selection,
    terms: Terms,
) -> dict[int, _Replaced]:
    """The source that each input replaces. The input is refused if it lacks records of the one that it is to
    replace.
    """
    if terms.replace is None:
        out: dict[int, _Replaced] = {}
        for each in added:
            taken = {other.entry.source_id for other in out.values()}
            for entry in sorted(manifest.sources, key=lambda entry: entry.name != each.name):
                is_candidate = entry.source_id not in taken and entry.selection == selection.as_dict()
                if is_candidate and (why := _why(folder, manifest, entry, files, each)):
                    out[each.source_id] = _Replaced(entry, why)
                    break
        return out
    entry = source_of(manifest, terms.replace)
    for each in added if not terms.force else ():
        if lacking := _lacking(folder, manifest, entry, files, each.source_id):
            text = f"{each.name}: does not have {plural(lacking, 'undamaged record')} of source {entry.source_id} ({entry.name}), which stays. Replace it all the same: --force"
            each.refuse(text, return_codes.FAILED)
    return {each.source_id: _Replaced(entry) for each in added}


def _why(folder: Home, manifest: Manifest, entry: SourceEntry, files: Sequence[Staged], each: Input) -> str:
    """Why an input replaces a source without being asked, as a clause; "" if it does not.

    The source is damaged, or a smaller one of the same name, such as the beginning of a dump that has grown. The input
    has all of its undamaged records, or records of the same queue managers, classes and times: a wrong transfer may
    change records so that nothing shows it.
    """
    is_damaged = bool(entry.ledger["records"]["damaged"]) and not entry.pruned_records
    if not is_damaged and (entry.name != each.name or entry.bytes >= each.result.size):
        return ""
    theirs, mine = _records(manifest, entry, files, each.source_id)
    if not {day_of(other.path) for other in theirs} <= {day_of(other.entry.path) for other in mine}:
        return ""
    if _lacking(folder, manifest, entry, files, each.source_id) == 0:
        return ", of which it has all undamaged records"
    old = _times((local(folder, other.path) for other in theirs), entry.source_id)
    new = _times((other.path for other in mine), each.source_id)
    is_inside = all(key in new and new[key][0] <= first and last <= new[key][1] for key, (first, last) in old.items())
    return ", a damaged copy inside its queue managers, classes and times" if is_damaged and old and is_inside else ""


def _times(paths: Iterable[Path], number: int) -> dict[tuple[str, ...], tuple[dt.datetime, dt.datetime]]:
    """The first and last time of the records of a source in files of table record, by LPAR, queue manager and class;
    records without a time are left out.
    """
    keys, out = ["lpar", "qmgr", "record_class"], dict[tuple[str, ...], tuple[dt.datetime, dt.datetime]]()
    for path in paths:
        rows = pq.ParquetFile(path).read(columns=["source_id", *keys, "written_local"])
        rows = rows.filter(pc.and_(pc.equal(rows["source_id"], number), rows["written_local"].is_valid()))
        grouped = rows.group_by(keys).aggregate([("written_local", "min"), ("written_local", "max")])
        for row in grouped.to_pylist():
            key = tuple(row[name] for name in keys)
            known = out.get(key, (row["written_local_min"], row["written_local_max"]))
            out[key] = (min(known[0], row["written_local_min"]), max(known[1], row["written_local_max"]))
    return out


def _records(
    manifest: Manifest, entry: SourceEntry, files: Sequence[Staged], number: int
) -> tuple[list[FileEntry], list[Staged]]:
    """The files of table record with rows of a source, and those of a staged input."""
    theirs = [each for each in manifest.files if each.table == "record" and entry.source_id in each.source_ids]
    return theirs, [each for each in files if each.entry.table == "record" and number in each.entry.source_ids]


def _lacking(folder: Home, manifest: Manifest, entry: SourceEntry, files: Sequence[Staged], number: int) -> int | None:
    """How many undamaged records of a source a staged input does not have; None of a source without any."""
    theirs, mine = _records(manifest, entry, files, number)
    wanted = undamaged((local(folder, each.path) for each in theirs), entry.source_id)
    have = undamaged((each.path for each in mine), number)
    lacking = pc.sum(pc.invert(pc.is_in(wanted, have.combine_chunks()))).as_py()
    return None if lacking is None else int(lacking)


def _change(
    added: Sequence[Input],
    files: Sequence[Staged],
    older: Mapping[int, _Replaced],
    taken: Taken,
    root: Path,
    selection: Selection,
) -> Change:
    """What publishing some inputs changes; also the counts of the inputs join, and what is left without a replaced
    source.
    """
    sources = [entry_of(each, selection) for each in added]
    own = Path(tempfile.mkdtemp(prefix="counts", dir=root))
    job = Job(added[0].source_id, 0, selection, None, own)
    results = [(each.source_id, each.result) for each in added]
    written, _ = reader_tables(job, results)
    return Change(
        "ingest",
        add=(*files, *publishing.settled(own, written), *taken.files),
        sources=(*sources, *taken.sources),
        retire=taken.retire,
        drop_sources=tuple(sorted({each.entry.source_id for each in older.values()})),
        dropped_sources=tuple(remembered(each.entry, f"replaced by source {number}") for number, each in older.items()),
    )


def entry_of(each: Input, selection: Selection) -> SourceEntry:
    """The entry of an input in the manifest."""
    result, part = each.result, each.result.part
    return SourceEntry(
        source_id=each.source_id,
        name=result.name,
        bytes=result.size,
        sha256=result.sha256 or "",
        framing=result.framing,
        diagnosis=result.problem,
        selection=selection.as_dict(),
        first_record_id=first_record_id(each.source_id),
        records=part.records,
        ledger=part.ledger.as_dict()
        | {
            "selected_mq_records": part.selected,
            "values_too_big": sum(n for (_, _, why), n in part.lost.items() if why == TOO_BIG),
        },
    )


def _line(each: Input, older: _Replaced | None) -> str:
    result: SourceResult = each.result
    ledger = result.part.ledger
    instead = f" in place of source {older.entry.source_id}{older.why}" if older else ""
    text = f"{result.name}: added as source {each.source_id}{instead}: {ledger.records.decoded:,} records decoded of {ledger.records.input:,}"
    undecoded = ledger.mq_records - ledger.all_decoded
    if undecoded and not ledger.all_decoded:
        text += f", and {undecoded:,} MQ records that this version of mqstat cannot decode"
    if result.part.selected < ledger.mq_records:
        text += f", {result.part.selected:,} selected"
    if result.in_dataset == result.part.selected:
        text += ", all MQ records in the dataset already"
    elif result.in_dataset:
        text += f", {result.in_dataset:,} in the dataset already"
    if result.repeated:
        text += f", {result.repeated:,} more than once in this input"
    if ledger.damaged_spans:
        text += f", {plural(ledger.damaged_spans, 'damaged span')} ({plural(ledger.bytes.damaged, 'byte')})"
    if result.problem:
        text += f"; {result.problem}"
    return text + "."
