"""Transforms: Python functions, installed as entry points, that may change a prompt's messages at the end.

The entry-point group is ``promptls.transforms``. A transform takes the list of texts and the session and
returns the new list. What it changed is shown with its name as origin.
"""

from __future__ import annotations

from promptls.core.model import Message, Origin, Segment
from promptls.core.values import replace
from promptls.kit.candidates import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.kit.draft import Draft


def apply_transforms(draft: Draft, host: Host) -> None:
    """Run every transform over the draft's start messages. One that fails is left out and named."""
    for name, transform in host.transforms().items():
        rule = Rule(f"the transform {name} ran", Origin("computed", name=name), "template")
        start = [message for message in draft.messages if message.at == "start"]
        try:
            texts = [str(text) for text in transform([message.text for message in start], draft.session)]
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            why = f"the transform {name} failed with {type(error).__name__}; the prompt is shown without it"
            draft.candidates.append(replace(rule, why=why).failed())
            continue
        draft.candidates.append(rule.loaded())
        after = [message for message in draft.messages if message.at != "start"]
        draft.messages = [*_rewritten(start, texts, name), *after]


def _rewritten(messages: list[Message], texts: list[str], name: str) -> list[Message]:
    """The messages with ``texts``: unchanged text keeps its segments, the rest gets the transform's name."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only where a transform is installed

    rewritten: list[Message] = []
    matcher = SequenceMatcher(a=[message.text for message in messages], b=texts, autojunk=False)
    for tag, a_start, a_end, b_start, b_end in matcher.get_opcodes():
        if tag == "equal":
            rewritten += messages[a_start:a_end]
            continue
        for step, text in enumerate(texts[b_start:b_end]):
            before = messages[a_start + step] if a_start + step < a_end else None
            segments = _segments(before, text, name)
            if segments:
                rewritten.append(Message(before.role if before else "system", segments, len(rewritten)))
    return [replace(message, index=at) for at, message in enumerate(rewritten)]


def _segments(before: Message | None, text: str, name: str) -> tuple[Segment, ...]:
    def added(piece: str) -> Segment:
        why = f"the transform {name} wrote it"
        return Segment("runtime", f"transform {name}", piece, Origin("computed", name=name), why, cache="turn")

    if before is None or before.text not in text:
        return (added(text),) if text else ()
    above, _, below = text.partition(before.text)
    return tuple(piece for piece in (added(above), *before.segments, added(below)) if piece.text)
