"""One module per IBM structure; the module, the layout and the table have the name of the structure."""

from __future__ import annotations
