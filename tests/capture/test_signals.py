"""``promptls capture`` ended by a signal, at several moments: nothing that it has started or written is left."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.capture.fakes import install, newest
from tests.limits import at_most

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only POSIX has signals")

# Tells the test its id and stays.
STAYS = "import os, time\nPath({fifo!r}).write_text(str(os.getpid()))\n{more}\ntime.sleep(600)"
STUBBORN = "import signal\nfor number in (1, 2, 15):\n    signal.signal(number, signal.SIG_IGN)"
CHILD = "if os.fork() == 0:\n    os.setsid()"
SENT = "from tests.capture.fakes import send\nsend('codex', {version!r}, LOG)\n"
# What is started in the background of a shell, or by nohup, ignores some: here, none.
HEED = "import signal\nfor number in (1, 2, 15):\n    signal.signal(number, signal.SIG_DFL)"
COMMAND = f"{HEED}\nimport sys\nfrom promptls.cli import main\nsys.exit(main(sys.argv[1:]))"
# Python that the command line runs first: the first call of a function tells the test, and waits for its signal.
AT = """
import os, signal
from promptls.wire import capture, run
def waiting(*given, real={name}):
    {name} = real
    with open({fifo!r}, "w") as fifo:
        fifo.write(str(os.getpid()))
    signal.pause()
    return real(*given)
{name} = waiting
"""


def _begin(place: Path, before: str = "") -> subprocess.Popen[bytes]:
    arguments = ["capture", "pkg/a.py", "--harness", "codex"]
    command = [sys.executable, "-c", f"{before}\n{COMMAND}", *arguments]
    return subprocess.Popen(command, cwd=place / "project", stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _ends(process: subprocess.Popen[bytes], place: Path, number: int) -> None:
    """What is left: nothing, and the code of a command that a signal has ended."""
    _, err = process.communicate()
    assert (process.returncode, err) == (128 + number, b"")
    assert list((place / "cache").iterdir()) == [], "the scratch home is gone"


@pytest.mark.parametrize(
    ("moment", "name"),
    [
        *(("start", name) for name in ("SIGINT", "SIGTERM", "SIGHUP")),
        *((moment, "SIGTERM") for moment in ("version", "stubborn", "children", "sent")),
        *(("version", "SIGINT"), ("sent", "SIGHUP")),
    ],
)
def test_nothing_is_left(moment: str, name: str, place: Path) -> None:
    fifo = str(place / "fifo")
    os.mkfifo(fifo)
    more = {"stubborn": STUBBORN, "children": CHILD}.get(moment, "")
    stays = STAYS.format(fifo=fifo, more=more)
    before = SENT.format(version=newest("codex")) if moment == "sent" else ""
    path = install(place / "bin", "codex", version=newest("codex"), instead=f"{before}{stays}")
    if moment == "version":
        path.write_text(path.read_text("utf-8").replace("if '--version'", f"{stays}\nif '--version'"), "utf-8")
    number = getattr(signal, name)
    with at_most(60):
        process = _begin(place)
        inside = int(Path(fifo).read_text("utf-8"))
        process.send_signal(number)
        _ends(process, place, number)
    assert not _runs(inside), "the program is ended"


@pytest.mark.parametrize("name", ["capture.write", "run._end", "run.remove"])
def test_a_signal_while_the_home_is_made_or_deleted(name: str, place: Path) -> None:
    fifo = str(place / "fifo")
    os.mkfifo(fifo)
    install(place / "bin", "codex", version=newest("codex"))
    with at_most(60):
        process = _begin(place, AT.format(name=name, fifo=fifo))
        Path(fifo).read_text("utf-8")
        process.send_signal(signal.SIGTERM)
        _ends(process, place, signal.SIGTERM)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="elsewhere one cannot wait for such a process")
def test_the_home_is_deleted_where_nobody_can_clean_up(place: Path) -> None:
    fifo = str(place / "fifo")
    os.mkfifo(fifo)
    ids = "f'{os.getpid()} {os.getppid()}'"
    stays = STAYS.format(fifo=fifo, more="").replace("str(os.getpid())", ids)
    install(place / "bin", "codex", version=newest("codex"), instead=stays)
    with at_most(60):
        process = _begin(place)
        inside, above = map(int, Path(fifo).read_text("utf-8").split())
        runner = os.pidfd_open(above)
        process.kill()
        process.communicate()
        select.select([runner], [], [])
        os.close(runner)
    assert not _runs(inside), "the program is ended"
    assert list((place / "cache").iterdir()) == []


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
