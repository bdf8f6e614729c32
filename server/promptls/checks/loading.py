"""Files that are found and not sent, or sent twice.

shadowed, empty, empty-hides, outside-root, untrusted-config, duplicate-source, duplicate-text.
"""

from __future__ import annotations

from posixpath import basename, dirname

from promptls.checks.rules import problem
from promptls.checks.tree import USED
from promptls.core.model import START, Range, Related

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Origin, Problem, Prompt
    from promptls.core.settings import Settings

# The same few words in two files are no copy.
LEAST_COPY = 40
# Here a name that wins hides the next one in its own directory only; elsewhere it does so up to the root.
HIDES_BESIDE_IT = ("codex",)


def check(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """What the search passed over, and what is in the prompt twice."""
    yield from _passed_over(prompt)
    yield from _empty(prompt)
    yield from _config(prompt)
    yield from _same_text(prompt, settings)


def _instructions(prompt: Prompt, outcome: str) -> Iterator[Candidate]:
    """The instruction files of an outcome that the harness's own search has found."""
    for candidate in prompt.candidates:
        is_found = candidate.origin.kind == "computed" and candidate.use == "instruction"
        if candidate.outcome == outcome and is_found and candidate.path is not None:
            yield candidate


def _passed_over(prompt: Prompt) -> Iterator[Problem]:
    harness = prompt.session.harness
    # An import of the file that is taken may bring it all the same.
    brought = {candidate.path for candidate in prompt.candidates if candidate.outcome in USED}
    for candidate in _instructions(prompt, "shadowed"):
        if candidate.other not in (None, candidate.path) and candidate.path not in brought:
            related = (Related(candidate.other or "", Range(), "This one is taken."),)
            yield problem(
                "shadowed",
                candidate.path or "",
                Range(),
                shadowed_message(harness, candidate),
                harness=harness,
                related=related,
            )
    for candidate in _instructions(prompt, "outside"):
        # What a read does not bring is how the harness works, and no surprise in this file.
        if candidate.at == START:
            message = (
                f"{harness} does not load this file: {candidate.why}. Move it inside, or name it in the configuration."
            )
            yield problem("outside-root", candidate.path or "", Range(), message, harness=harness)


def is_hidden_by_itself(problem: Problem, host: Host) -> bool:
    """Whether a file that is shadowed is, by links, the same as the one that is taken."""
    others = [host.realpath(each.path) for each in problem.related] if problem.code == "shadowed" else []
    return host.realpath(problem.path) in others


def shadowed_message(harness: str, candidate: Candidate) -> str:
    """What to say of a file whose turn another one has."""
    return (
        f"{harness} does not load this file: {candidate.other} takes its place. "
        "Move its text there or remove one of them."
    )


def _empty(prompt: Prompt) -> Iterator[Problem]:
    harness = prompt.session.harness
    empty = list(_instructions(prompt, "empty"))
    if not empty:
        return
    hidden: dict[str, list[str]] = {}
    for candidate in _instructions(prompt, "shadowed"):
        hidden.setdefault(candidate.other or "", []).append(candidate.path or "")
    loaded = {(candidate.at, basename(candidate.path or "")) for candidate in _instructions(prompt, "loaded")}
    for candidate in empty:
        path = candidate.path or ""
        # What one read brings says nothing of another.
        is_made_up_for = not loaded.isdisjoint({(START, basename(path)), (candidate.at, basename(path))})
        hides = [
            each
            for each in hidden.get(path, ())
            if (dirname(each) == dirname(path) if harness in HIDES_BESIDE_IT else not is_made_up_for)
        ]
        if hides:
            message = (
                f"This file is empty, and {harness} takes it instead of {hides[0]}, so neither is sent. "
                "Remove it or write into it."
            )
            related = tuple(Related(each, Range(), "This file is not sent.") for each in hides)
            yield problem("empty-hides", path, Range(), message, harness=harness, related=related)
        else:
            message = f"This file is empty, so {harness} sends nothing for it. Write into it or remove it."
            yield problem("empty", path, Range(), message, harness=harness)


def _config(prompt: Prompt) -> Iterator[Problem]:
    harness = prompt.session.harness
    first: dict[str, Candidate] = {}
    # An entry may mean several files, such as a name in each directory.
    leads = {(each.origin.path, each.origin.range) for each in prompt.candidates if each.outcome in USED}
    for candidate in prompt.candidates:
        origin, path = candidate.origin, candidate.path
        if path is None:
            continue
        if candidate.state == "untrusted":
            message = f"{candidate.why[:1].upper()}{candidate.why[1:]}."
            yield problem("untrusted-config", path, Range(), message, harness=harness)
        is_vain = candidate.outcome == "duplicate" and _is_entry(origin) and (origin.path, origin.range) not in leads
        if is_vain and origin.path != path:
            other = first.get(candidate.other or path)
            message = f"{harness} has {path} already, so this entry changes nothing. Remove it."
            related: tuple[Related, ...] = ()
            if other is not None:
                place = other.origin.path if other.origin.kind == "config" else other.path
                where = (other.origin.range if other.origin.kind == "config" else None) or Range()
                related = (Related(place or path, where, "It is loaded from here."),)
            yield problem(
                "duplicate-source",
                origin.path or "",
                origin.range or Range(),
                message,
                harness=harness,
                related=related,
            )
        elif candidate.outcome in ("loaded", "cut"):
            first.setdefault(path, candidate)


def _is_entry(origin: Origin) -> bool:
    """Whether a line of a configuration names one file; a pattern may match what is there already."""
    is_place = origin.kind == "config" and origin.path is not None and origin.range is not None
    return is_place and not any(letter in (origin.name or "") for letter in "*?[{(")


def _same_text(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    harness = prompt.session.harness
    texts: dict[tuple[str, str], str] = {}
    for message in prompt.messages:
        for segment in message.segments:
            path, text = segment.origin.path, segment.text.strip()
            is_file = segment.origin.kind == "file" and segment.layer == "instructions" and not segment.frame
            if path is None or not is_file or len(text) < LEAST_COPY:
                continue
            # Two reads need not come together.
            first = texts.get((START, text)) or texts.setdefault((message.at, text), path)
            if first != path:
                says = f"{harness} sends this text twice: {first} has the same. Keep one of them."
                related = (Related(first, Range(), "The same text."),)
                yield problem("duplicate-text", path, Range(), says, harness=harness, related=related)
