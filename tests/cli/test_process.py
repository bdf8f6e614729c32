"""The command line as a process: pipes, terminals, encodings."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.folder import lay_out
from tests.net.loopback import Answer, Server

# The session that an answer is about.
SESSION = "etcode design (newest known) · started in ."
LIMIT = 60.0
COMMAND = [sys.executable, "-m", "promptls"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "caf\udce9", {"AGENTS.md": "é rules \x1b]0;title\x07\n" * 20_000})


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TERM": "xterm", **more}


@pytest.mark.parametrize("env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
@pytest.mark.parametrize("args", [["preview"], ["harnesses"], ["nosuch"]], ids=" ".join)
def test_a_terminal_without_utf_8(folder: Path, tmp_path: Path, env: dict[str, str], args: list[str]) -> None:
    done = subprocess.run(
        [*COMMAND, *args], cwd=folder, env=environment(tmp_path, **env), capture_output=True, timeout=LIMIT, check=False
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == (2 if args == ["nosuch"] else 0)


@pytest.mark.ordinary_too
def test_names_are_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "é", {"etcode.json": {"instructions": ["ü.md"]}, "ü.md": "rules\n", "ñ/AGENTS.md": "x"})
    done = subprocess.run(
        [*COMMAND, "preview", "ñ/AGENTS.md", "--format", "json"],
        cwd=folder,
        env=environment(tmp_path, LC_ALL="C", PYTHONUTF8="0"),
        capture_output=True,
        timeout=LIMIT,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["session"]["reads"] == [f"{folder}/ñ/AGENTS.md"]
    assert f"{folder}/ü.md" in [each["path"] for each in found["candidates"] if each["outcome"] == "loaded"]
    assert done.stderr == b""


@pytest.mark.ordinary_too
@pytest.mark.parametrize("args", [["preview"], ["preview", "--format", "json"]], ids=" ".join)
def test_a_reader_that_goes_away(folder: Path, tmp_path: Path, args: list[str]) -> None:
    with subprocess.Popen(
        [*COMMAND, *args], cwd=folder, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(LIMIT) == 0


@pytest.mark.ordinary_too
def test_an_output_that_is_full_or_closed(folder: Path, tmp_path: Path) -> None:
    for redirection in (">/dev/full", ">&-"):
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, "preview"],
            cwd=folder,
            env=environment(tmp_path),
            stderr=subprocess.PIPE,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.startswith(b"promptls: ")
        assert done.stderr.count(b"\n") == 1


def on_a_terminal(folder: Path, env: dict[str, str]) -> bytes:
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, "preview"], cwd=folder, env=env, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        written = b""
        while select.select([ours], [], [], LIMIT)[0]:
            try:
                written += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        os.close(ours)
        assert process.wait(LIMIT) == 0
    return written


@pytest.mark.parametrize(("env", "colour"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colour_on_a_terminal_only(folder: Path, tmp_path: Path, env: dict[str, str], colour: bool) -> None:
    (folder / "AGENTS.md").write_text("é rules \x1b]0;title\x07\x9b1m\n", encoding="utf-8")
    written = on_a_terminal(folder, environment(tmp_path, **env))
    assert (b"\x1b[" in written) == colour
    assert "é rules".encode() in written
    assert b"\x1b]0;" not in written, "a file must not command the terminal"
    assert b"\x07" not in written
    assert "\x9b".encode() not in written


def progress(folder: Path, env: dict[str, str], *args: str) -> tuple[bytes, bytes]:
    """What a check writes to standard output, a pipe, and to standard error, a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "check", *args], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=theirs
    ) as run:
        os.close(theirs)
        written = b""
        while select.select([ours], [], [], LIMIT)[0]:
            try:
                written += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        os.close(ours)
        assert run.stdout is not None
        return run.stdout.read(), written


@pytest.mark.ordinary_too
def test_progress_is_shown_on_a_terminal_and_taken_away(tmp_path: Path) -> None:
    server = Server()
    try:
        url = server.url("/x", Answer(status=404))
        folder = lay_out(tmp_path / "p", {"etcode.json": {"instructions": [url]}})
        out, err = progress(folder, environment(tmp_path))
    finally:
        server.close()
    assert b"url-status" in out
    assert b"\x1b" not in out
    shown = [each.partition(b"\x1b[K")[2] for each in err.split(b"\r")]
    assert shown[1:] == [
        b"promptls: listing files",
        b"promptls: waiting for 1 URL",
        b"promptls: checking the whole folder",
        f"promptls: {SESSION}".encode(),
        b"",
    ]


def test_many_prompts_are_counted_on_a_terminal(tmp_path: Path) -> None:
    many = {f"a{number}/{name}": "x" for number in range(110) for name in ("AGENTS.md", "x.py")}
    folder = lay_out(tmp_path / "p", {"codex/AGENTS.override.md": "x", **many})
    _, err = progress(folder, environment(tmp_path), "--harness", "codex")
    assert b"\r\x1b[Kpromptls: 100 prompts, codex" in err
    assert b"checking the whole folder\r\x1b[Kpromptls: Codex " in err
    assert b"\npromptls: Checked 111 files for Codex" in err


def test_a_terminal_that_knows_no_commands_gets_none(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "p", {"etcode.json": {"instructions": ["gone.md"]}})
    err = progress(folder, environment(tmp_path) | {"TERM": "dumb"})[1]
    assert err == f"promptls: {SESSION}\r\n".encode()
