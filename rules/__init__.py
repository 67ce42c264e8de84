"""The rules: one SQL file each, judged by `mqstat.judge`. There is no list of rules: every SQL file in a folder here is
one.
"""

from __future__ import annotations
