"""Dashboards and index templates against the types that their makers publish as npm packages, with the compiler of
TypeScript.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.dashboard import panels
from mqstat.assemble.index_templates import index_templates
from mqstat.render.grafana import dashboards

PACKAGES = {"@grafana/schema": "13.2.3", "@elastic/elasticsearch": "9.4.3", "typescript": "7.0.2"}
FOLDER = Path(__file__).resolve().parent.parent.parent / "build" / "types"

HEAD = """
import type { AnnotationQuery, Dashboard, DataQuery } from '@grafana/schema';
import type { FieldConfig, Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import type { estypes } from '@elastic/elasticsearch';
// JSON has the values of enumerations, not their names.
type Json<T> = T extends string ? `${T}` : T extends number | boolean | null | undefined ? T : T extends Array<infer U> ? Json<U>[] : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
type Annotation = Json<AnnotationQuery<DataQuery & { expr: string; interval: string }>> & { titleFormat: string; textFormat: string };
type Template = Omit<estypes.IndicesPutIndexTemplateRequest, 'name'>;
"""
"""The fields of an annotation that are those of the plugin for Prometheus are not among the published types."""


@pytest.fixture(scope="module")
def packages() -> Path:
    """A folder with the packages, which are installed once; skips without npm or its registry."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed; Debian has it as npm")
    known = FOLDER / "installed.json"
    if not known.is_file() or json.loads(known.read_text()) != PACKAGES:
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / "package.json").write_text("{}")
        wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", *wanted], cwd=FOLDER, capture_output=True, text=True, timeout=120)  # fmt: skip
        except subprocess.TimeoutExpired:
            pytest.skip("npm did not install the packages within two minutes: no network?")
        if done.returncode:
            pytest.skip(f"npm cannot install {', '.join(wanted)}: {done.stderr.splitlines()[:1]}")
        known.write_text(json.dumps(PACKAGES))
    return FOLDER


def errors(folder: Path, lines: Iterator[tuple[str, Any]]) -> str:
    """The errors of the compiler for values, each with its type."""
    text = HEAD + "".join(
        f"export const v{number}: {kind} = {json.dumps(value)};\n" for number, (kind, value) in enumerate(lines)
    )
    (folder / "check.ts").write_text(text)
    words = ["node_modules/.bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--moduleResolution", "bundler", "--module", "esnext", "--target", "es2022", "check.ts"]  # fmt: skip
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False).stdout


def typed(made: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """A dashboard, and the parts of it whose types are those of a plugin."""
    yield "Json<Dashboard>", {**made, "annotations": {"list": []}}
    for annotation in made["annotations"]["list"]:
        yield "Annotation", annotation
    for panel in made["panels"]:
        if panel["type"] == "timeseries":
            yield "Json<Options>", panel["options"]
            yield "Json<FieldConfig>", panel["fieldConfig"]["defaults"]["custom"]


def test_dashboards_have_the_types_of_grafana(packages: Path) -> None:
    files = dashboards(panels())
    assert len(files) == 2
    assert errors(packages, (value for dashboard in files.values() for value in typed(dashboard))) == ""


def test_index_templates_have_the_types_of_elastic(packages: Path) -> None:
    made = index_templates()
    assert errors(packages, (("Template", template) for template in made.values())) == ""


def test_wrong_values_are_found(packages: Path) -> None:
    """A panel of no known shape, a field and an option that do not exist: the check finds each."""
    made = dashboards(panels())["mqstat-pictures.json"]
    template = index_templates()["logs-mqstat"]
    wrong = [
        ("Json<Dashboard>", {**made, "annotations": {"list": []}, "pannels": []}),
        ("Json<Dashboard>", {"schemaVersion": "39"}),
        ("Json<Options>", {"legend": {"calcs": [], "displayMode": "listed", "placement": "bottom"}}),
        ("Template", {**template, "template": {"mappings": {"properties": {"at": {"type": "datum"}}}}}),
    ]
    found = errors(packages, iter(wrong))
    assert found.count("error TS") >= len(wrong)
