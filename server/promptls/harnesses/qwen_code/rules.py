"""Qwen Code's rules: ``.qwen/rules``, at home and of the project; with ``paths`` only when a tool touches such a file.

(specification, "Rules"; source: rulesDiscovery)
"""

from __future__ import annotations

import re

from promptls.core.formats.patterns import alternatives, path_matcher
from promptls.core.glob_index import Rules
from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.kit import scopes
from promptls.kit import tool_calls as calls
from promptls.kit.candidates import Rule, our_cut, own
from promptls.kit.inline_imports import JOIN
from promptls.kit.paths import is_below, join, relative, resolve
from promptls.kit.pieced_text import File, Piece, segments, trimmed
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Call, Segment
    from promptls.kit.draft import Draft

WHY_RULES = "Qwen Code reads every rule below ~/.qwen/rules, then those of the git root, else the working directory"
WHY_TOUCHED = "Qwen Code sends a rule with paths when a tool first touches a file that they match"
WHY_LINK = "Qwen Code reads no rule that is a link"
WHY_ENDING = "a rule's name must end in .md, so Qwen Code ignores it"
# Directories that links make endless are not walked, so this deep there is nothing.
MAX_DEPTH = 32
# The input of the tools that touch files (source: extractToolFilePaths).
TOUCHING = {
    **dict.fromkeys(("read_file", "write_file", "edit"), "file_path"),
    **dict.fromkeys(("list_directory", "grep_search", "glob"), "path"),
    "notebook_edit": "notebook_path",
}
_HEADER = regex(r"---\n(.*?)\n---(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule with text in it: its front matter, and what is sent of it."""

    path: str
    header: scopes.Header
    patterns: tuple[str, ...]
    pieces: list[Piece]

    def origin(self) -> Origin:
        """The patterns, which decide when it is sent."""
        where = self.header.range("paths")
        return Origin("config", path=self.path, range=where, name=", ".join(self.patterns))


def read_rules(draft: Draft, host: Host, directories: list[str]) -> Iterator[RuleFile]:
    """The rules below each directory, sorted by path (wire: rules-forms)."""
    for directory in dict.fromkeys(directories):
        for path in sorted(_files(draft, host, directory, 0), key=lambda each: each.encode("utf-16-be", "replace")):
            contents = host.read(path)
            if contents.state != "file":
                draft.candidates.append(own(WHY_RULES).unread(path, contents.state))
                continue
            text = decode(contents.data, keep_bom=False).replace("\r\n", "\n").replace("\r", "\n")
            file = File(path, text, our_cut(contents))
            matter = _HEADER.match(text)
            pieces = trimmed([*without_comments(file, matter.end() if matter else 0)])
            if not pieces:
                draft.candidates.append(own(WHY_RULES).empty(path, "it has no text"))
                continue
            header = scopes.header(text) if matter else scopes.Header(text)
            patterns = tuple(filter(None, header.words("paths")))
            if not patterns:
                draft.candidates.append(own(WHY_RULES).read(path, contents))
            yield RuleFile(path, header, patterns, pieces)


def _files(draft: Draft, host: Host, directory: str, depth: int) -> Iterator[str]:
    """The files that count; of the others, those that look like rules are named."""
    entries = host.entries(directory) if depth < MAX_DEPTH else ()
    for entry in sorted(entries, key=lambda each: each.name):
        path = join(directory, entry.name)
        if entry.is_link:
            if entry.name.endswith(".md"):
                draft.candidates.append(own(WHY_LINK).excluded(path))
        elif entry.is_directory:
            yield from _files(draft, host, path, depth + 1)
        elif entry.name.endswith(".md"):
            yield path
        elif entry.name.endswith((".mdc", ".txt")):
            draft.candidates.append(own(WHY_ENDING).excluded(path))


def without_comments(file: File, start: int) -> Iterator[Piece]:
    """The text from ``start`` on without HTML comments, and without the beginning of one that has no end."""
    text, at = file.text, start
    last = text.rfind("-->")
    while (opened := text.find("<!--", at)) >= 0:
        yield Piece(text[at:opened], file, at)
        at = opened + len("<!--")
        if at <= last:
            at = text.index("-->", at) + len("-->")
    yield Piece(text[at:], file, at)


def block(rule: RuleFile, root: str, why: str) -> list[Segment]:
    """A rule in its frame; its path is relative to the root (wire: rules-forms)."""
    shown = relative(rule.path, root)
    text = segments(rule.pieces, "instructions", why, set())
    label = head(f"--- Rule from: {shown} ---\n", path=rule.path)
    return [label, *text, tail(f"\n--- End of Rule from: {shown} ---")]


@dataclass(slots=True)
class Waiting:
    """The rules with paths that no tool has brought yet; patterns are held against paths below ``root``."""

    draft: Draft
    host: Host
    root: str
    rules: list[RuleFile]
    brought: set[int] = field(default_factory=set)
    _likely: Rules | None = None

    def reminder(self, call: Call) -> list[Segment]:
        """What a call adds to its result: every rule that matches, once a session.

        (wire: nested-read, rules-by-tool)
        """
        path = self.touched(call)
        matching = [each for each in self._near(path) if self._pattern(self.rules[each], path)] if path else []
        self.brought.update(matching)
        found: list[Segment] = []
        for rule in map(self.rules.__getitem__, matching):
            candidate = Rule(WHY_TOUCHED, rule.origin(), at=call.at).loaded(rule.path)
            self.draft.candidates.append(candidate)
            found += [tail(JOIN if found else ""), *block(rule, self.root, WHY_TOUCHED)]
        return found

    def name_rest(self) -> None:
        """The rules that no message has."""
        for number, rule in enumerate(self.rules):
            if number not in self.brought:
                self.draft.candidates.append(Rule(WHY_TOUCHED, rule.origin()).unscoped(rule.path))

    def _near(self, path: str) -> list[int]:
        """The numbers of those that a path, or where its links lead, may match, and that no message has."""
        if self._likely is None:
            self._likely = Rules(rule.patterns for rule in self.rules)
        near = {*self._likely.near(path), *self._likely.near(self.host.realpath(path))}
        return sorted(near - self.brought)

    def touched(self, call: Call) -> str | None:
        """The file that a call names."""
        named = call.read if call.read is not None else calls.text(call, TOUCHING.get(call.tool, ""))
        return resolve(self.root, named) if named else None

    def _pattern(self, rule: RuleFile, path: str) -> bool:
        """Whether a pattern matches the path, or where its links lead, from the root on."""
        pairs = ((path, self.root), (self.host.realpath(path), self.host.realpath(self.root)))
        subjects = [place[len(base) :].lstrip("/") for place, base in pairs if is_below(place, base)]
        return any(
            any(map(path_matcher(each, dot=True), subjects))
            for pattern in rule.patterns
            for each in alternatives(pattern) or ()
        )
