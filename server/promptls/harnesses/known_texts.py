"""What the user has kept of programs: one JSON file for each version of a harness.

    {"captured": "2026-11-22", "models": {"gpt-5": {"own prompt 7014": "..."}},
     "verified": {"a prompt's digest": {"format": 2, "date": "2026-11-22", "all": true, "unknown": 0}}}

``models`` has texts of the program's own, by name and measured size, and those of MCP servers and hooks, by the file
that configures them, too; only those that stand for one text.
``verified`` has the prompts that ``promptls verify`` saw the program send; one of an older ``format`` was compared
less strictly, and does not count.
"""

from __future__ import annotations

from promptls.core.model import VerifiedHere
from promptls.core.values import replace
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Elided, Prompt, Segment


# Of what is kept of a prompt that was verified; a new one for each change of what is compared.
FORMAT = 2
# The directory of what was reported of requests.
COUNTS = "tokens"


def file_of(harness: str, version: str) -> str:
    """The name of the file of a version."""
    return f"{harness}@{version}.json"


def key(elided: Elided) -> str:
    """What a text is called in the file."""
    return f"{elided.name} {'?' if elided.size is None else elided.size}"


def digest(prompt: Prompt) -> str:
    """Identifies what is sent, before kept texts are in it.

    What the program finds out about the environment, such as the date and the state of git, does not count.
    """
    import hashlib  # noqa: PLC0415 - only where something is kept
    import json  # noqa: PLC0415 - the same

    messages = [[each.role, *map(_identity, filter(_counts, each.segments))] for each in prompt.messages]
    tools = [[each.name, each.enabled, each.size] for each in prompt.tools or ()]
    sent = [each for each in messages if len(each) > 1]
    whole = json.dumps([prompt.session.cwd, prompt.model, prompt.agent, sent, tools])
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _counts(segment: Segment) -> bool:
    return segment.layer != "environment" or segment.origin.kind not in ("computed", "builtin")


def _identity(segment: Segment) -> list[str]:
    return [segment.title, segment.text, key(segment.elided) if segment.elided else ""]


def _place(segment: Segment) -> str | None:
    """What a text is called in the file; None if it is none to keep: that of a session, or of a file."""
    if segment.elided is None:
        return None
    name, path = key(segment.elided), segment.origin.path
    if path is not None:
        return f"{name} {segment.origin.name or ''} {path}" if segment.origin.kind == "config" else None
    return None if segment.layer == "runtime" else name


def worth_keeping(gaps: Iterable[tuple[Segment, str]]) -> dict[str, str]:
    """Those of the texts of gaps that are in every session with this model the same, as far as a preview can tell."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    for segment, text in gaps:
        name = _place(segment)
        if name is None:
            continue
        if found.setdefault(name, text) != text:
            doubtful.add(name)
    return {name: text for name, text in found.items() if name not in doubtful and text}


def with_known_texts(host: Host, prompt: Prompt, version: str) -> Prompt:
    """``prompt`` with what is kept of this version of the program: its texts, and whether it sent this prompt."""
    if not host.known_texts:
        return prompt
    contents = host.read(join(host.known_texts, file_of(prompt.session.harness, version)))
    if contents.state != "file":
        return prompt
    kept = parsed(contents.data)
    here = _verified(kept, prompt, version)
    texts, date = _texts(kept, prompt.model or "")

    def shown(segment: Segment) -> Segment:
        name = _place(segment)
        text = texts.get(name) if name is not None else None
        return segment if text is None else replace(segment, text=text, elided=None, captured=date)

    return replace(
        prompt,
        messages=tuple(replace(each, segments=tuple(map(shown, each.segments))) for each in prompt.messages),
        verified_here=here,
    )


def with_calibration(host: Host, prompt: Prompt) -> Prompt:
    """``prompt`` with what was reported of the user's own requests with its model, where anything is kept."""
    if not host.known_texts or not host.is_of_user or prompt.stopped is not None:
        return prompt
    contents = host.read(counts_of(host.known_texts, prompt.session.harness))
    if contents.state != "file":
        return prompt
    from promptls.harnesses.calibrations import calibrated  # noqa: PLC0415 - only where something is kept

    return calibrated(prompt, contents.data)


def counts_of(directory: str, harness: str) -> str:
    """The file with what was reported of requests of a harness, below the directory of what is kept."""
    return join(directory, COUNTS, f"{harness}.json")


def parsed(data: bytes) -> dict[str, Any]:
    """The content of the file of a version; {} if it is not as it was written."""
    import json  # noqa: PLC0415 - only where something is kept

    try:
        root = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return root if isinstance(root, dict) else {}


def _verified(kept: Mapping[str, Any], prompt: Prompt, version: str) -> VerifiedHere | None:
    known = kept.get("verified")
    found = known.get(digest(prompt)) if isinstance(known, dict) and known else None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return None
    date, unknown = found.get("date"), found.get("unknown")
    if not isinstance(date, str) or not isinstance(unknown, int):
        return None
    return VerifiedHere(version, date, found.get("all") is True, unknown)


def _texts(kept: Mapping[str, Any], model: str) -> tuple[Mapping[str, str], str]:
    """The texts for a model and the day of their capture."""
    models, date = kept.get("models"), kept.get("captured")
    texts = models.get(model) if isinstance(models, dict) else None
    if not isinstance(texts, dict) or not isinstance(date, str):
        return {}, ""
    return {name: text for name, text in texts.items() if isinstance(text, str)}, date
