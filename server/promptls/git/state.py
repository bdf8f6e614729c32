"""The state of a git repository as harnesses put it into a prompt, asked of git within a short time."""

from __future__ import annotations

import os
import time

from promptls import git
from promptls.core.model import GitState
from promptls.core.values import dataclass

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
# What else git may mean by the name of a branch.
NAMESAKES = ("{}", "refs/{}", "refs/tags/{}", "refs/remotes/{}")


@dataclass(frozen=True, slots=True)
class Known:
    """What the files of a repository say without git: what is not there, or is sure, is not asked for."""

    has_commit: bool = True
    has_origin: bool = True
    branch: str | None = None


def state(directory: str) -> GitState | None:
    """The state of the repository that holds ``directory``; None if there is none, or git does not answer in time."""
    settings = git.settings(directory, LIMIT)
    filters = git.filters_off(settings)
    if settings is None or filters is None:
        return None
    until = time.monotonic() + LIMIT
    known = _known(directory, settings)
    questions: dict[str, tuple[str, ...]] = {"status": (*filters, "status", "--short")}
    if known.branch is None:
        questions["branch"] = ("rev-parse", "--abbrev-ref", "HEAD") if known.has_commit else NO_COMMIT
    if known.has_commit:
        questions["log"] = ("log", "--oneline", "--no-decorate", "--no-show-signature", "-n", "5")
    if known.has_origin:
        questions["main"] = ("symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    answers = {name: _answer(each, until) for name, each in git.start_each(directory, questions).items()}
    branch = answers.get("branch", known.branch)
    if branch is None and known.has_commit:  # there may be none on it
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
        usual="" if main or not known.has_origin else _usual(directory, until),
    )


def _known(directory: str, settings: Mapping[str, str | None]) -> Known:
    """What the files say; where refs may be elsewhere, nothing is known."""
    own = f"{git.top_of(directory)}/.git"
    elsewhere = ("commondir", "packed-refs", "reftable")
    if settings.get("extensions.refstorage") or any(os.path.lexists(f"{own}/{name}") for name in elsewhere):
        return Known()
    if not all(os.path.isdir(f"{own}/{name}") for name in ("objects", "refs/heads")):
        return Known()
    head = git.line_of(f"{own}/HEAD")
    has_commit = not head.startswith("ref: refs/") or os.path.lexists(f"{own}/{head.removeprefix('ref: ')}")
    return Known(has_commit, os.path.lexists(f"{own}/refs/remotes/origin"), _only_branch(own, head))


def _only_branch(own: str, head: str) -> str | None:
    """The branch that ``HEAD`` names; None if git may write its name longer, as something else has it too."""
    name = head.removeprefix("ref: refs/heads/")
    is_plain = name != head and name.isascii() and all(each.isalnum() for each in name.replace("-", "/").split("/"))
    if not is_plain or any(os.path.lexists(f"{own}/{each.format(name)}") for each in NAMESAKES):
        return None
    return name


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
