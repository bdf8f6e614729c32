"""Captured sessions of the real programs: how a case is laid out on disk, and how a preview is held against it.

The fields of a case: ``files`` (path to text, or to {"base64"}; a path ending in "/" is a directory), ``symlinks``,
``git`` (repositories), ``http`` (answers of a web server), ``session`` (how the program was started) and ``expect``
(what reached the model). ``⟪…⟫`` replaces prose of the program's own.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from promptls import harnesses
from promptls.core.host import Host, no_git
from promptls.core.model import Call, FetchResult, GitState, Prompt, Session, Timeouts, Turn
from promptls.core.paths import resolve, upwards
from promptls.harnesses.claude_code.files.at_start import slug
from tests.disk import Place

if TYPE_CHECKING:
    from promptls.core.host import Fetch

CASES = Path(__file__).parent / "cases"
ELIDED = "⟪…⟫"
# What was set in every session of a harness that was captured, unless the case says otherwise.
CAPTURED = {"claude-code": {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}}
# Between two stretches of a message.
GAP = "\n\n[...]\n\n"
# How the disk on which the sessions were captured lists these names, in the order of which some programs send them.
LISTED = (
    *(".cursorrules", "GEMINI.md", "CLAUDE.md", "Claude.md", "AGENT.md", "AGENTS.md", "agents.md"),
    *("scripts", "ref.md"),
    *("d.md", "b.md", "e.md", "f.md", "a.md", "g.md", "c.md"),
    *("outdir", "out.md"),
    *("good", "bare", "trig", "three.md", "two.md", "one.md"),
    *("k2", "a2", "uniq", "same"),
)
# Long text of a case's own file, left out too. How much of it a limit keeps depends on the length of the paths.
FILLER = re.compile(r"\[\.\.\. \d+ bytes of our own filler \.\.\.\](?:\ny+)?")
# Where the programs of a case see it, wherever that really is.
AT = "/Users/me/case"
HTTP = "http://127.0.0.1:18090"
PLACEHOLDER = re.compile(r"\$\{(WORKSPACE|HOME|HTTP)\}")
# The name that Claude Code makes of the path of a directory below the case's own.
SLUG = re.compile(r"\$\{SLUG\}[^/\s]*")
DASHED = re.compile(r"[^A-Za-z0-9]")
# Harnesses that tell the model of git to the letter.
ASKS_GIT = ("hermes",)
# Cases whose parts are those of the sub-agent that the last call has started.
OF_SUB_AGENT = ("grok-build/subagent", "letta-code/subagent-call")
# How a case calls the message with the definitions of tools.
IN_TOOLS = {"tool-definition": "tools"}
TIERS = ("start", "launch", "read", "tools")
# Harnesses of which the cases of tier ``tools`` can be said as turns: what the user types, and what the model calls.
WITH_TOOLS = (
    *("auggie", "claude-code", "copilot-cli", "deepagents-code", "droid", "gemini-cli", "goose", "gptme", "grok-build"),
    *("hermes", "kimi-code", "learn-claude-code", "letta-code", "mistral-vibe", "opencode", "qwen-code"),
)


@dataclass(frozen=True)
class Case:
    """One captured session."""

    path: Path
    data: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.data['harness']}/{self.data['name']}"


@cache
def cases(tiers: tuple[str, ...] = TIERS) -> list[Case]:
    """Every case of the given tiers."""
    found = [Case(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(CASES.glob("*/*.json"))]
    return [case for case in found if case.data["tier"] in tiers and _can_be_said(case)]


def _can_be_said(case: Case) -> bool:
    return case.data["tier"] != "tools" or case.data["harness"] in WITH_TOOLS


class Layout:
    """A case on disk below ``top``, with its placeholders filled in. Its programs see it at ``at``."""

    def __init__(self, case: Case, top: Path, at: str = AT) -> None:
        self.case = case
        self.at = at
        self.disk = Place("", LISTED, str(top), at)
        self._paths = {"WORKSPACE": f"{at}/workspace", "HOME": f"{at}/home", "HTTP": HTTP}
        self._slugs: dict[str, str] = {}
        self._write()

    def on_disk(self, path: str) -> Path:
        """Where a path of the case really is; one that is not absolute begins at ``top``."""
        return Path(self.disk.real(resolve(self.at, self.fill(path))))

    def fill(self, text: str) -> str:
        """``text`` with real paths."""
        return SLUG.sub(self._slug, PLACEHOLDER.sub(lambda match: self._paths[match[1]], text))

    def _slug(self, match: re.Match[str]) -> str:
        """The name of a project's directory; of a long path it ends with a hash, so the path itself is needed."""
        dashed = DASHED.sub("-", self.at) + match[0].removeprefix("${SLUG}")
        directories = [f"{self.at}/{name}" for name in ("workspace", *self.case.data["git"])]
        found = next((slug(each) for each in directories if DASHED.sub("-", each) == dashed), dashed)
        self._slugs[found] = match[0]
        return found

    def back(self, text: str) -> str:
        """``text`` with placeholders, as the case has it."""
        for name in ("WORKSPACE", "HOME", "HTTP"):
            text = text.replace(self._paths[name], f"${{{name}}}")
        text = text.replace(f"{self.at}/etc/", "/etc/").replace(f"{self.at}/", "${WORKSPACE}/../")
        for found, name in self._slugs.items():
            text = text.replace(found, name)
        return text

    def _write(self) -> None:
        data = self.case.data
        for name in ("workspace", "home"):
            self.on_disk(name).mkdir(parents=True)
        for name, text in data["files"].items():
            path = self.on_disk(name)
            if name.endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            content = base64.b64decode(text["base64"]) if isinstance(text, dict) else self.fill(text).encode()
            path.write_bytes(content)
        for name, target in data["symlinks"].items():
            path = self.on_disk(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(self.disk.real(self.fill(target)))
        for name in data["git"]:
            git = self.on_disk(name) / ".git"
            for directory in ("objects", "refs/heads"):
                (git / directory).mkdir(parents=True, exist_ok=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        for name in data.get("worktrees") or ():
            self._write_worktree(self.fill(name))

    def _write_worktree(self, name: str) -> None:
        """A worktree of the workspace: a file .git, and what was committed there, which is all of its files."""
        place, committed = self.on_disk(name), self.on_disk("workspace")
        for path in [each for each in committed.rglob("*") if each.is_file() and ".git" not in each.parts]:
            copy = place / path.relative_to(committed)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
        place.mkdir(parents=True, exist_ok=True)
        kept = committed / ".git/worktrees/wt"
        kept.mkdir(parents=True)
        (kept / "HEAD").write_text("ref: refs/heads/wt\n", encoding="utf-8")
        (place / ".git").write_text(f"gitdir: {self.at}/workspace/.git/worktrees/wt\n", encoding="utf-8")

    def session(self) -> Session:
        """How the program was started."""
        session = self.case.data["session"]
        cwd = resolve(f"{self.at}/workspace", self.fill(session["cwd"]))
        self.on_disk(cwd).mkdir(parents=True, exist_ok=True)
        return Session(
            harness=self.case.data["harness"],
            version=self.case.data["version"],
            cwd=cwd,
            turns=(Turn(session.get("prompt"), steps=tuple(self._step(step, cwd) for step in session["steps"])),),
            model=session.get("model"),
            agent=session.get("agent"),
            args=tuple(map(self.fill, session["args"])),
            hints=tuple(session.get("hints") or ()),
            interactive=session.get("interactive"),
            editor=session.get("editor"),
            mode=session.get("mode"),
        )

    def _step(self, step: list[dict[str, Any]], cwd: str) -> tuple[Call, ...]:
        started = () if self.case.id in OF_SUB_AGENT else None
        return tuple(
            Call(read=resolve(cwd, self.fill(call["read"])))
            if "read" in call
            else Call(tool=call["tool"], input=self.fill(json.dumps(call["input"])), steps=started)
            for call in step
        )

    def host(self) -> Host:
        """What the program could see."""
        env = {name: self.fill(value) for name, value in self.case.data["session"]["env"].items()}
        has_etc = any(name.startswith("etc/") for name in self.case.data["files"])
        zone = zone_of(env)
        return Host(
            home=self.fill("${HOME}"),
            env={"HOME": self.fill("${HOME}"), **CAPTURED.get(self.case.data["harness"], {}), **env},
            clock=lambda: datetime.now(zone),
            fetch=answers(self.case),
            sysroot=self.at if has_etc else "",
            disk=self.disk,
            git=self._git if self.case.data["harness"] in ASKS_GIT else no_git,
        )

    def _git(self, directory: str) -> GitState | None:
        """What git says of a repository of the case, in which nothing or all is committed."""
        repositories = [self.fill(f"{self.at}/{each}") for each in self.case.data["git"]]
        root = next((each for each in upwards(directory) if each in repositories), None)
        if root is None or self.on_disk(f"{directory}/.git").is_file():
            return None
        has_all = bool(self.case.data.get("commit"))
        top = self.on_disk(root)
        names = sorted(each.name for each in top.iterdir() if each.name != ".git" and _has_files(each))
        status = "" if has_all else "\n".join(f"?? {each}" for each in names)
        return GitState("main", "", None, status, "0000000 MARK-commit" if has_all else "")


def _has_files(path: Path) -> bool:
    return path.is_symlink() or path.is_file() or any(_has_files(each) for each in path.iterdir())


def zone_of(env: Mapping[str, str]) -> tzinfo:
    """The local zone of a case."""
    return ZoneInfo(env["TZ"]) if "TZ" in env else UTC


def answers(case: Case) -> Fetch:
    """What the case's web server answers, waiting as long as the harness does but in no time."""

    def answer(url: str, timeouts: Timeouts) -> FetchResult:
        if not url.startswith(HTTP):
            return FetchResult(url, "unreachable")
        said = case.data["http"].get(url.removeprefix(HTTP).partition("?")[0])
        if said is None:
            return FetchResult(url, "status", status=404)
        headers = said.get("delay_headers_s", 0)
        total = headers + said.get("delay_body_s", 0)
        if headers > timeouts.headers or total > timeouts.total:
            return FetchResult(url, "timeout")
        if "location" in said:
            there = answer(HTTP + said["location"], timeouts)
            return FetchResult(url, there.state, there.text, there.status)
        if not 200 <= said["status"] < 300:
            return FetchResult(url, "status", status=said["status"])
        body = said.get("body", "")
        return FetchResult(url, "ok" if body else "empty", body, 200)

    return lambda urls, timeouts: [answer(url, timeouts) for url in urls]


def preview(layout: Layout) -> Prompt:
    """Our preview of a case."""
    return harnesses.preview(layout.session(), layout.host())


def sources(layout: Layout, prompt: Prompt) -> list[tuple[str, str]]:
    """The files and URLs whose text is in the prompt, with the role of the message, in order."""
    expect = layout.case.data["expect"]
    names = {path for path, _ in expected_sources(layout.case)}
    listed = expect.get("elsewhere", ())
    elsewhere = {each if isinstance(each, str) else (each["path"], IN_TOOLS.get(each["role"])) for each in listed}
    found: list[tuple[str, str]] = []
    for message in prompt.messages:
        for segment in message.segments:
            place = layout.back(segment.origin.path or segment.origin.url or "")
            if segment.origin.again:
                continue
            if segment.layer == "runtime" or not segment.text.strip():
                continue
            if place in elsewhere or (place, message.role) in elsewhere:
                continue
            # A label announces its file also where the file's own text is blank.
            if segment.origin.kind not in ("file", "url") and place not in names:
                continue
            if not found or found[-1] != (place, message.role):
                found.append((place, message.role))
    return found


def expected_sources(case: Case) -> list[tuple[str, str]]:
    """What the case says of the same, neighbours of one source taken together; that of sub-agents left out."""
    said = [each for each in case.data["expect"]["sources"] if "only_in_request" not in each]
    return in_one(said)


def in_one(said: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Sources with their roles, neighbours of one source taken together."""
    listed = [(beside(source["path"]), source["role"]) for source in said]
    return [source for at, source in enumerate(listed) if at == 0 or listed[at - 1] != source]


def beside(path: str) -> str:
    """A path of a case as previews name it: what is beside the workspace may be named from the case's own folder."""
    return path if path.startswith(("$", "/", "http")) else f"${{WORKSPACE}}/../{path}"


def missing_parts(layout: Layout, prompt: Prompt) -> list[str]:
    """The captured parts that stand in no message, in order and to the letter."""
    expect = layout.case.data["expect"]
    texts = [(message.role, layout.back(message.text)) for message in prompt.messages]
    missing = []
    for part in expect["parts"]:
        pieces = _pieces(part["text"], unordered=bool(expect.get("unordered")))
        if not any(
            part["role"] in (None, role) and _holds(text, pieces, unordered=bool(expect.get("unordered")))
            for role, text in texts
        ):
            missing.append(f"{part['role']}: {part['text']}")
    return missing


def _pieces(text: str, *, unordered: bool) -> list[str]:
    whole = FILLER.sub(ELIDED, text).replace(GAP, ELIDED).split(ELIDED)
    split = [
        piece for run in whole for piece in re.split(r"(?=Contents of |Instructions from: |</system-reminder>)", run)
    ]
    return [piece.strip("\n") for piece in (split if unordered else whole) if piece.strip()]


def _holds(text: str, pieces: list[str], *, unordered: bool) -> bool:
    if unordered:
        return all(piece.strip() in text for piece in pieces)
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True
