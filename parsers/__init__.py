"""Layouts of the IBM MQ SMF structures, and what decodes them.

`LAYOUTS` holds every layout by name; a new module in `parsers/layouts` is found without being listed anywhere.
"""

from __future__ import annotations

import importlib
import pkgutil

from mqstat.errors import LayoutError
from mqstat.parsers import layouts
from mqstat.parsers.kit import Layout


def _find() -> dict[str, Layout]:
    found: dict[str, Layout] = {}
    routes: dict[tuple[int, int, int], str] = {}
    for module_info in pkgutil.iter_modules(layouts.__path__):
        module = importlib.import_module(f"{layouts.__name__}.{module_info.name}")
        for layout in vars(module).values():
            if not isinstance(layout, Layout):
                continue
            if layout.name in found:
                raise LayoutError(f"two layouts have the name {layout.name}")
            found[layout.name] = layout
            for route in layout.routes:
                if route in routes:
                    smf_type, subtype, triplet = route
                    raise LayoutError(
                        f"{routes[route]} and {layout.name} both claim SMF {smf_type} subtype {subtype}, triplet {triplet}"
                    )
                routes[route] = layout.name
    return dict(sorted(found.items()))


LAYOUTS: dict[str, Layout] = _find()
"""Every layout, by name of the structure."""
