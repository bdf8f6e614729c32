"""A long preview on a terminal is shown in the user's pager, and nowhere else."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path
from shlex import quote

import pytest

from promptls.cli import main
from promptls.cli.pager import page
from promptls.errors import UsageError
from tests.folder import lay_out
from tests.limits import at_most

LIMIT = 60
COMMAND = [sys.executable, "-m", "promptls", "preview", "--harness", "etcode", "--no-network"]
PAGER = '#!/bin/sh\necho "PAGER $* LESS=$LESS"\ncat >/dev/null\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "project", {"AGENTS.md": "a line\n" * 60})


def pager(directory: Path) -> Path:
    """A pager that says how it is called."""
    directory.mkdir(exist_ok=True)
    place = directory / "my-pager"
    place.write_text(PAGER, encoding="utf-8")
    place.chmod(0o755)
    return place


def written(folder: Path, *args: str, rows: int = 20, **env: str) -> str:
    """What a preview writes to a terminal with so many rows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    whole = {"HOME": str(folder.parent), "PATH": os.defpath, "TERM": "xterm", **env}
    with subprocess.Popen([*COMMAND, *args], cwd=folder, env=whole, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        found = b""
        while select.select([ours], [], [], LIMIT)[0]:
            try:
                found += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        os.close(ours)
        assert process.wait(LIMIT) == 0
    return found.decode("utf-8")


def test_a_long_text_goes_to_the_pager_in_colour(folder: Path, tmp_path: Path) -> None:
    place = pager(tmp_path / "bin")
    found = written(folder, PAGER="my-pager -x 'a b'", PATH=f"{place.parent}:{os.defpath}")
    assert found == "PAGER -x a b LESS=FRX\r\n"
    assert written(folder, PAGER=quote(str(place)), LESS="R") == "PAGER  LESS=R\r\n"
    shows = place.parent / "shows"
    shows.write_text("#!/bin/sh\ncat\n", encoding="utf-8")
    shows.chmod(0o755)
    assert "\x1b[" in written(folder, PAGER=quote(str(shows)))


def test_what_fits_is_written_at_once(folder: Path, tmp_path: Path) -> None:
    place = quote(str(pager(tmp_path / "bin")))
    assert "a line\r\n" in written(folder, PAGER=place, rows=500)
    assert "a line\r\n" in written(folder, PAGER=place, rows=0), "the size is not known"
    assert "a line\r\n" in written(folder, "--no-pager", PAGER=place)
    assert "a line\r\n" in written(folder, PAGER=place, TERM="dumb")
    assert "a line\r\n" in written(folder, PAGER="")


def test_a_pager_of_the_workspace_is_not_run(folder: Path) -> None:
    place = pager(folder / "bin")
    assert "a line\r\n" in written(folder, PAGER=quote(str(place)))
    assert "a line\r\n" in written(folder, PAGER="my-pager", PATH=f"{place.parent}:{os.defpath}")
    assert "a line\r\n" in written(folder, PAGER="my-pager", PATH=f"bin:{os.defpath}")


def test_a_pager_that_is_not_there_or_is_left_early(folder: Path, tmp_path: Path) -> None:
    assert "a line\r\n" in written(folder, PAGER="no-such-pager")
    place = pager(tmp_path / "bin")
    place.write_text("#!/bin/sh\nexec <&-\necho left\n", encoding="utf-8")
    assert written(folder, PAGER=quote(str(place))) == "left\r\n"


@pytest.mark.parametrize(("colour", "expected"), [("auto", False), ("always", True), ("never", False)])
def test_colour_through_a_pipe(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    colour: str,
    expected: bool,
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TERM", "xterm")
    with at_most(10):
        assert main(["preview", "--no-network", "--color", colour]) == 0
    assert (b"\x1b[" in capsysbinary.readouterr().out) == expected


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--only", "nothing"], "This prompt has no part 'nothing'; name one of its files, or summary, problems, "),
        (
            ["--only", "summary", "--format", "json"],
            "--all, --looked-for and --only are for text; json has everything.",
        ),
    ],
)
def test_what_cannot_be_shown_alone(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    args: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(folder)
    assert main(["preview", "--no-network", *args]) == 2
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err.decode("utf-8").startswith(f"promptls: {says}")


def test_a_pager_that_is_no_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "less '")
    with pytest.raises(UsageError, match="PAGER is not a command"):
        page("text", str(folder))
