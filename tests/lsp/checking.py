"""A check of a folder without a process of its own: what most tests of the server want."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, ClassVar

from promptls.lsp.checker import Checker, StoppedError
from promptls.lsp.checker_process import CheckRequest, Outcome, look

if TYPE_CHECKING:
    from promptls.workspace.folder_prompts import Say


class InProcess(Checker):
    """Checks on the thread that waits for it otherwise."""

    let_go: ClassVar[threading.Event | None] = None
    """Every check waits until this is set."""

    def check(self, request: CheckRequest, say: Say) -> Outcome:
        while self.let_go is not None and not self.let_go.wait(0.001):
            self._pause()
        outcome = look(request, say)
        self._pause()
        return outcome

    def _pause(self) -> None:
        if self.is_stopped:
            raise StoppedError("The check was stopped.")
