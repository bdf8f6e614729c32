"""Completion and the page for man: up to date, and right in the real shells where they are installed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from promptls.cli import COMMANDS, main
from promptls.cli.completion import SHELLS

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "server" / "promptls" / "shells"
LIMIT = 60


def test_what_is_generated_is_up_to_date() -> None:
    code = (
        "import command_line as own; print(*[path for path, text in own.outputs() if path.read_text('utf-8') != text])"
    )
    stale = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "tools", capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert stale.stdout.strip() == "", "run make generate"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_is_printed(shell: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["completion", shell]) == 0
    script = capsysbinary.readouterr().out.decode("utf-8")
    assert script == (SCRIPTS / f"promptls.{shell}").read_text(encoding="utf-8")
    assert all(name in script for name in COMMANDS)


def test_another_shell_is_refused(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["completion", "csh"]) == 2
    assert b"bash" in capsysbinary.readouterr().err


def bash(line: str, cwd: Path) -> list[str]:
    words = line.split(" ")
    script = f"""
        source {SCRIPTS}/promptls.bash
        COMP_WORDS=({" ".join(f"'{word}'" for word in words)}) COMP_CWORD={len(words) - 1} COMP_LINE='{line}'
        COMP_POINT=${{#COMP_LINE}}
        $(complete -p promptls | sed 's/.*-F \\([^ ]*\\).*/\\1/') promptls '{words[-1]}' '{words[-2]}'
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return output(["bash", "--norc", "-c", script], cwd)


def fish(line: str, cwd: Path) -> list[str]:
    script = f"source {SCRIPTS}/promptls.fish; complete -C '{line}'"
    return [each.partition("\t")[0] for each in output(["fish", "--no-config", "-c", script], cwd)]


def output(command: list[str], cwd: Path) -> list[str]:
    env = {"HOME": str(cwd), "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def zsh(line: str, cwd: Path) -> list[str]:
    """The words of the list that zsh shows; what it adds to the line itself is in the list, too."""
    (cwd / "functions").mkdir(exist_ok=True)
    (cwd / "functions" / "_promptls").write_bytes((SCRIPTS / "promptls.zsh").read_bytes())
    ours, theirs = pty.openpty()
    env = {"HOME": str(cwd), "PATH": os.environ.get("PATH", os.defpath), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    setup = "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=0; setopt no_beep; PS1='> '"
    shell = shutil.which("zsh") or ""
    with subprocess.Popen(
        [shell, "-f", "-i"], cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        os.write(ours, f"{setup}; print READY''NOW\n".encode())
        until(ours, "READYNOW")
        os.write(ours, f"{line}\t\t".encode())
        found = until(ours, "preview" if line.endswith("prev") else "copilot-vscode")
        process.kill()
        os.close(ours)
    return found.split()


def until(terminal: int, wanted: str) -> str:
    """What is written up to and with ``wanted``, or all that comes in time."""
    found = b""
    while wanted.encode() not in found and select.select([terminal], [], [], LIMIT)[0]:
        found += os.read(terminal, 65536)
    return found.decode("utf-8", "replace")


ASKED = {"bash": bash, "fish": fish, "zsh": zsh}


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_and_harnesses_are_completed(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    ask = ASKED[shell]
    assert "preview" in ask("promptls prev", tmp_path)
    assert "copilot-vscode" in ask("promptls map --harness copilot-", tmp_path)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_options_rules_and_paths_are_completed(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    ask = ASKED[shell]
    (tmp_path / "docs").mkdir()
    (tmp_path / "AGENTS.md").write_text("", encoding="utf-8")
    assert set(ask("promptls check --f", tmp_path)) == {"--fail-on", "--fix", "--format"}
    assert "import-missing" in ask("promptls rule import-", tmp_path)
    assert "AGENTS.md" in ask("promptls preview AG", tmp_path)
    assert [each.rstrip("/") for each in ask("promptls map d", tmp_path)] == ["docs"]
    assert "overview" in ask("promptls schema o", tmp_path)
    assert not {"overview", "check"} & set(ask("promptls preview --agent ", tmp_path)), "an agent is none of these"


def test_the_page_for_man_is_well_formed() -> None:
    page = (ROOT / "docs" / "promptls.1").read_text(encoding="utf-8")
    assert all(f".SS promptls {name}\n" in page for name in COMMANDS)
    mandoc = shutil.which("mandoc")
    if mandoc is not None:
        command = [mandoc, "-T", "lint", "-W", "error", str(ROOT / "docs" / "promptls.1")]
        assert subprocess.run(command, capture_output=True, check=False, timeout=LIMIT).stdout == b""
