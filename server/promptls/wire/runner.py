"""The process that a program runs below: it encloses itself, serves the recorder, and ends the program with all of it.

It is told what to do by one line of JSON on standard input, a ``Job``, and answers with one on standard output, a
``Report``. It also ends everything, and deletes the scratch home, when its standard input is closed: whoever wanted to
know is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from itertools import accumulate

from promptls.core.values import dataclass, field
from promptls.harnesses.program import PORT
from promptls.processes import descendants, end_all, memory
from promptls.streams import take_streams
from promptls.wire import enclosure
from promptls.wire.recorder import MOST_BODY, Recorder, Step, serving
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

    ``arguments`` and ``steps``: for each turn a command line and, for each answer, the calls to make. ``version``: an
    expression for what the program calls itself; it is asked unless its version is known.
    ``launcher``: a command that is given ``command`` and its arguments, to start it; [] for none.
    ``printed``: where to write what the program prints, which is then taken for its request; "" for neither.
    ``etc``: a directory with files for /etc, "" for none. ``home``: the scratch home.
    ``protected``: a directory that the program must not change, "" if it may; what it writes there goes to ``changes``.
    """

    command: str
    arguments: list[list[str]]
    variables: dict[str, str]
    cwd: str
    settings: dict[str, str]
    version: str
    main: list[str]
    home: str = ""
    known_version: str = ""
    launcher: list[str] = field(default_factory=list)
    steps: list[list[list[dict[str, Any]]]] = field(default_factory=list)
    patience: float = 60.0
    binds: list[tuple[str, str]] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    protected: str = ""
    changes: str = ""
    etc: str = ""
    printed: str = ""

    @property
    def wanted(self) -> list[int]:
        """How many main requests are wanted by the end of each turn."""
        return list(accumulate(1 + len(steps) for steps in self.steps))


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it.

    ``end``: ``done``, ``exited``, ``late``, ``large``, ``failed``, ``other`` (another program), ``bare`` (the files for
    /etc could not be laid out). ``said`` is the last that the program printed; ``requests`` are the main ones, as JSON.
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
    line = source.readline()
    if not line:
        return
    job = Job(**json.loads(line))
    gone = threading.Event()
    report = _run(job, source, gone)
    if gone.is_set() and job.home:
        remove(job.home)
    with contextlib.suppress(BrokenPipeError):
        sink.write(json.dumps({name: getattr(report, name) for name in Report.__slots__}).encode() + b"\n")
        sink.flush()
    os._exit(0)


def remove(home: str) -> None:
    """Delete a scratch home. The layers of a workspace leave directories that even their owner may not enter."""
    for directory, names, _ in os.walk(home):
        for name in names:
            path = os.path.join(directory, name)
            if not os.path.islink(path):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    shutil.rmtree(home, ignore_errors=True)


def _run(job: Job, source: IO[bytes], gone: threading.Event) -> Report:
    means: Means = "namespace" if enclosure.enter_namespace() else "asked"
    if job.etc and not (means == "namespace" and enclosure.lay_over("/etc", job.etc)):
        return Report("bare", means)
    is_protected = means == "namespace" and bool(job.protected) and enclosure.protect(job.protected, job.changes)
    enclosure.adopt()
    _limit_files()
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: gone.set())
    threading.Thread(target=_watch, args=(source, gone), daemon=True).start()
    # Each turn ends with an answer that calls nothing.
    answers = [step for steps in job.steps for step in (*steps, [])]
    steps = [[Step((ToolCall(call["name"], call["arguments"]),)) for call in step] for step in answers]
    recorder = Recorder(steps, main_tools=job.main)
    with serving(recorder) as port:
        # What a launcher starts talks over ports of its own.
        if means == "asked" and not job.launcher and enclosure.allow_only(port):
            means = "landlock"
        report = _program(job, recorder, port, gone)
    return _filled(report, recorder, means, is_protected)


def _program(job: Job, recorder: Recorder, port: int, gone: threading.Event) -> Report:
    """Ask the program for its version, then run it for each turn until it has said what is wanted."""
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
    report = Report("failed", version=version)
    for number, (arguments, wanted) in enumerate(zip(job.arguments, job.wanted, strict=True), 1):
        program = _Program(job, arguments, port, job.printed)
        try:
            end = _until(job, wanted, recorder, program, gone)
            if job.printed and end == "exited":
                end = _take(job.printed, recorder)
            if end == "done" and number < len(job.arguments):
                # It writes down what the next turn takes up.
                program.wait(NEXT_SECONDS, gone)
        finally:
            program.end()
        report = Report(end, version=version, said=program.said, code=program.code)
        if end != "done":
            break
    return report


def _until(job: Job, wanted: int, recorder: Recorder, program: _Program, gone: threading.Event) -> str:
    """Wait for the main requests that are wanted; why it is over."""
    known = len(recorder.mains)
    until = time.monotonic() + job.patience
    while not gone.is_set():
        mains = len(recorder.mains)
        if mains >= wanted:
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


def _take(path: str, recorder: Recorder) -> str:
    """Take what a program has printed for a request; what to say of it."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BODY + 1)
        items = json.loads(data) if len(data) <= MOST_BODY else None
    except (OSError, ValueError, RecursionError):
        items = None
    if isinstance(items, list):
        recorder.take("POST", "/responses", {"input": items}, len(data))
    return "done" if recorder.mains else "exited"


class _Program:
    """A program at work, with the end of what it prints. Nobody answers its questions."""

    def __init__(self, job: Job, arguments: list[str], port: int, printed: str = "") -> None:
        def filled(text: str) -> str:
            return text.replace(PORT, str(port))

        proxy = f"http://{'127.0.0.1'}:{port}"
        variables = {name: filled(value) for name, value in job.variables.items()}
        variables |= dict.fromkeys(PROXIES, proxy)
        variables |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "NODE_USE_ENV_PROXY": "1"}
        self._tail = b""
        with contextlib.ExitStack() as opened:
            # Whole, and without its warnings.
            output = opened.enter_context(open(printed, "wb")) if printed else None
            self._process = subprocess.Popen(
                [*job.launcher, job.command, *map(filled, arguments)],
                cwd=job.cwd,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output or subprocess.PIPE,
                stderr=subprocess.PIPE if output else subprocess.STDOUT,
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
        output = self._process.stdout or self._process.stderr
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
