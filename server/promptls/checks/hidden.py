"""shadowed: a file that a harness passes over, because it takes another one. What is said breaks no other harness.

Nothing is lost, and so nothing said, where the other file has the same text, or the hidden one only points to it.
"""

from __future__ import annotations

import re
from posixpath import basename

from promptls.checks.names import is_apart
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.model import USED, Range, Related
from promptls.core.paths import join, parent, relative
from promptls.core.text import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Problem, Prompt, Severity

AGENTS, OVERRIDE = "AGENTS.md", "AGENTS.override.md"
# A text that only says where the other one is, is not longer than this.
POINTER = 200
# Two files with more of their lines in common are copies that have drifted apart.
COPIED = 0.5
_HEADING = regex(r"^#.*$", re.MULTILINE)


def check(prompt: Prompt) -> Iterator[Problem]:
    """A problem for each instruction file whose turn another one has."""
    brought = _brought(prompt)
    for candidate in prompt.candidates:
        path, other = candidate.path, candidate.other
        is_found = candidate.origin.kind == "computed" and candidate.use == "instruction"
        if candidate.outcome != "shadowed" or not is_found or path is None or other in (None, path):
            continue
        if path not in brought:
            yield shadowed(prompt.session.harness, candidate, prompt.candidates)


def _brought(prompt: Prompt) -> set[str | None]:
    """The files whose text is sent all the same: by an import, or under the name of a link."""
    loaded = {candidate.path for candidate in prompt.candidates if candidate.outcome in USED}
    return loaded | {segment.origin.path for message in prompt.messages for segment in message.segments}


def shadowed(
    harness: str, candidate: Candidate, others: Iterable[Candidate], severity: Severity | None = None
) -> Problem:
    """The problem of one file that is skipped; ``others``: every candidate of the prompt."""
    path, other = candidate.path or "", candidate.other or ""
    related = (Related(other, Range(), "This file is used instead."),)
    says = _says(harness, path, other, {each.path for each in others if each.outcome in (*USED, "duplicate")})
    return problem("shadowed", path, Range(), says, harness=harness, related=related, severity=severity)


def _says(harness: str, path: str, other: str, loaded: set[str | None]) -> str:
    spec = specs.of(harness)
    if spec.reads_for_agents and basename(path) == AGENTS:
        beside = next((place for place in importers(harness, path) if place in {other, *loaded}), None)
        advice = f"Write @{relative(path, parent(beside))} into {beside}." if beside else put_beside(harness)
        return f"{harness} does not load this file, because it reads {other} instead of {AGENTS}. {advice}"
    says = f"{harness} does not load this file: {other} takes precedence over it."
    if basename(other) == OVERRIDE:
        return f"{says} Copy the parts that {harness} needs into the override, or remove it."
    return f"{says} {spec.shadowed_advice or f'Copy there what {harness} needs of this file.'}"


def put_beside(harness: str) -> str:
    """How AGENTS.md comes to a harness that reads another name in its place."""
    return f"Put {specs.of(harness).reads_for_agents[0]} beside it, as a link to it or with the line @{AGENTS}."


def importers(harness: str, path: str) -> list[str]:
    """What a harness reads in the directory of the AGENTS.md at ``path`` in its place; [] where it reads this."""
    names = specs.of(harness).reads_for_agents
    directory = parent(path)
    directory = parent(directory) if basename(directory) in {parent(name) for name in names} else directory
    return [join(directory, name) for name in names]


def is_no_loss(found: Problem, host: Host, root: str) -> bool:
    """Whether the file that is shadowed need not be reported; ``root``: where the look at the folder began."""
    if found.code != "shadowed":
        return False
    if is_apart(found.path, host, root):
        return True
    others = [each.path for each in found.related]
    for harness in found.harnesses:
        others += importers(harness, found.path)
    text = _text(host, found.path)
    for other in others:
        said = _text(host, other)
        if text in said or (said and points_to(text, other)):
            return True
    return False


def _text(host: Host, path: str) -> str:
    contents = host.read(path)
    return decode(contents.data, keep_bom=False).strip() if contents.state == "file" else ""


def points_to(text: str, other: str) -> bool:
    """Whether a text has no more than a sentence that names the other file."""
    bare = _HEADING.sub("", text).strip()
    return len(bare) <= POINTER and "\n\n" not in bare and basename(other) in bare


def shared(text: str, other: str) -> float:
    """How much of a text, by its lines, another one has as well."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    there = {line.strip() for line in other.splitlines()}
    return sum(line in there for line in lines) / len(lines) if lines else 0.0
