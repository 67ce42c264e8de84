"""The reports and the views under them: one SQL file each. Nothing is listed by hand; a file in a folder here is a
view, a picture or a report.

`views/` holds the facts, in which every derived column is defined once; every other folder is an area of reports.
"""

from __future__ import annotations
