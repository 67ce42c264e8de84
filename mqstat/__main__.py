"""`python -m mqstat`."""

from __future__ import annotations

from mqstat.cli import main

if __name__ == "__main__":
    main()
