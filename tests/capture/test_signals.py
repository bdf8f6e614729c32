"""``promptls capture`` ended by a signal, at several moments: nothing that it has started or written is left."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from promptls.wire import run
from tests.capture.fakes import install, is_held, newest
from tests.limits import at_most

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only POSIX has signals")

# Tells the test that it runs, and stays.
STAYS = """
import os, time
from tests.capture.fakes import hold
hold(Path(LOG).parent / "held")
Path({fifo!r}).write_text("here")
{more}
time.sleep(600)
"""
STUBBORN = "import signal\nfor number in (1, 2, 15):\n    signal.signal(number, signal.SIG_IGN)"
CHILD = "if os.fork() == 0:\n    os.setsid()"
SENT = "from tests.capture.fakes import send\nsend('codex', {version!r}, LOG)\n"
# What is started in the background of a shell, or by nohup, ignores some: here, none.
HEED = "import signal\nfor number in (1, 2, 15):\n    signal.signal(number, signal.SIG_DFL)"
TESTS = str(Path(__file__).parents[2])
LET_IN = f"import sys\nfrom pathlib import Path\nsys.path.append({TESTS!r})\nfrom tests.capture.fakes import let_in"
COMMAND = f"{HEED}\nimport sys\nfrom promptls.cli import main\nsys.exit(main(sys.argv[1:]))"
# Python that the command line runs first: the first call of a function tells the test, and waits for its signal.
AT = """
import os, signal
from promptls.wire import capture, run
def waiting(*given, real={name}, **named):
    {name} = real
    with open({fifo!r}, "w") as fifo:
        fifo.write(str(os.getpid()))
    signal.pause()
    return real(*given, **named)
{name} = waiting
"""


def _fifo(place: Path) -> str:
    path = place / "bin" / "fifo"
    os.mkfifo(path)
    path.chmod(0o666)
    return str(path)


def _begin(place: Path, before: str = "") -> subprocess.Popen[bytes]:
    arguments = ["capture", "pkg/a.py", "--harness", "codex"]
    lets = f"{LET_IN}\nlet_in(Path({str(place / 'bin')!r}))"
    command = [sys.executable, "-c", f"{lets}\n{before}\n{COMMAND}", *arguments]
    return subprocess.Popen(command, cwd=place / "project", stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _heard(fifo: str, process: subprocess.Popen[bytes]) -> bytes:
    """What is written to the FIFO; nothing if the process ends first."""
    handle = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while process.poll() is None:
            if select.select([handle], [], [], 0.1)[0] and (said := os.read(handle, 64)):
                return said
        return b""
    finally:
        os.close(handle)


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
    fifo = _fifo(place)
    more = {"stubborn": STUBBORN, "children": CHILD}.get(moment, "")
    stays = STAYS.format(fifo=fifo, more=more)
    before = SENT.format(version=newest("codex")) if moment == "sent" else ""
    path = install(place / "bin", "codex", version=newest("codex"), instead=f"{before}{stays}")
    if moment == "version":
        path.write_text(path.read_text("utf-8").replace("if '--version'", f"{stays}\nif '--version'"), "utf-8")
    number = getattr(signal, name)
    with at_most(60):
        process = _begin(place)
        assert _heard(fifo, process) == b"here"
        process.send_signal(number)
        _ends(process, place, number)
    assert not is_held(place / "bin" / "held"), "the program is ended"


@pytest.mark.parametrize("name", ["capture.lay_out", "run._end", "run.remove"])
def test_a_signal_while_the_home_is_made_or_deleted(name: str, place: Path) -> None:
    fifo = _fifo(place)
    install(place / "bin", "codex", version=newest("codex"))
    with at_most(60):
        process = _begin(place, AT.format(name=name, fifo=fifo))
        assert _heard(fifo, process)
        process.send_signal(signal.SIGTERM)
        _ends(process, place, signal.SIGTERM)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="elsewhere one cannot wait for such a process")
def test_the_home_is_deleted_where_nobody_can_clean_up(place: Path) -> None:
    fifo = _fifo(place)
    install(place / "bin", "codex", version=newest("codex"), instead=STAYS.format(fifo=fifo, more=""))
    with at_most(60):
        process = _begin(place)
        assert _heard(fifo, process) == b"here"
        [below] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("utf-8").split()
        runner = os.pidfd_open(int(below))
        process.kill()
        process.communicate()
        select.select([runner], [], [])
        os.close(runner)
    assert not is_held(place / "bin" / "held"), "the program is ended"
    assert list((place / "cache").iterdir()) == []


def test_what_a_killed_process_has_left_is_deleted_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = ["capture-old", "capture-new", "plold", "plnew", "plother"]
    for name in left:
        (tmp_path / name / "home").mkdir(parents=True)
        if name in ("plold", "plnew"):
            (tmp_path / name / run.MARK).touch()
        if not name.endswith("new"):
            os.utime(tmp_path / name, (0, 0))
    (tmp_path / "capture-link").symlink_to(tmp_path / "plother")
    with run.scratch_home() as home, run.short_directory() as short:
        kept = {"capture-new", "plnew", "plother", "capture-link", Path(home).name, Path(short).name}
        assert {each.name for each in tmp_path.iterdir()} == kept
    assert {each.name for each in tmp_path.iterdir()} == {"capture-new", "plnew", "plother", "capture-link"}
