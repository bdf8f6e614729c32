"""``{file:...}`` in the text of an instruction file: Kilo Code puts the text of that file there (wire: references).

The file is trimmed, and one that cannot be read gives nothing; a line that begins with ``//`` stays as it is (source:
substitute). ``{env:...}`` is not filled in here: what is in the environment may be a secret.
"""

from __future__ import annotations

from itertools import islice

from promptls.core.lazy import regex
from promptls.core.model import Segment
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import Rule, our_cut
from promptls.kit.javascript import trimmed
from promptls.kit.paths import join, parent, resolve
from promptls.kit.pieced_text import File
from promptls.kit.segments import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

# A limit of ours: each file may be large.
MOST = 32
_FILE = regex(r"(?<!\$)\{file:([^{}\n]+)\}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A ``{file:...}`` of a text: where it is, and the file."""

    start: int
    end: int
    written: str
    path: str


def references(host: Host, path: str, text: str) -> Iterator[Reference]:
    """Those of the text of the file at ``path``, as many as are filled in."""
    at = 0
    for found in islice(_FILE.finditer(text), MOST):
        line = text.rfind("\n", at, found.start()) + 1
        if line or not at:
            is_comment = text[line : found.start()].lstrip().startswith("//")
        at = found.end()
        if not is_comment:
            named = join(host.home, found[1][2:]) if found[1].startswith("~/") else found[1]
            yield Reference(found.start(), at, found[0], resolve(parent(path), named))


def filled(draft: Draft, host: Host, file: File, why: str) -> Iterator[Segment]:
    """The text of a file, with those of the files that it names."""
    at = 0
    for each in references(host, file.path, file.text):
        yield from _piece(file, at, each.start, why)
        at = each.end
        rule = Rule(f"the text of {file.path} names it", file.origin(each.start, each.end))
        contents = host.read(each.path)
        if contents.state != "file":
            draft.candidates.append(rule.unread(each.path, contents.state))
            continue
        draft.candidates.append(rule.read(each.path, contents))
        named = File(each.path, decode(contents.data, keep_bom=False), our_cut(contents), host.realpath(each.path))
        for piece in _piece(named, *trimmed(named.text, 0), rule.why):
            yield from without_secrets(piece)
    yield from _piece(file, at, len(file.text), why)


def _piece(file: File, start: int, end: int, why: str) -> Iterator[Segment]:
    if start < end:
        yield Segment("instructions", file.path, file.text[start:end], file.origin(start, end), why, cut=file.cut)
