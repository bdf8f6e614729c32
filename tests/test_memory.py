"""What a process that runs for days takes of memory."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys

import pytest

# Threads that have taken something leave a place of their own: 64 MB of addresses, hardly any of which may be used yet.
CODE = """
import threading
from promptls.system.memory import share_memory
{act}
for _ in range(3):
    thread = threading.Thread(target=lambda: bytearray(100_000))
    thread.start()
    thread.join()
with open("/proc/self/maps") as file:
    print(file.read())
"""
PLACE = 60 * 1024 * 1024


def places(act: str) -> int:
    """The places that the threads of a process have, after ``act``."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MALLOC_", "GLIBC_"))}
    command = [sys.executable, "-c", CODE.format(act=act)]
    maps = subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=60).stdout
    unused = re.findall(r"^(\w+)-(\w+) ---p 00000000 00:00 0 *$", maps, re.MULTILINE)
    return sum(int(end, 16) - int(begin, 16) > PLACE for begin, end in unused)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory in other ways")
def test_threads_take_memory_from_one_place() -> None:
    assert (places("pass") > 0, places("share_memory()")) == (True, 0)
