"""Captured sessions on a disk in memory, of POSIX or of Windows."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime
from typing import Any

from promptls.core.host import Host
from promptls.core.model import Session, reading
from promptls.core.paths import join, native, resolve
from promptls.harnesses.claude_code.files.at_start import slug
from tests.disk import Link, MemoryDisk
from tests.wire.case import CAPTURED, DASHED, HTTP, PLACEHOLDER, SLUG, Case, answers, zone_of

# Where a case is: the same place, apart from the drive.
POSIX, WINDOWS = "/Users/me/case", "C:/Users/me/case"
# The files of the machine and of its administrator: a pattern for their place on Windows, and that on Linux.
MACHINE = {
    r"C:/Program Files/ClaudeCode(?=/)": "/etc/claude-code",
    r"C:/ProgramData/OpenAI/Codex(?=/)": "/etc/codex",
    r"C:/ProgramData/(?=(gemini-cli|opencode|qwen-code)/)": "/etc/",
    r"C:/(?:(?!C:/).)*(?=/managed_config\.toml)": "/etc/codex",
}
ON_WINDOWS = {
    "etc/claude-code/": "C:/Program Files/ClaudeCode/",
    "etc/codex/config.toml": "C:/ProgramData/OpenAI/Codex/config.toml",
    "etc/codex/managed_config.toml": "home/.codex/managed_config.toml",
    "etc/gemini-cli/": "C:/ProgramData/gemini-cli/",
    "etc/opencode/": "C:/ProgramData/opencode/",
    "etc/qwen-code/": "C:/ProgramData/qwen-code/",
}
# What no name on Windows can hold, beside what names a path.
ODD = re.compile(r'[<>:"|?*\\]|[. ](?:/|$)')
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
# What Windows sets, besides what a case does.
WINDOWS_ENVIRONMENT = {
    "Path": r"C:\Windows\system32;C:\Windows",
    "UserProfile": native(join(WINDOWS, "home")),
    "AppData": native(join(WINDOWS, "home/AppData/Roaming")),
    "ProgramData": r"C:\ProgramData",
}


def can_be_on_windows(case: Case) -> bool:
    """Whether Windows can have the files: no two with names that differ only in letter case, and no odd letters."""
    names = [*case.data["files"], *case.data["symlinks"]]
    return len({name.lower() for name in names}) == len(names) and not any(ODD.search(name) for name in names)


class InMemory:
    """A case below ``top`` of a disk in memory. On Windows, what is configured has Windows's spelling."""

    def __init__(self, case: Case, top: str, *, crlf: bool = False) -> None:
        """``crlf``: text files have lines that end so."""
        self.case = case
        self.top = top
        self.disk = MemoryDisk()
        self._crlf = crlf
        self._write()

    def path(self, text: str) -> str:
        """A path of the case as ``core.paths`` has it."""
        if text.startswith("etc/"):
            if self.top == POSIX:
                return f"/{text}"
            linux, there = next(each for each in ON_WINDOWS.items() if text.startswith(each[0]))
            text = there + text.removeprefix(linux)
        return resolve(self.top, self._fill(text, lambda path: path))

    def spelled(self, text: str) -> str:
        """``text`` with the case's paths as the system writes them."""
        return self._fill(text, native)

    def session(self) -> Session:
        """How the program was started."""
        session = self.case.data["session"]
        cwd = resolve(self.path("workspace"), self.path(session["cwd"]) if "$" in session["cwd"] else session["cwd"])
        self.disk.add(cwd, None) if self.disk.stat_of(cwd) is None else None
        steps = [call for step in session["steps"] for call in step]
        return Session(
            harness=self.case.data["harness"],
            version=self.case.data["version"],
            cwd=cwd,
            turns=reading(resolve(cwd, self.spelled(call["read"])) for call in steps if "read" in call),
            model=session.get("model"),
            agent=session.get("agent"),
            args=tuple(map(self.spelled, session["args"])),
            hints=tuple(session.get("hints") or ()),
        )

    def host(self) -> Host:
        """What the program could see."""
        env = {name: self.spelled(value) for name, value in self.case.data["session"]["env"].items()}
        home, zone = self.path("home"), zone_of(env)
        own = {"HOME": home} if self.top == POSIX else WINDOWS_ENVIRONMENT
        return Host(
            home=home,
            env={**own, **CAPTURED.get(self.case.data["harness"], {}), **env},
            platform="linux" if self.top == POSIX else "win32",
            clock=lambda: NOW.astimezone(zone),
            fetch=answers(self.case),
            disk=self.disk,
        )

    def _fill(self, text: str, spell: Any) -> str:
        real = {"WORKSPACE": spell(f"{self.top}/workspace"), "HOME": spell(f"{self.top}/home"), "HTTP": HTTP}
        return SLUG.sub(lambda found: self._slug(found[0]), PLACEHOLDER.sub(lambda found: real[found[1]], text))

    def _slug(self, text: str) -> str:
        """The name of a project's directory; of a long path it ends with a hash, so the path itself is needed."""
        top = native(self.top)
        dashed = DASHED.sub("-", top) + text.removeprefix("${SLUG}")
        directories = [native(f"{self.top}/{name}") for name in ("workspace", *self.case.data["git"])]
        return next((slug(each) for each in directories if DASHED.sub("-", each) == dashed), dashed)

    def _content(self, name: str, text: Any) -> bytes:
        if isinstance(text, dict):
            return base64.b64decode(text["base64"])
        # In Markdown no harness takes a back slash for one of a path.
        is_config = name.endswith((".json", ".jsonc", ".toml"))
        filled = self._fill(text, (lambda path: json.dumps(native(path))[1:-1]) if is_config else str)
        return (filled.replace("\n", "\r\n") if self._crlf else filled).encode()

    def _write(self) -> None:
        data = self.case.data
        for name in ("workspace/", "home/"):
            self.disk.add(self.path(name), None)
        for name, text in data["files"].items():
            self.disk.add(self.path(name), None if name.endswith("/") else self._content(name, text))
        for name, target in data["symlinks"].items():
            self.disk.add(self.path(name), Link(self.path(target) if "$" in target else target))
        for name in data["git"]:
            for directory in ("objects", "refs/heads"):
                self.disk.add(self.path(f"{name}/.git/{directory}"), None)
            self.disk.add(self.path(f"{name}/.git/HEAD"), b"ref: refs/heads/main\n")
