"""The Python suite as on somebody else's machine: ``python -m tests.hostile_environment [options of pytest]``.

A temporary folder with a long path and blanks in it, below another home, odd settings of git, the first time zone of
the day, a umask that shuts others out, a locale without UTF-8, and a user who is not root. Root becomes a user without
a name, in a copy of the checkout that this user may enter.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
STRANGER = 61_234  # no user has this number
LENGTH = 150
# What an environment can change, on all processors, and one more: these tests wait a fifth of their time.
OURS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
DEFAULT = (
    "-m",
    "not same_everywhere",
    "-n",
    str(min(8, OURS + 1)),
    "--dist",
    "loadfile",
    "--no-loadscope-reorder",
    "--inline-snapshot=disable",
)
GIT_SETTINGS = """\
[core]
	autocrlf = true
	quotePath = true
[init]
	defaultBranch = odd
[commit]
	gpgSign = true
[status]
	showUntrackedFiles = no
	relativePaths = false
[diff]
	noprefix = true
	mnemonicPrefix = true
	renames = copies
[color]
	ui = always
"""
# Packages of the checks that are no part of the suite: a third of what would be copied.
LEFT_OUT = shutil.ignore_patterns("mypy", "mypyc", "*__mypyc*.so", "pip", "setuptools")


def main(options: list[str]) -> int:
    """Run the suite; returns its exit code."""
    with tempfile.TemporaryDirectory(prefix="promptls-", ignore_cleanup_errors=True) as top:
        if os.geteuid() != 0:
            return _run(Path(top), CHECKOUT, [sys.executable], None, options, "as the user who asked")
        os.chmod(top, 0o711)  # noqa: S103 - the stranger has to pass
        os.umask(0o022)
        python = _python_for_strangers(Path(top))
        if python is not None:
            checkout = _copy(Path(top) / "checkout")
            return _run(Path(top), checkout, [str(python)], STRANGER, options, f"as user {STRANGER}, in a copy")
        bound = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", sys.executable]
        return _run(Path(top), CHECKOUT, bound, None, options, "as root without capabilities")


def _run(top: Path, checkout: Path, python: list[str], user: int | None, options: list[str], how: str) -> int:
    home = top / "hömé of nobody"
    temporary = home / ("a long path " * LENGTH)[: max(LENGTH - len(str(home)) - 1, 1)].strip()
    for directory in (home, temporary):
        directory.mkdir()
        if user is not None:
            os.chown(directory, user, user)
    settings = top / "nobody's gitconfig"
    settings.write_text(GIT_SETTINGS, encoding="utf-8")
    env = {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(temporary),
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": str(settings),
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
    }
    sys.stdout.write(f"The suite in a hostile environment, {how}: {env}\n")
    sys.stdout.flush()
    command = [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    groups: list[int] | None = None if user is None else []
    done = subprocess.run(
        command, cwd=checkout, env=env, umask=0o077, user=user, group=user, extra_groups=groups, check=False
    )
    return done.returncode


def _python_for_strangers(top: Path) -> Path | None:
    """An environment like ours that any user may run, or None: all interpreters may lie in the home of root."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = [os.path.realpath(sys.executable), *(f"{place}/{version}" for place in ("/usr/local/bin", "/usr/bin"))]
    base = next((python for python in places if _runs(python)), None)
    if base is None:
        return None
    subprocess.run([base, "-m", "venv", "--without-pip", top / "venv"], check=True)
    packages = top / "venv" / "lib" / version / "site-packages"
    shutil.copytree(Path(pytest.__file__).parent.parent, packages, ignore=LEFT_OUT, dirs_exist_ok=True)
    for link in packages.glob("*.pth"):
        text = link.read_text(encoding="utf-8")
        link.write_text(text.replace(str(CHECKOUT), str(top / "checkout")), encoding="utf-8")
    return top / "venv" / "bin" / "python"


def _runs(python: str) -> bool:
    command = [python, "-c", "import ctypes, hashlib, ssl, venv"]
    try:
        done = subprocess.run(
            command, user=STRANGER, group=STRANGER, extra_groups=[], cwd="/", capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


def _copy(to: Path) -> Path:
    """The files of the checkout, those that are not committed yet as well."""
    list_files = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(list_files, cwd=CHECKOUT, stdout=subprocess.PIPE, check=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        # It may be gone, also since a moment ago: other parts run beside this one.
        with suppress(FileNotFoundError):
            shutil.copy2(CHECKOUT / name, to / name)
    # What is compiled belongs to the files whose dates it has: without it, each process would compile everything.
    for compiled in (path for top in ("server", "tests") for path in (CHECKOUT / top).rglob("*.pyc")):
        (to / compiled.relative_to(CHECKOUT)).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            shutil.copy2(compiled, to / compiled.relative_to(CHECKOUT))
    for path in (to, *to.rglob("*")):
        os.chown(path, STRANGER, STRANGER)
    return to


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [*DEFAULT]))
