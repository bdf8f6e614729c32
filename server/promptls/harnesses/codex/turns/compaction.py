"""Compaction: the request for the summary, and what of the history is left."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Cut, Origin, Segment
from promptls.core.text import decode, whole
from promptls.harnesses.codex.listing.hooks import COMPACT, SESSION, outputs
from promptls.harnesses.codex.request import Item, item
from promptls.kit.candidates import Rule
from promptls.kit.paths import home_or, resolve
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.kit.draft import Draft

PROMPT, PROMPT_FILE = "compact_prompt", "experimental_compact_prompt_file"
BYTES_PER_TOKEN = 4
WHY_SUMMARY = "what the model made of the history, which only the model knows"
WHY_TOLD = "Codex says what the summary is"
WHY_ASKS = "Codex asks for a summary of all that was said"
WHY_OWN = "it is what Codex asks for a summary with"
WHY_REMOTE = "the provider compacts on its server, and only that can read what it made of the history"
LIMIT = "after a compaction Codex keeps {} tokens of what was typed, the newest first"
NOTE_REMOTE = (
    "The summary is shown as every provider but OpenAI's own has it; that one compacts on its server, and the summary "
    "is an item that nobody else can read."
)


def compacted(prompts: list[Item], context: Sequence[Item], told: Sequence[Item], most: int) -> list[Item]:
    """The items after a compaction: typed prompts but the last, the context, the last prompt, then what is ``told``.

    The bodies of skills, calls and their results, and older summaries are gone. ``most`` tokens of prompts are kept
    (captured: compact-typed, compact-typed-twice, compact-developer, compact-plan).
    """
    kept = _within_budget(prompts, most)
    return [*kept[:-1], *context, *kept[-1:], *told]


def added_after(draft: Draft, setup: Setup, summary: str | None, at: str) -> Iterator[Item]:
    """The summary, and what hooks print that run after a compaction (captured: compact-hooks)."""
    yield from _summary(draft, setup, summary, at)
    for output in outputs(setup.hooks, SESSION, setup.config.facts.hook_tokens, COMPACT):
        yield from item("developer", "told", output, at=at)


def _summary(draft: Draft, setup: Setup, summary: str | None, at: str) -> tuple[Item, ...]:
    remote = setup.config.is_compacted_remotely
    if remote:
        return item("user", "told", [elided("runtime", "codex", "compaction", why=WHY_REMOTE)], at=at)
    if remote is None:
        draft.note(NOTE_REMOTE)
    told = elided("runtime", "codex", "what the summary is", why=WHY_TOLD, size=setup.config.facts.summary_frame)
    text = elided("runtime", "codex", "summary", why=WHY_SUMMARY)
    if summary is not None:
        text = Segment("runtime", "summary", summary, Origin("argument", name="summary"), WHY_SUMMARY)
    return item("user", "told", [told, text], at=at)


def _within_budget(prompts: list[Item], most: int) -> list[Item]:
    """The prompts as far as the budget goes, the newest first; one is cut in its middle.

    ``most`` is in tokens, which are counted as bytes by four (captured: compact-long-prompts).
    """
    kept: list[Item] = []
    left = most
    for each in reversed(prompts):
        size = sum(_size(segment) for part in each.parts for segment in part)
        cost = -(-size // BYTES_PER_TOKEN)
        if cost > left:
            if left:
                kept.append(_cut(each, size, left, most))
            break
        left -= cost
        kept.append(each)
    kept.reverse()
    return kept


def _size(segment: Segment) -> int:
    return len(segment.text.encode("utf-8", "replace")) if segment.elided is None else 0


def _cut(prompt: Item, size: int, left: int, most: int) -> Item:
    """Its begin and its end, with what is left out between them, as three parts."""
    data = "".join(segment.text for part in prompt.parts for segment in part).encode("utf-8", "replace")
    room = left * BYTES_PER_TOKEN
    cut = Cut(room, size, "bytes", LIMIT.format(most), is_fixed=True)
    first = prompt.parts[0][0]
    texts = (decode(data[: room // 2], keep_bom=True), decode(data[len(data) - (room - room // 2) :], keep_bom=True))
    begin, end = (Segment("runtime", "prompt", text, first.origin, first.why, cut=cut) for text in texts)
    count = -(-(size - room) // BYTES_PER_TOKEN)
    between = Segment("runtime", "frame", f"…{count} tokens truncated…", COMPUTED, WHY_TOLD)
    return Item(prompt.role, ((begin,), (between,), (end,)), "prompt", prompt.at)


def request_for_summary(draft: Draft, host: Host, setup: Setup) -> tuple[Item, ...]:
    """What is asked for at the end of the history; () where the provider's server is.

    (captured: compact-typed-summary, compact-prompt-config-summary, compact-remote)
    """
    if setup.config.is_compacted_remotely:
        draft.notes.append("The provider compacts on its server: the request ends with an item that has no text.")
        return ()
    own = setup.config.find(PROMPT)
    if own is not None and isinstance(own.value.data, str):
        return item("user", "told", [Segment("instructions", PROMPT, own.value.data, own.origin(), WHY_OWN)])
    named = setup.config.find(PROMPT_FILE)
    if named is not None and isinstance(named.value.data, str):
        path = home_or(host.home, named.value.data) or resolve(named.base, named.value.data)
        rule = Rule(f"{PROMPT_FILE} names it: {WHY_OWN}", named.origin(named.value), "prompt")
        contents = host.read(path)
        if contents.state == "file":
            # One line end is gone (captured: compact-prompt-file-summary).
            text = decode(contents.data, keep_bom=True).removesuffix("\n")
            draft.candidates.append(rule.read(path, contents))
            segment = Segment("instructions", path, text, Origin("file", path=path, range=whole(text)), WHY_OWN)
            return item("user", "told", [segment])
        draft.candidates.append(rule.unread(path, contents.state))
    size = setup.config.facts.compaction_prompt
    return item("user", "told", [elided("runtime", "codex", "request for a summary", why=WHY_ASKS, size=size)])
