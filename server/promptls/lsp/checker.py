"""The server's side of a folder check: starts the worker process, listens to it and ends it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress

from promptls.errors import PromptlsError, UsageError
from promptls.system.processes import end_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from promptls.lsp.checker_process import CheckRequest, Outcome
    from promptls.workspace.folder_prompts import Say

# With -P, no module is imported from the working directory, which is not a workspace either.
COMMAND = (sys.executable, "-P", "-c", "from promptls.lsp.checker_process import main; main()")


class StoppedError(PromptlsError):
    """The check is no longer needed."""


class CheckFailedError(PromptlsError):
    """The process could not be started, or exited without an answer; the text says how."""


class Checker:
    """Checks folders, one after the other, until it is stopped. Each check is a process of its own."""

    def __init__(self) -> None:
        # Guards what follows. Processes are only waited for under it, so a process id cannot be reused yet.
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False

    def stop(self) -> None:
        """End the running check at once, and start no other; from any thread."""
        with self._lock:
            self.is_stopped = True
            self._kill()

    def check(self, request: CheckRequest, say: Say) -> Outcome:
        """Wait for the outcome of a check; ``say`` receives its progress, on this thread.

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
            says = "its process has exited" if isinstance(error, EOFError) else f"{type(error).__name__}: {error}"
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
    def _talk(process: subprocess.Popen[bytes], request: CheckRequest, say: Say) -> Outcome:
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
            with suppress(OSError):  # what has not been sent is no longer needed
                stream.close()

    def _kill(self) -> None:
        if self._process is not None:
            with suppress(OSError):  # it has already exited
                end_group(self._process)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None  # noqa: S101 - type checkers do not see that both are pipes
    assert process.stdout is not None  # noqa: S101 - the same
    return process.stdin, process.stdout
