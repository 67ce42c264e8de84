"""The command line. Importing this package is cheap: typer and its dependencies are loaded when a command runs."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from mqstat.base.formatting import escaped, on_one_line


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with a return code of the z/OS ladder."""
    # Imports and headers create hundreds of thousands of permanent objects; collecting garbage among them takes 5 % of
    # a small run.
    gc.set_threshold(100_000, 20, 100)
    # The threads of numpy's linear algebra, which no command uses, would take 0.1 s of processor time as they start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    from mqstat.base.scratch import end_at_signals

    end_at_signals()
    try:
        code = run(arguments)
    except KeyboardInterrupt:  # an interrupt before the command began
        code = _stopped()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()  # the reader has closed the pipe
    except OSError as error:
        if code != 16:
            sys.stderr.write(f"mqstat: {refused(error)}\n")
        code = 16
        _forget_output()
    _end(code)


def _end(code: int) -> NoReturn:
    """End the process after the functions that modules registered for the end.

    Python's own end would free every object one by one, which takes a tenth of a small run.
    """
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _stopped() -> int:
    """Report that a signal ended the command."""
    from mqstat.base.scratch import stopped_by

    name = stopped_by()
    sys.stderr.write(f"mqstat: stopped{f' by {name}' if name else ''}; temporary files were removed.\n")
    return 16


class _Closed(io.TextIOBase):
    """Replaces a standard output that the caller closed: the first write fails with a normal error."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


class _NoInput(io.TextIOBase):
    """Replaces a standard input that the caller closed: reading fails; it is not an empty file."""


def _open_closed_streams() -> None:
    """Replace the streams that the caller closed (`<&-`, `>&-`, `2>&-`): Python sets them to None."""
    streams: Any = sys
    if streams.stdin is None:
        os.open(os.devnull, os.O_RDONLY)  # takes descriptor 0, so that no file of a dataset becomes standard input
        streams.stdin = _NoInput()
    if streams.stdout is None:
        streams.stdout = _Closed()
    if streams.stderr is None:
        streams.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - as above


def _forget_output() -> None:
    """Keep the interpreter from reporting unread output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refused(error: OSError) -> str:
    """An operating system error as a sentence."""
    where = escaped(str(error.filename)) if error.filename is not None else "the output"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"there is no space left for {where}: {error.strerror}."
    return f"the system refused {where}: {escaped(error.strerror or str(error))}."


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its return code instead of ending the process."""
    import typer
    from typer.exceptions import TyperException

    from mqstat.base.checkout import check_parts
    from mqstat.base.errors import MqstatError
    from mqstat.base.scratch import stopped_by
    from mqstat.cli.app import command
    from mqstat.cli.limited import OUT_OF_MEMORY, is_out_of_memory
    from mqstat.render.formats import in_use

    in_use.set(None)
    try:
        check_parts()
        given = sys.argv[1:] if arguments is None else list(arguments)
        code = command(*given[:1])(given, prog_name="mqstat", standalone_mode=False)
        if stopped_by():
            return _stopped()
        return code if isinstance(code, int) else 0
    except typer.Exit as stop:
        if stopped_by():
            return _stopped()
        return 16 if stop.exit_code in (1, 2) else stop.exit_code
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # `mqstat` alone: its message is the page of help
            sys.stderr.write(f"{escaped(str(error), chr(10)).rstrip()}\n\nmqstat: Give a command.\n")
            return 16
        return _failed(on_one_line(_usage(error)), 16)
    except SystemExit:
        return 0  # typer raises this if the output is no longer read
    except (typer.Abort, KeyboardInterrupt):
        return _stopped()
    except MqstatError as error:
        if stopped_by():
            return _stopped()
        return _failed(on_one_line(str(error)), error.return_code)
    except BrokenPipeError:
        return 0
    except OSError as error:
        if stopped_by():
            return _stopped()
        if os.environ.get("MQSTAT_TRACEBACK"):
            raise
        return _failed(refused(error), 16)
    except Exception as error:
        if stopped_by():
            return _stopped()
        if is_out_of_memory(error):
            return _failed(OUT_OF_MEMORY, 16)
        if os.environ.get("MQSTAT_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        return _failed(f"unexpected error, please report it: {escaped(what)} (MQSTAT_TRACEBACK=1 shows where)", 16)


def _failed(message: str, code: int) -> int:
    """Report an error on standard error, and on standard output if the format has a line for it; the return code that
    the format has for this one.
    """
    from mqstat.render.formats import in_use

    sys.stderr.write(f"mqstat: {message}\n")
    used = in_use.get()
    if used is None:
        return code
    if used.failure is not None:
        with suppress(OSError):
            sys.stdout.write(used.failure(message) + "\n")
    return used.return_codes.get(code, code)


def _usage(error: Any) -> str:
    """One sentence with the error in the command line and the command that shows its help."""
    from mqstat.cli.commands import unknown_option

    context = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if context is not None and option is not None and hasattr(error, "possibilities"):
        return unknown_option(option, context)
    text = str(error.format_message() if hasattr(error, "format_message") else error).rstrip(".")
    return f"{text}; run: {context.command_path} --help" if context is not None else f"{text}."


__all__ = ["main", "run"]
