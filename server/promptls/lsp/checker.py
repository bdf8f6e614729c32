"""The server's end of a check of a folder: it begins a process, hears it and ends it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from signal import SIGKILL

from promptls.errors import PromptlsError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from promptls.folder_check import Say
    from promptls.lsp.checker_process import Outcome, Request

# With -P no module is looked for in the working directory, which is no workspace either.
COMMAND = (sys.executable, "-P", "-c", "from promptls.lsp.checker_process import main; main()")


class StoppedError(PromptlsError):
    """The check is not wanted any more."""


class CheckFailedError(PromptlsError):
    """The process cannot be started, or ended without an answer; the text says how."""


class Checker:
    """Checks folders, one after the other, until it is stopped. Each check is a process of its own."""

    def __init__(self) -> None:
        # Guards what follows. Nobody waits for a process but under it, so its number is not another's yet.
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False

    def stop(self) -> None:
        """End the check that runs, at once, and begin no other one; from any thread."""
        with self._lock:
            self.is_stopped = True
            self._kill()

    def check(self, request: Request, say: Say) -> Outcome:
        """Wait for the outcome of a check; ``say`` hears how far it is, on this thread.

        Raises:
            StoppedError: it was stopped.
            UsageError: the settings name a harness or version that does not exist.
            CheckFailedError: there is no outcome.
        """
        try:
            return self._talk(self._begin(), request, say)
        except Exception as error:
            if self.is_stopped:
                raise StoppedError("The check was stopped.") from None
            if isinstance(error, UsageError | CheckFailedError):
                raise
            says = "its process has ended" if isinstance(error, EOFError) else f"{type(error).__name__}: {error}"
            raise CheckFailedError(says) from error
        finally:
            self._end()

    def _begin(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self.is_stopped:
                raise StoppedError("The check was stopped.")
            # A session of its own: what it starts is ended with it, and nothing that a terminal sends reaches it.
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                start_new_session=True,
            )
            return self._process

    @staticmethod
    def _talk(process: subprocess.Popen[bytes], request: Request, say: Say) -> Outcome:
        sink, source = _pipes(process)
        pickle.dump(request, sink, pickle.HIGHEST_PROTOCOL)
        sink.flush()
        while True:
            kind, what = pickle.load(source)  # noqa: S301 - our own process wrote it
            if kind == "says":
                say(what)
            elif kind == "outcome":
                outcome: Outcome = what
                return outcome
            elif kind == "refused":
                raise UsageError(what)
            else:
                raise CheckFailedError(what)

    def _end(self) -> None:
        with self._lock:
            process = self._process
            if process is None:
                return
            self._kill()
            process.wait()
            self._process = None
        for stream in _pipes(process):
            with suppress(OSError):  # what was not sent is not wanted any more
                stream.close()

    def _kill(self) -> None:
        if self._process is not None:
            with suppress(OSError):  # it has ended already
                os.killpg(self._process.pid, SIGKILL)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None  # noqa: S101 - type checkers do not see that both are pipes
    assert process.stdout is not None  # noqa: S101 - the same
    return process.stdin, process.stdout
