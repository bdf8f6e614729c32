"""This machine as a host: its home, environment and clock, and the transforms installed beside promptls."""

from __future__ import annotations

import os
import sys
from functools import lru_cache

from promptls.core.host import NO_BUFFERS, Host, no_network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.host import Buffers, Fetch, Transform

TRANSFORMS = "promptls.transforms"


def local_host(*, fetch: Fetch = no_network, buffers: Buffers = NO_BUFFERS, sysroot: str = "") -> Host:
    """A host for one preview on this machine."""
    return Host(
        home=home(),
        env=os.environ,
        platform=sys.platform,
        fetch=fetch,
        buffers=buffers,
        sysroot=sysroot,
        transforms=transforms,
    )


def home() -> str:
    """The user's home directory, as the harnesses find it."""
    return os.path.expanduser("~")


@lru_cache(maxsize=1)
def transforms() -> Mapping[str, Transform]:
    """The installed transforms, by entry-point name; one that cannot be imported is replaced by its error."""
    if not _any_entry_point(TRANSFORMS):
        return {}
    from importlib.metadata import entry_points  # noqa: PLC0415 - costs as much as a whole preview

    return {point.name: _load(point.load) for point in sorted(entry_points(group=TRANSFORMS))}


def _load(load: object) -> Transform:
    try:
        transform: Transform = load()  # type: ignore[operator] # EntryPoint.load
    except Exception as error:  # noqa: BLE001 - it is somebody else's code
        failure = error

        def transform(_texts: list[str], _session: object) -> list[str]:
            raise failure

    return transform


def _any_entry_point(group: str) -> bool:
    """Whether any installed distribution names ``group``; reads a few small files instead of importing a parser."""
    wanted = f"[{group}]".encode()
    for directory in dict.fromkeys(sys.path):
        try:
            names = os.listdir(directory or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(directory, name, "entry_points.txt"), "rb") as file:
                        if wanted in file.read():
                            return True
                except OSError:
                    continue
    return False
