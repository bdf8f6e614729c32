"""Copilot Chat in VS Code, its own ("Local") harness: documented, never seen on the wire.

Sections named here are those of part B of the harness specification for Copilot. What is collected, and in which
order, is in the public source; how it is wrapped, in which message and where, is not: placeholders are there.
"""

from __future__ import annotations

import re

from promptls.core.formats import jsonc
from promptls.core.formats.tree import Document, Value
from promptls.core.model import Elided, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.base import described, with_consequence
from promptls.harnesses.candidates import Rule, argument, own
from promptls.harnesses.copilot_vscode.spec import SPEC
from promptls.harnesses.copilot_vscode.versions import ROWS
from promptls.harnesses.draft import Draft, look_for_text
from promptls.harnesses.frames import elided
from promptls.harnesses.shared import scopes
from promptls.harnesses.shared.globs import match
from promptls.harnesses.shared.paths import is_below, join, name, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.draft import Found

PROGRAM = "Copilot Chat"
SETTINGS = ".vscode/settings.json"
SUFFIX = ".instructions.md"
# Section B: case-insensitive, against the full path.
DIALECT = scopes.Dialect(whole_path=True, floats=True, ignore_case=True)
# A limit of ours: links may lead through a whole workspace.
MAX_REFERENCES = 200

USE_COPILOT = "github.copilot.chat.codeGeneration.useInstructionFiles"
USE_AGENTS = "chat.useAgentsMdFile"
USE_NESTED = "chat.useNestedAgentsMdFiles"
USE_CLAUDE = "chat.useClaudeMdFile"
USE_PARENTS = "chat.useCustomizationsInParentRepositories"
LOCATIONS = "chat.instructionsFilesLocations"
DEFAULTS = {USE_COPILOT: True, USE_AGENTS: True, USE_NESTED: False, USE_CLAUDE: True, USE_PARENTS: False}
DEFAULT_LOCATIONS = {
    ".github/instructions": True,
    ".claude/rules": True,
    "~/.copilot/instructions": True,
    "~/.claude/rules": True,
}

WHY_APPLIES = "a pattern of the instructions file matches every file, or one that is attached"
WHY_LINKED = "a Markdown link in an instructions file names it"
WHY_COPILOT = f"{PROGRAM} adds .github/copilot-instructions.md while {USE_COPILOT} is on"
WHY_AGENTS = f"{PROGRAM} adds AGENTS.md of the workspace while {USE_AGENTS} is on"
WHY_CLAUDE = f"{PROGRAM} adds CLAUDE.md while {USE_CLAUDE} is on"
WHY_LIST = f"{PROGRAM} lists every instructions file, for the model to read with a tool"
WHY_FRAME = "how an instruction is wrapped is not documented"

NOTES = (
    "Documented, not verified: the order is that of VS Code's public source; the documentation promises none.",
    "It is not documented in which message, where in it and in which wrapper the instructions are.",
    "Files that the session reads are treated as files attached to the request; only those are matched with patterns.",
)


def preview(session: Session, host: Host) -> Prompt:
    """What Copilot Chat is documented to add to a request from the workspace folder ``session.cwd``."""
    draft = Draft(session)
    draft.notes += NOTES
    root = host.realpath(session.cwd)
    chat = Chat(draft, host, root, _settings(draft, host, root), {})
    files = list(_instructions_files(chat))
    parts = [*_applying(chat, files), *_always_on(chat), *_list(chat, files)]
    draft.add_message("user", parts, index=0)
    _name_not_modelled(chat)
    return draft.prompt(model=session.model, agent=session.agent)


@dataclass(frozen=True, slots=True)
class Settings:
    """The workspace's settings; those of the user's profile are not read."""

    path: str
    document: Document | None = None

    def is_on(self, key: str) -> bool:
        """Whether a switch is on, by itself or by default."""
        value = self.value(key)
        return value.kind == "true" if value is not None and value.kind in ("true", "false") else DEFAULTS[key]

    def value(self, key: str) -> Value | None:
        """The value of ``key``."""
        return self.document.root.get(key) if self.document is not None and self.document.root is not None else None

    def origin(self, key: str, value: Value | None = None) -> Origin:
        """Where ``key``, or a value below it, is set; the default has no place."""
        value = value or self.value(key)
        if value is None or self.document is None:
            return Origin("computed", name=f"{key} by default")
        return Origin("config", path=self.path, range=self.document.range(value), name=key)

    def locations(self) -> Iterator[tuple[str, bool, Origin]]:
        """The directories of instructions files, whether they are searched, and what says so."""
        value = self.value(LOCATIONS)
        own = {str(key.data): (key, on) for key, on in value.members} if value is not None else {}
        for place, is_on in {**DEFAULT_LOCATIONS, **dict.fromkeys(own, True)}.items():
            key, on = own.get(place, (None, None))
            default = DEFAULT_LOCATIONS.get(place, is_on)
            origin = Origin("computed", name=f"{LOCATIONS} by default")
            if key is not None:
                origin = replace(self.origin(LOCATIONS, key), name=place)
            yield place, on.kind == "true" if on is not None else default, origin


def _settings(draft: Draft, host: Host, root: str) -> Settings:
    path = join(root, SETTINGS)
    contents = host.read(path)
    rule = own("VS Code reads the settings of the workspace", use="config")
    if contents.state != "file":
        draft.candidates.append(replace(rule, why="there are no settings here").missing(path))
        return Settings(path)
    document = jsonc.parse(decode(contents.data, keep_bom=False), comments=True)
    fault = document.fault("config-invalid")
    if fault is not None:
        says = "VS Code uses only what it can read of the settings until this is fixed"
        faults = (with_consequence(fault, says),)
        draft.candidates.append(replace(rule, why=says).failed(path, faults=faults))
    else:
        draft.candidates.append(replace(rule, why="settings of the workspace").loaded(path))
    return Settings(path, document)


@dataclass(frozen=True, slots=True)
class Chat:
    """What every part of the collection needs. ``sent`` are the files that are in the request."""

    draft: Draft
    host: Host
    root: str
    settings: Settings
    sent: dict[str, Found]

    def add(self, path: str, why: str, origin: Origin, found: Found | None = None) -> list[Segment]:
        """The file at ``path`` in a wrapper that is not known; nothing if it is there already or has no text."""
        if path in self.sent:
            self.draft.candidates.append(Rule(why, origin).duplicate(path, "it is there already", of=path))
            return []
        if found is None:
            found = look_for_text(self.host, path, why=why, origin=origin, keep_bom=False)
            self.draft.candidates.append(found.candidate)
        if not found.text:
            return []
        self.sent[path] = found
        wrapper = elided("instructions", PROGRAM, f"wrapper of {path}", why=WHY_FRAME)
        return [wrapper, Segment("instructions", path, found.text, found.origin, why, cut=found.cut)]

    def switched_off(self, key: str, path: str) -> None:
        """Say that a setting keeps the file at ``path`` out, if there is one."""
        if self.host.kind(path) is not None:
            why = f"{key} is off, so {PROGRAM} does not add it"
            self.draft.candidates.append(Rule(why, self.settings.origin(key)).disabled(path))


# -- 1 and 2: instructions files whose patterns match, and what they link ----------------------------------------


def _instructions_files(chat: Chat) -> Iterator[str]:
    """Every instructions file of the locations that are on, each once, by path within a location."""
    seen: set[str] = set()
    for place, is_on, origin in chat.settings.locations():
        directory = join(chat.host.home, place[2:]) if place.startswith("~/") else resolve(chat.root, place)
        if chat.host.kind(directory) != "directory":
            says = f"{PROGRAM} looks for instructions files here"
            # A default place need not exist, also where a setting names it.
            rule = own(says) if place in DEFAULT_LOCATIONS else Rule(says, origin)
            chat.draft.candidates.append(rule.missing(directory))
            continue
        if not is_on:
            chat.draft.candidates.append(Rule(f"{LOCATIONS} switches it off", origin).disabled(directory))
            continue
        ending = ".md" if _is_claude(directory) else SUFFIX
        for path in sorted(match(chat.host, "**/*.md", directory, dot=True).paths):
            if not path.endswith(ending):
                why = f"only names that end in {ending} are read here"
                chat.draft.candidates.append(Rule(why, origin).excluded(path))
            elif path not in seen:
                seen.add(path)
                yield path


def _is_claude(directory: str) -> bool:
    return directory.endswith(".claude/rules")


def _key(path: str) -> str:
    """Rules in the format of Claude Code have ``paths`` instead of ``applyTo``."""
    return "paths" if "/.claude/rules/" in path else "applyTo"


def _applying(chat: Chat, files: list[str]) -> Iterator[Segment]:
    """Those that apply to an attached file, then the files that they link."""
    applying: list[str] = []
    for path in files:
        origin = Origin("computed", name=WHY_APPLIES)
        found = look_for_text(chat.host, path, why=WHY_APPLIES, origin=origin, keep_bom=False)
        header, key = scopes.header(found.text), _key(path)
        value = header.value(key)
        # A list is ignored where the key is applyTo (captured: applyto-forms-attached).
        is_list = key == "applyTo" and value is not None and value.kind == "array"
        patterns = () if is_list else header.patterns(key) or (("**",) if key == "paths" else ())
        named = Origin("config", path=path, range=header.range(key), name=header.word(key)) if patterns else origin
        matched = None if scopes.EVERY_FILE.isdisjoint(patterns) else "every file"
        for read in chat.draft.session.reads:
            matched = matched or scopes.first_match(patterns, read, chat.root, DIALECT)
        if not found.text:
            chat.draft.candidates.append(found.candidate)
        elif matched is None:
            why = (
                "no pattern matches an attached file"
                if patterns
                else f"its {key} is a list, which is ignored, so it is never added by itself"
                if is_list
                else f"it has no {key}, so it is never added by itself"
            )
            chat.draft.candidates.append(Rule(why, named).unscoped(path))
        else:
            applies = Rule(WHY_APPLIES, named)
            chat.draft.candidates.append(applies.candidate(found.candidate.outcome, path, matched))
            applying.append(path)
            yield from chat.add(path, WHY_APPLIES, named, found)
    yield from _linked(chat, applying)


# No bracket in the first part, and no endless second one: a text of a million open brackets is read once.
_LINK = re.compile(r"\[[^\[\]\n]*\]\(([^)\s]{1,1024})\)")


def _linked(chat: Chat, files: list[str]) -> Iterator[Segment]:
    """Files named by Markdown links; links of instructions and prompt files are followed further (B.2)."""
    waiting = [path for path in files if path in chat.sent]
    left = MAX_REFERENCES
    while waiting:
        path = waiting.pop(0)
        text = chat.sent[path].text
        lines = LineIndex(text)
        for link in _LINK.finditer(text, 0, text.rfind(")") + 1):
            target = resolve(parent(path), link[1].partition("#")[0])
            if ":" in link[1] or link[1].startswith("#") or left <= 0:
                continue
            left -= 1
            is_instruction = target.endswith((SUFFIX, ".prompt.md"))
            where = lines.range(link.start(1), link.end(1))
            origin = Origin("file", path=path, range=where, name=link[1])
            if not is_instruction and not is_below(target, chat.root):
                why = "a linked file outside of the workspace is added only if it is an instructions or prompt file"
                chat.draft.candidates.append(Rule(why, origin).outside(target))
                continue
            added = chat.add(target, WHY_LINKED, origin)
            if added and is_instruction:
                waiting.append(target)
            yield from added


# -- 3 and 4: files for every request, and the list ----------------------------------------------------------------


def _always_on(chat: Chat) -> Iterator[Segment]:
    """.github/copilot-instructions.md with what it links, then AGENTS.md; where CLAUDE.md comes is not documented."""
    copilot = join(chat.root, ".github", "copilot-instructions.md")
    if chat.settings.is_on(USE_COPILOT):
        yield from chat.add(copilot, WHY_COPILOT, Origin("computed", name=WHY_COPILOT))
        yield from _linked(chat, [copilot])
    else:
        chat.switched_off(USE_COPILOT, copilot)
    claude = [join(chat.root, file) for file in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")]
    claude.insert(2, join(chat.host.home, ".claude", "CLAUDE.md"))
    for key, why, paths in (
        (USE_AGENTS, WHY_AGENTS, [join(chat.root, "AGENTS.md")]),
        (USE_CLAUDE, WHY_CLAUDE, claude),
    ):
        for path in paths:
            if chat.settings.is_on(key):
                yield from chat.add(path, why, Origin("computed", name=why))
            else:
                chat.switched_off(key, path)


def _list(chat: Chat, files: list[str]) -> Iterator[Segment]:
    """A row for each instructions file and, if that is on, for each AGENTS.md: paths only."""
    for path in files:
        yield _row(path, WHY_LIST)
    found = match(chat.host, "**/AGENTS.md", chat.root, dot=True).paths if chat.settings.is_on(USE_NESTED) else []
    for path in sorted(found):
        why = f"{PROGRAM} lists AGENTS.md of every directory while {USE_NESTED} is on"
        if path not in chat.sent:
            chat.draft.candidates.append(Rule(why, chat.settings.origin(USE_NESTED)).unscoped(path))
        yield _row(path, why)


def _row(path: str, why: str) -> Segment:
    title = f"row for {name(path)}"
    text = f"⟪row that names {path}: not reproduced⟫"
    return Segment("instructions", title, text, Origin("computed", name=path), why, elided=Elided(title))


def _name_not_modelled(chat: Chat) -> None:
    """What else decides over the request, and is not on this disk or not modelled."""
    says = "promptls does not know the settings and instructions of the VS Code profile, nor those of an organization"
    chat.draft.candidates.append(argument("profile", says))
    if chat.settings.is_on(USE_PARENTS):
        why = f"promptls does not model {USE_PARENTS}; the prompt is shown without it"
        chat.draft.candidates.append(Rule(why, chat.settings.origin(USE_PARENTS)).excluded())
    for option in chat.draft.session.args:
        why = f"{PROGRAM} has no command line; {option} is ignored"
        chat.draft.candidates.append(argument(option, why))


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "*.instructions.md whose applyTo matches an attached file or is **, and .claude/rules by their paths",
        "What these files link",
        ".github/copilot-instructions.md and what it links, then AGENTS.md and CLAUDE.md of the workspace",
        "A list of all instructions files and, if switched on, of nested AGENTS.md: paths only",
    ),
)
