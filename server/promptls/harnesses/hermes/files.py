"""Which files Hermes sends: one kind of instruction file, those that a read brings, and texts of its home.

[source] is the program's package: agent/prompt_builder.py, agent/subdirectory_hints.py and tools/memory_tool.py.
"""

from __future__ import annotations

import re

from promptls.core.formats import parse_yaml
from promptls.core.lazy import regex
from promptls.core.model import Cut, Fault, Origin, Range, Segment
from promptls.core.text import BOM, LineIndex, decode
from promptls.core.values import dataclass, field, replace
from promptls.core.windows import WINDOWS
from promptls.harnesses.hermes.scanner import findings
from promptls.harnesses.hermes.versions import SETTINGS_NOT_MODELLED
from promptls.kit.candidates import own
from promptls.kit.chain import Chain, Reading, Stretches, only_cwd, without_space
from promptls.kit.configs import ConfigReader, Setting
from promptls.kit.paths import first_above, is_below, join, name, native, parent, relative, upwards
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.core.model import Call
    from promptls.harnesses.hermes.versions import Facts
    from promptls.kit.chain import FileText
    from promptls.kit.writer import Writer

WHY_HERMES = "Hermes loads the nearest .hermes.md or HERMES.md up to the git root, and then nothing else"
WHY_AGENTS = "Hermes loads AGENTS.md of the working directory, unless there is a .hermes.md"
WHY_CLAUDE = "Hermes loads CLAUDE.md of the working directory, unless there is a .hermes.md or an AGENTS.md"
WHY_CURSOR = "Hermes loads the rules of Cursor of the working directory if there is no other instruction file"
WHY_SOUL = "Hermes begins with SOUL.md of its home, in place of its own first sentence"
WHY_MEMORY = "Hermes ends with what it has kept in MEMORY.md and USER.md of its home"
WHY_NESTED = "a call that names a path brings an instruction file of each directory on the way to it"
WHY_SETTINGS = "Hermes reads its settings here"
WHY_LIMIT = "Hermes leaves out the middle of a long file"
BLOCKED = "Hermes takes a sentence of it for an attack ({}), and leaves out the whole file"
FAULT = "Hermes leaves this file out without a word: it takes this for an attack ({}). Say it in other words."
OPENING = "# Project Context\n\nThe following project context files have been loaded and should be followed:\n\n"
HERMES = (".hermes.md", "HERMES.md")
MDC = ".mdc"
SETTINGS = ConfigReader(
    WHY_SETTINGS,
    parse=parse_yaml,
    reason="it is not valid YAML, so Hermes does not use it",
    not_modelled=SETTINGS_NOT_MODELLED,
)
ENTRY = regex(r"(?:\r\n|\n|\r)§(?:\r\n|\n|\r)")
VARIABLES = ("HERMES_ENVIRONMENT_HINT", "HERMES_EPHEMERAL_SYSTEM_PROMPT", "HERMES_IGNORE_RULES")
VARIABLE = regex(r"^[ \t]*+(?:export[ \t]++)?(\w++)[ \t]*+=[ \t]*+(['\"]?)([^\r\n]*?)\2[ \t]*\r?$", re.MULTILINE)
RULE = "══════════════════════════════════════════════"


def _text(text: str) -> Iterator[tuple[int, int]]:
    """Without white space around it, and without a byte order mark (captured: encodings)."""
    yield from ((start + (text[start] == BOM), end) for start, end in without_space(text))


def _body(text: str) -> Iterator[tuple[int, int]]:
    """The same without front matter, unless there is nothing else (captured: front-forms-hermes)."""
    for start, end in _text(text):
        closing = text.find("\n---", start + 3, end) if text.startswith("---", start) else -1
        body = closing + 4 + len(text[closing + 4 : end]) - len(text[closing + 4 : end].lstrip("\r\n"))
        yield body if closing >= 0 and body < end else start, end


def _entries(text: str) -> Iterator[tuple[int, int]]:
    """The entries of a memory, each once [source]."""
    at, seen = 0, set[str]()
    for end in (*(match.span() for match in ENTRY.finditer(text)), (len(text), len(text))):
        for start, stop in without_space(text[at : end[0]]):
            entry = text[at + start : at + stop]
            if entry not in seen:
                seen.add(entry)
                yield at + start, at + stop
        at = end[1]


# Line ends are those of Python; what is not UTF-8 counts as nothing (wire: non-utf8, empty-file).
READING = Reading(parts=_text, has_unix_lines=True, not_utf_8="left out", empty="it is blank")
CHAIN = Chain((HERMES,), WHY_HERMES, reading=replace(READING, parts=_body))
KINDS = (
    Chain((("AGENTS.md", "agents.md"),), WHY_AGENTS, only_cwd, READING, takes_first="text"),
    Chain((("CLAUDE.md", "claude.md"),), WHY_CLAUDE, only_cwd, READING, takes_first="text"),
)
CURSOR = Chain((".cursorrules",), WHY_CURSOR, only_cwd, READING)
NESTED = Chain(
    (("AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules"),),
    WHY_NESTED,
    reading=READING,
    takes_first="text",
)
SOUL = Chain(("SOUL.md",), WHY_SOUL, reading=READING)
MEMORIES = Reading(parts=_entries, has_unix_lines=True, not_utf_8="left out", empty="it is blank", layer="memory")


@dataclass(slots=True)
class Search:
    """What every part of the search needs. ``home`` is Hermes' own; ``variables`` with those that its .env sets.

    ``task``: the call that has started the sub-agent whose prompt it is; None for the main session.
    """

    writer: Writer
    facts: Facts
    home: str
    task: Call | None = None
    settings: Document | None = None
    variables: dict[str, Setting] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def setting(self, *keys: str) -> Value | None:
        """The value of a setting."""
        value = self.settings.root if self.settings is not None else None
        for key in keys:
            value = value.get(key) if value is not None and value.kind == "object" else None
        return value

    def text(self, *keys: str) -> str:
        """A setting that is a text."""
        value = self.setting(*keys)
        return value.data.strip() if value is not None and isinstance(value.data, str) else ""

    def number(self, *keys: str) -> int | None:
        """A setting that is a number."""
        value = self.setting(*keys)
        said = value.data if value is not None and not isinstance(value.data, bool) else None
        return int(said) if isinstance(said, int | float) and said > 0 else None

    def is_off(self, *keys: str) -> bool:
        """Whether a setting is false."""
        value = self.setting(*keys)
        return value is not None and value.kind == "false"

    @property
    def limit(self) -> int:
        """The characters that a file may have (wire: large-file, large-small-window; captured: large-config)."""
        facts, model = self.facts, (self.writer.model or self.text("model", "default")).rpartition("/")[2]
        given = self.number("context_file_max_chars")
        starts = [each for each in WINDOWS if model.startswith(each)]
        known = WINDOWS[max(starts, key=len)] if starts else facts.window
        window = self.number("model", "context_length") or known
        return given or max(facts.least, min(int(window * facts.per_token * facts.share), facts.most))


def read_variables(search: Search) -> None:
    """The file .env of the home, which wins over the environment (wire: env-file, project-config)."""
    host, path = search.writer.host, join(search.home, ".env")
    for each in VARIABLES:
        if each in host.env:
            search.variables[each] = Setting(host.env[each], Origin("argument", name=each))
    if host.kind(path) == "file":
        search.writer.draft.candidates.append(own(WHY_SETTINGS, use="config").loaded(path))
        text = decode(host.read(path).data, keep_bom=False)
        for match in VARIABLE.finditer(text):
            if match[1] in VARIABLES:
                origin = Origin("file", path=path, range=LineIndex(text).range(*match.span(3)))
                search.variables[match[1]] = Setting(match[3], origin)


# -- what is in a section ----------------------------------------------------------------------------------------------


def _checked(search: Search, file: FileText, label: str) -> list[Segment]:
    """Its text, or what takes its place where a rule holds (wire: blocked-comment, blocked-plain)."""
    found = findings(file.text, search.facts.scanned)
    if not found:
        return [*file.segments]
    names = ", ".join(each for each, _ in found)
    pieces = Stretches(file.segments)
    places = [pieces.between(*span)[0].origin.range if span is not None else None for _, span in found]
    told = zip(found, places, strict=True)
    faults = tuple(Fault("taken-for-attack", where or Range(), FAULT.format(each)) for (each, _), where in told)
    rule = own(file.candidate.rule, at=file.candidate.at)
    candidate = rule.failed(file.path, BLOCKED.format(names), faults=faults)
    search.writer.change(file, replace(file, candidate=candidate))
    opening = tail(f"[BLOCKED: {label} contained potential prompt injection (")
    unknown = sum(each.startswith("invisible") for each, _ in found) > 1
    said = search.writer.own("names of the rules", why=candidate.reason) if unknown else tail(names)
    return [opening, said, tail("). Content not loaded.]")]


def _within(search: Search, parts: list[Segment], label: str, path: str) -> list[Segment]:
    """The parts, without their middle where they are too long (wire: large-file, large-small-window)."""
    size, most = sum(len(each.text) for each in parts), search.limit
    if size <= most:
        return parts
    first, last = int(most * search.facts.kept), int(most * search.facts.kept_at_end)
    limit = f"Hermes keeps {first} and {last} characters of {size}"
    pieces = Stretches(parts)
    kept = [*pieces.between(0, first), *pieces.between(size - last, size)] if last else pieces.between(0, first)
    note = (
        f"\n\n[...truncated {label}: kept {first}+{last} of {size} chars. The middle is omitted — if you need the full "
        f"instructions, read the complete file with the read_file tool: {native(path)}]\n\n"
    )
    # What is whole has no cut.
    whole = {id(each) for each in parts}
    cut = Cut(first + last, size, "characters", limit)
    marked = [each if id(each) in whole or each.frame else replace(each, cut=cut) for each in kept]
    at = len(pieces.between(0, first))
    _say_cut(search, {each.origin.path for each in marked if each.cut is cut}, cut)
    return [*marked[:at], tail(note), *marked[at:]]


def _say_cut(search: Search, paths: set[str | None], cut: Cut) -> None:
    noted = search.writer.draft.candidates
    for at, each in enumerate(noted):
        if each.path in paths and each.outcome == "loaded" and each.use == "instruction":
            noted[at] = replace(each, outcome="cut", reason=cut.limit, cut=cut)


# -- at start ----------------------------------------------------------------------------------------------------------


def instructions(search: Search) -> list[Segment]:
    """The files of the first kind that gives text (wire: priority-hermes, priority-agents, priority-cursor)."""
    writer, cwd = search.writer, search.writer.cwd
    section, winner = _hermes(search), ""
    if section:
        winner = next((each.origin.path for each in section if each.origin.path), "")
    for chain in KINDS:
        label = chain.every_name[0]
        if winner:
            _hide(search, [join(cwd, each) for each in chain.every_name], chain.why, winner)
        elif files := writer.find(chain):
            (file,) = files
            parts = [head(f"## {name(file.path)}\n\n", path=file.path), *_checked(search, file, name(file.path))]
            section, winner = _within(search, parts, label, file.path), file.path
    rules = sorted(each.name for each in writer.host.entries(join(cwd, ".cursor/rules")) if each.name.endswith(MDC))
    if winner:
        _hide(search, [join(cwd, ".cursorrules"), *(join(cwd, ".cursor/rules", e) for e in rules)], WHY_CURSOR, winner)
        return [tail(f"\n\n{OPENING}"), *_trimmed(section)]
    section = _cursor(search, rules)
    return [tail(f"\n\n{OPENING}"), *_trimmed(section)] if section else []


def _trimmed(section: list[Segment]) -> list[Segment]:
    """Without line ends of the last frame."""
    last = section[-1]
    return [*section[:-1], replace(last, text=last.text.rstrip())] if last.frame else section


def _hide(search: Search, paths: Iterable[str], why: str, winner: str) -> None:
    host, says = search.writer.host, f"{winner} comes first, and Hermes loads one kind of file"
    for path in paths:
        if host.kind(path) == "file" and not host.is_same(path, winner):
            search.writer.draft.candidates.append(own(why).shadowed(path, says, by=winner))


def _hermes(search: Search) -> list[Segment]:
    """The nearest file, also if it is empty (wire: empty-hermes-near, fake-git, no-git, submodule)."""
    writer, host, cwd = search.writer, search.writer.host, search.writer.cwd
    top = first_above(host, cwd, ".git") or cwd
    places = [*upwards(cwd, top)]
    is_there = (any(host.kind(join(place, each)) == "file" for each in HERMES) for place in places)
    nearest = next((place for place, found in zip(places, is_there, strict=False) if found), None)
    files = writer.find(CHAIN, [nearest or cwd])
    first = (
        next((join(nearest, each) for each in HERMES if host.kind(join(nearest, each)) == "file"), "")
        if nearest
        else ""
    )
    if first:
        above = places[places.index(nearest) + 1 :] if nearest else []
        for path in (join(place, each) for place in above for each in HERMES):
            if host.kind(path) == "file":
                writer.draft.candidates.append(own(WHY_HERMES).shadowed(path, f"{first} is nearer", by=first))
    if not files:
        return []
    (file,) = files
    shown = relative(file.path, cwd) if is_below(file.path, cwd) else name(file.path)
    parts = [head(f"## {shown}\n\n", path=file.path), *_checked(search, file, shown)]
    return _within(search, parts, HERMES[0], file.path)


def _cursor(search: Search, rules: list[str]) -> list[Segment]:
    """.cursorrules, and each rule by name, in one budget (wire: priority-cursor)."""
    writer, cwd, parts = search.writer, search.writer.cwd, list[Segment]()
    chains = [CURSOR, *(replace(CURSOR, names=(f".cursor/rules/{each}",)) for each in rules)]
    for chain in chains:
        for file in writer.find(chain):
            label = relative(file.path, cwd)
            parts += [head(f"## {label}\n\n", path=file.path), *_checked(search, file, label), tail("\n\n")]
    return _within(search, parts, ".cursorrules", join(cwd, ".cursorrules")) if parts else []


# -- of the home -------------------------------------------------------------------------------------------------------


def soul(search: Search) -> list[Segment]:
    """SOUL.md of the home (wire: soul-memory, hermes-home, profile)."""
    for file in search.writer.find(SOUL, [search.home]):
        return _within(search, _checked(search, file, "SOUL.md"), "SOUL.md", file.path)
    return []


def memories(search: Search) -> list[Segment]:
    """What is kept of the work and of the user (wire: soul-memory, profile)."""
    facts, parts = search.facts, list[Segment]()
    kinds = (
        ("MEMORY.md", "MEMORY (your personal notes)", "memory", facts.memory),
        ("USER.md", "USER PROFILE (who the user is)", "user", facts.user),
    )
    for base, title, key, usual in kinds:
        switch = "memory_enabled" if key == "memory" else "user_profile_enabled"
        if search.is_off("memory", switch):
            continue
        path = join(search.home, "memories", base)
        file = MEMORIES.file(search.writer.host, path, own(WHY_MEMORY))
        search.writer.draft.candidates.append(file.candidate)
        entries = [_entry(search, each, base) for each in file.segments]
        if entries:
            said = [
                part
                for number, each in enumerate(entries)
                for part in ([tail("\n§\n", "memory")] * (number > 0) + [each])
            ]
            size, most = sum(len(each.text) for each in said), search.number("memory", f"{key}_char_limit") or usual
            about = f"{title} [{min(100, int(size / most * 100))}% — {size:,}/{most:,} chars]"
            parts += [head(f"\n\n{RULE}\n{about}\n{RULE}\n", "memory", path=path), *said]
    return parts


def _entry(search: Search, entry: Segment, base: str) -> Segment:
    """An entry, or what takes its place where a rule holds [source]."""
    found = [] if entry.text.startswith("[BLOCKED:") else findings(entry.text, search.facts.scanned, is_strict=True)
    if not found:
        return replace(entry, origin=replace(entry.origin, again=False))
    names = ", ".join(each for each, _ in found)
    return tail(
        f"[BLOCKED: {base} entry contained threat pattern(s): {names}. Removed from system prompt; "
        "use memory(action=remove) to delete the original.]",
        "memory",
    )


# -- what a call brings ------------------------------------------------------------------------------------------------


def brought(search: Search, call: Call, directories: list[str]) -> list[Segment]:
    """A file of each directory, each directory once in a session (wire: nested-read-tools, nested-names)."""
    writer, parts = search.writer, list[Segment]()
    for directory in directories:
        if directory in search.seen:
            continue
        search.seen.add(directory)
        for file in writer.find(NESTED, [directory], call.at):
            base, limit = name(file.path), search.facts.brought
            label = head(
                f"\n\n[Subdirectory context discovered: {native(relative(file.path, writer.cwd))}]\n", path=file.path
            )
            text = _checked(search, file, base)
            size = sum(len(each.text) for each in text)
            if size > limit:
                cut = Cut(limit, size, "characters", f"Hermes keeps {limit:,} characters of a file that a read brings")
                text = [replace(each, cut=cut) for each in Stretches(text).between(0, limit)]
                _say_cut(search, {file.path}, cut)
                text.append(tail(f"\n\n[...truncated {base}: {size:,} chars total]"))
            parts += [label, *text]
    return parts


def touched(search: Search, paths: Iterable[str]) -> list[str]:
    """The directories of some paths, from each at most so many upward, below the working directory [source]."""
    host, cwd, found = search.writer.host, search.writer.cwd, dict[str, None]()
    for each in paths:
        path = host.realpath(each)
        base = name(path)
        is_file = 0 < base.rfind(".") < len(base) - 1 or host.kind(path) == "file"
        place = parent(path) if is_file else path
        for directory in [*upwards(place)][: search.facts.levels]:
            if directory == cwd or directory in search.seen:
                break
            if is_below(directory, cwd) and host.kind(directory) == "directory":
                found[directory] = None
    return [*found]
