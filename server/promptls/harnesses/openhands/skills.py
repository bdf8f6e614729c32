"""Which files OpenHands takes: all of them are skills, and of each name the first one counts.

Sections named here are those of the harness specification for OpenHands; [source] is the packages of that version.
"""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import LineIndex, decode, newlines
from promptls.core.values import dataclass, field
from promptls.kit.candidates import Rule, own
from promptls.kit.draft import stripped
from promptls.kit.named import utf_8_flaw
from promptls.kit.paths import first_above, join, name, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Use
    from promptls.harnesses.openhands.versions import Facts
    from promptls.kit.draft import Draft

# The files of other programs, in lower case, with the names of their skills (section "Files").
THIRD_PARTY = {
    ".cursorrules": "cursorrules",
    "agents.md": "agents",
    "agent.md": "agents",
    "claude.md": "claude",
    "gemini.md": "gemini",
}
PLACES = (".agents/skills", ".openhands/skills", ".openhands/microagents")
SKILL = "skill.md"

WHY_FILE = "OpenHands loads AGENTS.md or AGENT.md, CLAUDE.md, GEMINI.md and .cursorrules of cwd, then of the git root"
WHY_SKILL = "OpenHands loads the skills of this directory"
WHY_ALWAYS = "a skill without triggers is always sent"
WHY_TRIGGER = "the skill is listed, and its text comes with a prompt that has one of its triggers"
WHY_LISTED = "a SKILL.md is listed, and the model may ask for its text"
NOTE_DISK = (
    "OpenHands takes files in the order of the directory on the disk, so their order, and which of AGENTS.md and "
    "AGENT.md counts, may differ on another machine."
)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill: its text as it is sent, and what it says of itself. ``is_listed``: its text is not sent at start."""

    name: str
    path: str
    text: str
    origin: Origin
    why: str
    triggers: tuple[str, ...] = ()
    description: str = ""
    is_listed: bool = False
    has_inputs: bool = False


@dataclass(slots=True)
class Search:
    """What every part of the search needs, and the skills that were found, by name."""

    draft: Draft
    host: Host
    facts: Facts
    cwd: str
    found: dict[str, Skill] = field(default_factory=dict)

    @property
    def roots(self) -> list[str]:
        """The working directory, then the git root; nothing between them (wire: chain-cwd-shadows-root)."""
        return list(dict.fromkeys((self.cwd, first_above(self.host, self.cwd, ".git") or self.cwd)))

    def take(self, skill: Skill, rule: Rule) -> None:
        """Add a skill, unless there is one of its name (wire: skill-named-agents)."""
        first = self.found.setdefault(skill.name, skill)
        if first is skill:
            reason = skill.why if skill.why != rule.why else ""
            self.draft.candidates.append(rule.loaded(skill.path, reason))
        else:
            reason = f"{first.path} comes first and is called {skill.name}, too"
            self.draft.candidates.append(rule.shadowed(skill.path, reason, by=first.path))


def find_skills(search: Search) -> None:
    """The files of other programs, then the skills of the project, then the user's own (wire: root-names)."""
    if max(_third_party(search, root) for root in search.roots) > 1:
        search.draft.notes.append(NOTE_DISK)
    for root in (*search.roots, search.host.home):
        for place in PLACES:
            _directory(search, join(root, place))


def _third_party(search: Search, root: str) -> int:
    """Of each directory one file of a name, in any letter case, and a link to one of them not (wire: lower-case).

    Returns how many files of these names the disk has there.
    """
    host, rule = search.host, own(WHY_FILE)
    names: dict[str, str] = {}
    reals: dict[str, str] = {}
    files = [
        entry.name
        for entry in host.entries(root)
        if entry.name.lower() in THIRD_PARTY and host.kind(join(root, entry.name)) == "file"
    ]
    for each in files:
        path, known = join(root, each), each.lower()
        real = host.realpath(path)
        if known in names:
            reason = f"{names[known]} is listed first on this disk"
            search.draft.candidates.append(rule.shadowed(path, reason, by=names[known]))
        elif real in reals:
            # (captured: symlink-dedupe)
            search.draft.candidates.append(rule.duplicate(path, "it is the same file", of=reals[real]))
        else:
            names[known] = reals[real] = path
            _take_whole(search, path, rule, THIRD_PARTY[known])
    for last in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules"):
        path = join(root, last)
        if last.lower() not in names and host.kind(path) != "file":
            search.draft.candidates.append(rule.unread(path, host.read(path).state))
    return len(files)


def _take_whole(search: Search, path: str, rule: Rule, name_: str) -> None:
    """A file that is sent to the letter, its front matter too (wire: skill-forms)."""
    contents = search.host.read(path)
    if contents.state != "file":
        search.draft.candidates.append(rule.unread(path, contents.state))
        return
    text = decode(contents.data, keep_bom=True)
    where = Origin("file", path=path, range=LineIndex(text).range(0, len(text)))
    search.take(Skill(name_, path, newlines(text), where, WHY_FILE), rule)
    if not text.strip():
        search.draft.candidates[-1] = rule.empty(path, "it is blank, but still takes precedence")


def _directory(search: Search, directory: str) -> None:
    """A directory of skills: the always sent, those with triggers, then those that are listed.

    (wire: skill-packages, home-skills)
    """
    host = search.host
    if host.kind(directory) != "directory":
        return
    packages = {
        join(directory, entry.name): join(directory, entry.name, inside.name)
        for entry in host.entries(directory)
        for inside in host.entries(join(directory, entry.name))
        if inside.name.lower() == SKILL and host.kind(join(directory, entry.name, inside.name)) == "file"
    }
    files = [*packages.values(), *_files(host, directory, packages)]
    flawed = next((path for path in files if utf_8_flaw(host.read(path).data)), None)
    if flawed is not None:
        # One that is not UTF-8 ends the reading of its directory (seen by verify).
        flaw = f"{flawed} is not UTF-8, so OpenHands leaves out this directory of skills"
        search.draft.candidates += [own(WHY_SKILL, use="skill").failed(path, flaw) for path in files]
        return
    read = [skill for path in files if (skill := _read(search, directory, path)) is not None]
    for kind in (WHY_ALWAYS, WHY_TRIGGER, WHY_LISTED):
        for skill in read:
            if skill.why == kind:
                use: Use = "skill" if skill.is_listed else "instruction"
                search.take(skill, own(WHY_SKILL, use=use))


def _files(host: Host, directory: str, packages: dict[str, str]) -> Iterator[str]:
    """Every other Markdown file below, a directory before those in it."""
    entries = host.entries(directory)
    for entry in entries:
        is_skill = entry.name.lower() == SKILL or entry.name == "README.md" or not entry.name.endswith(".md")
        if not is_skill and host.kind(join(directory, entry.name)) == "file":
            yield join(directory, entry.name)
    for entry in entries:
        path = join(directory, entry.name)
        if entry.is_directory and path not in packages:
            yield from _files(host, path, packages)


def _read(search: Search, directory: str, path: str) -> Skill | None:
    """A skill by its front matter; of one that cannot be read, only the candidate (wire: skill-forms)."""
    last, rule = name(path).lower(), own(WHY_SKILL, use="skill")
    contents = search.host.read(path)
    if contents.state != "file":
        search.draft.candidates.append(rule.unread(path, contents.state))
        return None
    text = decode(contents.data, keep_bom=True)
    if last in THIRD_PARTY:
        # Also in a directory of skills such a name counts for more than front matter (wire: skill-packages).
        where = Origin("file", path=path, range=LineIndex(text).range(0, len(text)))
        return Skill(THIRD_PARTY[last], path, newlines(text), where, WHY_ALWAYS)
    found = front_matter.split(text)
    body, origin = stripped(path, text, found.body)
    root = found.document.root if found.document is not None and found.document.root is not None else EMPTY
    is_package = last == SKILL
    called = name(path.rpartition("/")[0]) if is_package else relative(path, directory).removesuffix(".md")
    named = root.get("name")
    name_ = str(named.data) if named is not None and named.data is not None else called
    triggers = root.get("triggers")
    is_broken = found.document is not None and found.document.flaw is not None
    is_list = triggers is None or triggers.kind == "array"
    flaw = "its front matter is not valid YAML" if is_broken else "" if is_list else "triggers must be a list"
    if flaw := flaw or (_name_flaw(search.facts, name_, called) if is_package else ""):
        search.draft.candidates.append(rule.failed(path, flaw))
        return None
    words = tuple(str(item.data) for item in triggers.items if item.data is not None) if triggers is not None else ()
    inputs = root.get("inputs") is not None
    if inputs and f"/{name_}" not in words:
        words += (f"/{name_}",)
    why = WHY_LISTED if is_package else WHY_TRIGGER if words else WHY_ALWAYS
    description = root.text("description") or ""
    return Skill(name_, path, body, origin, why, words, description, why != WHY_ALWAYS, inputs)


def _name_flaw(facts: Facts, name_: str, directory: str) -> str:
    """What is wrong with the name of a skill that is a directory, as a clause (wire: skill-packages)."""
    if len(name_) > facts.longest_name or not _NAME.fullmatch(name_):
        return f"its name must be of lower-case letters, digits and single hyphens, {facts.longest_name} at most"
    return f"its name {name_} must be that of its directory" if name_ != directory else ""


_NAME = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
