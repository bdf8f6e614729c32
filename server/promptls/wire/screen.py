"""A terminal for a program on the screen: it shows what it likes, and somebody types.

Nothing is drawn. What the program says is kept as plain text, so that one can wait until it is quiet, answer what it
asks first, and see that what was typed has arrived. A program may ask the terminal what it is; it gets an answer.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import struct
import threading
import time

from promptls.core.lazy import regex
from promptls.kit.launch import RETURN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROWS, COLUMNS = 50, 180
# Characters of what a program shows that are kept.
KEPT = 64 * 1024
# Seconds without a word after which a program waits for somebody, for what was typed to arrive, and before a return:
# a program takes what comes at once for something that was pasted.
QUIET, ARRIVES, PAUSE, POLL = 1.2, 4.0, 0.4, 0.05
# Seconds without a request after which the return is typed again, and how often.
AGAIN, TIMES = 12.0, 3
# Ctrl-U empties the line.
CLEAR = "\x15"
# A program that has asked for it is told where a text that is pasted begins and ends.
ASKS_FOR_PASTES, PASTED = b"\x1b[?2004h", "\x1b[200~{}\x1b[201~"
# The name of a command is typed, whatever is pasted behind it.
_NAMES_COMMAND = regex(r"[/!$]\S*\s+|")
# What a program asks a terminal, and the answer of a plain one.
ASKED: tuple[tuple[re.Pattern[bytes], bytes], ...] = (
    (regex(rb"\x1b\[6n"), b"\x1b[1;1R"),
    (regex(rb"\x1b\[0?c"), b"\x1b[?62;22c"),
    (regex(rb"\x1b\[>0?c"), b"\x1b[>0;0;0c"),
    (regex(rb"\x1b\[\?u"), b"\x1b[?0u"),
    (regex(rb"\x1b\[5n"), b"\x1b[0n"),
    (regex(rb"\x1b\]10;\?"), b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\"),
    (regex(rb"\x1b\]11;\?"), b"\x1b]11;rgb:1111/1111/1111\x1b\\"),
)
# Commands of a terminal, and what is between a title's.
_COMMAND = regex(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[?][0-?]*[ -/]*[@-~]|\x1b[PX^_][^\x1b]*\x1b\\|\x1b.", re.DOTALL
)
# What is left of a command whose beginning was forgotten.
_REST = regex(r"\A[\d;:?]*[\d;][A-Za-z]")
_BLANK = regex(r"\s+")
_ENDS_IN_MENTION = regex(r"(?:^|\s)@\S+$")
# Characters of what it has shown last.
LAST = 160


class Screen:
    """A terminal. ``dialogs``: what a program may ask first, as an expression, with the keys that answer it.

    ``after_paste``: as in ``kit.launch.OnScreen``.
    """

    def __init__(self, dialogs: Sequence[tuple[str, str]] = (), after_paste: str = "") -> None:
        """Open it. ``program`` is the side that the program gets; ``give`` closes it here."""
        import pty  # noqa: PLC0415 - only POSIX has it

        self._master, self.program = pty.openpty()
        os.set_blocking(self._master, False)  # a program that is busy may take no more of what is typed
        _measure(self.program)
        self._dialogs = [(re.compile(pattern), keys) for pattern, keys in dialogs]
        self._after_paste = after_paste
        self._takes_pastes = False
        self._listens = self._is_closed = False
        self._output = ""
        self._heard_at = time.monotonic()
        self._changed = threading.Condition()

    def give(self) -> None:
        """The program has its side."""
        os.close(self.program)

    def close(self) -> None:
        """Close this side. Who listens does it at the end, as a number that is free may be another screen's at once."""
        with self._changed:
            if not self._is_closed and not self._listens:
                os.close(self._master)
            self._is_closed = True

    def listen(self, heard: Callable[[bytes], None]) -> None:
        """Keep what is shown, and answer what is asked, until the program has gone or this side is closed."""
        with self._changed:
            if self._is_closed:
                return
            self._listens = True
        try:
            self._hear(heard)
        finally:
            with self._changed:
                self._listens = False
                if self._is_closed:
                    os.close(self._master)

    def _hear(self, heard: Callable[[bytes], None]) -> None:
        end = b""
        while not self._is_closed:
            try:
                if not select.select([self._master], [], [], POLL)[0]:
                    continue
                data = os.read(self._master, KEPT)
            except BlockingIOError:
                continue
            except OSError:  # the program has gone
                return
            if not data:
                return
            heard(data)
            self._takes_pastes |= ASKS_FOR_PASTES in end + data
            end = (end + data)[1 - len(ASKS_FOR_PASTES) :]
            for asked, answer in ASKED:
                for _ in asked.findall(data):
                    self._press(answer)
            with self._changed:
                self._output = (self._output + data.decode("utf-8", "replace"))[-KEPT:]
                self._heard_at = time.monotonic()
                self._changed.notify_all()

    def type(self, text: str, has_ended: Callable[[], bool], until: float) -> None:
        """Type a line once the program waits for one; what it asks first is answered."""
        self._wait(has_ended, until)
        self._forget()
        wanted = _BLANK.sub("", text)
        # Where a mention ends it, a list is open, and return would take what is first in that; a blank is not sent.
        text += " " * bool(_ENDS_IN_MENTION.search(text))
        # A long text is never shown whole: it has arrived when nothing more is drawn.
        is_long = len(text) > COLUMNS
        draws = until if is_long else 0.0
        is_pasted = is_long and self._takes_pastes
        if is_pasted:
            text = _pasted(text)
        for number in range(TIMES):
            # What is slow to draw may have taken it all the same.
            self._press(f"{CLEAR if number else ''}{text}".encode(), until, has_ended)
            arrives = time.monotonic() + ARRIVES
            while (
                wanted not in self._shown()
                and not has_ended()
                and time.monotonic() < max(arrives, min(draws, self._heard_at + QUIET))
            ):
                time.sleep(POLL)
            # What draws nothing has not taken it.
            if self._output or has_ended():
                break
        time.sleep(PAUSE)
        if is_pasted and self._after_paste:
            self._press(self._after_paste.encode())
            time.sleep(PAUSE)
        self._press(RETURN.encode())

    def press(self, keys: Sequence[str], has_ended: Callable[[], bool], until: float) -> None:
        """Press keys, one after the other, once the program waits for somebody."""
        self._wait(has_ended, until)
        for key in keys:
            self._press(key.encode())
            time.sleep(PAUSE)

    def _wait(self, has_ended: Callable[[], bool], until: float) -> None:
        """Wait until the program waits for somebody; what it asks first is answered."""
        while not self._is_ready() and not has_ended() and time.monotonic() < until:
            time.sleep(POLL)

    @property
    def output(self) -> str:
        """The words that it has shown last, without what it draws."""
        words = _COMMAND.sub(" ", _REST.sub("", self._output)).split()
        return " ".join(word for word in words if any(map(str.isalnum, word)))[-LAST:]

    def again(self) -> None:
        """Type the return again: something else had the keyboard."""
        if not self._answered():
            self._press(RETURN.encode())

    def _is_ready(self) -> bool:
        """Whether it shows something, is quiet, and asks nothing that is to be answered."""
        if not self._shown() or time.monotonic() - self._heard_at < QUIET:
            return False
        return not self._answered()

    def _answered(self) -> bool:
        """Whether there was a question; it is answered."""
        shown = self._shown()
        for pattern, keys in self._dialogs:
            if pattern.search(shown):
                self._forget()
                for key in keys.split("|"):
                    self._press(key.encode())
                    time.sleep(PAUSE)
                return True
        return False

    def _shown(self) -> str:
        """What it has shown since something was typed, without blanks: programs move the cursor instead."""
        return _BLANK.sub("", _COMMAND.sub("", self._output))

    def _forget(self) -> None:
        with self._changed:
            self._output = ""
            self._heard_at = time.monotonic()

    def _press(self, keys: bytes, until: float = 0.0, has_ended: Callable[[], bool] = lambda: False) -> None:
        """Type ``keys``, of a long text as much at a time as the program takes; without a time, only what it takes."""
        with contextlib.suppress(OSError):
            while keys:
                try:
                    keys = keys[os.write(self._master, keys) :]
                except BlockingIOError:
                    if has_ended() or time.monotonic() > until:
                        return
                    time.sleep(POLL)


def _pasted(text: str) -> str:
    """The keys for a long text, which nobody types: a program may take minutes to draw them, or lose the return."""
    name = _NAMES_COMMAND.match(text)
    at = name.end() if name is not None else 0
    return text[:at] + PASTED.format(text[at:])


def _measure(terminal: int) -> None:
    import fcntl  # noqa: PLC0415 - only POSIX has it
    import termios  # noqa: PLC0415 - the same

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
