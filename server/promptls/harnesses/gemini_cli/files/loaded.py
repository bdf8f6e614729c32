"""The context files that are in Gemini CLI's prompt, each once, and those that a tool comes near."""

from __future__ import annotations

from promptls.core.model import START
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.harnesses.gemini_cli.files.imports import imports
from promptls.harnesses.gemini_cli.files.places import (
    WHY_JIT,
    ContextFile,
    Search,
    global_files,
    private_index,
    project_files,
    same_file,
    upward_files,
)
from promptls.harnesses.gemini_cli.listing.extensions import extension_files
from promptls.kit.candidates import STATE_SAYS, Rule, our_cut
from promptls.kit.inline_imports import JOIN, nearest_marked
from promptls.kit.javascript import SPACE
from promptls.kit.paths import is_below, native
from promptls.kit.pieced_text import File, Piece, after, before, segments, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Segment
    from promptls.harnesses.gemini_cli.listing.extensions import Extension


@dataclass(slots=True)
class Loaded:
    """The context files that are in the prompt, by tier.

    ``paths`` are those that count as loaded; the first ``at_start`` of them are loaded at start.
    """

    paths: list[str] = field(default_factory=list)
    at_start: int = 0
    global_: list[Piece] = field(default_factory=list)
    private: list[Piece] = field(default_factory=list)
    extension: list[Piece] = field(default_factory=list)
    project: list[Piece] = field(default_factory=list)


def load(search: Search, roots: list[str], extensions: list[Extension]) -> Loaded:
    """All tiers that are sent at start. A file that is in several counts in the first (source)."""
    loaded = Loaded()
    is_flat = search.settings.text("context.importFormat") == "flat"
    tiers = (
        (global_files(search), loaded.global_),
        (extension_files(search, extensions), loaded.extension),
        (project_files(search, roots), loaded.project),
        (private_index(search), loaded.private),
    )
    for places, pieces in tiers:
        add_blocks(search, places, pieces, loaded, is_flat=is_flat)
    loaded.at_start = len(loaded.paths)
    return loaded


def add_blocks(
    search: Search, places: list[ContextFile], pieces: list[Piece], loaded: Loaded, *, is_flat: bool, at: str = START
) -> None:
    """A block for each file that is not loaded yet and not blank, joined by a blank line (section "Wrapper")."""
    importer = imports(search.draft, search.host, search.markers, at)
    for place in places:
        known = next((path for path in loaded.paths if same_file(search.host, path, place.path)), None)
        if known is not None:
            rule = Rule(place.why, place.origin, at=at)
            search.note(rule.duplicate(place.path, "it is loaded already", of=known))
            continue
        file = context_file(search, place, at)
        if file is None:
            continue
        loaded.paths.append(place.path)
        text = trimmed(importer.flat(file) if is_flat else importer.tree(file))
        if text:
            label = f"{JOIN if pieces else ''}--- Context from: {native(place.path)} ---\n"
            end = after(f"\n--- End of Context from: {native(place.path)} ---")
            pieces += [before(label, announces=place.path), *text, end]


def context_file(search: Search, place: ContextFile, at: str) -> File | None:
    """The file at a place, whose outcome is noted; None if there is no file that can be read."""
    contents = search.host.read(place.path)

    rule = Rule(place.why, place.origin, at=at)
    if contents.state != "file":
        search.note(rule.failed(place.path, STATE_SAYS[contents.state], state=contents.state))
        return None
    cut = our_cut(contents)
    text = decode(contents.data, keep_bom=True)
    search.note(rule.read(place.path, contents) if text.strip(SPACE) else rule.empty(place.path, "it is blank"))
    return File(place.path, text, cut)


def nearby(search: Search, roots: list[str], loaded: Loaded, directory: str, at: str) -> list[Segment]:
    """The context files from a directory up to the boundary that are not loaded yet (section "JIT")."""
    root = max((root for root in roots if is_below(directory, root)), key=len, default=None)
    if root is None:  # the working directory has become a file, and it is what is read
        return []
    stop = nearest_marked(search.host, root, search.markers) or root
    places = upward_files(search, directory, stop, WHY_JIT, at)
    pieces: list[Piece] = []
    # Always as a tree (captured: lazy-with-import-flat).
    add_blocks(search, places, pieces, loaded, is_flat=False, at=at)
    if not pieces:
        return []
    label = before("\n\n--- Newly Discovered Project Context ---\n")
    end = after("\n--- End Project Context ---")
    return [*segments([label, *pieces, end], "instructions", WHY_JIT, set())]
