"""`mqstat sbom`: what is installed for mqstat, and nothing else, as CycloneDX."""

from __future__ import annotations

import json
import re
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mqstat.cli import run


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("sbom") / "sbom.json"
    assert run(["sbom", "--into", str(path)]) == 0
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def needed_by(name: str, extras: frozenset[str]) -> set[tuple[str, frozenset[str]]]:
    """The requirements of a distribution that apply here, read with the library that pip uses."""
    out = set()
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        environments: list[dict[str, str]] = [{"extra": extra} for extra in ("", *extras)]
        applies = requirement.marker is None or any(requirement.marker.evaluate(each) for each in environments)
        if applies and any(distributions(name=requirement.name)):  # an extra may not be installed
            out.add((str(canonicalize_name(requirement.name)), frozenset(requirement.extras)))
    return out


def test_it_lists_what_the_requirements_reach(document: dict[str, Any]) -> None:
    waiting, seen = {("mqstat", frozenset({"signature", "delta", "postgresql", "store"}))}, set()
    while waiting:
        seen |= waiting
        waiting = {each for pair in waiting for each in needed_by(*pair)} - seen
    names = {name for name, _ in seen} - {"mqstat"}
    listed = {each["name"]: each["version"] for each in document["components"]}
    assert {"duckdb", "pyarrow", "markupsafe", "cryptography"} <= names
    assert listed == {name: distribution(name).version for name in names}
    assert "pytest" not in listed


def test_it_is_a_cyclonedx_document(document: dict[str, Any]) -> None:
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch("urn:uuid:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", document["serialNumber"])
    main, components = document["metadata"]["component"], document["components"]
    assert main["purl"] == f"pkg:pypi/mqstat@{main['version']}"
    references = [main["bom-ref"], *(each["bom-ref"] for each in components)]
    assert len({*references}) == len(references)
    assert {each["ref"] for each in document["dependencies"]} == {*references}
    assert all({*each["dependsOn"]} <= {*references} for each in document["dependencies"])
    (own,) = (each["dependsOn"] for each in document["dependencies"] if each["ref"] == main["bom-ref"])
    assert {f"pkg:pypi/duckdb@{distribution('duckdb').version}"} <= {*own}
    for each in components:
        assert each["type"] == "library"
        assert each["purl"] == each["bom-ref"] == f"pkg:pypi/{each['name']}@{each['version']}"
        assert each["licenses"], each["name"]
        assert re.fullmatch("[0-9a-f]{64}", each["properties"][0]["value"])


def test_the_same_installation_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    made = []
    for _ in range(2):
        assert run(["sbom"]) == 0
        made.append(capsys.readouterr().out)
    assert made[0] == made[1]
    assert not Path("sbom.json").exists()
