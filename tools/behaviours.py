"""What a case of conformance/ shows: for each behaviour and file, whether the file was sent.

A behaviour is read off a tree, a start and a request alone, so anybody can check it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
# The rows of docs/conformance.md: a name, and what it says of a file.
ROWS = {
    "in-folder": "in the folder where the program is started",
    "parents": "in folders above it, up to the root of the repository",
    "above-root": "above the root of the repository",
    "below-at-start": "nested: in a folder below, already at the start",
    "on-reading": "nested: in a folder below, once a file there is read",
    "home": "in the home directory",
    "import": "a file that an instruction file imports (`@path`)",
    "link": "a symbolic link to a file of another name",
    "comment": "text in an HTML comment",
    "cut": "a long file is cut after so many characters",
    "skill": "description of a skill in `.agents/skills`",
    "after-compaction": "after a compaction",
    "nested-after-compaction": "nested, read before a compaction: still there after it",
    "sub-agent": "in a sub-agent",
    "untrusted": "in a folder that is not trusted",
    "ends": "the program ends before its first request",
    "agents-folder": "what is in a folder `.agents`",
}
# What may be in a folder .agents: how it is named, by its path there.
PLACES = {
    "AGENTS.md": r"agents\.md",
    "rules/*.md": r"rules/.+",
    "skills/*/SKILL.md": r"skills/[^/]+/SKILL\.md",
    "agents/*.md": r"agents/[^/]+\.md",
    "commands/*.md": r"commands/[^/]+\.md",
    "mcp.json": r"mcp\.json",
    "plugins/*/plugin.json": r"plugins/[^/]+/plugin\.json",
    "plugins/*/skills/*/SKILL.md": r"plugins/[^/]+/skills/[^/]+/SKILL\.md",
    "plugins/*/mcp.json": r"plugins/[^/]+/mcp\.json",
}
# Cases whose record is the whole request.
RECORDED = ("dot-agents", "dot-agents-below")
NAMES = (
    *("AGENTS.md", "AGENTS.override.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md"),
    *("CRUSH.md", "CONTEXT.md", ".cursorrules", ".clinerules", ".goosehints", "copilot-instructions.md"),
)
# Cases in which the folder is not trusted: each program says so in a way of its own.
UNTRUSTED = (
    *(
        "settle-trust-untrusted",
        "settle-trust-none",
        "settle-trust-do-not",
        "trust-asked",
        "trust-none",
        "untrusted",
        "trust-headless",
    ),
)
# Options and variables that begin a session elsewhere, or give it a file: its working directory says little then.
ELSEWHERE = (
    "-w",
    "--cwd",
    "--dir",
    "--work-dir",
    "--workdir",
    "-C",
    "--cd",
    "--file",
    "--ide",
    "OPENHANDS_WORK_DIR",
    "XDG_CONFIG_HOME",
)
# A command that reads a file, of a program that has no tool for that.
CAT = re.compile(r"cat ([\w./-]+)")
IMPORT = re.compile(r"(?:^|[\s(])@([\w./~-]+)")
HOME = re.compile(r"home/(?:\.config/)?[^/]+/[^/]+")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---", re.DOTALL)
SKILL = re.compile(r"workspace/\.agents/skills/[^/]+/SKILL\.md")


@dataclass(frozen=True)
class Behaviour:
    """Whether a file was sent, where that is what a behaviour is about; ``agent``: to which sub-agent.

    ``is_named``: not its text, but its path.
    """

    behaviour: str
    file: str
    sent: bool
    agent: str = ""
    is_named: bool = False

    def to_json(self) -> Json:
        """As it stands in a case."""
        said = {"behaviour": self.behaviour, "file": self.file, "sent": self.sent}
        said |= {"named": True} if self.is_named else {}
        return {**said, "agent": self.agent} if self.agent else said


class Facts:
    """What a case says of itself, in the words of this module."""

    def __init__(self, case: Json) -> None:
        start = case["start"]
        self.case = case
        self.texts = {path: text for path, text in case["tree"]["files"].items() if isinstance(text, str)}
        self.sentinels: dict[str, str] = case["sentinels"]
        self.there = {each["sentinel"] for each in case["request"]}
        self.cwd = _in_tree(start["cwd"], "workspace")
        above = [each for each in case["tree"]["repositories"] if is_in(self.cwd, posixpath.normpath(each))]
        self.root = max(map(posixpath.normpath, above), key=len, default=None)
        heads = {path: FRONT_MATTER.match(text) for path, text in self.texts.items() if path.endswith("/SKILL.md")}
        self.described = {
            path: [mark for mark, where in self.sentinels.items() if where == path and head and mark in head[0]]
            for path, head in heads.items()
        }
        # Only where the list of skills is part of the record.
        self.is_listed = any(mark in self.there for marks in self.described.values() for mark in marks)
        turns = start.get("turns") or [{}]
        self.compacted = [at for at, turn in enumerate(turns) if turn.get("compact")]
        calls = [(at, call) for at, turn in enumerate(turns) for step in turn.get("steps") or () for call in step]
        read = [(at, call["read"] if "read" in call else _shown(call)) for at, call in calls]
        self.reads = [(at, _in_tree(path, self.cwd)) for at, path in read if path]
        last = (turns[-1].get("steps") or [[{}]])[-1]
        self.subagent = _innermost(last)
        has_inner = any(call.get("steps") is not None or call.get("compact") for _, call in calls)
        self.is_odd = start.get("request") is not None or (has_inner and self.subagent is None)
        is_later = bool(self.compacted) or any(turn.get("resume") for turn in turns)
        given = any(turn.get("attached") or turn.get("open") or "@" in (turn.get("prompt") or "") for turn in turns)
        is_elsewhere = bool({*start.get("args", ()), *start.get("env", ())} & {*ELSEWHERE})
        self.is_start = not (calls or is_later or self.is_odd or given or is_elsewhere)

    def sent(self, path: str) -> bool:
        """Whether a mark of a file was sent."""
        return any(where == path and mark in self.there for mark, where in self.sentinels.items())

    def named(self) -> Iterator[tuple[str, str]]:
        """Each instruction file of the workspace, and the folder that it is for."""
        for path in dict.fromkeys(self.sentinels.values()):
            folder, _, name = path.rpartition("/")
            if path.startswith("workspace/") and name in NAMES:
                folder = folder.removesuffix("/.claude").removesuffix("/.github")
                if "/." not in folder:
                    yield path, folder


def is_in(path: str, folder: str) -> bool:
    """Whether a path is a folder or in it."""
    return path == folder or path.startswith(f"{folder}/")


def _in_tree(path: str, base: str) -> str:
    path = path.replace("${WORKSPACE}", "/workspace").replace("${HOME}", "/home")
    return posixpath.normpath(posixpath.join("/", base, path)).removeprefix("/")


def _shown(call: Json) -> str:
    """The file that a command prints."""
    given = call.get("input")
    command = given.get("cmd") or given.get("command") if isinstance(given, dict) else None
    found = CAT.fullmatch(command) if isinstance(command, str) else None
    return found[1] if found else ""


def _innermost(step: list[Json]) -> Json | None:
    """The call of the last step that starts the sub-agent that is at work."""
    call = next((each for each in step if each.get("steps") is not None), None)
    return (_innermost(call["steps"][-1]) or call) if call is not None and call["steps"] else call


def _agent(call: Json) -> str:
    """The kind of sub-agent that a call starts."""
    given = call.get("input")
    names = ("subagent_type", "agent_type", "agent_name")
    return next((str(given[name]) for name in names if name in given), "") if isinstance(given, dict) else ""


def behaviours(case: Json) -> Iterator[Behaviour]:
    """What a case shows."""
    facts = Facts(case)
    yield from (Behaviour("cut", each["file"], sent=True) for each in case["cut"])
    if facts.is_odd:
        return
    at_start = [path for path, folder in facts.named() if is_in(facts.cwd, folder)]
    if case.get("ends"):
        row = "untrusted" if case["name"] in UNTRUSTED else "ends"
        yield from (Behaviour(row, path, sent=False) for path in at_start)
    elif facts.subagent is not None:
        agent = _agent(facts.subagent)
        is_own = any(re.search(rf"agents?/{re.escape(agent)}\.", path) for path in facts.texts)
        agent = "one of the user's own" if is_own else agent
        if agent and not facts.compacted:
            yield from (Behaviour("sub-agent", path, facts.sent(path), agent) for path in at_start)
    elif facts.compacted:
        yield from _compacted(facts)
    elif case["name"] in UNTRUSTED:
        yield from (Behaviour("untrusted", path, facts.sent(path)) for path in at_start)
    else:
        yield from _by_place(facts)
        if facts.is_start:
            yield from _by_text(facts)
            yield from _in_agents(facts)


def place_in_agents(path: str) -> str | None:
    """How a file of a folder .agents is named on the page, ``~/`` before it where the folder is at home."""
    top, folder, rest = path.partition(".agents/")
    if not folder or (top and not top.endswith("/")):
        return None
    found = next((name for name, pattern in PLACES.items() if re.fullmatch(pattern, rest, re.IGNORECASE)), None)
    return found and f"{'~/' if top == 'home/' else ''}.agents/{found}"


def _in_agents(facts: Facts) -> Iterator[Behaviour]:
    is_whole = facts.case["name"] in RECORDED
    for path in dict.fromkeys(facts.sentinels.values()):
        folder = path.partition("/.agents/")[0]
        is_here = folder == "home" or (is_in(facts.cwd, folder) and (facts.root is None or is_in(folder, facts.root)))
        place = place_in_agents(path) if is_here else None
        if place is None:
            continue
        if path.endswith("/SKILL.md"):
            of_name = [each for each in facts.described if each.split("/")[-2] == path.split("/")[-2]]
            is_known = (is_whole or facts.is_listed) and (len(of_name) == 1 or facts.sent(path))
        else:
            # What a tool describes is part of the record of a whole request only.
            is_known = is_whole or place.endswith(("AGENTS.md", "rules/*.md"))
        if is_known:
            yield Behaviour("agents-folder", path, facts.sent(path))


def _compacted(facts: Facts) -> Iterator[Behaviour]:
    last = facts.compacted[-1]
    for path, folder in facts.named():
        if is_in(facts.cwd, folder):
            yield Behaviour("after-compaction", path, facts.sent(path))
        elif {at <= last for at, read in facts.reads if is_in(read, folder)} == {True}:
            yield Behaviour("nested-after-compaction", path, facts.sent(path))


def _by_place(facts: Facts) -> Iterator[Behaviour]:
    there = {*facts.case["tree"]["files"], *facts.case["tree"]["links"]}
    reads = [read for _, read in facts.reads if read in there]
    for path, folder in facts.named():
        sent = facts.sent(path)
        if folder == facts.cwd:
            yield from [Behaviour("in-folder", path, sent)] if facts.is_start else []
        elif is_in(facts.cwd, folder):
            is_above = facts.root is not None and not is_in(folder, facts.root)
            if facts.is_start and facts.root is not None:
                yield Behaviour("above-root" if is_above else "parents", path, sent)
        elif is_in(folder, facts.cwd):
            if facts.is_start:
                yield Behaviour("below-at-start", path, sent)
            elif path not in reads and any(is_in(read, folder) for read in reads):
                is_named = not sent and path in facts.case.get("named", ())
                yield Behaviour("on-reading", path, sent, is_named=is_named)
    for path in dict.fromkeys(facts.sentinels.values()) if facts.is_start else ():
        if HOME.fullmatch(path) and path.rpartition("/")[2] in NAMES and not is_in(facts.cwd, "home"):
            yield Behaviour("home", path, facts.sent(path))


def _by_text(facts: Facts) -> Iterator[Behaviour]:
    sentinels = facts.sentinels
    for path in dict.fromkeys(sentinels.values()):
        text = facts.texts.get(path, "")
        name = path.rpartition("/")[2]
        if name in NAMES and facts.sent(path):
            yield from _imports(facts, path, text)
            hidden = [mark for comment in COMMENT.findall(text) for mark in sentinels if mark in comment]
            if hidden:
                yield Behaviour("comment", path, any(mark in facts.there for mark in hidden))
        if facts.is_listed and SKILL.fullmatch(path) and facts.described[path]:
            yield Behaviour("skill", path, any(mark in facts.there for mark in facts.described[path]))
    for path, target in facts.case["tree"]["links"].items():
        to = _in_tree(target, posixpath.dirname(path))
        is_other = path.rpartition("/")[2] in NAMES and to in sentinels.values() and to.rpartition("/")[2] not in NAMES
        if is_other and is_in(facts.cwd, posixpath.dirname(path)):
            yield Behaviour("link", path, facts.sent(to))


def _imports(facts: Facts, path: str, text: str) -> Iterator[Behaviour]:
    for name in IMPORT.findall(text):
        to = _in_tree(name.replace("~", "${HOME}"), posixpath.dirname(path)) if name else ""
        if to in facts.sentinels.values() and to.rpartition("/")[2] not in NAMES:
            yield Behaviour("import", path, facts.sent(to))
