"""A software bill of materials of this installation: mqstat and the distributions that it needs, from what is installed.

CycloneDX 1.6 as JSON, made with the standard library. The same installation gives the same bytes, so it has no time and no random number.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from mqstat.base.version import __version__

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_NAMESPACE = uuid.UUID("b0c2f0b4-54c4-5d4f-8a0f-6a2a5b8d7c11")


def sbom() -> str:
    """The document, as text that ends with a line feed."""
    needed = _needed("mqstat")
    known = {name: installed for name in needed if name != "mqstat" and (installed := _installed(name)) is not None}
    components = [_component(name, known[name]) for name in sorted(known)]
    main = {**_identity("mqstat", __version__), "type": "application", "licenses": [{"expression": "Apache-2.0"}]}
    links = [
        {
            "ref": _reference(name, version),
            "dependsOn": sorted(
                _reference(each, known[each].version) for each in needed.get(name, ()) if each in known
            ),
        }
        for name, version in [("mqstat", __version__), *((name, known[name].version) for name in sorted(known))]
    ]
    document: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": main},
        "components": components,
        "dependencies": links,
    }
    content = json.dumps(document, sort_keys=True)
    return json.dumps({"serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, content)}", **document}, indent=2) + "\n"


def _needed(root: str) -> dict[str, set[str]]:
    """`root` and each distribution that it needs, directly or not, with those that each needs itself; extras of `root` count if they are installed."""
    out: dict[str, set[str]] = {}
    waiting = [(root, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        installed = _installed(name)
        own = set() if installed is None else set(_requirements(installed, extras, optional=name == root))
        out.setdefault(name, set()).update(each for each, _ in own)
        waiting += own - seen
        seen |= own
    return out


def _requirements(
    installed: Distribution, extras: frozenset[str], *, optional: bool
) -> Iterator[tuple[str, frozenset[str]]]:
    """Names of the requirements of a distribution that are installed, each with its extras; optional: also those of extras that were not asked for.

    Other conditions, such as the operating system, need no evaluation: a requirement that does not apply here is not installed for it.
    """
    for line in installed.requires or ():
        match = _NAME.match(line)
        condition = line.partition(";")[2]
        extra = _EXTRA.search(condition)
        if match is None or (extra is not None and not optional and extra[1] not in extras):
            continue
        name = _normal(match[1])
        if _installed(name) is not None:
            yield name, frozenset(each.strip() for each in (match[2] or "").split(",") if each.strip())


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _normal(name: str) -> str:
    """The name as PyPI writes it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _reference(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _identity(name: str, version: str) -> dict[str, Any]:
    reference = _reference(name, version)
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference}


def _component(name: str, installed: Distribution) -> dict[str, Any]:
    out = _identity(name, installed.version)
    summary = _stated(installed, "summary")
    if summary:
        out["description"] = summary
    if licences := _licences(installed):
        out["licenses"] = licences
    recorded = installed.read_text("RECORD")
    if recorded:
        # The list of its files with their hashes: two installations of one wheel have the same.
        text = "\n".join(
            sorted(line for line in recorded.splitlines() if "sha256=" in line and ".dist-info/" not in line)
        )
        out["properties"] = [{"name": "mqstat:files-sha256", "value": hashlib.sha256(text.encode()).hexdigest()}]
    return out


def _stated(installed: Distribution, key: str) -> str:
    """One text of the metadata of a distribution, empty if it is not there."""
    value = installed.metadata.json.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def _licences(installed: Distribution) -> list[dict[str, Any]]:
    """What the distribution states: an SPDX expression, else a short text, else its classifiers."""
    expression = _stated(installed, "license_expression")
    if expression:
        return [{"expression": expression}]
    text = _stated(installed, "license")
    if text and "\n" not in text and len(text) < 60:
        return [{"license": {"name": text}}]
    stated = [
        each.rpartition(" :: ")[2]
        for each in installed.metadata.get_all("Classifier") or ()
        if each.startswith("License ::")
    ]
    return [{"license": {"name": each}} for each in stated]
