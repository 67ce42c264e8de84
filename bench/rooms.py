"""What runs of the program: `python -m bench.rooms check DUMP` counts files, functions and climbs of one command.

A function is a code object that ran, comprehensions and bodies of classes too; a climb is a function that another one
in a lower room (`tests.rooms.LAYERS`) called.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.rooms import LAYERS


def counted(arguments: Sequence[str]) -> tuple[int, set[CodeType], set[tuple[str, str, str]]]:
    """The return code of a command, the functions that it ran, and its climbs: the lower room, the higher room, and the
    function there.
    """
    spec = find_spec("mqstat")
    assert spec is not None
    folders = [str(Path(each).resolve()) for each in spec.submodule_search_locations or ()]
    layers = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
    functions: set[CodeType] = set()
    climbs: set[tuple[str, str, str]] = set()
    rooms: dict[CodeType, str | None] = {}

    def room_of(code: CodeType) -> str | None:
        if code not in rooms:
            inside = next(
                (code.co_filename[len(each) + 1 :] for each in folders if code.co_filename.startswith(each)), None
            )
            rooms[code] = inside.partition("/")[0].removesuffix(".py") if inside else _of_other(code.co_filename)
        return rooms[code]

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>":
            return
        room = room_of(code)
        if room is None:
            return
        functions.add(code)
        caller = frame.f_back
        while caller is not None and room_of(caller.f_code) is None:
            caller = caller.f_back
        below = room_of(caller.f_code) if caller is not None else None
        if below is not None and layers.get(below, 99) < layers.get(room, -1):
            climbs.add((below, room, code.co_qualname))

    from mqstat.cli import run

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            code = run(list(arguments))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return code, functions, climbs


def _of_other(file: str) -> str | None:
    """The room of a file that the editable installation takes from the top of the repository."""
    root = str(Path(__file__).resolve().parent.parent)
    first = file[len(root) + 1 :].partition("/")[0] if file.startswith(root) else ""
    return first if first in ("parsers", "reports", "rules", "fixtures") else None


def main() -> None:
    """Print the counts, and each climb."""
    code, functions, climbs = counted(sys.argv[1:])
    print(
        f"return code {code}: {len({each.co_filename for each in functions})} files, {len(functions)} functions, {len(climbs)} climbs"
    )
    for climb in sorted(climbs):
        print("  {} -> {}: {}".format(*climb))


if __name__ == "__main__":
    main()
