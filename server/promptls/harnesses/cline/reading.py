"""What Cline's tool for reading answers: JSON with the numbered text of each file (wire: read-forms, long-file)."""

from __future__ import annotations

from promptls.core.text import newlines
from promptls.kit.paths import native
from promptls.kit.whole_read import shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Segment
    from promptls.harnesses.cline.versions import Facts


def read_result(host: Host, facts: Facts, path: str) -> list[list[Segment]] | None:
    """The result of reading a file; None where it is not known, as of one that is cut."""
    text = text_of(host, path)
    lines = newlines(text).removesuffix("\n").split("\n") if text else []
    if text is None or len(lines) > facts.read_lines or any(len(each) > facts.read_line for each in lines):
        return None
    width = len(str(len(lines)))
    numbered = "\n".join(f"{number:{width}} | {line}" for number, line in enumerate(lines, 1))
    if len(numbered) > facts.read_characters:
        return None
    import json  # noqa: PLC0415 - only a read needs it

    answer = [{"query": native(path), "result": numbered, "success": True}]
    return [[shown(path, json.dumps(answer, ensure_ascii=False, separators=(",", ":")))]]
