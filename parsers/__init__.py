"""Layouts of the IBM MQ SMF structures, and what decodes them.

`LAYOUTS` holds every layout by name; a new module in `parsers/layouts` is found without being listed anywhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator

from mqstat.base.errors import LayoutError
from mqstat.parsers import layouts
from mqstat.parsers.kit import Field, Layout


def _all_layouts() -> Iterator[Layout]:
    for module_info in pkgutil.iter_modules(layouts.__path__):
        module = importlib.import_module(f"{layouts.__name__}.{module_info.name}")
        yield from (value for value in vars(module).values() if isinstance(value, Layout))


def by_name(candidates: Iterable[Layout]) -> dict[str, Layout]:
    """Layouts by name, in the order of the names.

    Raises LayoutError when two of them have the same name or claim the same triplet of the same record.
    """
    named: dict[str, Layout] = {}
    claimed: dict[tuple[int, int, int], str] = {}
    for layout in candidates:
        if layout.name in named:
            raise LayoutError(f"two layouts have the name {layout.name}")
        named[layout.name] = layout
        for route in layout.routes:
            smf_type, subtype, triplet = route
            if route in claimed:
                raise LayoutError(
                    f"{claimed[route]} and {layout.name} both claim triplet {triplet} of SMF {smf_type} subtype {subtype}"
                )
            claimed[route] = layout.name
    return dict(sorted(named.items()))


LAYOUTS: dict[str, Layout] = by_name(_all_layouts())
"""Every layout, by name of the structure."""


def field_of(structure: str, name: str) -> Field:
    """A field of a structure by their names: for modules that read some fields before their sections are decoded."""
    return LAYOUTS[structure].members[name][1]
