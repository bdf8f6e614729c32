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
import tempfile
import threading
import time
from itertools import accumulate

from promptls.core.values import dataclass, field, replace
from promptls.kit.launch import PORT
from promptls.system.processes import descendants, end_all, memory
from promptls.system.streams import take_streams
from promptls.wire import enclosing, linux
from promptls.wire.editor import Editor
from promptls.wire.enclosing import EncloseError, Order
from promptls.wire.enclosure import MOVES, PORT_INSIDE, SANDBOX, sandbox_profile
from promptls.wire.recorder import MOST_BODY, Planned, Recorder, Step, serving
from promptls.wire.replies import TEXT, ToolCall
from promptls.wire.screen import AGAIN, TIMES, Screen
from promptls.wire.visible import Enclosure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any, Self

    from promptls.kit.launch import Protocol
    from promptls.wire.enclosure import Means
    from promptls.wire.visible import Bind, Link

# Seconds for --version, between two requests, for a last word, and for an end that is asked for.
VERSION_SECONDS = 30.0
NEXT_SECONDS = 30.0
LAST_SECONDS = 0.3
# What a program that has ended said last is waited for so long.
HEARD_SECONDS = 1.0
END_SECONDS = 3.0
POLL = 0.05
# Seconds after which one that has answered gets the next prompt though it still draws, as that an agent is at work.
DRAWS_SECONDS = 8.0
# Requests of a program of which nobody knows how often it asks.
MOST_ASKED = 20
MOST_PATHS = 20
WITHOUT_TOOLS = 4
# Bytes of what a program prints that are kept: its last ones.
TAIL = 64 * 1024
# Bytes of memory that a program may take with all that it starts, and of one file that it may write.
MOST_MEMORY = 6 * 1024**3
MOST_FILE = 1024**3
# A program on the screen draws for this terminal; NO_COLOR would change what some of them ask it.
SCREEN_VARIABLES = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""}
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: in texts ``PORT`` stands for the recorder's port.

    ``arguments`` and ``answers``: for each turn a command line, None for what is typed into the running program, and
    each answer: the ``ways`` of each call, and fields of ``Planned``. ``version``: an expression for what the program
    calls itself; it is asked unless its version is known. ``typed``: for each turn of a program on the screen, what is
    typed; () for one that prints. ``dialogs``: what it may ask first, with the keys that answer it; ``keys``: those
    pressed before the first prompt; ``leaves``: what is typed to end it; ``after_paste``: as in
    ``kit.launch.OnScreen``. ``speaks``: the protocol over which an editor sends what is typed, in place of a
    screen, and the mode and the agent that are ``chosen`` there. ``aside``: what is answered to requests that are no
    main ones; ``asks``: an expression for a request for a summary that is sent beside others;
    ``tasks``: as in ``Recorder``;
    ``progress``: one for requests that are no main ones though they offer tools; they are not answered.
    ``launcher``: a command that is given ``command`` and its arguments, to start it; [] for none.
    ``printed``: what the program prints is taken for its request. ``home``: the scratch home.
    ``means``: what encloses the program, which is not started without. ``binds`` and ``links``: what it sees of the
    disk, as in ``visible.Enclosure``; with means that do not move files, what it may write. Where they do, ``command``,
    ``arguments``, ``variables`` and ``cwd`` have paths as the program sees them; ``home`` and the paths of ``settings``
    never do. ``inputs``: what is piped to the program in each turn.
    ``quiet``: nobody knows what is wanted; the program runs until it ends, or asks nothing for so many seconds.
    ``reads``: files that it is then asked to read, one with each answer.
    """

    command: str
    arguments: list[list[str] | None]
    variables: dict[str, str]
    cwd: str
    settings: dict[str, str]
    version: str
    main: list[str]
    home: str = ""
    known_version: str = ""
    launcher: list[str] = field(default_factory=list)
    answers: list[list[dict[str, Any]]] = field(default_factory=list)
    patience: float = 60.0
    printed: bool = False
    means: Means = "asked"
    binds: list[Bind] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    inputs: list[str | None] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    dialogs: list[tuple[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    leaves: str = ""
    after_paste: str = ""
    speaks: Protocol | None = None
    chosen: list[str] = field(default_factory=list)
    aside: str = TEXT
    asks: str = ""
    tasks: str = ""
    progress: str = ""
    quiet: float = 0.0
    reads: list[str] = field(default_factory=list)

    @property
    def wanted(self) -> list[int]:
        """How many main requests are wanted by the end of each turn."""
        return list(accumulate(map(len, self.answers)))


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it.

    ``end``: ``done``, ``exited``, ``late``, ``large``, ``failed``, ``other`` (another program), ``open`` (it could not
    be enclosed, and was not started; ``output`` says why). ``output`` is the last that the program printed;
    ``requests`` are the main ones, as JSON; ``paths`` are those of the others, with their methods.
    """

    end: str
    means: Means = "asked"
    version: str = ""
    output: str = ""
    code: int | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    others: int = 0
    hosts: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


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
        with _Program(job, ["--version"], port, recorder) as asked:
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
                started = _Program(job, arguments or [], port, recorder, printed=printed, piped=piped)
                program = running.enter_context(started)
            if job.typed and number == 1:
                program.press(job.keys, job.patience, gone)
            if job.typed:
                program.type(job.typed[number - 1], draws, gone)
            until = _until_quiet(job, recorder, program, gone) if job.quiet else None
            end = until or _until(job, wanted, recorder, program, gone)
            if printed is not None and end == "exited":
                end = _take(printed, recorder)
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


def _until(job: Job, wanted: int, recorder: Recorder, program: _Program, gone: threading.Event) -> str:
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


def _until_quiet(job: Job, recorder: Recorder, program: _Program, gone: threading.Event) -> str:
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


def _take(printed: IO[bytes], recorder: Recorder) -> str:
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


class _Program:
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
        return self

    def __exit__(self, *_: object) -> None:
        """End it, with all that it has started."""
        if self._started is not None:
            self._started.end()
        else:
            end_all(self._process, END_SECONDS)
        self._opened.close()
        if self.screen is not None:
            self.screen.close()
        self._listener.join(1)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def code(self) -> int | None:
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
