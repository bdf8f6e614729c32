"""Files that a prompt mentions: ``@path`` in what is typed, ``@{path}`` in a command (surfaces, @ mentions)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Origin, Segment
from promptls.core.values import dataclass
from promptls.core.visible import visible
from promptls.harnesses.gemini_cli.files.places import sort_key
from promptls.harnesses.gemini_cli.turns.tool_results import is_known_binary, is_media, is_text, read_text
from promptls.kit.candidates import argument
from promptls.kit.javascript import SPACE
from promptls.kit.paths import is_absolute, is_below, join, name, native, parent, resolve
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from promptls.core.host import Host
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.files.tree import Ignored
    from promptls.harnesses.gemini_cli.versions import Facts

WHY = "the prompt mentions this file"
WHY_TYPED = "what the user types"
# (seen by verify)
SEARCHES = "There is no {0}. Gemini CLI sends the first file with “{0}” in its path, if it finds one; it is not shown."
# A limit of ours: files of one directory.
MOST_FILES = 2000
_MENTION = regex(r"""(?<!\\)@((?:"[^"]*"|\\.|[^ \t\n\r,;!?()\[\]{}.\\]|\.(?!$|[ \t\n\r]))+)""")
_ESCAPED = regex(r"\\([ \t()\[\]{};|*?$`'\"#&<>!~\\@])")


@dataclass(frozen=True, slots=True)
class Reader:
    """What finding and reading mentioned files needs. ``context``: what the directory of a file adds beside it."""

    search: Search
    roots: list[str]
    facts: Facts
    ignored: Ignored
    agents: frozenset[str]
    context: Callable[[str], list[Segment]]

    @property
    def host(self) -> Host:
        """Where files are looked for."""
        return self.search.host

    def find(self, mention: str) -> str | None:
        """The path that is mentioned, if it is in a workspace directory and not ignored."""
        path = self.host.realpath(resolve(self.search.cwd, mention))
        kind = self.host.kind(path)
        is_within = any(is_below(path, root) for root in self.roots)
        if kind is None or not is_within or self.ignored.has(path, is_directory=False):
            return None
        return None if UNSEEN & {*self._below(path)} else path

    def files(self, path: str) -> list[str]:
        """The files at or below a path, sorted, without those that are left out (parts: at-directory)."""
        if self.host.kind(path) != "directory":
            return [] if self._is_excluded(path) else [path]
        found: list[str] = []
        waiting = [path]
        while waiting and len(found) < MOST_FILES:
            directory = waiting.pop()
            for entry in self.host.entries(directory):
                below = join(directory, entry.name)
                if self.ignored.has(below, is_directory=entry.is_directory) or self._is_excluded(below):
                    continue
                if entry.is_directory:
                    waiting.append(below)
                elif self.host.kind(below) == "file":
                    found.append(below)
        return sorted(found, key=sort_key)

    def _below(self, path: str) -> list[str]:
        """The parts of a path below the workspace directory that it is in."""
        root = next(root for root in self.roots if is_below(path, root))
        return path[len(root) :].lower().strip("/").split("/")

    def _is_excluded(self, path: str) -> bool:
        """Whether its name or a directory of it is left out; so is the first name of instruction files."""
        parts = self._below(path)
        left_out = {*CLOSED, self.search.names[0].text.lower()}
        return not left_out.isdisjoint(parts) or parts[-1].rpartition(".")[2] in ENDINGS


# What is as if it were not there, and the names and endings that are left out, in any letter case
# (wire: mention-excluded).
UNSEEN = {"node_modules", ".git"}
CLOSED = {
    *("node_modules", ".git", "bower_components", ".svn", ".hg", ".vscode", ".idea"),
    *("dist", "build", "coverage", "__pycache__", ".env", ".ds_store"),
}
ENDINGS = {
    *("pyc", "pyo", "bin", "exe", "dll", "so", "dylib", "class", "jar", "war", "zip", "tar", "gz", "bz2", "rar", "7z"),
    *("doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp"),
}


def typed_parts(reader: Reader, typed: str) -> Iterator[list[Segment]]:
    """What is typed, followed by the files that it mentions (parts: at-directory; captured: at-file)."""
    found: dict[str, str] = {}
    pieces: list[str] = []
    agents: list[str] = []
    at = 0
    for mention in _MENTION.finditer(typed):
        asked = _ESCAPED.sub(r"\1", mention[1]).replace('"', "")
        before = typed[at : mention.start()]
        at = mention.end()
        if before.strip(SPACE):
            pieces.append(before)
        path = reader.find(asked) if asked not in reader.agents else None
        if asked in reader.agents:
            agents.append(asked)
        elif path is None:
            why = "there is no such file in a workspace directory, or it is ignored: the text stays as it is"
            reader.search.note(argument(f"@{asked}", why))
            if reader.host.kind(resolve(reader.search.cwd, asked)) is None:
                reader.search.draft.note(SEARCHES.format(visible(asked)))
        elif path is not None:
            found.setdefault(path, asked)
        said = asked if path is None else _as_sent(reader, path, asked)
        joint = "" if "".join(pieces).endswith(" ") else " "
        pieces.append(f"{joint}@{said}")
    text = "".join((*pieces, typed[at:] if typed[at:].strip(SPACE) else "")).strip(SPACE) if found or agents else typed
    yield [Segment("runtime", "prompt", text, Origin("argument"), WHY_TYPED)]
    if agents:
        why = f"the prompt names {', '.join(agents)}"
        yield [elided("runtime", "gemini-cli", "note on the agents that the prompt names", why=why)]
    yield from _contents(reader, found)


def _as_sent(reader: Reader, path: str, asked: str) -> str:
    """A mention in the prompt: of a file as it is typed, if that is no absolute path (wire: mention-forms)."""
    if reader.host.kind(path) != "directory" and not is_absolute(asked, reader.search.cwd):
        return asked
    relative = path.removeprefix(reader.search.cwd).lstrip("/") if is_below(path, reader.search.cwd) else path
    return join(relative, "**") if reader.host.kind(path) == "directory" else relative


def _contents(reader: Reader, found: dict[str, str]) -> Iterator[list[Segment]]:
    """The texts of the files in the order of their paths, then what their directories bring."""
    files = dict.fromkeys(file for path in found for file in reader.files(path))
    if not found:
        return
    yield [_frame("\n--- Content from referenced files ---")]
    if not files:
        yield [_frame("No files matching the criteria were found or all were skipped.")]
        return
    ordered = sorted(files, key=sort_key)
    for file in ordered:
        label = found.get(file)
        if label is None or is_absolute(label, reader.search.cwd):
            label = native(file.removeprefix(f"{reader.search.cwd}/"))
        contents = reader.host.read(file)
        if is_media(file, contents):
            yield [_unshown(file)]
            continue
        yield [_frame(f"\nContent from @{label}:\n")]
        if is_known_binary(file, contents):
            yield [_frame(f"Cannot display content of binary file: {label}")]
        else:
            yield [_text(reader, file, is_trimmed=True)]
    brought = [each for directory in dict.fromkeys(map(parent, ordered)) for each in reader.context(directory)]
    if brought:
        yield brought
    yield [_frame("\n--- End of content ---")]


def _frame(text: str) -> Segment:
    return Segment("runtime", "mentioned files", text, COMPUTED, WHY)


def _text(reader: Reader, path: str, *, is_trimmed: bool) -> Segment:
    contents = reader.host.read(path)
    if not is_text(path, contents):
        return _unshown(path)
    text, cut = read_text(reader.facts, contents)
    text = text.strip(SPACE) if is_trimmed else text
    return Segment("runtime", path, text, Origin("file", path=path), WHY, cut=cut)


def _unshown(path: str) -> Segment:
    return elided("runtime", "gemini-cli", f"content of {name(path)}", why=WHY)


# -- commands ------------------------------------------------------------------------------------------------------


def injected(prompt: str, origin: Origin, reader: Reader) -> Iterator[Segment]:
    """The prompt of a command, and each file that it names with ``@{path}`` as a part of its own."""
    at = 0
    for start, end in spans(prompt, "@{"):
        if prompt[at:start]:
            yield Segment("runtime", "command", prompt[at:start], origin, WHY)
        path = reader.find(prompt[start + 2 : end - 1].strip())
        if path is None:
            yield Segment("runtime", "command", prompt[start:end], origin, WHY)
        elif reader.host.kind(path) == "directory":
            yield elided("runtime", "gemini-cli", f"files of {path}", why=WHY)
        else:
            yield _text(reader, path, is_trimmed=False)
        at = end
    if prompt[at:]:
        yield Segment("runtime", "command", prompt[at:], origin, WHY)


def spans(text: str, opening: str) -> Iterator[tuple[int, int]]:
    """Where ``opening`` and its closing bracket stand; brackets inside are balanced. One that is open ends all."""
    at = text.find(opening)
    while at >= 0:
        depth, end = 1, at + len(opening)
        while depth and end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        if depth:
            return
        yield at, end
        at = text.find(opening, end)
