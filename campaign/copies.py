"""A copy of the tracked files, as they are now, in which tests run while something is changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from campaign.slices import ROOT

PACKAGES = ("parsers", "reports", "rules", "fixtures")


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
