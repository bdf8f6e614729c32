"""What OpenHands's tool for reading answers: the numbered text after a line of its own (wire: read-forms)."""

from __future__ import annotations

from promptls.core.text import newlines
from promptls.kit.paths import native
from promptls.kit.segments import head, tail
from promptls.kit.whole_read import shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.openhands.versions import Facts


def read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """The result of reading a file; None where it is not known, as of one that is cut in its middle."""
    text = text_of(host, path)
    if text is None or len(text := newlines(text)) > facts.read_characters:
        return None
    # What follows the last line end is a line, too.
    numbered = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 1))
    label = f"Here's the result of running `cat -n` on {native(path)}:\n"
    return [[head(label, "runtime"), shown(path, numbered), tail("\n", "runtime")]]
