"""Which hint files Goose sends: for all folders, of the project, and of directories below that a tool touches.

[source] is the public source of about that version.
"""

from __future__ import annotations

from promptls.core.formats import parse_json, parse_yaml
from promptls.core.formats.patterns import ignoring
from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, field, replace
from promptls.kit.candidates import Rule
from promptls.kit.chain import Chain, FileText, Reading, Stretches
from promptls.kit.configs import ConfigReader
from promptls.kit.paths import first_above, is_below, join, native, parent, relative, resolve, upwards
from promptls.kit.segments import head, tail
from promptls.kit.tool_calls import given, words_with_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document
    from promptls.core.model import Call
    from promptls.harnesses.goose.versions import Facts
    from promptls.kit.writer import Writer

NAMES = (".goosehints", "AGENTS.md")
VARIABLE = "CONTEXT_FILE_NAMES"
SETTINGS = ConfigReader(
    "Goose reads its settings here", parse=parse_yaml, reason="it is not valid YAML, so Goose does not use it"
)
WHY_GLOBAL = "Goose loads its hint files of ~/.config/goose for all folders"
WHY_PROJECT = "Goose loads its hint files of each directory from the git root down to the working directory"
WHY_NESTED = "reading a file adds the hint files of the directories on the way to it to the system message"
WHY_IMPORT = "Goose puts a file in the place of @path"
# Goose's own expression, and letters that nobody sees, which it cuts [source].
MENTION = regex(
    r"(?:^|(?<=\s))@([a-zA-Z0-9_\-./]+(?:\.[a-zA-Z0-9]+)+|[A-Z][a-zA-Z0-9_\-]*|[a-zA-Z0-9_\-./]*[./][a-zA-Z0-9_\-./]*)"
)
UNSEEN = regex(r"[^\U000e0000-\U000e007f]+")


def _unseen_spans(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in UNSEEN.finditer(text))


# Blanks count as text; bytes that are not UTF-8 drop a file (wire: empty-file, encodings).
READING = Reading(parts=_unseen_spans, not_utf_8="left out")


@dataclass(slots=True)
class Search:
    """What every part of the search needs. ``home`` is Goose's own, ``user`` that of its extensions.

    ``names`` are those of hint files, in order.
    """

    writer: Writer
    facts: Facts
    home: str
    user: str
    documents: list[tuple[str, Document]]
    names: tuple[str, ...] = NAMES
    touched: list[str] = field(default_factory=list)
    brought: set[str] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)

    @property
    def root(self) -> str:
        """The nearest directory with a .git of any kind, else the working directory.

        (wire: chain-root-to-cwd, nested-git, no-git, submodule, git-file-worktree)
        """
        return first_above(self.writer.host, self.writer.cwd, ".git") or self.writer.cwd

    def find(self, why: str, directories: list[str], boundary: str, at: str = "start") -> list[FileText]:
        """The hint files of some directories, with what they import from inside of ``boundary``."""
        chain = Chain(self.names, why, reading=READING)
        found = self.writer.find(chain, directories, at)
        # No label names a file, so that a link to one that was sent is a file of its own.
        return [self._expanded(_marked(each, again=False), boundary, at, ()) for each in found]

    def _expanded(self, file: FileText, boundary: str, at: str, chain: tuple[str, ...]) -> FileText:
        """A file with its imports in their places (wire: imports-depth, nested-imports, large-file)."""
        size = self.writer.host.read(file.path).size
        if size > self.facts.largest_importing or len(chain) >= self.facts.imports:
            return file
        stretches, sent, pieces = Stretches(file.segments), 0, list[Segment]()
        for found in MENTION.finditer(file.text):
            written = found[1]
            target = resolve(parent(file.path), written)
            if written.startswith("/") or written in chain:
                continue
            origin = stretches.between(found.start(1) - 1, found.end(1))[0].origin
            rule = Rule(WHY_IMPORT, replace(origin, name=f"@{written}", again=False), at=at)
            inside = self._imported(rule, target, boundary)
            if inside is None:
                continue
            whole = self._expanded(inside, boundary, at, (*chain, written))
            pieces += stretches.between(sent, found.start(1) - 1)
            is_again = any(each.origin.again for each in inside.segments)
            pieces.append(head(f"--- Content from {written} ---\n", path=None if is_again else target))
            pieces += whole.segments
            pieces.append(tail(f"\n--- End of {written} ---"))
            sent = found.end(1)
        return replace(file, segments=(*pieces, *stretches.between(sent, len(file.text)))) if pieces else file

    def _imported(self, rule: Rule, target: str, boundary: str) -> FileText | None:
        """The text of an imported file; None where its name stays.

        (wire: imports-ignored; captured: imports-boundary)
        """
        host, note = self.writer.host, self.writer.draft.candidates.append
        if host.kind(target) != "file":
            note(rule.missing(target, "there is no such file, so the text stays as it is", state="missing"))
            return None
        if not is_below(target, boundary) or not is_below(host.realpath(target), host.realpath(boundary)):
            note(rule.outside(target, f"it is outside of {boundary}, so the text stays as it is"))
            return None
        if self._is_ignored(target):
            note(rule.excluded(target, "a .gitignore names it, so the text stays as it is"))
            return None
        found = READING.file(host, target, rule)
        note(found.candidate)
        if not found.is_sent:
            return None
        is_again = target in self.imported
        self.imported.add(target)
        return _marked(found, again=is_again)

    def _is_ignored(self, path: str) -> bool:
        for directory in dict.fromkeys((self.writer.cwd, self.root)):
            contents = self.writer.host.read(join(directory, ".gitignore"))
            if contents.state == "file" and is_below(path, directory):
                lines = decode(contents.data, keep_bom=False).splitlines()
                if ignoring(lines).match_file(relative(path, directory)):
                    return True
        return False


def _marked(file: FileText, *, again: bool) -> FileText:
    segments = (replace(each, origin=replace(each.origin, again=again)) for each in file.segments)
    return replace(file, segments=tuple(segments))


def context_names(search: Search) -> tuple[str, ...]:
    """CONTEXT_FILE_NAMES of the environment, else of a configuration; what is no list counts as nothing.

    (wire: context-file-names-env, context-file-names-config, context-file-names-string, additional-config)
    """
    said = search.writer.host.env.get(VARIABLE)
    if said is not None:
        root = parse_json(said, comments=False).root
        listed = root if root is not None and root.kind == "array" else None
    else:
        values = (each.root.get(VARIABLE) for _, each in search.documents if each.root is not None)
        listed = next((each for each in values if each is not None and each.kind == "array"), None)
    if listed is None:
        return NAMES
    return tuple(each.data for each in listed.items if isinstance(each.data, str))


def hints(search: Search) -> list[Segment]:
    """The files for all folders and those of the project, without their paths (wire: root-names, xdg-config-home)."""
    of_user = search.find(WHY_GLOBAL, [search.home], search.home)
    places = [*upwards(search.writer.cwd, search.root)][::-1]
    of_project = search.find(WHY_PROJECT, places, search.root)
    parts: list[Segment] = []
    if of_user:
        parts += [head("\n### Global Hints\nThese are my global goose hints.\n"), *_joined(of_user)]
    if of_project:
        words = "### Project Hints\nThese are hints for working on the project in this directory.\n"
        parts += [tail("\n\n") if parts else tail(""), head(words), *_joined(of_project)]
    return parts


def nested(search: Search, calls: tuple[Call, ...]) -> list[list[Segment]]:
    """A block for each directory below the working directory that a call touches, each once.

    A file of a directory above is repeated in it (wire: nested-read-two, context-file-names-config).
    """
    blocks: list[list[Segment]] = []
    for call in calls:
        for written in _touched(search, call):
            steps = [each for each in written.split("/") if each not in ("", ".")]
            key = "/".join(steps)
            if not steps or key in search.touched:
                continue
            search.touched.append(key)
            cwd = search.writer.cwd
            places = [resolve(cwd, "/".join(steps[: number + 1])) for number in range(len(steps))]
            found = search.find(WHY_NESTED, places, search.root, call.at)
            if found:
                found = [_marked(each, again=_is_sent(search, each)) for each in found]
                blocks.append([head(f"### Subdirectory Hints ({native(f'{cwd}/{written}')})\n"), *_joined(found)])
    return blocks


def _is_sent(search: Search, file: FileText) -> bool:
    is_sent = file.path in search.brought
    search.brought.add(file.path)
    return is_sent


def _touched(search: Search, call: Call) -> list[str]:
    """The directories that a call names below the working directory, from there, as they are written.

    Goose compares what is written: by ``../b/f.py`` it finds a directory beside the working directory. The shell, which
    reads for it, is given a path from the working directory. (wire: nested-read-tools) [source: resolve_to_parent_dir,
    shell_words]
    """
    cwd = search.writer.cwd
    values = given(call)
    named = [relative(call.read, cwd)] if call.read is not None else [values.get("path")]
    if isinstance(values.get("command"), str):
        named += words_with_paths(str(values["command"]))
    found: list[str] = []
    for each in (each.rstrip("/") for each in named if isinstance(each, str)):
        if each:
            written = parent(each) if "/" in each else ""
            below = written.removeprefix(f"{cwd}/") if written.startswith(f"{cwd}/") else written
            found += [below] if not below.startswith("/") else []
    return found


def _joined(files: list[FileText]) -> list[Segment]:
    parts: list[Segment] = []
    for file in files:
        parts += [tail("\n")] if parts else []
        parts += file.segments
    return parts


def template(search: Search, why: str, path: str, origin: Origin) -> list[Segment] | None:
    """A text of the user's in place of the base prompt; what Goose fills in is a placeholder."""
    host, rule = search.writer.host, Rule(why, origin, "prompt")
    found = READING.file(host, path, rule)
    search.writer.draft.candidates.append(found.candidate)
    if not found.is_sent:
        return None
    stretches, parts, at = Stretches(found.segments), list[Segment](), 0
    for match in regex(r"\{[{%#].*?[}%#]\}").finditer(found.text):
        parts += stretches.between(at, match.start())
        parts.append(search.writer.own("part of a template", why="Goose fills it in"))
        at = match.end()
    return [*parts, *stretches.between(at, len(found.text))]
