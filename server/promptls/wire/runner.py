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
import sys
import tempfile
import threading
import time

from promptls.core.values import replace
from promptls.kit.launch import PORT
from promptls.system.processes import descendants, memory
from promptls.system.streams import take_streams
from promptls.wire import enclosing, linux
from promptls.wire.enclosing import EncloseError
from promptls.wire.enclosure import MOVES, PORT_INSIDE
from promptls.wire.job import Job, Report
from promptls.wire.recorder import MOST_BODY, Planned, Recorder, Step, serving
from promptls.wire.replies import ToolCall
from promptls.wire.screen import AGAIN, TIMES
from promptls.wire.started_program import POLL, StartedProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from promptls.wire.enclosure import Means

# Seconds for --version, between two requests, for a last word, and for an end that is asked for.
VERSION_SECONDS = 30.0
NEXT_SECONDS = 30.0
LAST_SECONDS = 0.3
# Seconds after which one that has answered gets the next prompt though it still draws, as that an agent is at work.
DRAWS_SECONDS = 8.0
# Requests of a program of which nobody knows how often it asks.
MOST_ASKED = 20
MOST_PATHS = 20
WITHOUT_TOOLS = 4
# Bytes of memory that a program may take with all that it starts, and of one file that it may write.
MOST_MEMORY = 6 * 1024**3
MOST_FILE = 1024**3


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
    """Delete a scratch home. A program may leave directories that even their owner may not enter."""
    for directory, names, _ in os.walk(home):
        for name in names:
            path = os.path.join(directory, name)
            if not os.path.islink(path):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    shutil.rmtree(home, ignore_errors=True)


def _run(job: Job, source: IO[bytes], gone: threading.Event) -> Report:
    if sys.platform.startswith("linux"):
        linux.adopt()
    _limit_files()
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: gone.set())
    threading.Thread(target=_watch, args=(source, gone), daemon=True).start()
    planned = [_planned(each) for turn in job.answers for each in turn]
    planned += [Planned((Step(read=each),)) for each in job.reads]
    recorder = Recorder(
        planned, main_tools=job.main, aside=job.aside, asks=job.asks, tasks=job.tasks, progress=job.progress
    )
    means = job.means
    try:
        if means in MOVES:
            report = _program(job, recorder, PORT_INSIDE, gone)
        else:
            with serving(recorder) as port:
                # What a launcher starts talks over ports of its own.
                if means == "landlock" and (job.launcher or not enclosing.limit(job.binds, port)):
                    means = "asked"
                report = _program(job, recorder, port, gone)
    except EncloseError as error:
        report = Report("open", output=str(error))
    return _filled(report, recorder, means)


def _planned(answer: dict[str, Any]) -> Planned:
    steps = tuple(Step(tuple(ToolCall(*way) for way in ways)) for ways in answer["ways"])
    if answer["ends"]:
        steps = (*steps, Step(ends=answer["ends"]))
    return Planned(steps, **{name: value for name, value in answer.items() if name not in ("ways", "ends")})


def _program(job: Job, recorder: Recorder, port: int, gone: threading.Event) -> Report:
    """Ask the program for its version, then run it for each turn until it has said what is wanted."""
    # Before anything of the program runs, which could put a link in their place.
    for path, text in job.settings.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(PORT, str(port)))
    if job.means in MOVES:
        enclosing.give_away(job.home)
    version = job.known_version
    if not version:
        with StartedProgram(job, ["--version"], port, recorder) as asked:
            is_late = not asked.wait(VERSION_SECONDS, gone)
        found = re.search(job.version, asked.output.strip(), re.MULTILINE)
        if is_late or found is None:
            return Report("late" if is_late else "other", output=asked.output, code=asked.code)
        version = found[1]
    return _turns(job, recorder, port, gone, version)


def _turns(job: Job, recorder: Recorder, port: int, gone: threading.Event, version: str) -> Report:
    """Run the program for each turn, or type that into the one that runs."""
    report = Report("failed", version=version)
    with contextlib.ExitStack() as running:
        program = None
        for number, (arguments, wanted) in enumerate(zip(job.arguments, job.wanted, strict=True), 1):
            is_last = number == len(job.arguments)
            recorder.allow(len(job.answers[number - 1]) + len(job.reads))
            draws = job.patience if arguments is not None or program is None else DRAWS_SECONDS
            if arguments is not None or program is None:
                running.close()
                printed = running.enter_context(tempfile.TemporaryFile()) if job.printed else None
                piped = running.enter_context(_piped(job, number))
                started = StartedProgram(job, arguments or [], port, recorder, printed=printed, piped=piped)
                program = running.enter_context(started)
            if job.typed and number == 1:
                program.press(job.keys, job.patience, gone)
            if job.typed:
                program.type(job.typed[number - 1], draws, gone)
            until = _until_quiet(job, recorder, program, gone) if job.quiet else None
            end = until or _until(job, wanted, recorder, program, gone)
            if printed is not None and end == "exited":
                end = _take_printed(printed, recorder)
            if end == "done" and not is_last and job.arguments[number] is not None:
                # It writes down what the next turn takes up.
                if job.typed and job.leaves:
                    program.type(job.leaves, NEXT_SECONDS, gone)
                program.wait(NEXT_SECONDS, gone)
            report = Report(end, version=version, output=program.output, code=program.code)
            if end != "done":
                break
    return replace(report, code=program.code) if program is not None else report


@contextlib.contextmanager
def _piped(job: Job, number: int) -> Iterator[IO[bytes] | None]:
    """What is piped to the program in a turn, as a file at its beginning; None for nothing."""
    text = job.inputs[number - 1] if job.inputs else None
    if text is None:
        yield None
        return
    with tempfile.TemporaryFile() as file:
        file.write(text.encode("utf-8", "replace"))
        file.seek(0)
        yield file


def _until(job: Job, wanted: int, recorder: Recorder, program: StartedProgram, gone: threading.Event) -> str:
    """Wait for the main requests that are wanted; why it is over."""
    known = len(recorder.mains)
    until = time.monotonic() + job.patience
    again, times = time.monotonic() + AGAIN, TIMES
    while not gone.is_set():
        mains = len(recorder.mains)
        if mains >= wanted:
            time.sleep(LAST_SECONDS)
            return "done"
        if program.has_ended:
            return "exited"
        if mains > known:
            known, until = mains, time.monotonic() + NEXT_SECONDS
            again = time.monotonic() + AGAIN
        if program.screen is not None and times and time.monotonic() > again:
            program.screen.again()
            again, times = time.monotonic() + AGAIN, times - 1
        if time.monotonic() > until:
            return "late"
        if memory(descendants()) > MOST_MEMORY:
            return "large"
        with recorder.changed:
            recorder.changed.wait(POLL * 4)
    return "late"


def _until_quiet(job: Job, recorder: Recorder, program: StartedProgram, gone: threading.Event) -> str:
    """Wait until a program has ended or asks nothing any more; why it is over."""
    known, last = 0, time.monotonic()
    until = last + job.patience
    while not gone.is_set() and time.monotonic() < until:
        if program.has_ended:
            return "exited"
        if len(recorder.mains) > known:
            known, last = len(recorder.mains), time.monotonic()
        # What comes first may be a request for a title, without tools.
        quiet = job.quiet if any(each.offered for each in recorder.mains) else job.quiet * WITHOUT_TOOLS
        if known >= MOST_ASKED or (known and time.monotonic() > last + quiet):
            return "done"
        if memory(descendants()) > MOST_MEMORY:
            return "large"
        with recorder.changed:
            recorder.changed.wait(POLL * 4)
    return "late"


def _take_printed(printed: IO[bytes], recorder: Recorder) -> str:
    """Take what a program has printed for a request; what to say of it."""
    printed.seek(0)
    data = printed.read(MOST_BODY + 1)
    try:
        items = json.loads(data) if len(data) <= MOST_BODY else None
    except (ValueError, RecursionError):
        items = None
    if isinstance(items, list):
        recorder.take("POST", "/responses", {"input": items}, len(data))
    return "done" if recorder.mains else "exited"


def _watch(source: IO[bytes], gone: threading.Event) -> None:
    source.read(1)
    gone.set()


def _filled(report: Report, recorder: Recorder, means: Means) -> Report:
    mains = recorder.mains
    return Report(
        report.end,
        means,
        report.version,
        report.output,
        report.code,
        [{"path": each.path, "kind": each.kind, "model": each.model, "body": each.body} for each in mains],
        len(recorder.requests) - len(mains),
        recorder.hosts,
        list(dict.fromkeys(f"{each.method} {each.path}" for each in recorder.requests if not each.is_main))[
            :MOST_PATHS
        ],
    )


def _limit_files() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - only POSIX has it

        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        most = MOST_FILE if hard == resource.RLIM_INFINITY else min(MOST_FILE, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
