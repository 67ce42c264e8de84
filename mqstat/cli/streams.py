"""Text streams that commands write to."""

from __future__ import annotations

from typing import TextIO

from mqstat.base.formatting import escaped


class Shown:
    """A text stream that never gets control characters, unless `raw` and it is not a terminal."""

    def __init__(self, stream: TextIO, *, raw: bool = False) -> None:
        self._stream, self._plain = stream, raw and not stream.isatty()

    def write(self, text: str) -> int:
        return self._stream.write(text if self._plain else escaped(text, "\n"))
