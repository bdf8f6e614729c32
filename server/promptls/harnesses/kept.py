"""Texts of programs that the user has kept: one JSON file for each version of a harness.

    {"captured": "2026-11-22", "models": {"gpt-5": {"own prompt 7014": "..."}}}

Only texts of the program's own are in it, by name and measured size, and only those that stand for one text.
"""

from __future__ import annotations

from promptls.core.values import replace
from promptls.harnesses.shared.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from promptls.core.host import Host
    from promptls.core.model import Elided, Prompt, Segment


def file_of(harness: str, version: str) -> str:
    """The name of the file of a version."""
    return f"{harness}@{version}.json"


def key(elided: Elided) -> str:
    """What a text is called in the file."""
    return f"{elided.name} {'?' if elided.size is None else elided.size}"


def worth_keeping(gaps: Iterable[tuple[Segment, str]]) -> dict[str, str]:
    """Those of the texts of gaps that are the program's own, in every session with this model the same."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    for segment, text in gaps:
        if segment.elided is None or segment.layer == "runtime" or segment.origin.path is not None:
            continue
        name = key(segment.elided)
        if found.setdefault(name, text) != text:
            doubtful.add(name)
    return {name: text for name, text in found.items() if name not in doubtful and text}


def filled(host: Host, prompt: Prompt) -> Prompt:
    """``prompt`` with what is kept of its version and model in place of what it leaves out."""
    if not host.kept or all(s.elided is None for message in prompt.messages for s in message.segments):
        return prompt
    contents = host.read(join(host.kept, file_of(prompt.session.harness, prompt.session.version)))
    if contents.state != "file" or contents.is_cut:
        return prompt
    texts, date = _texts(contents.data, prompt.model or "")

    def shown(segment: Segment) -> Segment:
        text = texts.get(key(segment.elided)) if segment.elided is not None else None
        return segment if text is None else replace(segment, text=text, elided=None, captured=date)

    return replace(
        prompt,
        messages=tuple(replace(each, segments=tuple(map(shown, each.segments))) for each in prompt.messages),
    )


def _texts(data: bytes, model: str) -> tuple[Mapping[str, str], str]:
    """The texts for a model and the day of their capture; none if the file is not as it was written."""
    import json  # noqa: PLC0415 - only where something is kept

    try:
        root = json.loads(data)
        texts, date = root["models"][model], root["captured"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}, ""
    if not isinstance(texts, dict) or not isinstance(date, str):
        return {}, ""
    return {name: text for name, text in texts.items() if isinstance(text, str)}, date
