"""A real repository for tests of what git answers; no configuration but the test's own counts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

GIT = shutil.which("git") or "git"


def git(folder: Path, *arguments: str, given: str = "") -> None:
    """Run git in ``folder``, with ``given`` as its standard input."""
    subprocess.run(
        [GIT, "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example", *arguments],
        check=True,
        capture_output=True,
        input=given.encode(),
        timeout=60,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )


def commit(folder: Path) -> Path:
    """Make ``folder`` a repository, and commit everything that is not ignored."""
    git(folder, "init", "-q", "--template=")  # no examples of hooks
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first", "--allow-empty")
    return folder
