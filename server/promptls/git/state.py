"""The state of a git repository as harnesses put it into a prompt, asked of git within a short time."""

from __future__ import annotations

import os
import time

from promptls import git
from promptls.core.model import GitState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.git import Git

# Seconds that git has for all answers, and the bytes of the longest one.
LIMIT = 5.0
MOST = 4 * 1024 * 1024
# What origin may call its main branch where it does not say so.
USUAL = ("main", "master")


def state(directory: str) -> GitState | None:
    """The state of the repository that holds ``directory``; None if there is none, or git does not answer in time."""
    settings = git.settings(directory, LIMIT)
    filters = git.filters_off(settings)
    if settings is None or filters is None:
        return None
    until = time.monotonic() + LIMIT
    questions = {
        "branch": ("rev-parse", "--abbrev-ref", "HEAD"),
        "main": ("symbolic-ref", "--short", "refs/remotes/origin/HEAD"),
        "status": (*filters, "status", "--short"),
        "log": ("log", "--oneline", "--no-decorate", "--no-show-signature", "-n", "5"),
    }
    answers = {name: _answer(each, until) for name, each in git.start_each(directory, questions).items()}
    branch = answers["branch"]
    if branch is None:  # there may be no commit on it yet
        branch = _answer(git.start(directory, "symbolic-ref", "--short", "HEAD"), until)
    if answers["status"] is None or branch is None:
        return None
    main = (answers["main"] or "").removeprefix("origin/")
    return GitState(
        branch="" if branch == "HEAD" else branch,
        main=main,
        user=os.fsencode(settings.get("user.name") or "").decode("utf-8", "replace") or None,
        status=answers["status"],
        log=answers["log"] or "",
        usual="" if main else _usual(directory, until),
    )


def _usual(directory: str, until: float) -> str:
    """What of the usual names for a main branch origin has; "" for none."""
    wanted = ("for-each-ref", "--format=%(refname:short)", *(f"refs/remotes/origin/{name}" for name in USUAL))
    said = (_answer(git.start(directory, *wanted), until) or "").split()
    return next((name for name in USUAL if f"origin/{name}" in said), "")


def _answer(asked: Git | None, until: float) -> str | None:
    """What git says, without the last line break; None if it fails or is late."""
    if asked is None:
        return None
    if not asked.wait(max(0.0, until - time.monotonic()), MOST):
        asked.stop()
        return None
    return asked.output.decode("utf-8", "replace").removesuffix("\n") if asked.code == 0 else None
