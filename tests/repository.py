"""A real repository for tests of what git answers; no configuration but the test's own counts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

GIT = shutil.which("git") or "git"


def git(folder: Path, *arguments: str, given: str = "") -> None:
    """Run git in ``folder``, with ``given`` as its standard input."""
    # After a commit, git would start another one to see whether there is something to tidy up.
    own = ("user.name=t", "user.email=t@example", "maintenance.auto=false", "gc.auto=0")
    subprocess.run(
        [GIT, "-C", str(folder), *(word for each in own for word in ("-c", each)), *arguments],
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
