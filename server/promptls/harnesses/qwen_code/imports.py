"""Qwen Code's imports: ``@path`` in a context file (specification, "Imports"; source: memoryImportProcessor)."""

from __future__ import annotations

from promptls.core.formats import markdown
from promptls.harnesses.qwen_code.versions import ROWS
from promptls.kit.inline_imports import Dialect, Importer, file_blocks, find_mentions, nearest_marked
from promptls.kit.paths import is_below, parent, resolve
from promptls.kit.pieced_text import File
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from promptls.core.host import Host
    from promptls.kit.draft import Draft
    from promptls.kit.pieced_text import Piece

WHY_IMPORT = "Qwen Code treats every @ before a letter, a dot or a slash as an import"


def imports(draft: Draft, host: Host) -> Importer:
    """How the imports of context files are resolved (wire: imports, imports-deep).

    Links may lead out of the root (source).
    """
    depth = row(ROWS, draft.session.version).import_depth
    dialect = Dialect(WHY_IMPORT, find_imports, depth, is_below, counts_itself=True, missing_stays=True)
    return Importer(draft, host, dialect, "start")


def with_imports(importer: Importer, file: File, *, is_flat: bool) -> list[Piece]:
    """A file with its imports, which must lie below its git root, or its own directory where there is none."""
    directory = parent(file.path)
    root = nearest_marked(importer.host, directory, (".git",)) or directory
    return file_blocks(_flat(importer, file, root)) if is_flat else importer.tree(file, root)


def find_imports(text: str) -> list[re.Match[str]]:
    """The mentions that are imports: those that are not in Markdown's code (wire: imports)."""
    if not find_mentions(text, lambda _: False):
        return []
    # The program looks for code in a text with line feeds only, and does not convert the places back (source).
    code = markdown.Inside(markdown.code(text.replace("\r\n", "\n").replace("\r", "\n")))
    return find_mentions(text, lambda at: code.at(at) is not None)


def _flat(importer: Importer, file: File, root: str) -> dict[str, File]:
    """Every file once, mentions last to first; one that is reached again in fewer steps is followed again (source)."""
    found: dict[str, File] = {}
    depths: dict[str, int] = {}

    def visit(each: File, depth: int) -> None:
        found.setdefault(each.path, each)
        depths[each.path] = depth
        for mention in reversed(find_imports(each.text)) if depth < importer.dialect.depth else ():
            path = resolve(parent(each.path), mention[1])
            if importer.gives_up():
                return
            if not importer.is_inside(mention[1], path, root):
                importer.note(each, mention, "outside", f"it must lie below {root}")
            elif path in depths and depths[path] <= depth + 1:
                importer.note(each, mention, "duplicate", "it was imported already", other=path)
            elif isinstance(imported := importer.read(each, mention), File):
                visit(imported, depth + 1)

    visit(file, 0)
    return found
