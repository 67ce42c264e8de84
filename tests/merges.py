"""Two branches that each add a report, a rule with cases and a scenario are merged: `python -m tests.merges [FOLDER]`, or `make merges`.

Works in a copy of the tracked files with its own git repository. Prints the files in conflict, the documents that `make docs` wrote again after the
merge, and the result of the tests about the new units; returns 1 if a conflict remains or a test fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("parsers", "reports", "rules", "fixtures")
BRANCHES = {"one": ("LG998", "lookahead_mounts_tried"), "two": ("LG999", "log_suspends")}
"""Branch -> its rule and the column that this rule judges: one that no other rule reads."""
LIMIT = 1_000_000
"""The limit of both rules: the two columns are below it in every other scenario."""


def copy_tree(folder: Path) -> None:
    """The tracked files in their current state, and the import package as links, as in `make check`."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    package = folder / ".package" / "mqstat"
    package.mkdir(parents=True)
    for path in (*(folder / "mqstat").iterdir(), *(folder / name for name in PACKAGES)):
        (package / path.name).symlink_to(path)


def add_units(folder: Path, branch: str) -> list[str]:
    """Write the files that a developer writes for a report, a rule and a scenario, each derived from an existing one; returns their names."""
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
    lines = text("CHANGELOG.md").split("\n")
    lines.insert(lines.index("### Reports") + 2, f"- `log/zz_{branch}`: new.")
    lines.insert(lines.index("### Rules") + 2, f"- `{rule}`: new.")
    written = {
        f"reports/log/zz_{branch}.sql": re.sub(r"^(dd|wsc) .*\n", "", busy, flags=re.MULTILINE),
        f"rules/log/{rule}.sql": waits,
        f"tests/rules/{rule}.toml": cases,
        f"fixtures/scenarios/zz_{branch}.py": story,
        "CHANGELOG.md": "\n".join(lines),
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
    return list(written)


class Copy:
    """The copy of the tree and its git repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ, "PYTHONPATH": f"{folder / '.package'}{os.pathsep}{folder}", "PYTHONSAFEPATH": "1",
            "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@localhost", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@localhost",
        }  # fmt: skip

    def git(self, *words: str, check: bool = True) -> str:
        """Run git and return its output."""
        done = subprocess.run(["git", *words], cwd=self.folder, env=self.env, capture_output=True, encoding="utf-8")
        if check and done.returncode:
            raise SystemExit(f"git {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def python(self, *words: str) -> tuple[int, str]:
        """Run Python in the copy; its return code and the last line that it prints."""
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=self.env, capture_output=True, encoding="utf-8"
        )
        if done.returncode:
            sys.stdout.write(done.stdout[-4000:] + done.stderr[-2000:])
        return done.returncode, (done.stdout.strip().splitlines() or [""])[-1]

    def changed(self) -> list[str]:
        """Files that differ from the last commit, new ones included."""
        return sorted(line[3:] for line in self.git("status", "--porcelain", "--untracked-files=all").splitlines())

    def commit(self, subject: str) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)


def run(folder: Path) -> int:
    """Create both branches, merge them, and test the result."""
    copy_tree(folder)
    copy = Copy(folder)
    copy.git("init", "--quiet", "--initial-branch=main")
    (folder / ".git" / "info" / "exclude").write_text(".package\nbuild\n", encoding="utf-8")
    copy.commit("base")
    pytest = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
    for branch in BRANCHES:
        copy.git("checkout", "--quiet", "-b", branch, "main")
        begin, written = time.monotonic(), add_units(folder, branch)
        copy.python("docs/generate.py")
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
    print(f"conflicts: {', '.join(conflicts) or 'none'}")
    if conflicts:
        return 1
    copy.python("docs/generate.py")
    print(f"written again by `make docs`: {', '.join(copy.changed()) or 'none'}")
    ids = [rule for rule, _ in BRANCHES.values()]
    words = ",".join([*ids, *(f"zz_{branch},log/zz_{branch}" for branch in BRANCHES)])
    codes = []
    for what, arguments in (
        ("tests about the new units", ("tests", "--only", words)),
        (
            "house",
            (
                "tests/test_house.py",
                "-k",
                f"{' or '.join([*ids, 'zz_', 'changelog', 'generated', 'scenario', 'story', 'unique', 'links'])}",
            ),
        ),
        ("goldens of a scenario that they do not concern", ("tests/test_scenarios.py", "-k", "pool_exhausted")),
    ):
        code, last = copy.python(*pytest, *arguments)
        codes.append(code)
        print(f"{what}: {last}")
    return int(any(codes))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True)
        sys.exit(run(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as name:
        sys.exit(run(Path(name)))
