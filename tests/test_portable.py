"""Nothing needs what only POSIX has: every module can be imported without it, and the basic paths work."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.folder import lay_out
from tests.lsp.process import ServerProcess

SERVER = Path(__file__).parents[1] / "server" / "promptls"

# Takes away what Windows lacks. The standard library's own modules are loaded first: on Windows they do without.
WITHOUT_POSIX = """
import asyncio, os, platform, selectors, signal, socket, subprocess, sys, tempfile, uuid
for name in ("fcntl", "grp", "posix", "pwd", "pty", "readline", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
OF_POSIX = (
    *("chown", "chroot", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getpgid"),
    *("getpgrp", "getpriority", "getsid", "getuid", "getxattr", "killpg", "lchown", "listxattr", "mkfifo", "mknod"),
    *("nice", "openpty", "pread", "pwrite", "removexattr", "sched_getaffinity", "setpgid", "setsid", "setuid"),
    *("setxattr", "statvfs", "sysconf", "uname", "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK"),
    *("O_TMPFILE", "posix_spawn", "register_at_fork"),
)
for name in OF_POSIX:
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGQUIT", "SIGTSTP", "SIGUSR1", "SIGUSR2"):
    delattr(signal, name)
"""
IMPORT_ALL = """
import importlib, pkgutil, promptls
# The library of the MCP server asks which system runs, and imports fcntl on all but Windows.
for found in pkgutil.walk_packages(promptls.__path__, "promptls."):
    if not found.name.endswith(("__main__", "mcp_server")):
        importlib.import_module(found.name)
        print(found.name)
"""
RUN = "from promptls.cli import main; sys.exit(main(sys.argv[1:]))"
# Who may put paths together by the rules of the system that runs: others ask core/paths.py, and have "/" everywhere.
NATIVE = {
    "core/paths.py": "these are the rules",
    "core/files.py": "the edge: what it returns is as core/paths.py has it",
    "cli/arguments.py": "the same, for the working directory",
    "core/changes.py": "a path of POSIX or of Windows as it is kept here",
    "git/__init__.py": "a place that is only looked at",
    "git/listing.py": "the same",
    "git/replica.py": "the same, and files that it makes",
    "workspace/machine.py": "files of this package",
    "workspace/fleet.py": "the results that the command line names",
    "harnesses/catalogue.py": "files of this package",
    "harnesses/agent_core/__init__.py": "files of this package",
    "harnesses/etcode/__init__.py": "files of this package",
    "harnesses/mini_claude_code/__init__.py": "files of this package",
    "cli/completion.py": "files of this package",
    "cli/log.py": "where a process of ours starts",
    "cli/remembered.py": "a directory of its own, and files of this package",
    "cli/schema.py": "files of this package",
    "page/frame.py": "files of this package",
    "cli/learn.py": "the directory of what is kept",
    "cli/mcp_server.py": "the folder in which it is started",
    "workspace/record_store.py": "a directory of its own",
    "net/cache.py": "a directory of its own",
    "wire/cases.py": "a directory of its own",
    "wire/conformance.py": "a tree in a directory of its own",
    "wire/find_program.py": "the user's search path",
    "wire/enclosing.py": "directories of Linux",
    "wire/run.py": "a directory of its own",
    "wire/runner.py": "the same",
    "wire/vscode.py": "the same",
    "lsp/written.py": "a directory of its own",
    "lsp/checker.py": "the top of the disk",
    "lsp/commanded.py": "the same",
    "system/write_file.py": "a file of its own beside one that is written",
}
OF_SYSTEM = re.compile(
    r"os\.path\.(join|normpath|abspath|relpath|realpath|expanduser|split)\b|\bos\.sep\b|\bgetcwd\b"
    r"|posixpath\.(join|dirname|relpath|abspath)\b|from posixpath import [^\n]*\b(join|dirname|relpath|abspath)\b"
)


def without_posix(code: str, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run ``code`` where nothing of POSIX is left."""
    command = [sys.executable, "-c", WITHOUT_POSIX + code, *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


def folder(top: Path) -> Path:
    return lay_out(top, {"AGENTS.md": "Use tabs.\n", "opencode.json": {"instructions": ["AGENTS.md"]}, "a.py": "1\n"})


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    ran = without_posix(IMPORT_ALL, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert {"promptls.git", "promptls.lsp.main", "promptls.system.write_file"} <= set(ran.stdout.split())


def test_a_preview(tmp_path: Path) -> None:
    ran = without_posix(RUN, "preview", "a.py", "--format=json", "--no-network", cwd=folder(tmp_path))
    assert ran.stderr == ""
    assert "Use tabs." in json.dumps(json.loads(ran.stdout)["messages"])


def test_a_check_that_runs_git_and_writes_fixes(tmp_path: Path) -> None:
    top = folder(tmp_path)
    ran = without_posix(RUN, "check", "--fix", "--no-network", cwd=top)
    assert (ran.returncode, ran.stderr) == (0, "promptls: fixed 1 problem in 1 file.\n")
    assert json.loads((top / "opencode.json").read_text(encoding="utf-8")) == {"instructions": []}
    assert sorted(each.name for each in top.iterdir()) == [".git", "AGENTS.md", "a.py", "opencode.json"]


def test_the_server_checks_a_folder_and_ends(tmp_path: Path) -> None:
    root = folder(tmp_path).as_uri()
    with ServerProcess(f"{WITHOUT_POSIX}\nfrom promptls.lsp.main import serve; serve()") as server:
        found = server.request("initialize", {"processId": None, "rootUri": root, "capabilities": {}})
        assert "capabilities" in found["result"]
        server.notify("initialized", {})
        uri = (tmp_path / "opencode.json").as_uri()
        text = (tmp_path / "opencode.json").read_text(encoding="utf-8")
        document = {"uri": uri, "languageId": "json", "version": 1, "text": text}
        server.notify("textDocument/didOpen", {"textDocument": document})
        shown = server.request("prompt/preview", {"textDocument": {"uri": uri}})
        assert "Use tabs." in shown["result"]["text"]
        server.request("shutdown")
        server.notify("exit")
        assert server.code() == 0


def test_paths_follow_their_own_rules_and_not_those_of_the_system_that_runs() -> None:
    sources = {str(path.relative_to(SERVER)): path.read_text(encoding="utf-8") for path in SERVER.rglob("*.py")}
    assert {path for path, source in sources.items() if OF_SYSTEM.search(source)} == set(NATIVE)
