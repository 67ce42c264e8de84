"""`mqstat.spark` and the Delta tables of a dataset in Spark 3.5 and 4, with a master and two workers; each version is
installed into build/spark when it is needed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from campaign.slices import FOLDER, ROOT

VERSIONS = ("3.5", "4")


def installed(version: str) -> Path:
    """The folder of a version of pyspark with what it needs; skips where it cannot be installed."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    folder = ROOT / "build" / "spark" / version
    if not (folder / "pyspark").exists():
        lock = FOLDER / "spark" / f"requirements-{version}.lock"
        options = ["-q", "--no-deps", "--require-hashes", "--no-build-isolation", "-r", str(lock)]
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=folder.parent))  # another worker may install the same
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options, "--target", str(part)], capture_output=True, encoding="utf-8"
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"pyspark {version} cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        with contextlib.suppress(OSError):  # the other worker was first
            part.rename(folder)
        shutil.rmtree(part, ignore_errors=True)
    return folder


@pytest.mark.parametrize("version", VERSIONS)
def test_spark(version: str) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(installed(version)), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", str(FOLDER / "spark" / "test_cluster.py")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout[-6000:]
    assert " passed" in done.stdout
