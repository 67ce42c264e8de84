"""Two branches that each add a report, a rule with cases and a scenario are merged: nothing is in conflict, and the
tests of the new units pass.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

from campaign.copies import Copy, copy_tree

BRANCHES = {"one": ("LG998", "lookahead_mounts_tried"), "two": ("LG999", "log_suspends")}
"""Branch -> its rule and the column that this rule judges: one that no other rule reads."""
LIMIT = 1_000_000
"""The limit of both rules: the two columns are below it in every other scenario."""


def add_units(folder: Path, branch: str) -> list[str]:
    """Write the files that a developer writes for a report, a rule and a scenario, each derived from an existing one;
    returns their names.
    """
    rule, column = BRANCHES[branch]

    def text(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    busy = text("reports/log/busy.sql").replace('"log/busy"', f'"log/zz_{branch}"')
    waits = text("rules/log/LG001.sql").replace("LG001", rule).replace("log_buffer_waits", column)
    waits = re.sub(r'^(name +=) ".*"', rf'\1 "zz-{branch}-in-the-log"', waits, flags=re.MULTILINE)
    waits = re.sub(r'^(measure +=) ".*"', rf'\1 "zz {branch}[s]"', waits, flags=re.MULTILINE)
    waits = re.sub(r"^caused_by .*\n", "", waits, flags=re.MULTILINE).replace("value = 0\n", f"value = {LIMIT}\n")
    story = f'''"""A counter of the log rose at ten ({rule})."""

from __future__ import annotations

from mqstat.fixtures.day import at_times, morning
from mqstat.fixtures.frame import smf_file

EXPECT = {{"{rule}": {{"MQ01 log buffers"}}}}


def build() -> bytes:
    """The dump."""
    return smf_file(morning(at_times({{"10:00": {{"qjst": {{"{column}": {2 * LIMIT}}}}}}})))
'''
    cases = re.sub(r', advice_has = "[^"]*"', "", text("tests/rules/LG001.toml"))
    cases = re.sub(r"log_buffer_waits = (\d+)", lambda match: f"{column} = {LIMIT + int(match[1])}", cases)
    cases = re.sub(r"observed = (\d+)", lambda match: f"observed = {LIMIT + int(match[1])}", cases)
    written = {
        f"reports/log/zz_{branch}.sql": re.sub(r"^(dd|wsc) .*\n", "", busy, flags=re.MULTILINE),
        f"rules/log/{rule}.sql": waits,
        f"tests/rules/{rule}.toml": cases,
        f"fixtures/scenarios/zz_{branch}.py": story,
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
    return list(written)


def test_two_branches_are_merged(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    copy_tree(folder)
    copy = Copy(folder)
    copy.git("init", "--quiet", "--initial-branch=main")
    (folder / ".git" / "info" / "exclude").write_text(".package\nbuild\n", encoding="utf-8")
    copy.commit("base")
    pytest = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
    for branch in BRANCHES:
        copy.git("checkout", "--quiet", "-b", branch, "main")
        begin, written = time.monotonic(), add_units(folder, branch)
        assert copy.python("docs/generate.py")[0] == 0
        copy.python(*pytest, "--update-golden", "tests", "--only", f"log/zz_{branch},zz_{branch}")
        made = [name for name in copy.changed() if name not in written]
        print(f"branch {branch}: by hand {len(written)} ({', '.join(written)})")
        print(f"  by the machine {len(made)} ({', '.join(made)}), {time.monotonic() - begin:.0f} s")
        copy.commit(branch)
    copy.git("checkout", "--quiet", "main")
    conflicts: list[str] = []
    for branch in BRANCHES:
        copy.git("merge", "--quiet", "--no-ff", "--no-edit", branch, check=False)
        conflicts += copy.git("diff", "--name-only", "--diff-filter=U").split()
    assert conflicts == []
    assert copy.python("docs/generate.py")[0] == 0
    print(f"written again by `make docs`: {', '.join(copy.changed()) or 'none'}")
    ids = [rule for rule, _ in BRANCHES.values()]
    words = ",".join([*ids, *(f"zz_{branch},log/zz_{branch}" for branch in BRANCHES)])
    for what, arguments in (
        ("tests about the new units", ("tests", "--only", words)),
        (
            "house",
            (
                "tests/test_house.py",
                "-k",
                f"{' or '.join([*ids, 'zz_', 'generated', 'scenario', 'story', 'unique', 'links'])}",
            ),
        ),
        ("goldens of a scenario that they do not concern", ("tests/test_scenarios.py", "-k", "pool_exhausted")),
    ):
        code, last = copy.python(*pytest, *arguments)
        assert code == 0, f"{what}: {last}"
