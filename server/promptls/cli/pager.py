"""Shows a long text in the user's pager: PAGER, else less. A workspace has no say in which program that is."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess

from promptls.errors import UsageError
from promptls.git import program

DEFAULT = "less -R"
# What less gets unless the user's own LESS says otherwise: quit if all fits, keep colours, leave the text there.
LESS = "FRX"


def is_long(text: str) -> bool:
    """Whether ``text`` takes more lines than the terminal has."""
    try:
        rows = os.get_terminal_size(1).lines
    except OSError:
        return False
    return 0 < rows <= text.count("\n")


def page(text: str, root: str) -> bool:
    """Whether a pager has shown ``text``; no program inside the repository of ``root`` is started.

    Raises:
        UsageError: PAGER cannot be read as a command.
    """
    try:
        words = shlex.split(os.environ.get("PAGER", DEFAULT))
    except ValueError as error:
        raise UsageError(f"PAGER is not a command ({error}); correct it, or use --no-pager.") from None
    path = program(words[0], root) if words else None
    if path is None:
        return False
    try:
        pager = subprocess.Popen([path, *words[1:]], stdin=subprocess.PIPE, env={"LESS": LESS, **os.environ})
    except OSError:
        return False
    with contextlib.suppress(BrokenPipeError):  # it was left before the end
        pager.communicate(text.encode("utf-8", "replace"))
    while True:
        try:
            pager.wait()
        except KeyboardInterrupt:  # for the pager, which goes on
            continue
        return True
