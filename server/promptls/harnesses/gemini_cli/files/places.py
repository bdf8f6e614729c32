"""Where Gemini CLI's context files are: global, of extensions, of the project, and the private index.

Every file is looked for under each of the names (specification, "Names"), and each file is loaded once, also where
links lead to it (captured: symlink-dedupe). Hard links are not seen.
"""

from __future__ import annotations

import posixpath
import re

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.model import START, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.gemini_cli.settings import home_of
from promptls.kit.candidates import Rule, own
from promptls.kit.configs import Setting, Settings
from promptls.kit.inline_imports import nearest_marked
from promptls.kit.paths import join, name, path_key, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.kit.draft import Draft

DEFAULT_NAME = "GEMINI.md"
INDEX = "MEMORY.md"

WHY_GLOBAL = "gemini-cli reads its global context files from ~/.gemini"
WHY_PROJECT = "gemini-cli reads every context file from a workspace directory up to the nearest boundary marker"
WHY_INDEX = "gemini-cli reads the private memory index of the project"
WHY_JIT = "gemini-cli adds the context files from what a tool touches up to the boundary marker, each once"

_SLUG = regex(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A context file to be loaded, and why."""

    path: str
    why: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Search:
    """What every search needs. ``names`` are the names of context files, in order."""

    draft: Draft
    host: Host
    settings: Settings
    cwd: str
    names: tuple[Setting, ...]
    markers: tuple[str, ...]

    @property
    def directory(self) -> str:
        """The global ``.gemini``."""
        return join(home_of(self.host), ".gemini")

    def named_in(self, directory: str, why: str, at: str = START) -> Iterator[ContextFile]:
        """The context files in one directory, in the order of their names."""
        for each in self.names:
            path, rule = resolve(directory, f"./{each.text}"), own(why, at=at)
            state = self.host.read(path).state
            if state in ("missing", "broken-link", "unreadable"):
                self.note(rule.unread(path, state))
            else:
                yield ContextFile(path, why, each.origin if each.origin.kind == "config" else rule.origin)

    def note(self, candidate: Candidate) -> None:
        """Remember a place that was looked at."""
        self.draft.candidates.append(candidate)


def file_names(settings: Settings) -> tuple[Setting, ...]:
    """The configured names and after them the default one (wire: filename-list; captured: filename-string)."""
    origin = Origin("builtin", name=DEFAULT_NAME)
    names: dict[str, Setting] = {}
    for each in (*(settings.strings("context.fileName") or ()), Setting(DEFAULT_NAME, origin)):
        if text := each.text.strip():
            text = posixpath.normpath(text)
            names.setdefault(text, Setting(text, each.origin))
    return tuple(names.values())


def boundary_markers(settings: Settings) -> tuple[str, ...]:
    """``context.memoryBoundaryMarkers``, else .git (wire: boundary-markers-custom)."""
    found = settings.strings("context.memoryBoundaryMarkers")
    return (".git",) if found is None else tuple(each.text for each in found)


def sort_key(path: str) -> bytes:
    """JavaScript's order of strings."""
    return path.encode("utf-16-be", "surrogatepass")


# -- tier 1 ----------------------------------------------------------------------------------------------------


def global_files(search: Search) -> list[ContextFile]:
    """Each name in ``~/.gemini``, in the order of the names (wire: filename-list)."""
    return list(search.named_in(search.directory, WHY_GLOBAL))


def private_index(search: Search) -> list[ContextFile]:
    """MEMORY.md of the project's private directory; without it, the older files under the names (source)."""
    directory = join(search.directory, "tmp", project_slug(search.host, search.directory, search.cwd), "memory")
    alone = replace(search, names=(Setting(INDEX, Origin("builtin", name=INDEX)),))
    found = list(alone.named_in(directory, WHY_INDEX))
    return found or list(search.named_in(directory, WHY_INDEX))


def project_slug(host: Host, directory: str, cwd: str) -> str:
    """The project's short name: registered, else claimed by a mark of ownership, else made of the base name."""

    def owner(base: str, slug: str) -> str | None:
        contents = host.read(join(directory, base, slug, ".project_root"))
        return resolve(cwd, decode(contents.data, keep_bom=False).strip()) if contents.state == "file" else None

    bases = ("tmp", "history")
    registered = _registered(host, join(directory, "projects.json"))
    slug = registered.get(path_key(cwd))
    if slug and all(owner(base, slug) in (None, cwd) for base in bases):
        return slug
    for base in bases:
        for entry in host.entries(join(directory, base)):
            if owner(base, entry.name) == cwd:
                return entry.name
    plain = re.sub(r"-+", "-", re.sub(r"[^a-z0-9]", "-", name(cwd).lower()))
    plain = re.sub(r"^-|-$", "", plain) or "project"
    taken = {each for path, each in registered.items() if path != path_key(cwd)}
    slug, number = plain, 0
    while slug in taken or any(owner(base, slug) not in (None, cwd) for base in bases):
        number += 1
        slug = f"{plain}-{number}"
    return slug


def _registered(host: Host, path: str) -> dict[str, str]:
    contents = host.read(path)
    if contents.state != "file":
        return {}
    document = parse_json(decode(contents.data, keep_bom=True), comments=False)
    projects = (document.root or EMPTY).get("projects") or EMPTY
    found = {path_key(str(key.data)): str(value.data) for key, value in projects.members}
    is_valid = document.flaw is None and all(_SLUG.fullmatch(slug) for slug in found.values())
    return found if is_valid else {}


# -- tier 2 ----------------------------------------------------------------------------------------------------


def workspace_directories(search: Search, included: Sequence[Setting]) -> list[str]:
    """The working directory, and the included ones that exist (captured: include-directories)."""
    found = [search.cwd]
    for each in included:
        text = each.text
        home = home_of(search.host)
        path = resolve(search.cwd, home + text[1:] if text == "~" or text.startswith("~/") else text)
        if search.host.kind(path) == "directory":
            found.append(search.host.realpath(path))
        else:
            rule = Rule("gemini-cli includes this directory", each.origin)
            is_there = search.host.kind(path) is not None
            search.note(
                rule.failed(path, "it is none") if is_there else rule.missing(path, "there is no such directory")
            )
    return list(dict.fromkeys(found))


def project_files(search: Search, roots: Sequence[str]) -> list[ContextFile]:
    """Upwards from each workspace directory; the paths are sorted as strings (wire: chain-sort-order)."""
    found: dict[str, ContextFile] = {}
    for root in roots:
        stop = nearest_marked(search.host, root, search.markers) or root
        why = f"{WHY_PROJECT} ({stop})"
        for place in upward_files(search, root, stop, why):
            known = next((p for p in found.values() if same_file(search.host, p.path, place.path)), None)
            if known is None:
                found[place.path] = place
            elif known.path != place.path:
                rule = Rule(why, place.origin)
                search.note(rule.duplicate(place.path, f"it is the same file as {known.path}", of=known.path))
    return sorted(found.values(), key=lambda place: sort_key(place.path))


def upward_files(search: Search, start: str, stop: str, why: str, at: str = START) -> list[ContextFile]:
    """The context files from ``start`` up to ``stop``, topmost first; the global directory ends the walk."""
    levels: list[list[ContextFile]] = []
    for directory in upwards(start, stop):
        if directory == search.directory:
            break
        levels.append(list(search.named_in(directory, why, at)))
    return [place for level in reversed(levels) for place in level]


def same_file(host: Host, one: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    return one == other or host.realpath(one) == host.realpath(other)
