"""What Deep Agents Code says of the working directory where the shell is on: text of a Makefile is in it.

What says "source" was read in the program's package and not seen on the wire (section "Local context").
"""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Cut, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.kit.candidates import own
from promptls.kit.paths import join, native
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Layer
    from promptls.harnesses.deepagents_code.versions import Facts
    from promptls.kit.writer import Writer

WHY = "with the shell on, Deep Agents Code sends the first lines of the Makefile of the working directory"
WHY_STATE = "with the shell on, Deep Agents Code describes the working directory"
LANGUAGES = ("pyproject.toml", "setup.py", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle")
FOLDERS = (".venv", "venv", "node_modules", "packages", "workspaces")
LEFT_OUT = {
    *("node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".coverage", ".eggs"),
    *("dist", "build"),
}
_TESTS = regex(r"^tests?:", re.MULTILINE)
LAYER: Layer = "environment"


def context(writer: Writer, facts: Facts, root: str | None) -> Iterator[Segment]:
    """The sections that are known (wire: makefile); the others are placeholders."""
    host, cwd = writer.host, writer.cwd
    yield writer.own("local context", why=WHY_STATE, layer=LAYER)
    is_project = any(host.kind(join(cwd, each)) == "file" for each in LANGUAGES) or (root is not None and root != cwd)
    if is_project or any(host.kind(join(cwd, each)) == "directory" for each in FOLDERS):
        yield head("\n\n**Project**:\n", LAYER)
        yield writer.own("kind of the project", why=WHY_STATE, layer=LAYER)
    state = host.git(cwd)
    if state is not None and state.branch:
        yield tail(f"\n\n**Git**: Current branch `{state.branch}`", LAYER)
        there = [each for each in ("main", "master") if _is_branch(writer, root, each)]
        yield tail(f", {', '.join(f'`{each}`' for each in there)} available" if there else "", LAYER)
    elif root is not None:
        yield writer.own("state of git", why=WHY_STATE, layer=LAYER)
    made = join(cwd, "Makefile")
    text = decode(host.read(made).data, keep_bom=True) if host.kind(made) == "file" else ""
    if _TESTS.search(text):
        yield tail("\n\n**Run Tests**: `make test`", LAYER)
    yield from _names(writer, facts)
    yield writer.own("tree", why=WHY_STATE, layer=LAYER)
    places = [(made, "Makefile"), *([(join(root, "Makefile"), native(join(root, "Makefile")))] if root else [])]
    for path, shown in places:
        if host.kind(path) == "file":
            yield from _makefile(writer, facts, path, shown)
            return


def _is_branch(writer: Writer, root: str | None, name: str) -> bool:
    """Whether the repository has a branch of its own of this name."""
    git = join(root or writer.cwd, ".git")
    packed = decode(writer.host.read(join(git, "packed-refs")).data, keep_bom=True)
    return writer.host.kind(join(git, "refs/heads", name)) == "file" or f" refs/heads/{name}\n" in packed


def _names(writer: Writer, facts: Facts) -> Iterator[Segment]:
    entries = [each for each in writer.host.entries(writer.cwd) if each.name not in LEFT_OUT]
    named = sorted(
        (each for each in entries if each.name[0] != "." or each.name == ".deepagents"), key=lambda e: e.name
    )
    if named:
        kept = named[: facts.names]
        many = f"showing {len(kept)} of {len(named)}" if len(kept) < len(named) else f"{len(named)}"
        lines = "".join(f"- {each.name}{'/' if each.is_directory else ''}\n" for each in kept)
        yield head(f"\n\n**Files** ({many}):\n{lines}\n", LAYER)


def _makefile(writer: Writer, facts: Facts, path: str, shown: str) -> Iterator[Segment]:
    """The first lines, also of one of the git root."""
    text = decode(writer.host.read(path).data, keep_bom=True)
    lines = text.splitlines(keepends=True)
    kept = "".join(lines[: facts.makefile])
    is_cut = len(lines) > facts.makefile
    cut = (
        Cut(facts.makefile, len(lines), "lines", f"Deep Agents Code sends {facts.makefile} lines of it")
        if is_cut
        else None
    )
    writer.draft.candidates.append(own(WHY).cut(path, cut.limit, cut=cut) if cut else own(WHY).loaded(path))
    yield head(f"\n**Makefile** (`{shown}`, first {facts.makefile} lines):\n```makefile\n", LAYER, path=path)
    origin = Origin("file", path=path, range=LineIndex(text).range(0, len(kept)))
    yield Segment(LAYER, path, kept, origin, WHY, cut=cut)
    yield tail(f"{'' if kept.endswith(chr(10)) else chr(10)}{'... (truncated)' + chr(10) if cut else ''}```\n", LAYER)
