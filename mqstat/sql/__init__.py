"""SQL files, the facts of the site that they read, and the database over decoded tables."""

from __future__ import annotations
