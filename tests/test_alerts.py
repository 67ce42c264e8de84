"""The alerts of docs/examples/alerts.yml: `promtool` accepts them, and they fire when they should; their metrics
exist.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ALERTS = Path(__file__).parent.parent / "docs" / "examples" / "alerts.yml"
ROOT = ALERTS.parent.parent.parent
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed; Debian has it in prometheus"
)

DAY = 24 * 60
"""Minutes; the value of a series is given for each minute."""

KNOWN = 'mqstat_finding{rule="BP001",qmgr="MQ01",severity="critical",subject="pool 1",new="false"}'
NEW = 'mqstat_finding{rule="LG004",qmgr="MQ02",severity="critical",subject="copy 1",new="true"}'
UNSURE = 'mqstat_finding{rule="LG004",qmgr="MQ03",severity="critical",subject="copy 1",new="unknown"}'
LAST = 'mqstat_data_last_timestamp_seconds{{lpar="SYS1",qmgr="{}"}}'
TESTS = {
    "MQNewCriticalFinding": ({KNOWN: f"1x{DAY}", NEW: f"1x{DAY}", UNSURE: f"1x{DAY}"}, 60, 2),
    "MQDailyDidNotRun": ({"mqstat_daily_last_run_timestamp_seconds": f"0x{2 * DAY}"}, 27 * 60, 1),
    "MQDailyFailed": ({"mqstat_daily_run_return_code": f"12x{DAY}"}, 60, 1),
    "MQDailyNoSuccess": ({"mqstat_daily_last_success_timestamp_seconds": f"0x{3 * DAY}"}, 51 * 60, 1),
    "MQDailyInput": ({"mqstat_daily_run_return_code": f"4x{DAY}"}, 60, 1),
    "MQDailyOutput": ({"mqstat_daily_outputs_failed": f"2x{DAY}"}, 60, 1),
    "MQNoNewData": (
        {
            LAST.format("MQ01"): f"0+60x{2 * DAY}",
            LAST.format("MQ02"): f"0x{2 * DAY}",
            LAST.format("MQ03"): f"0x60 stale _x{2 * DAY}",
        },
        31 * 60,
        2,
    ),
    "MQNotCollected": ({'mqstat_class_collected_ratio{qmgr="MQ01",class="116.0"}': f"0x{DAY}"}, 60, 1),
}
"""Alert -> series, the minute at which it fires, and how often."""
QUIET = {
    "MQNewCriticalFinding": ({KNOWN: f"1x{DAY}"}, 60),
    "MQDailyDidNotRun": ({"mqstat_daily_last_run_timestamp_seconds": f"0x{2 * DAY}"}, 25 * 60),
    "MQDailyFailed": ({"mqstat_daily_run_return_code": f"4x{DAY}"}, 60),
    "MQDailyNoSuccess": ({"mqstat_daily_last_success_timestamp_seconds": f"0x{3 * DAY}"}, 49 * 60),
    "MQDailyInput": ({"mqstat_daily_run_return_code": f"0x{DAY}"}, 60),
    "MQDailyOutput": ({"mqstat_daily_outputs_failed": f"0x{DAY}"}, 60),
    "MQNoNewData": ({LAST.format("MQ01"): f"0x{2 * DAY}", LAST.format("MQ03"): f"0x60 stale _x{2 * DAY}"}, 29 * 60),
    "MQNotCollected": ({'mqstat_class_collected_ratio{qmgr="MQ01",class="116.0"}': f"0.5x{DAY}"}, 60),
}
"""Alert -> series and a minute at which it does not fire."""


def test_every_alert_is_tested() -> None:
    assert set(re.findall(r"- alert: (\w+)", ALERTS.read_text())) == set(TESTS) == set(QUIET)


def test_their_metrics_are_documented() -> None:
    """The tables of metrics in the documentation, which other tests compare with what a run writes."""
    known = set(
        re.findall(
            r"`(mqstat_\w+)`", "".join((ROOT / "docs" / name).read_text() for name in ("daily.md", "formats.md"))
        )
    )
    used = set(re.findall(r"\bmqstat_\w+", re.sub(r"(?m)^ *#.*", "", ALERTS.read_text())))
    assert len(used) >= 6
    assert used <= known


@needs_promtool
@pytest.mark.parametrize("alert", TESTS)
@pytest.mark.slow
def test_they_fire_when_they_should(alert: str, tmp_path: Path) -> None:
    series, minute, count = TESTS[alert]
    quiet, before = QUIET[alert]
    assert fired(alert, series, minute, tmp_path) == count
    assert fired(alert, quiet, before, tmp_path) == 0


@pytest.mark.skipif(
    shutil.which("amtool") is None, reason="amtool is not installed; Debian has it in prometheus-alertmanager"
)
def test_alertmanager_accepts_its_template() -> None:
    path = ALERTS.with_name("alertmanager.yml")
    done = subprocess.run(["amtool", "check-config", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "3 receivers" in done.stdout
    names = {match for text in re.findall(r'alertname=~?"([^"]+)"', path.read_text()) for match in text.split("|")}
    assert names
    for name in names:
        assert any(re.fullmatch(name, alert) for alert in TESTS), name


def fired(alert: str, series: dict[str, str], minute: int, folder: Path) -> int:
    """How often an alert fires at a minute, as `promtool test rules` reports it."""
    tests = {
        "rule_files": [str(ALERTS)],
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": name, "values": values} for name, values in series.items()],
                "alert_rule_test": [{"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": []}],
            }
        ],
    }
    path = folder / "tests.yml"
    path.write_text(json.dumps(tests))  # YAML too
    done = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    if done.returncode == 0:
        return 0
    assert f"alertname: {alert}" in text, text
    return text.partition("got:")[2].count("Labels:")
