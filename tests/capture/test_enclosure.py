"""What keeps a program from the network, where this system has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import at_most

# Each part runs in a process of its own, because there is no way back; it prints what came of it.
TRY = """
import socket, sys
from promptls.wire import enclosure
def reaches(port):
    with socket.socket() as there:
        there.settimeout(5)
        try:
            there.connect(("127.0.0.1", port))
        except OSError:
            return False
        return True
def listening():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    return server
"""
NAMESPACE = """
if not enclosure.enter_namespace():
    sys.exit("none here")
own = listening()
print(reaches(int(sys.argv[1])), reaches(own.getsockname()[1]), [name for _, name in socket.if_nameindex()])
"""
LANDLOCK = """
own, other = listening(), listening()
if not enclosure.allow_only(own.getsockname()[1]):
    sys.exit("none here")
print(reaches(int(sys.argv[1])), reaches(own.getsockname()[1]), reaches(other.getsockname()[1]))
"""
PROTECTED = """
if not enclosure.enter_namespace() or not enclosure.protect(sys.argv[1], sys.argv[1] + "-changes"):
    sys.exit("none here")
try:
    for name in ("new", "old"):
        open(sys.argv[1] + "/" + name, "w").close()
except OSError as error:
    assert error.strerror == "Read-only file system"
print("done")
"""


def test_a_namespace_has_no_way_out() -> None:
    assert _try(NAMESPACE).startswith("False True ['lo']")


def test_landlock_allows_one_port() -> None:
    assert _try(LANDLOCK) == "False True False"


@pytest.mark.parametrize("name", ["plain", "with, comma"])
def test_a_protected_folder_stays_as_it_is(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "old").write_text("text", encoding="utf-8")
    assert _try(PROTECTED, str(folder)) == "done"
    assert [(each.name, each.read_text(encoding="utf-8")) for each in folder.iterdir()] == [("old", "text")]


def _try(code: str, argument: str | None = None) -> str:
    import socket  # noqa: PLC0415 - only here

    with socket.create_server(("127.0.0.1", 0)) as server, at_most(30):
        given = argument or str(server.getsockname()[1])
        ran = subprocess.run(
            [sys.executable, "-c", TRY + code, given], capture_output=True, text=True, timeout=60, check=False
        )
    if ran.stderr.strip() == "none here":
        pytest.skip("this system has none")
    assert ran.stderr == ""
    return ran.stdout.strip()
