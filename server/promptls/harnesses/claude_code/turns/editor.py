"""What a connected editor tells Claude Code: the file that is open in it, and what is selected (captured: ide-*)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Cut, Segment
from promptls.core.text import decode, lines_of
from promptls.core.values import replace
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.kit.paths import native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import OpenFile
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup

WHY_OPEN = "the file is open in the editor that is connected"
WHY_SELECTED = "this is selected in the editor that is connected"


def has_selection(opened: OpenFile) -> bool:
    """Whether anything is selected: then that is told, and not the file (captured: ide-selected)."""
    where = opened.selection
    return bool(opened.text) or (where is not None and where.start != where.end)


def open_file(setup: Setup, opened: OpenFile) -> Block:
    """That a file is open (captured: ide-opened)."""
    note = elided("runtime", NAME, "note on the open file", why=WHY_OPEN, size=setup.facts.ide_opened_note)
    says = head(f"The user opened the file {native(opened.path)}", "runtime", path=opened.path)
    return [says, replace(note, cache="turn")]


def selection(setup: Setup, opened: OpenFile) -> Block:
    """The lines that are selected, up to a limit (captured: ide-selected, ide-selected-long)."""
    where, limit = opened.selection, setup.facts.ide_selection_limit
    text = opened.text if opened.text is not None else _selected(setup, opened)
    lines = (where.start_line + 1, where.end_line + 1) if where is not None else (1, 1 + text.count("\n"))
    cut = Cut(limit, len(text), "characters", f"a selection may have {limit:,} characters", is_fixed=True)
    shown = Segment("runtime", "selection", text[:limit], COMPUTED, WHY_SELECTED, cache="turn")
    note = elided("runtime", NAME, "note on the selection", why=WHY_SELECTED, size=setup.facts.ide_selected_note)
    place = f"The user selected the lines {lines[0]} to {lines[1]} from {native(opened.path)}:\n"
    found = [head(place, "runtime", path=opened.path), shown]
    if len(text) > limit:
        end = elided("runtime", NAME, "note on the end of the selection", why=WHY_SELECTED)
        found = [found[0], replace(shown, cut=cut), replace(end, cache="turn")]
    return [*found, tail("\n\n", "runtime"), replace(note, cache="turn")]


def _selected(setup: Setup, opened: OpenFile) -> str:
    contents, where = setup.host.read(opened.path), opened.selection
    if contents.state != "file" or where is None:
        return ""
    text = decode(contents.data, keep_bom=False)
    index = lines_of(text)
    return text[index.offset(*where.start) : index.offset(*where.end)]
