"""The state of a git repository as harnesses put it into a prompt, asked of git within a short time."""

from __future__ import annotations

import os
import time

from promptls import git
from promptls.core.model import GitState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.git import Git

# Seconds that git has for all answers, and the bytes of the longest one.
LIMIT = 5.0
MOST = 4 * 1024 * 1024
# What origin may call its main branch where it does not say so.
USUAL = ("main", "master")
# The branch also where there is no commit on it.
NO_COMMIT = ("symbolic-ref", "--short", "HEAD")


def state(directory: str) -> GitState | None:
    """The state of the repository that holds ``directory``; None if there is none, or git does not answer in time."""
    settings = git.settings(directory, LIMIT)
    filters = git.filters_off(settings)
    if settings is None or filters is None:
        return None
    until = time.monotonic() + LIMIT
    has_commit, has_origin = _has_refs(directory, settings)
    questions: dict[str, tuple[str, ...]] = {"status": (*filters, "status", "--short")}
    if has_commit:
        questions["branch"] = ("rev-parse", "--abbrev-ref", "HEAD")
        questions["log"] = ("log", "--oneline", "--no-decorate", "--no-show-signature", "-n", "5")
    else:
        questions["branch"] = NO_COMMIT
    if has_origin:
        questions["main"] = ("symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    answers = {name: _answer(each, until) for name, each in git.start_each(directory, questions).items()}
    branch = answers["branch"]
    if branch is None and has_commit:  # there may be none on it
        branch = _answer(git.start(directory, *NO_COMMIT), until)
    if answers["status"] is None or branch is None:
        return None
    main = (answers.get("main") or "").removeprefix("origin/")
    return GitState(
        branch="" if branch == "HEAD" else branch,
        main=main,
        user=os.fsencode(settings.get("user.name") or "").decode("utf-8", "replace") or None,
        status=answers["status"],
        log=answers.get("log") or "",
        usual="" if main or not has_origin else _usual(directory, until),
    )


def _has_refs(directory: str, settings: Mapping[str, str | None]) -> tuple[bool, bool]:
    """Whether HEAD may have a commit, and origin a branch; what is not there is not asked for.

    As the files say: git would be started to say that there is none. Where refs may be elsewhere, both may be there.
    """
    own = f"{git.top_of(directory)}/.git"
    elsewhere = ("commondir", "packed-refs", "reftable")
    if settings.get("extensions.refstorage") or any(os.path.lexists(f"{own}/{name}") for name in elsewhere):
        return True, True
    if not all(os.path.isdir(f"{own}/{name}") for name in ("objects", "refs/heads")):
        return True, True
    head = git.line_of(f"{own}/HEAD")
    has_commit = not head.startswith("ref: refs/") or os.path.lexists(f"{own}/{head.removeprefix('ref: ')}")
    return has_commit, os.path.lexists(f"{own}/refs/remotes/origin")


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
