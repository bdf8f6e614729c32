"""A terminal for a program: what it asks is answered, and what is typed arrives as from somebody at a keyboard."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from promptls.wire.screen import Screen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="only POSIX has terminals")
PATIENCE = 60.0
# It asks for the place of the cursor and then whether the folder is trusted, both as programs on the screen do, and
# writes down the lines that are typed. What was typed before it says that it listens is lost.
PROGRAM = r"""
import os, sys, termios, tty
tty.setraw(0)
os.write(1, b"\x1b[6n")
asked = b""
while not asked.endswith(b"R"):
    asked += os.read(0, 100)
os.write(1, b"\x1b[2J\x1b[1;1HDo you trust this \x1b[1mfolder\x1b[0m?")
answer = os.read(0, 100)
os.write(1, b"\x1b[2J\x1b[3;1H> ")
lines = [asked, answer]
for _ in range(2):
    line = b""
    while not line.endswith(b"\r"):
        key = os.read(0, 100)
        line += key
        os.write(1, key)
    lines.append(line.rpartition(b"\x15")[2])  # what was typed before the key that clears the line is gone
open(sys.argv[1], "wb").write(b"\n".join(lines))
"""


@contextmanager
def running(
    log: Path, program: str = PROGRAM, after_paste: str = ""
) -> Iterator[tuple[Screen, subprocess.Popen[bytes]]]:
    screen = Screen([("trustthisfolder", "y")], after_paste)
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(log)],
        stdin=screen.program,
        stdout=screen.program,
        stderr=screen.program,
        start_new_session=True,
    )
    screen.give()
    listener = threading.Thread(target=screen.listen, args=(lambda _: None,), daemon=True)
    listener.start()
    try:
        yield screen, process
    finally:
        process.kill()
        process.wait()
        screen.close()


def test_who_listens_to_a_screen_that_is_closed_hears_nothing_of_the_next() -> None:
    """The next one has the numbers that the first one had, as soon as they are free."""
    heard: list[bytes] = []
    first = Screen()
    listener = threading.Thread(target=first.listen, args=(heard.append,), daemon=True)
    listener.start()
    os.write(first.program, b"1")
    until = time.monotonic() + PATIENCE
    while not heard and time.monotonic() < until:
        time.sleep(0.01)
    first.close()
    following = Screen()
    first.give()
    listener.join(PATIENCE)
    assert not listener.is_alive()
    os.write(following.program, b"2")
    assert os.read(following._master, 10) == b"2"
    assert heard == [b"1"]
    following.give()
    following.close()


def test_lines_are_typed_one_after_the_other(tmp_path: Path) -> None:
    """A blank closes the list that a mention has opened."""
    log = tmp_path / "log"
    with running(log) as (screen, process):
        for line in ("say @ok", "/compact"):
            screen.type(line, lambda: process.poll() is not None, time.monotonic() + PATIENCE)
        assert process.wait(PATIENCE) == 0, screen.output
    assert log.read_bytes().split(b"\n") == [b"\x1b[1;1R", b"y", b"say @ok \r", b"/compact\r"]


def test_keys_are_pressed_before_a_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running(log) as (screen, process):
        screen.press(["\x1b[Z", "\x1b[Z"], lambda: process.poll() is not None, time.monotonic() + PATIENCE)
        for line in ("go", "on"):
            screen.type(line, lambda: process.poll() is not None, time.monotonic() + PATIENCE)
        assert process.wait(PATIENCE) == 0, screen.output
    assert log.read_bytes().split(b"\n")[2:] == [b"\x1b[Z\x1b[Zgo\r", b"on\r"]


# It draws all the time, as what shows that an agent is at work, and ends with the line that is typed.
DRAWS = r"""
import os, select, sys, tty
tty.setraw(0)
open(sys.argv[1] + ".listens", "w").close()
line = b""
while not line.endswith(b"\r"):
    os.write(1, b"\x1b[1;1H*")
    if select.select([0], [], [], 0.05)[0]:
        line += os.read(0, 100)
        os.write(1, line)
open(sys.argv[1], "wb").write(line)
"""


def test_a_program_that_never_stops_drawing_is_not_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    listens = Path(f"{log}.listens")
    os.mkfifo(listens)
    with running(log, DRAWS) as (screen, process):
        assert listens.read_bytes() == b""
        screen.type("two", lambda: process.poll() is not None, time.monotonic())
        assert process.wait(PATIENCE) == 0, screen.output
    assert log.read_bytes() == b"two\r"


def test_nobody_waits_for_a_program_that_has_ended() -> None:
    screen = Screen()
    screen.give()
    screen.type("say ok", lambda: True, time.monotonic() + PATIENCE)
    screen.close()
    assert screen.output == ""


# It draws, and never reads.
BUSY = r"""
import os, time, tty
tty.setraw(0)
os.write(1, b"> ")
while True:
    time.sleep(1)
"""


def test_a_program_that_takes_nothing_holds_nobody_up(tmp_path: Path) -> None:
    with running(tmp_path / "log", BUSY) as (screen, process):
        began = time.monotonic()
        screen.type("long " * 20_000, lambda: process.poll() is not None, began + 2.0)
        assert time.monotonic() - began < PATIENCE


# It reads slowly, and writes down how much it has read.
SLOW = r"""
import os, sys, tty
tty.setraw(0)
os.write(1, b"> ")
size = 0
while True:
    key = os.read(0, 512)
    size += len(key)
    os.write(1, b".")
    if key.endswith(b"\r"):
        break
open(sys.argv[1], "w").write(str(size))
"""


def test_a_long_text_is_typed_whole(tmp_path: Path) -> None:
    log, text = tmp_path / "log", "long " * 4_000  # a terminal takes a fifth of it at once
    with running(log, SLOW) as (screen, process):
        screen.type(text, lambda: process.poll() is not None, time.monotonic() + PATIENCE)
        assert process.wait(PATIENCE) == 0, screen.output
    assert log.read_text(encoding="utf-8") == str(len(text) + 1)


# It asks to be told what is pasted, and writes down the keys.
TAKES_PASTES = r"""
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"\x1b[?20")
time.sleep(0.05)
os.write(1, b"04h> ")
line = b""
while not line.endswith(b"\r"):
    key = os.read(0, 512)
    line += key
    os.write(1, b".")
open(sys.argv[1], "wb").write(line)
"""


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("words " * 40 + "end", b"\x1b[200~" + b"words " * 40 + b"end\x1b[201~\x7f\r"),
        ("/rev " + "words " * 40, b"/rev \x1b[200~" + b"words " * 40 + b"\x1b[201~\x7f\r"),
        ("say ok", b"say ok\r"),
    ],
    ids=["long", "command", "short"],
)
def test_a_long_text_is_pasted(tmp_path: Path, typed: str, keys: bytes) -> None:
    """The name of a command is typed, so that the program knows it for one."""
    log = tmp_path / "log"
    with running(log, TAKES_PASTES, "\x7f") as (screen, process):
        until = time.monotonic() + PATIENCE
        # What Python itself may say before is no prompt.
        while not screen._takes_pastes and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        screen.type(typed, lambda: process.poll() is not None, time.monotonic() + PATIENCE)
        assert process.wait(PATIENCE) == 0, screen.output
    assert log.read_bytes() == keys
