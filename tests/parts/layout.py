"""Captured sessions of the real programs with all that a request carries, and how a preview is held against one.

The fields are those of ``tests/wire/case.py``, and: ``setup``, shell commands that are run in the workspace;
``git_commit``, folders with one empty commit; ``session.prompt``, what was typed; ``session.vscode``, what was open,
selected and attached; ``session.unset``, variables that were not set; ``session.turns``, as a session
file has them. Each part of ``expect.parts`` has its length as
sent, ``chars``, and those of the program's own texts in it, ``elided``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock
from zoneinfo import ZoneInfo

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import GitState, Prompt, Session
from promptls.core.paths import resolve
from promptls.git import state as git_state
from promptls.workspace.session_file import parse
from tests.wire.case import AT, CAPTURED, Case, Layout, answers

CASES = Path(__file__).parent / "cases"
TIERS = ("surfaces", "start", "read")
# How Codex was started, where not by ``codex exec``: an option that only the program on the screen takes shows it.
MODES = {"debug prompt-input": ("debug", "prompt-input"), "interactive": ("--no-alt-screen",)}
FREE = re.compile("⟪[^⟫]*⟫")
MARK = re.compile(r"MARK-[\w-]+")
# Who commits, and when; no settings of the machine's own.
GIT = {
    **{f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "a@example.invalid" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_DATE": "2026-01-02T03:04:05Z" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_NOSYSTEM": "1",
}


@cache
def part_cases() -> list[Case]:
    """Every case that is scored."""
    found = [Case(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(CASES.glob("*/*.json"))]
    return [case for case in found if case.data["tier"] in TIERS]


class PartsLayout(Layout):
    """A case on disk below ``top``; its commands see it where it is."""

    def __init__(self, case: Case, top: Path, at: str = AT) -> None:
        super().__init__(case, top, at)
        data = case.data
        self._run(["git", "-c", "init.defaultBranch=main", "init", "-q", "--template="], *data["git"])
        self._run(["git", "commit", "-q", "--allow-empty", "-m", "first"], *data.get("git_commit", ()))
        for command in (*(data.get("setup") or ()), *(data["session"].get("setup") or ())):
            self._run(["sh", "-c", self.fill(command)], "workspace")

    def fill(self, text: str) -> str:
        """``text`` with real paths."""
        return super().fill(text.replace("${USERDATA}", f"{self.at}/ud/User"))

    def back(self, text: str) -> str:
        """``text`` with placeholders, as the case has it."""
        return super().back(text.replace(f"{self.at}/ud/User", "${USERDATA}"))

    def session(self) -> Session:
        """How the program was started, and what happened then."""
        said = self.case.data["session"]
        vscode = said.get("vscode") or {}
        cwd = resolve(f"{self.at}/workspace", self.fill(vscode.get("folder") or said["cwd"] or "."))
        self.on_disk(cwd).mkdir(parents=True, exist_ok=True)
        given = said.get("turns")
        turns = vscode.get("prompts") or [{"query": said.get("prompt"), "attach": vscode.get("attach", [])}]
        opened = [{"path": path, "selection": vscode.get("select")} for path in vscode.get("open", ())]
        args = [*MODES.get(said.get("mode"), ()), *said["args"]]
        args += ["--user-data-dir", f"{self.at}/ud"] if self.on_disk("ud").exists() else []
        args += [vscode["workspaceFile"]] if vscode.get("workspaceFile") else []
        options = {
            "harness": self.case.data["harness"],
            "cwd": cwd,
            "model": said.get("model"),
            "agent": said.get("agent"),
            "args": args,
            "hints": said.get("hints") or [],
            "interactive": said.get("interactive"),
            "mode": said.get("mode") if "interactive" in said else None,
            "request": said.get("request"),
            "turns": given
            or [
                {
                    "prompt": turn.get("query"),
                    "stdin": said.get("stdin"),
                    "attached": turn.get("attach", []),
                    "open": opened,
                    "steps": said.get("steps", []) if number == len(turns) else [],
                }
                for number, turn in enumerate(turns, 1)
            ],
        }
        asked = parse(json.dumps(_filled(options, self)))
        return Session(
            harness=self.case.data["harness"],
            version=self.case.data["version"],
            cwd=cwd,
            turns=asked.turns or (),
            model=asked.model,
            agent=asked.agent,
            args=asked.args or (),
            hints=asked.hints or (),
            interactive=asked.interactive,
            mode=asked.mode,
            request=asked.request,
        )

    def host(self) -> Host:
        """What the program could see."""
        env = self._environment()
        has_etc = any(name.startswith("etc/") for name in self.case.data["files"])
        zone = ZoneInfo(env["TZ"]) if "TZ" in env else UTC
        return Host(
            home=self.fill("${HOME}"),
            env=env,
            clock=lambda: datetime.now(zone),
            fetch=answers(self.case),
            sysroot=self.at if has_etc else "",
            git=self._git,
            disk=self.disk,
            os_version=(self.case.data["expect"].get("host") or {}).get("os_version", ""),
        )

    def _git(self, directory: str) -> GitState | None:
        """What git says to somebody whose home is that of the case."""
        home = str(self.on_disk("home"))
        with mock.patch.dict(os.environ, {"HOME": home, "XDG_CONFIG_HOME": f"{home}/.config"}):
            return git_state.state(self.disk.real(directory))

    def _environment(self) -> dict[str, str]:
        said = self.case.data["session"]
        env = {"HOME": self.fill("${HOME}"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        env |= CAPTURED.get(self.case.data["harness"], {})
        env |= {name: self.fill(value) for name, value in said["env"].items()}
        return {name: value for name, value in env.items() if name not in said.get("unset", ())}

    def _run(self, command: list[str], *places: str) -> None:
        real = str(self.on_disk("."))
        env = {name: value.replace(self.at, real) for name, value in (self._environment() | GIT).items()}
        command = [each.replace(self.at, real) for each in command]
        for place in places:
            directory = self.on_disk(place)
            directory.mkdir(parents=True, exist_ok=True)
            subprocess.run(command, cwd=directory, env=env, check=False, capture_output=True, timeout=60)


def _filled(value: Any, layout: PartsLayout) -> Any:
    if isinstance(value, str):
        return layout.fill(value)
    if isinstance(value, dict):
        return {key: _filled(each, layout) for key, each in value.items()}
    return [_filled(each, layout) for each in value] if isinstance(value, list) else value


def preview(layout: PartsLayout) -> Prompt:
    """Our preview of a case."""
    return harnesses.preview(layout.session(), layout.host())


def differences(layout: PartsLayout, prompt: Prompt) -> list[str]:
    """What of the case is not in the prompt, and what is there and was not sent, a line each."""
    return [*_missing(layout, prompt), *_wrong_sizes(layout, prompt), *_too_many(layout, prompt)]


def _missing(layout: PartsLayout, prompt: Prompt) -> Iterator[str]:
    expect = layout.case.data["expect"]
    texts = [(message.role, layout.back(message.text)) for message in prompt.messages]
    for part in expect["parts"]:
        # What the model answers between two turns is not said.
        if part["role"] != "assistant" and not any(
            part["role"] in (None, role) and _holds(text, part["text"]) for role, text in texts
        ):
            yield f"a {part['role']} part is missing: {part['text'][:300]!r}"
    tools = expect.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        described = tool.get("description") or ""
        is_own = not FREE.sub("", described).strip()
        if not is_own and not any(role == "tools" and _holds(text, described) for role, text in texts):
            yield f"a tool's definition is missing: {tool['description'][-300:]!r}"


def _wrong_sizes(layout: PartsLayout, prompt: Prompt) -> Iterator[str]:
    """The parts of known length that no message of their text has within 1 %."""
    for part in layout.case.data["expect"]["parts"]:
        # A size for each of the program's own texts, or nobody has measured them (skill-typed).
        if not part.get("chars") or len(part.get("elided") or ()) != len(FREE.findall(part["text"])):
            continue
        wanted = sum(map(len, FREE.split(part["text"]))) + sum(part["elided"])
        held = [
            message
            for message in prompt.messages
            if part["role"] in (None, message.role) and _holds(layout.back(message.text), part["text"])
        ]
        sizes = [
            sum(
                (segment.elided.size or 0) if segment.elided else len(layout.back(segment.text))
                for segment in message.segments
            )
            for message in held
        ]
        # What is not known has no size.
        if any(each.elided and each.elided.size is None for message in held for each in message.segments):
            sizes = [size for size in sizes if size == wanted]
        if sizes and not any(abs(size - wanted) <= 0.01 * wanted for size in sizes):
            yield f"a {part['role']} part has {wanted} characters, not {sizes}: {part['text'][:120]!r}"


def _too_many(layout: PartsLayout, prompt: Prompt) -> Iterator[str]:
    data = layout.case.data
    loaded = {word for part in data["expect"]["parts"] for word in MARK.findall(part["text"])}
    shown = [layout.back(each.text) for m in prompt.messages for each in m.segments if each.layer != "runtime"]
    for path in data["expect"]["not_loaded"]:
        name = path.replace("${WORKSPACE}/", "workspace/", 1).replace("${HOME}/", "home/", 1)
        text = data["files"].get(name)
        for word in set(MARK.findall(text)) - loaded if isinstance(text, str) else ():
            if any(re.search(re.escape(word) + r"(?![\w-])", each) for each in shown):
                yield f"{path} is shown and was not sent"


def _holds(text: str, wanted: str) -> bool:
    """Whether ``text`` has every piece of ``wanted`` that is not the program's own, in order."""
    at = 0
    for piece in (each.strip("\n") for each in FREE.split(wanted) if each.strip()):
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True
