"""The process that a program runs below: it encloses itself, serves the recorder, and ends the program with all of it.

It is told what to do by one line of JSON on standard input, a ``Job``, and answers with one on standard output, a
``Report``. It also ends everything when its standard input is closed: whoever wanted to know is gone.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time

from promptls.core.values import dataclass, field
from promptls.harnesses.program import PORT
from promptls.processes import descendants, end_all, memory
from promptls.streams import take_streams
from promptls.wire import enclosure
from promptls.wire.recorder import Recorder, Step, serving
from promptls.wire.replies import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    from promptls.wire.enclosure import Means

# Seconds for --version, between two requests, for a last word, and for an end that is asked for.
VERSION_SECONDS = 30.0
NEXT_SECONDS = 30.0
LAST_SECONDS = 0.3
END_SECONDS = 3.0
POLL = 0.05
# Bytes of what a program prints that are kept: its last ones.
TAIL = 64 * 1024
# Bytes of memory that a program may take with all that it starts, and of one file that it may write.
MOST_MEMORY = 6 * 1024**3
MOST_FILE = 1024**3
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: in texts ``PORT`` stands for the recorder's port.

    ``steps``: for each answer the calls to make. ``version``: an expression for what the program calls itself; it is
    asked unless its version is known.
    ``protected``: a directory that the program must not change, "" if it may; what it writes there goes to ``changes``.
    """

    command: str
    arguments: list[str]
    variables: dict[str, str]
    cwd: str
    settings: dict[str, str]
    version: str
    main: list[str]
    known_version: str = ""
    steps: list[list[dict[str, Any]]] = field(default_factory=list)
    wanted: int = 1
    patience: float = 60.0
    protected: str = ""
    changes: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it. ``end``: ``done``, ``exited``, ``late``, ``large``, ``other`` (another program), ``failed``.

    ``said`` is the last that the program printed; ``requests`` are the main ones, as JSON.
    """

    end: str
    means: Means = "asked"
    version: str = ""
    said: str = ""
    code: int | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    others: int = 0
    hosts: list[str] = field(default_factory=list)
    is_protected: bool = False


def main() -> None:
    """Do a job."""
    source, sink = take_streams()
    job = Job(**json.loads(source.readline()))
    report = _run(job, source)
    sink.write(json.dumps({name: getattr(report, name) for name in Report.__slots__}).encode() + b"\n")
    sink.flush()
    os._exit(0)


def _run(job: Job, source: IO[bytes]) -> Report:
    means: Means = "namespace" if enclosure.enter_namespace() else "asked"
    is_protected = means == "namespace" and bool(job.protected) and enclosure.protect(job.protected, job.changes)
    enclosure.adopt()
    _limit_files()
    gone = threading.Event()
    threading.Thread(target=_watch, args=(source, gone), daemon=True).start()
    steps = [[Step((ToolCall(call["name"], call["arguments"]),)) for call in step] for step in job.steps]
    recorder = Recorder(steps, main_tools=job.main)
    with serving(recorder) as port:
        if means == "asked" and enclosure.allow_only(port):
            means = "landlock"
        report = _program(job, recorder, port, gone)
    return _filled(report, recorder, means, is_protected)


def _program(job: Job, recorder: Recorder, port: int, gone: threading.Event) -> Report:
    """Ask the program for its version, then run it until it has said what is wanted."""
    version = job.known_version
    if not version:
        asked = _Program(job, ["--version"], port)
        is_late = not asked.wait(VERSION_SECONDS, gone)
        asked.end()
        found = re.search(job.version, asked.said.strip(), re.MULTILINE)
        if is_late or found is None:
            return Report("late" if is_late else "other", said=asked.said, code=asked.code)
        version = found[1]
    for path, text in job.settings.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(PORT, str(port)))
    program = _Program(job, job.arguments, port)
    try:
        end = _until(job, recorder, program, gone)
    finally:
        program.end()
    return Report(end, version=version, said=program.said, code=program.code)


def _until(job: Job, recorder: Recorder, program: _Program, gone: threading.Event) -> str:
    """Wait for the main requests that are wanted; why it is over."""
    known = 0
    until = time.monotonic() + job.patience
    while not gone.is_set():
        mains = len(recorder.mains)
        if mains >= job.wanted:
            time.sleep(LAST_SECONDS)
            return "done"
        if program.has_ended:
            return "exited"
        if mains > known:
            known, until = mains, time.monotonic() + NEXT_SECONDS
        if time.monotonic() > until:
            return "late"
        if memory(descendants()) > MOST_MEMORY:
            return "large"
        with recorder.changed:
            recorder.changed.wait(POLL * 4)
    return "late"


class _Program:
    """A program at work, with the end of what it prints. Nobody answers its questions."""

    def __init__(self, job: Job, arguments: list[str], port: int) -> None:
        def filled(text: str) -> str:
            return text.replace(PORT, str(port))

        proxy = f"http://{'127.0.0.1'}:{port}"
        variables = {name: filled(value) for name, value in job.variables.items()}
        variables |= dict.fromkeys(PROXIES, proxy)
        variables |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "NODE_USE_ENV_PROXY": "1"}
        self._tail = b""
        self._process = subprocess.Popen(
            [job.command, *map(filled, arguments)],
            cwd=job.cwd,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def code(self) -> int | None:
        return self._process.returncode

    @property
    def said(self) -> str:
        return self._tail.decode("utf-8", "replace")

    def wait(self, seconds: float, gone: threading.Event) -> bool:
        """Whether it has ended within so many seconds."""
        until = time.monotonic() + seconds
        while not self.has_ended:
            if gone.is_set() or time.monotonic() > until:
                return False
            time.sleep(POLL)
        return True

    def end(self) -> None:
        """End it, with all that it has started."""
        end_all(self._process, END_SECONDS)
        self._listener.join(1)

    def _listen(self) -> None:
        output = self._process.stdout
        while output is not None and (data := os.read(output.fileno(), TAIL)):
            self._tail = (self._tail + data)[-TAIL:]


def _watch(source: IO[bytes], gone: threading.Event) -> None:
    source.read(1)
    gone.set()


def _filled(report: Report, recorder: Recorder, means: Means, is_protected: bool) -> Report:
    mains = recorder.mains
    return Report(
        report.end,
        means,
        report.version,
        report.said,
        report.code,
        [{"path": each.path, "kind": each.kind, "model": each.model, "body": each.body} for each in mains],
        len(recorder.requests) - len(mains),
        recorder.hosts,
        is_protected,
    )


def _limit_files() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - only POSIX has it

        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        most = MOST_FILE if hard == resource.RLIM_INFINITY else min(MOST_FILE, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
