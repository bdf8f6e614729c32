"""One run of a program against a recording server: in a scratch home that is deleted, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time

from promptls.errors import PromptlsError
from promptls.system.processes import end_group
from promptls.wire.error_output import last_error
from promptls.wire.job import Job, Report
from promptls.wire.recorder import Recorded
from promptls.wire.runner import NEXT_SECONDS, VERSION_SECONDS, remove
from promptls.wire.started_program import END_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# With -P, no module is imported from the working directory.
COMMAND = (sys.executable, "-P", "-c", "from promptls.wire.runner import main; main()")
# Seconds that the runner may take beyond those that it gives the program.
SPARE = 30.0
SHOWN = 300
# What the names of scratch directories begin with. Another program may have some that begin like the short ones.
HOME, SHORT, MARK = "capture-", "pl", "promptls"
# Seconds after which nothing uses a scratch directory any more.
OLD = 24 * 60 * 60


class CaptureError(PromptlsError):
    """A program could not be started or sent nothing; the sentence says what to do."""


@contextlib.contextmanager
def scratch_home() -> Iterator[str]:
    """A directory below the user's own cache, which nobody else can read; it is deleted in the end.

    Raises:
        CaptureError: it cannot be made.
    """
    import platformdirs  # noqa: PLC0415 - only a run needs it

    above = os.environ.get("PROMPTLS_CACHE_DIR") or platformdirs.user_cache_dir("promptls")
    try:
        os.makedirs(above, exist_ok=True)
        _sweep(above, HOME)
        home = tempfile.mkdtemp(prefix=HOME, dir=above)
    except OSError as error:
        raise CaptureError(
            f"The directory {above} cannot be written ({error.strerror}); set PROMPTLS_CACHE_DIR to another one."
        ) from None
    try:
        yield os.path.realpath(home)
    finally:
        try:
            remove(home)
        except BaseException:
            # A signal has come meanwhile; it is the last one that is not ignored.
            remove(home)
            raise


@contextlib.contextmanager
def short_directory() -> Iterator[str]:
    """A directory with a short path; it is deleted in the end. Some programs name their own in their own text."""
    _sweep(tempfile.gettempdir(), SHORT, mark=MARK)
    with tempfile.TemporaryDirectory(prefix=SHORT) as top:
        with open(os.path.join(top, MARK), "w", encoding="utf-8"):
            pass
        yield os.path.realpath(top)


def _sweep(above: str, prefix: str, *, mark: str = "") -> None:
    """Delete what a process that was killed has left, which is old and the user's own, and has the file ``mark``."""
    with contextlib.suppress(OSError), os.scandir(above) as entries:
        for entry in entries:
            if not entry.name.startswith(prefix) or not os.path.lexists(os.path.join(entry.path, mark)):
                continue
            about = entry.stat(follow_symlinks=False)
            is_own = stat.S_ISDIR(about.st_mode) and (not hasattr(os, "geteuid") or about.st_uid == os.geteuid())
            if is_own and about.st_mtime < time.time() - OLD:
                remove(entry.path)


def merged_etc(into: str, etc: str) -> str:
    """A copy of what everybody can read in /etc, with the files of ``etc`` over it; its path, which is ``into``."""
    for top in ("/etc", etc.rstrip("/")):
        for directory, names, files in os.walk(top):
            to = into + directory.removeprefix(top)
            os.makedirs(to, exist_ok=True)
            for name in (*names, *files):
                _copy(os.path.join(directory, name), os.path.join(to, name), is_own=top != "/etc")
    return into


def _copy(path: str, to: str, *, is_own: bool) -> None:
    """A link or a regular file that everybody can read, or that is one's own."""
    with contextlib.suppress(OSError):
        about = os.lstat(path)
        if stat.S_ISLNK(about.st_mode):
            os.symlink(os.readlink(path), to)
        elif stat.S_ISREG(about.st_mode) and (is_own or about.st_mode & stat.S_IROTH):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(to)
            shutil.copyfile(path, to)


def run(job: Job) -> Report:
    """Do a job in a process of its own.

    Raises:
        CaptureError: the program cannot be started.
    """
    seconds = VERSION_SECONDS + len(job.arguments) * (job.patience + NEXT_SECONDS + 4 * END_SECONDS)
    seconds += job.wanted[-1] * NEXT_SECONDS + SPARE
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=os.path.abspath(os.sep),
        start_new_session=True,
    )
    line = json.dumps({name: getattr(job, name) for name in Job.__slots__}).encode() + b"\n"
    try:
        answer, error = _answer(process, line, seconds)
    except subprocess.TimeoutExpired:
        raise CaptureError(f"{job.command} could not be ended in time; see what is still running.") from None
    finally:
        # It ends all that it has started when its input is closed, also after a signal.
        try:
            _end(process)
        except BaseException:
            _end(process)
            raise
    if not answer:
        last = last_error(error.decode("utf-8", "replace"))[:SHOWN]
        raise CaptureError(f"{job.command} cannot be started: {last or 'the process that runs it has ended'}.")
    return Report(**json.loads(answer))


def recorded(report: Report) -> list[Recorded]:
    """The main requests of a report."""
    return [
        Recorded("POST", each["path"], each["kind"], each["body"], each["model"], is_main=True)
        for each in report.requests
    ]


def _answer(process: subprocess.Popen[bytes], line: bytes, seconds: float) -> tuple[bytes, bytes]:
    """The line that the process answers with; its input stays open meanwhile."""
    import threading  # noqa: PLC0415 - only a run needs it

    assert process.stdin is not None  # noqa: S101 - type checkers do not see that all are pipes
    assert process.stdout is not None  # noqa: S101 - the same
    assert process.stderr is not None  # noqa: S101 - the same
    said: list[bytes] = []
    listener = threading.Thread(target=lambda: said.extend((process.stdout.readline(),)), daemon=True)  # type: ignore[union-attr]
    listener.start()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(line)
        process.stdin.flush()
    listener.join(seconds)
    if not said:
        raise subprocess.TimeoutExpired(COMMAND, seconds)
    return said[0], b"" if said[0] else process.stderr.read()


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(4 * END_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            end_group(process)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
