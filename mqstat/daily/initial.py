"""The initial configuration of `mqstat daily`: `initial.toml`, with the queue managers of a dataset."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from mqstat.base.formatting import toml_key
from mqstat.dataset.prune import days_of
from mqstat.dataset.snapshot import is_dataset
from mqstat.dataset.store import open_dataset

RECENT = 7
"""Days of a dataset whose queue managers are expected every day."""


def initial(path: Path, dataset: Path | None = None) -> tuple[str, list[str]]:
    """The text of an initial configuration, and the queue managers that it expects every day: those of a dataset.

    Without `dataset` it is the folder that the text names, if it is a dataset already. DatasetError for another folder.
    """
    text = files("mqstat.daily").joinpath("initial.toml").read_text(encoding="utf-8")
    if dataset is not None:
        text = text.replace('folder = "dataset"', f"folder = {toml_key(str(dataset.absolute()))}")
    usual = path.absolute().parent / "dataset"
    qmgrs = _qmgrs(dataset or usual) if dataset is not None or is_dataset(usual) else []
    if qmgrs:
        listed = f"qmgrs = [{', '.join(map(toml_key, qmgrs))}]"
        text = re.sub("(?m)^#qmgrs = .*", lambda _: listed, text)
    return text, qmgrs


def _qmgrs(dataset: Path) -> list[str]:
    """The queue managers of the newest days of a dataset; of those with one name that are always on several LPARs, each
    with its LPAR.
    """
    from mqstat.intake.open_data import open_data

    days = days_of(open_dataset(dataset).manifest)[-RECENT:]
    with open_data(dataset=dataset, days=days, tables=["record"], may_be_empty=True) as database:
        rows = database.ask(
            "SELECT qmgr, list(DISTINCT coalesce(lpar, '')) FROM decoded.record WHERE qmgr <> '' "
            "GROUP BY qmgr, written_local::DATE ORDER BY qmgr"
        ).fetchall()
    lpars_of = {qmgr: [set(lpars) for _, lpars in group] for qmgr, group in groupby(rows, itemgetter(0))}
    names = []
    for qmgr, lpars in lpars_of.items():
        always = sorted(set.intersection(*lpars))
        names += [f"{lpar}.{qmgr}" for lpar in always] if len(always) > 1 else [qmgr]
    return names
