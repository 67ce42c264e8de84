"""Object stores for tests: objects in a local folder, and S3 on a local server."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mqstat.base import object_store
from mqstat.dataset.place import ObjectPlace


def in_folder(patch: pytest.MonkeyPatch, folder: Path) -> ObjectPlace:
    """A place whose objects are files of a local folder; `s3://test/set` names it in this process."""
    from obstore.store import LocalStore

    store = LocalStore(folder, mkdir=True)
    patch.setattr(object_store, "store_of", lambda _: store)
    return ObjectPlace("s3://test/set")


def faulty(patch: pytest.MonkeyPatch) -> None:
    """Have every put carried out and answered with a timeout."""
    send = ObjectPlace.send

    def late(self: ObjectPlace, path: str, data: Any, *, create: bool) -> None:
        send(self, path, data, create=create)
        raise TimeoutError(path)

    patch.setattr(ObjectPlace, "send", late)


def hooked(patch: pytest.MonkeyPatch, act: Callable[[int, str, str], None]) -> list[str]:
    """Have every request that changes objects named; `act` gets its number, kind and path before it happens."""
    calls: list[str] = []
    numbering = threading.Lock()  # several files are put at the same time
    send, remove = ObjectPlace.send, ObjectPlace.remove

    def note(kind: str, path: str) -> None:
        with numbering:
            calls.append(f"{kind} {path}")
            number = len(calls)
        act(number, kind, path)

    def sending(self: ObjectPlace, path: str, data: Any, *, create: bool) -> None:
        note("create" if create else "put", path)
        send(self, path, data, create=create)

    def removing(self: ObjectPlace, paths: Any) -> None:
        note("remove", paths[0])
        remove(self, paths)

    patch.setattr(ObjectPlace, "send", sending)
    patch.setattr(ObjectPlace, "remove", removing)
    return calls


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """A server of S3 on this machine with the bucket `test`; the variables of the environment with which mqstat uses it."""
    code = (
        "import time; from moto.server import ThreadedMotoServer; s = ThreadedMotoServer('127.0.0.1', 0, verbose=False); s.start(); "
        "print(s.get_host_and_port()[1], flush=True); time.sleep(3600)"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        if server.stdout is None:
            raise RuntimeError("the server has no output")
        address = f"http://127.0.0.1:{int(server.stdout.readline())}"
        for _ in range(100):
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}/test", method="PUT")).close()  # noqa: S310 - our own server
                break
            except OSError:
                time.sleep(0.1)
        yield os.environ | {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": address,
        }
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()
