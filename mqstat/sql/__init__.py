"""SQL files, the site facts that they read, and the database over decoded tables."""

from __future__ import annotations
