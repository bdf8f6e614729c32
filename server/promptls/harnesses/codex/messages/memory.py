"""What Codex remembers: the summary that it sends where the feature is on (section 9 of the surfaces)."""

from __future__ import annotations

from promptls.core.model import Cut, Segment
from promptls.core.values import replace
from promptls.harnesses.codex.files import trimmed
from promptls.kit.candidates import own
from promptls.kit.paths import join
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.kit.draft import Draft

BEGIN, END = "========= MEMORY_SUMMARY BEGINS =========\n", "\n========= MEMORY_SUMMARY ENDS ========="
WHY = "Codex sends the summary of its memories, which features.memories switches on"
WHY_HOW = "Codex explains its memories around the summary"
LIMIT = "Codex sends the beginning and the end of a long summary"
BYTES_PER_TOKEN = 4


def memory(draft: Draft, host: Host, config: CodexConfig) -> list[Segment]:
    """The part, [] without a summary (parts: memories-long; captured: memories, memories-empty)."""
    if not config.is_on("memories", "use_memories", default=True):
        return []
    path, rule = join(config.home, "memories", "memory_summary.md"), own(WHY, use="prompt")
    contents = host.read(path)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return []
    doc = trimmed(path, contents.data, WHY)
    if doc is None:
        draft.candidates.append(rule.empty(path, "it is blank"))
        return []
    text = _shortened(doc.text, config.facts.memory_bytes)
    cut = Cut(config.facts.memory_bytes, len(doc.text.encode("utf-8", "replace")), "bytes", LIMIT) if text else None
    draft.candidates.append(rule.cut(path, LIMIT, cut=cut) if cut else rule.loaded(path))
    segment = Segment("memory", path, text or doc.text, doc.origin, WHY, cut=cut)
    how = elided("memory", "codex", "memories", why=WHY_HOW)
    return [how, head(BEGIN, "memory"), segment, tail(END, "memory"), replace(how, title="memories, rest")]


def _shortened(text: str, limit: int) -> str | None:
    """A text whose middle is replaced by the number of tokens in it; None for one that fits."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return None
    begin = data[: limit // 2].decode("utf-8", "ignore")
    end = data[len(data) - (limit - limit // 2) :].decode("utf-8", "ignore")
    return f"{begin}…{-(-(len(data) - limit) // BYTES_PER_TOKEN)} tokens truncated…{end}"
