"""A program at work: started in its enclosure, heard, typed to, and ended with all that it has started."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time

from promptls.kit.launch import PORT
from promptls.system.processes import end_all
from promptls.wire import enclosing
from promptls.wire.editor import Editor
from promptls.wire.enclosing import Order
from promptls.wire.enclosure import MOVES, SANDBOX, sandbox_profile
from promptls.wire.recorder import Recorder, serving
from promptls.wire.screen import Screen
from promptls.wire.visible_disk import Enclosure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Self

    from promptls.wire.job import Job

# What a program that has ended said last is waited for so long.
HEARD_SECONDS = 1.0
# Seconds that it has to end by itself, and between two looks at whether it has.
END_SECONDS = 3.0
POLL = 0.05
# Bytes of what a program prints that are kept: its last ones.
TAIL = 64 * 1024
# A program on the screen draws for this terminal; NO_COLOR would change what some of them ask it.
SCREEN_VARIABLES = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""}
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


class StartedProgram:
    """A program at work, with the end of what it prints. Nobody answers its questions. As a context it is ended."""

    def __init__(
        self,
        job: Job,
        arguments: list[str],
        port: int,
        recorder: Recorder,
        *,
        printed: IO[bytes] | None = None,
        piped: IO[bytes] | None = None,
    ) -> None:
        def filled(text: str) -> str:
            return text.replace(PORT, str(port))

        proxy = f"http://{'127.0.0.1'}:{port}"
        variables = {name: filled(value) for name, value in job.variables.items()}
        variables |= dict.fromkeys(PROXIES, proxy)
        variables |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "NODE_USE_ENV_PROXY": "1"}
        command = [*job.launcher, job.command, *map(filled, arguments)]
        # What is printed is taken whole, and without its warnings.
        stdout = printed.fileno() if printed is not None else subprocess.PIPE
        stderr = subprocess.PIPE if printed is not None else subprocess.STDOUT
        stdin = piped.fileno() if piped is not None else subprocess.DEVNULL
        self.screen: Screen | Editor | None = None
        if job.speaks is not None:
            self.screen = Editor(job.speaks, job.cwd, job.chosen)
            stdin, stdout, stderr = self.screen.given
        elif job.typed:
            self.screen = Screen(job.dialogs, job.after_paste)
            variables |= SCREEN_VARIABLES
            stdin = stdout = stderr = self.screen.program
        self._tail = b""
        self._started: enclosing.EnclosedProgram | None = None
        self._opened = contextlib.ExitStack()
        if job.means in MOVES:
            seen = Enclosure(tuple(job.binds), tuple(job.links))
            order = Order(command, job.cwd, variables, stdout, stderr, stdin)
            self._started = enclosing.start(job.means, seen, order)
            self._opened.enter_context(serving(recorder, listener=self._started.listener))
            self._process = self._started.process
        else:
            if job.means == "sandbox":
                command = [SANDBOX, "-p", sandbox_profile(Enclosure(tuple(job.binds)), port), *command]
            self._process = subprocess.Popen(
                command,
                cwd=job.cwd,
                env=variables,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        if self.screen is not None:
            self.screen.give()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        """Nothing more to do: it is at work."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, with all that it has started."""
        if self._started is not None:
            self._started.end()
        else:
            end_all(self._process, END_SECONDS)
        self._opened.close()
        # It hears that the program is gone. Only then is closed what it listens to: a free number is soon another's.
        self._listener.join(1)
        if self.screen is not None:
            self.screen.close()

    @property
    def has_ended(self) -> bool:
        """Whether its process is gone."""
        return self._process.poll() is not None

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None before its end was seen."""
        code = self._process.returncode
        # What encloses a program says so that a signal has ended it.
        return 128 - code if self._started is not None and code is not None and code > 128 else code  # noqa: PLR2004

    @property
    def output(self) -> str:
        """What it said last; of one that has ended, all of it, unless what it has started goes on with its output."""
        if self.has_ended:
            self._listener.join(HEARD_SECONDS)
        if self.screen is not None:
            return self.screen.output
        return self._tail.decode("utf-8", "replace")

    def wait(self, seconds: float, gone: threading.Event) -> bool:
        """Whether it has ended within so many seconds."""
        until = time.monotonic() + seconds
        while not self.has_ended:
            if gone.is_set() or time.monotonic() > until:
                return False
            time.sleep(POLL)
        return True

    def type(self, text: str, seconds: float, gone: threading.Event) -> None:
        """Type a line on its screen."""
        if self.screen is not None:
            self.screen.type(text, lambda: self.has_ended or gone.is_set(), time.monotonic() + seconds)

    def press(self, keys: list[str], seconds: float, gone: threading.Event) -> None:
        """Press keys on its screen."""
        if self.screen is not None and keys:
            self.screen.press(keys, lambda: self.has_ended or gone.is_set(), time.monotonic() + seconds)

    def _heard(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-TAIL:]

    def _listen(self) -> None:
        if self.screen is not None:
            self.screen.listen(self._heard)
            return
        output = self._process.stdout or self._process.stderr
        while output is not None and (data := os.read(output.fileno(), TAIL)):
            self._heard(data)
