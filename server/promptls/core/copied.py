"""What of an instruction file may stand in other repositories, too: its sections, each known by a checksum."""

from __future__ import annotations

from hashlib import sha256

from promptls.core.formats import markdown
from promptls.core.tokens import estimate
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Letters of a section, without blanks, that make it worth a word.
LEAST = 40
# Letters of a checksum.
DIGEST = 16


@dataclass(frozen=True, slots=True)
class Section:
    """A section without those below it: its line from 0, its heading, and a checksum that blanks do not change."""

    line: int
    title: str
    digest: str
    tokens: int


def sections(text: str) -> Iterator[Section]:
    """The sections of a text; what is above the first heading is one without a title."""
    heads = [(each.start, each.title) for each in markdown.headings(text)]
    starts = [(0, ""), *heads] if not heads or heads[0][0] else heads
    line, before = 0, 0
    for (start, title), (end, _) in zip(starts, [*starts[1:], (len(text), "")], strict=True):
        line += text.count("\n", before, start)
        before = start
        plain = " ".join(text[start:end].split())
        if len(plain) >= LEAST:
            digest = sha256(plain.encode("utf-8", "replace")).hexdigest()[:DIGEST]
            yield Section(line, title, digest, estimate(plain))
