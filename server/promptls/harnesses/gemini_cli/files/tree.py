"""The tree of a directory as Gemini CLI writes it, up to a number of items (parts: tree-many-files)."""

from __future__ import annotations

from collections import deque

from promptls.core.formats.patterns import ignoring
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.kit import collation
from promptls.kit.paths import first_above, is_below, is_windows, join, name, native, parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pathspec import GitIgnoreSpec

    from promptls.core.host import Host

# Folders that are named and never opened (source).
CLOSED = ("node_modules", ".git", "dist", "__pycache__")
GIT_FILE, OWN_FILE = ".gitignore", ".geminiignore"


@dataclass(slots=True)
class Ignored:
    """What is left out below ``root``: by .gitignore files if it lies in a git repository, and by .geminiignore."""

    host: Host
    root: str
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _specs: dict[str, GitIgnoreSpec | None] = field(default_factory=dict)

    def has(self, path: str, *, is_directory: bool) -> bool:
        """Whether ``path`` is left out; the directories above it are taken not to be."""
        if not is_below(path, self.root) or path == self.root:
            return False
        spec = self._spec(parent(path))
        # In any letter case, and never the file that stands for the repository (wire: ignored-letter-case).
        relative = path.removeprefix(self.root).lstrip("/").lower()
        if not is_directory and name(path) == ".git":
            return True
        return spec is not None and spec.match_file(f"{relative}/" if is_directory else relative)

    def _spec(self, directory: str) -> GitIgnoreSpec | None:
        if directory not in self._specs:
            above = parent(directory)
            if above in self._specs and not self._read(join(directory, GIT_FILE)):
                self._specs[directory] = self._specs[above]
            else:
                lines = [*self._git(directory), *self._own(join(self.root, OWN_FILE))]
                self._specs[directory] = ignoring(map(str.lower, lines)) if lines else None
        return self._specs[directory]

    def _git(self, directory: str) -> list[str]:
        """The lines for what is in a directory, of the .gitignore files from the root down to it."""
        if directory not in self._lines:
            if directory == self.root:
                is_git = first_above(self.host, self.root, ".git") is not None
                lines = self._read(join(self.root, ".git", "info", "exclude")) if is_git else []
                self._lines[directory] = [*lines, *self._read(join(directory, GIT_FILE))] if is_git else []
            else:
                above = self._git(parent(directory))
                is_git = first_above(self.host, self.root, ".git") is not None
                own = self._read(join(directory, GIT_FILE)) if is_git else []
                base = directory.removeprefix(self.root).lstrip("/")
                self._lines[directory] = [*above, *(_below(line, base) for line in own)]
        return self._lines[directory]

    def _own(self, path: str) -> list[str]:
        return [line.strip() for line in self._read(path)]

    def _read(self, path: str) -> list[str]:
        contents = self.host.read(path)
        # JavaScript counts a byte order mark among the blanks ahead of the first line.
        text = decode(contents.data, keep_bom=False) if contents.state == "file" else ""
        lines = (line.lstrip() for line in text.splitlines())
        return [line for line in lines if line and not line.startswith("#")]


def _below(line: str, base: str) -> str:
    """A line of a .gitignore in ``base``, as if it stood in the root's."""
    sign = "!" if line.startswith("!") else ""
    pattern = line.removeprefix("!")
    anywhere = "" if "/" in pattern else "**/"
    return f"{sign}/{base}/{anywhere}{pattern.lstrip('/')}"


@dataclass(slots=True)
class Folder:
    """A directory of the tree. ``more`` is what the limit left out: files, folders."""

    name: str
    path: str
    files: list[str] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)
    has_more_files: bool = False
    has_more_folders: bool = False
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree that is written; ``is_cut`` says whether anything is left out."""

    text: str
    is_cut: bool


def tree(host: Host, directory: str, most: int, ignored: Ignored | None = None) -> Tree:
    """The tree of ``directory``, of ``most`` items, with the line before it."""
    root = _read(host, directory, most, ignored)
    separator = "\\" if is_windows(directory) else "/"
    lines = [f"{native(directory)}{separator}", *_written(root, "", separator)]
    is_cut = _is_cut(root)
    says = f"Showing up to {most} items (files + folders)."
    if is_cut:
        says += (
            " Folders or files indicated with ... contain more items not shown, were ignored, or the display limit "
            f"({most} items) was reached."
        )
    # A directory without anything in it still has its line end.
    return Tree("\n".join([says, "", lines[0], "\n".join(lines[1:])]), is_cut)


def _read(host: Host, directory: str, most: int, ignored: Ignored | None) -> Folder:
    """Level by level, the files of a directory before its folders."""
    root = Folder("", directory)
    queue = deque([root])
    count = 0
    while queue and count < most:
        folder = queue.popleft()
        entries = sorted(host.entries(folder.path), key=lambda entry: collation.key(entry.name))
        for entry in entries:
            path = join(folder.path, entry.name)
            if entry.is_directory or entry.is_link:
                continue
            if count >= most:
                folder.has_more_files = True
                break
            if host.kind(path) != "file" or (ignored is not None and ignored.has(path, is_directory=False)):
                continue
            folder.files.append(entry.name)
            count += 1
        for entry in entries:
            path = join(folder.path, entry.name)
            if not entry.is_directory:
                continue
            if count >= most:
                folder.has_more_folders = True
                break
            below = Folder(entry.name, path)
            below.is_closed = entry.name in CLOSED or (ignored is not None and ignored.has(path, is_directory=True))
            folder.folders.append(below)
            count += 1
            if not below.is_closed:
                queue.append(below)
    return root


def _written(folder: Folder, indent: str, separator: str) -> Iterator[str]:
    """What is in a folder."""
    ends = not folder.folders and not folder.has_more_folders
    for file in folder.files[:-1]:
        yield f"{indent}├───{file}"
    for file in folder.files[-1:]:
        yield f"{indent}{_connector(ends)}{file}"
    if folder.has_more_files:
        yield f"{indent}{_connector(ends)}..."
    for each in folder.folders:
        is_end = each is folder.folders[-1] and not folder.has_more_folders
        yield f"{indent}{_connector(is_end)}{each.name}{separator}{'...' if each.is_closed else ''}"
        yield from _written(each, f"{indent}{'    ' if is_end else '│   '}", separator)
    if folder.has_more_folders:
        yield f"{indent}└───..."


def _connector(is_last: bool) -> str:
    return "└───" if is_last else "├───"


def _is_cut(folder: Folder) -> bool:
    is_one = folder.has_more_files or folder.has_more_folders or folder.is_closed
    return is_one or any(map(_is_cut, folder.folders))
