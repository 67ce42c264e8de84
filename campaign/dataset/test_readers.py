"""Reads by other programs while a dataset is written; `python -m campaign.dataset.readers` does a thousand of each."""

from __future__ import annotations

from pathlib import Path

from campaign.dataset.readers import WAYS, readings


def test_no_read_is_doubled_or_misses_a_row(tmp_path: Path) -> None:
    """A pattern that is listed before a publish and opened after it may name a file that left: an error. All other ways are always right."""
    result = readings(tmp_path, 25, (*WAYS, "opened before"))
    assert result.retiring > 0
    assert {way: {*counts} for way, counts in result.reads.items() if way != "glob"} == {
        way: {"right"} for way in (*WAYS, "opened before") if way != "glob"
    }, result.text()
    assert {*result.reads["glob"]} <= {"right", "error"}, result.text()
    assert all("Cannot open file" in text or "No files found" in text for text in result.errors), result.errors


def test_without_an_exchange_of_folders_no_read_is_wrong(tmp_path: Path) -> None:
    result = readings(tmp_path, 25, ("glob", "opened before"), "no exchange")
    assert {*result.reads["glob"]} <= {"right", "error"}, result.text()
    assert {*result.reads["opened before"]} == {"right"}, result.text()
