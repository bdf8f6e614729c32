"""Which instruction files of a directory could be one: those that are sent at start as they are. Why others cannot."""

from __future__ import annotations

import re

from promptls.core import specs
from promptls.core.formats.header import header
from promptls.core.lazy import regex
from promptls.core.model import START, USED
from promptls.core.paths import is_below, join, name, parent, relative, resolve
from promptls.core.phrases import and_list
from promptls.core.text import BOM, newlines
from promptls.core.values import dataclass, field
from promptls.harnesses.documented import said_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Origin, Prompt

# Files of one person, or that take the place of another one.
_OWN = regex(r"(?:^|[.-])(?:local|override)(?:\.|$)", re.IGNORECASE)
_GENERATED = regex(r"(?:auto-?)?generated (?:by|from|file)|do not edit|@generated", re.IGNORECASE)
_ITEM = regex(r"\s*(?:[-*+]|\d+[.)])\s")
# Where a generated file says so.
HEAD_LINES = 10
# Keys of front matter that say something to people, or which files a rule is for.
SCOPES = ("applyTo", "globs", "paths")
PLAIN_KEYS = frozenset({"description", "alwaysApply", "title", *SCOPES})
EVERYTHING = frozenset({"**", "**/*", "*"})
# A link or an import that hangs on the directory of its file.
_RELATIVE = regex(r"\]\((?!#|/|[A-Za-z][A-Za-z0-9+.-]*:)([^)\s]+)|(?:^|\s)@(\.{0,2}/?[\w-][\w./-]*)")
# A file that says nothing itself.
_IMPORT = regex(rb"(?:\xef\xbb\xbf)?\s*@\S+\s*")
# Files of programs that promptls does not know.
FOREIGN = (".windsurfrules", ".junie/guidelines.md", ".roorules")


@dataclass(slots=True)
class Source:
    """A file that is sent at start as it is; ``text`` is what it says, below its front matter.

    ``named_by``: where configurations name it. ``readers``: the programs that get it.
    """

    path: str
    data: bytes
    front_matter: str
    text: str
    named_by: list[Origin] = field(default_factory=list)
    readers: list[str] = field(default_factory=list)

    @property
    def line_end(self) -> str:
        """How its lines end."""
        return "\r\n" if b"\r\n" in self.data else "\n"

    @property
    def mark(self) -> str:
        """Its byte order mark."""
        return BOM if self.data.startswith(BOM.encode()) else ""


@dataclass(frozen=True, slots=True)
class Found:
    """The files that could become one with ``target``, those with most readers first, and why others are left.

    ``already``: those that need no change: a link to it, or an import.
    """

    target: str
    sources: list[Source]
    left: dict[str, str]
    already: dict[str, str] = field(default_factory=dict)


def unifiable(target: str, starts: Iterable[Prompt], host: Host, listed: Collection[str]) -> Found:
    """The files that programs get at a start in the directory of ``target``; ``listed``: those that git knows."""
    found = Found(target, [], {})
    real, directory = host.realpath(target), parent(target)
    by_path: dict[str, Source] = {}
    # Those that are the one already, or only import it, and those that are left.
    settled: set[str] = set()
    for prompt in starts:
        for each in prompt.candidates:
            path = _path_of(each, directory)
            if path is None or path in settled:
                continue
            if host.realpath(path) == real:
                found.already[path] = "link"
                settled.add(path)
                continue
            source = by_path.get(path) or _source(path, target, host, listed)
            if isinstance(source, str) or _imports_only(source, target, host):
                kind, says = (found.left, source) if isinstance(source, str) else (found.already, "import")
                kind[path] = says
                settled.add(path)
                continue
            by_path[path] = source
            if prompt.session.harness not in source.readers:
                source.readers.append(prompt.session.harness)
            if each.origin.kind == "config" and each.origin.path != path:
                source.named_by.append(each.origin)
    found.sources.extend(sorted(by_path.values(), key=lambda each: (-len(each.readers), each.path)))
    if host.kind(target) is None and not any(each.text.strip() for each in found.sources):
        found.left.update({each.path: "it is empty" for each in found.sources})
        found.sources.clear()
    found.already.pop(target, None)
    found.left.update(_unread(target, {*by_path, *settled}, host))
    return found


def _unread(target: str, known: Collection[str], host: Host) -> Iterator[tuple[str, str]]:
    """The instruction files beside the target that are not ``known``: no program gets them."""
    names = {name(each.name) for spec in specs.every() for each in spec.instruction_files if each.name}
    for last in sorted({*names, *FOREIGN} - {name(target)}):
        path = join(parent(target), last)
        is_new = path not in known and host.realpath(path) != host.realpath(target)
        if is_new and host.kind(path) == "file" and not _OWN.search(last):
            titles = [each.program.title for each in said_of(path, parent(target), "")] if last in FOREIGN else []
            of = and_list(titles) if titles else ""
            says = f"only the documentation of {of} says that it is read" if of else "no program in use gets it"
            yield path, f"{says}, so nothing would prove the change"


def is_generated(text: str) -> bool:
    """Whether a text says at its beginning that it is made from something else."""
    # An item of a list is a rule about files that are generated.
    head = (line for line in text.splitlines()[:HEAD_LINES] if not _ITEM.match(line))
    return any(_GENERATED.search(line) for line in head)


def at_start(prompts: Iterable[Prompt], directory: str, host: Host) -> list[str]:
    """The instruction files that programs get at a start in a directory, links resolved, without mere imports."""
    paths = (_path_of(each, directory) for prompt in prompts for each in prompt.candidates)
    found = dict.fromkeys(host.realpath(each) for each in paths if each is not None)
    return [each for each in found if not _IMPORT.fullmatch(host.read(each).data)]


def _imports_only(source: Source, target: str, host: Host) -> bool:
    """Whether the file is nothing but an import of the one."""
    said = source.text.strip()
    place = resolve(parent(source.path), said[1:]) if said.startswith("@") and len(said.split()) == 1 else ""
    return bool(place) and host.realpath(place) == host.realpath(target)


def _path_of(candidate: Candidate, directory: str) -> str | None:
    """The file that is sent at start, in the directory or in a folder of a program in it."""
    path = candidate.path
    is_sent = candidate.use == "instruction" and candidate.outcome in USED and candidate.at == START
    if path is None or not is_sent or candidate.origin.kind in ("file", "argument") or not is_below(path, directory):
        return None
    below = relative(path, directory)
    is_near = "/" not in below or below.startswith(".") or candidate.origin.kind == "config"
    return path if is_near else None


def _source(path: str, target: str, host: Host, listed: Collection[str]) -> Source | str:
    """The file, or why it is left."""
    last, contents = name(path), host.read(path)
    if host.realpath(path) != join(host.realpath(parent(target)), relative(path, parent(target))):
        return f"it is a link to {relative(host.realpath(path), parent(target))}"
    if path not in listed:
        return "git ignores it, so it is yours alone"
    if _OWN.search(last):
        return "its name says that it is one person's own, or takes the place of another file"
    try:
        text = newlines(contents.data.decode("utf-8").removeprefix(BOM))
    except UnicodeDecodeError:
        return "it is not UTF-8; save it as UTF-8 first"
    if contents.is_cut:
        return "it is too large"
    if is_generated(text):
        return "it is generated; change what it is made from"
    head = header(text)
    why = _obstacle(path, text[head.body :], target, host) or _scope(text)
    # Text between two rules is no front matter: it says something.
    root = head.document.root if head.document is not None else None
    body = head.body if root is not None and root.members else 0
    return why or Source(path, contents.data, text[:body], text[body:])


def _scope(text: str) -> str | None:
    """Why a text with this front matter means less without it."""
    head = header(text)
    if not head.body:
        return None
    root = head.document.root if head.document is not None else None
    keys = [str(each.data) for each, _ in root.members] if root is not None else []
    patterns = [each for key in SCOPES for each in head.patterns(key)]
    if not EVERYTHING.issuperset(patterns):
        return f"it is only for {', '.join(patterns)}, and would be for every file"
    odd = [each for each in keys if each not in PLAIN_KEYS]
    return f"its front matter has {', '.join(odd)}, which would be lost" if odd else None


def _obstacle(path: str, text: str, target: str, host: Host) -> str | None:
    """A link or an import that would lead elsewhere from the directory of the target."""
    directory, new = parent(path), parent(target)
    for match in _RELATIVE.finditer(text):
        written = (match[1] or match[2]).partition("#")[0]
        there = host.realpath(resolve(directory, written)) if written else ""
        if match[2] and there == host.realpath(target) and len(text.split()) > 1:
            return f"it imports {name(target)} already, and what else it says is for its readers alone"
        if directory != new and there and host.kind(there) is not None:
            return f"“{written}” in it is relative to its folder"
    return None
