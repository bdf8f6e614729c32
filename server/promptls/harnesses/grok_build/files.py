"""Which instruction files and rules Grok Build sends: of a folder that is trusted, and of the home directory."""

from __future__ import annotations

import os
import re

from promptls.core.formats import parse_toml
from promptls.core.formats.patterns import ignoring
from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.grok_build.versions import SETTINGS_NOT_MODELLED
from promptls.kit.candidates import Rule, own
from promptls.kit.chain import Chain, FileText, Reading, Stretches, without_space
from promptls.kit.configs import ConfigReader, strings
from promptls.kit.paths import first_above, home_or, is_absolute, is_below, join, relative, upwards
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.tree import Document, Value
    from promptls.kit.writer import Writer

NAMES = ("Agents.md", "Claude.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "AGENTS.md")
OF_CLAUDE = (".claude/CLAUDE.md", ".claude/CLAUDE.local.md")
# Trimmed, with marks and line ends as they are; what is not UTF-8 is left out (wire: empty; captured: bytes).
READING = Reading(parts=without_space, sends_empty=True, not_utf_8="left out")
WHY = "Grok Build loads these names of each directory from the git root down to the working directory, if it trusts it"
WHY_HOME = "Grok Build loads these names of ~/.grok, ~/.claude and ~/.cursor for all folders"
WHY_RULE = "Grok Build loads every Markdown file of a rules directory, whatever its front matter says"
WHY_SETTINGS = "Grok Build reads its settings here"
WHY_TRUST = "Grok Build keeps here which folders are trusted"
UNTRUSTED = "the folder is not trusted, so Grok Build sends nothing of it; start it with --trust"
IGNORED = "the .gitignore of the git root names it"
SETTINGS = ConfigReader(
    WHY_SETTINGS,
    parse=parse_toml,
    reason="it is not valid TOML, so Grok Build does not use it",
    not_modelled=SETTINGS_NOT_MODELLED,
)
TRUST = ConfigReader(WHY_TRUST, parse=parse_toml, reason="it is not valid TOML, so nothing in it is trusted")
# Written otherwise in what is the project's (wire: escape).
ESCAPED = regex(r"<(?=/?system-reminder|/rules)")
FALSE = ("0", "false", "no", "off")


@dataclass(slots=True)
class Search:
    """What every part of the search needs. ``home`` is Grok Build's own; ``root``: the git root, if there is one."""

    writer: Writer
    home: str
    settings: Document | None
    root: str | None
    seen: set[str] = field(default_factory=set)

    @property
    def places(self) -> list[str]:
        """The directories of the project, the root first (wire: chain, inner-repo, no-git, below-home)."""
        return [*upwards(self.writer.cwd, self.root or self.writer.cwd)][::-1]

    def setting(self, *keys: str) -> Value | None:
        """What the user's configuration says; that of a project is not asked (wire: compat-project)."""
        value = self.settings.root if self.settings is not None else None
        for key in keys:
            value = value.get(key) if value is not None else None
        return value

    def is_on(self, program: str, kind: str) -> bool:
        """Whether what is another program's counts (wire: compat-config, compat-project)."""
        said = self.writer.host.env.get(f"GROK_{program.upper()}_{kind.upper()}_ENABLED")
        if said is not None:
            return said.strip().lower() not in FALSE
        value = self.setting("compat", program, kind)
        return value is None or value.kind != "false"


def git_root(writer: Writer) -> str | None:
    """The nearest directory with a .git of any kind; that of the home directory counts as none.

    (wire: inner-repo, worktree; captured: home-is-git-root)
    """
    found = first_above(writer.host, writer.cwd, ".git")
    return None if found == writer.host.realpath(writer.host.home) else found


def is_trusted(search: Search) -> bool:
    """The command line, a switch, or what was decided of the git root or else of the working directory.

    (wire: untrusted, trust-env, trusted-false, trusted-parent, trusted-inner-repo, trusted-no-git-cwd)
    """
    writer = search.writer
    document = TRUST.read(writer.draft, writer.host, join(search.home, "trusted_folders.toml"))
    enabled = search.setting("folder_trust", "enabled")
    is_off = writer.host.env.get("GROK_FOLDER_TRUST") == "0" or (enabled is not None and enabled.kind == "false")
    if is_off or "--trust" in writer.command.switches:
        return True
    folders = document.root.get("folders") if document is not None and document.root is not None else None
    folder = folders.get(search.root or writer.cwd) if folders is not None else None
    said = folder.get("trusted") if folder is not None else None
    if said is not None:
        return said.kind == "true"
    if writer.session.is_trusted:
        writer.draft.once_trusted.append(search.root or writer.cwd)
    return writer.session.is_trusted


# -- of the project ----------------------------------------------------------------------------------------------------


def of_project(search: Search) -> list[FileText]:
    """Those of a trusted folder, as they are sent (wire: root-names, order-mixed, links, escape)."""
    found = list(_found(search, search.places))
    return [_escaped(each) for each in _unignored(search, _once(search, found))]


def name_untrusted(search: Search) -> None:
    """Say of each file of a folder that is not trusted why it is left out."""
    host = search.writer.host
    for directory in search.places:
        for path in (join(directory, each) for each in (*NAMES, *OF_CLAUDE)):
            if host.kind(path) == "file":
                search.writer.draft.candidates.append(own(WHY).excluded(path, UNTRUSTED, state="untrusted"))


def _found(search: Search, directories: Iterable[str]) -> Iterator[FileText]:
    for directory in directories:
        names = (*NAMES, *(OF_CLAUDE if search.is_on("claude", "agents") else ()))
        yield from search.writer.find(Chain(names, WHY, reading=READING), [directory])
        for program in ("grok", "claude", "cursor"):
            if program == "grok" or search.is_on(program, "rules"):
                yield from _rules(search, join(directory, f".{program}", "rules"))


def _rules(search: Search, directory: str, rule: Rule | None = None) -> Iterator[FileText]:
    """The Markdown files of a directory, by their bytes, without front matter (captured: rules-forms) (wire: empty)."""
    host, rule = search.writer.host, rule or own(WHY_RULE)
    for entry in sorted(host.entries(directory), key=lambda each: os.fsencode(each.name)):
        path = join(directory, entry.name)
        if not entry.name.lower().endswith(".md") or host.kind(path) != "file":
            continue
        file = READING.file(host, path, rule, directory)
        search.writer.draft.candidates.append(file.candidate)
        if file.is_sent:
            yield _without_header(search, file)


# What stands behind the dashes, of either line, is no reason to keep it (seen by a capture of odd forms).
_HEADER = regex(r"\s*---.*?\n---", re.DOTALL)


def _without_header(search: Search, file: FileText) -> FileText:
    text = decode(search.writer.host.read(file.path).data, keep_bom=True)
    found = _HEADER.match(text)
    body = found.end() if found is not None else 0
    kept = text[body:].strip()
    if not body or not file.segments:
        return file
    start = text.index(kept, body)
    origin = Origin("file", path=file.path, range=LineIndex(text).range(start, start + len(kept)))
    said = replace(file.segments[0], text=kept, origin=origin)
    return replace(file, segments=(said,) if kept else ())


def _once(search: Search, files: Iterable[FileText]) -> Iterator[FileText]:
    """Each file once, by the first of its names (wire: links)."""
    for file in files:
        real = search.writer.host.realpath(file.path)
        if real in search.seen:
            again = own(file.candidate.rule).duplicate(file.path, "it is sent by another name", of=real)
            search.writer.change(file, replace(file, candidate=again))
        else:
            search.seen.add(real)
            yield file


def _unignored(search: Search, files: Iterable[FileText]) -> Iterator[FileText]:
    """Those that the .gitignore of the root does not name; no other file of that kind counts.

    (captured: ignored) (wire: ignored-nested, ignored-exclude, ignored-no-git)
    """
    root, host = search.root, search.writer.host
    contents = host.read(join(root, ".gitignore")) if root is not None else None
    if contents is None or contents.state != "file" or root is None:
        yield from files
        return
    spec = ignoring(decode(contents.data, keep_bom=False).splitlines())
    for file in files:
        if is_below(file.path, root) and spec.match_file(relative(file.path, root)):
            gone = own(file.candidate.rule).excluded(file.path, IGNORED, state="ignored")
            search.writer.change(file, replace(file, candidate=gone))
        else:
            yield file


def _escaped(file: FileText) -> FileText:
    """Some tags of the program's own are written otherwise (wire: escape)."""
    found = [each.start() for each in ESCAPED.finditer(file.text)]
    if not found:
        return file
    stretches, parts, at = Stretches(file.segments), list[Segment](), 0
    for place in found:
        parts += [*stretches.between(at, place), tail("&lt;")]
        at = place + 1
    return replace(file, segments=(*parts, *stretches.between(at, len(file.text))))


# -- of the user -------------------------------------------------------------------------------------------------------


def of_home(search: Search) -> list[FileText]:
    """Those for all folders (wire: home-names, order-mixed, grok-home, extra-rule-dirs)."""
    home, found = search.writer.host.home, list[FileText]()
    chain = Chain(NAMES, WHY_HOME, reading=READING)
    for program, place in (("grok", search.home), ("claude", join(home, ".claude")), ("cursor", join(home, ".cursor"))):
        if program == "grok" or search.is_on(program, "agents"):
            found += search.writer.find(chain, [place])
        if program == "grok" or search.is_on(program, "rules"):
            found += _rules(search, join(place, "rules"))
    if search.settings is not None:
        path = join(search.home, "config.toml")
        for each in strings(path, search.settings, search.setting("paths", "extra_rule_dirs")):
            directory = home_or(home, each.text) or (each.text if is_absolute(each.text, home) else None)
            if directory is not None:
                found += _rules(search, directory, Rule("extra_rule_dirs names its directory", each.origin))
    return list(_once(search, found))
