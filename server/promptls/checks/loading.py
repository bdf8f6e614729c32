"""Files that are found and not sent, or sent twice.

shadowed, empty, empty-hides, outside-root, left-out, prompt-replaced, untrusted-config, duplicate-source,
duplicate-text.
"""

from __future__ import annotations

from posixpath import basename

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import START, USED, Range, Related
from promptls.core.paths import parent
from promptls.core.text import unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate, CandidateState, Origin, Problem, Prompt, Segment
    from promptls.core.settings import Settings

# The same few words in two files are no copy.
LEAST_COPY = 40
# What to do about a file that is left out in silence, by what it is.
INSTEAD: dict[CandidateState | None, str] = {
    "link": "Replace the link with a file.",
    "not-utf-8": "Save it as UTF-8.",
    "ignored": "Take its name out of .gitignore, or move its text to a file that git does not ignore.",
}
# Advice that takes nothing from another program.
BY_LINK = "Make one of the files a link to the other: then it is sent once."
ONE_OF_THEM = "Keep one of them, unless another program needs the other."
UNLESS = "Remove the import, unless another program needs it."


def check(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """What the search passed over, and what is in the prompt twice."""
    yield from _passed_over(prompt)
    yield from _left_out(prompt)
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
    if any(candidate.outcome == "shadowed" for candidate in prompt.candidates):
        from promptls.checks import hidden  # noqa: PLC0415 - only where one file takes the turn of another

        yield from hidden.check(prompt)
    harness = prompt.session.harness
    for candidate in _instructions(prompt, "outside"):
        # What a read does not add is how the harness works, and no surprise in this file.
        if candidate.at == START:
            message = (
                f"Started in {prompt.session.cwd}, {harness} does not load this file: {candidate.why}. "
                f"Name it in the configuration, or put what such a session needs into a file that it loads."
            )
            yield problem("outside-root", candidate.path or "", Range(), message, harness=harness)


def _left_out(prompt: Prompt) -> Iterator[Problem]:
    """The files that a harness drops in silence, and one that drops all others."""
    harness = prompt.session.harness
    for candidate in prompt.candidates:
        if candidate.state in INSTEAD and candidate.use == "instruction" and candidate.path is not None:
            message = f"{harness} silently leaves out this file: {candidate.reason}. {INSTEAD[candidate.state]}"
            yield problem("left-out", candidate.path, Range(), message, harness=harness)
        elif candidate.state == "replaces" and candidate.path is not None:
            message = f"{harness} sends this file in place of its whole prompt: {candidate.reason}."
            yield problem("prompt-replaced", candidate.path, Range(), message, harness=harness)


def _empty(prompt: Prompt) -> Iterator[Problem]:
    harness = prompt.session.harness
    spec = specs.of(harness)
    empty = list(_instructions(prompt, "empty"))
    if not empty or spec.sends_empty:
        return
    hidden: dict[str, list[str]] = {}
    for candidate in _instructions(prompt, "shadowed"):
        hidden.setdefault(candidate.other or "", []).append(candidate.path or "")
    loaded = {(candidate.at, basename(candidate.path or "")) for candidate in _instructions(prompt, "loaded")}
    for candidate in empty:
        path = candidate.path or ""
        # What one read adds says nothing of another.
        is_made_up_for = not loaded.isdisjoint({(START, basename(path)), (candidate.at, basename(path))})
        hides = [
            each
            for each in hidden.get(path, ())
            if (parent(each) == parent(path) if spec.hides == "beside" else not is_made_up_for)
        ]
        if hides:
            message = (
                f"This file is empty but takes precedence over {hides[0]} in {harness}, so neither is sent. "
                "Remove it or add text to it."
            )
            related = tuple(Related(each, Range(), "This file is not sent.") for each in hides)
            yield problem("empty-hides", path, Range(), message, harness=harness, related=related)
        else:
            message = f"This file is empty, so {harness} sends nothing for it. Add text to it or remove it."
            yield problem("empty", path, Range(), message, harness=harness)


def _config(prompt: Prompt) -> Iterator[Problem]:
    harness = prompt.session.harness
    first: dict[str, Candidate] = {}
    # An entry may mean several files, such as a name in each directory; and a file that is blank now is one.
    leads = {(each.origin.path, each.origin.range) for each in prompt.candidates if each.outcome in (*USED, "empty")}
    for candidate in prompt.candidates:
        origin, path = candidate.origin, candidate.path
        if path is None:
            continue
        if candidate.state == "untrusted":
            why = candidate.why
            # The name of a harness is written as it is.
            message = f"{why}." if why.startswith(harness) else f"{why[:1].upper()}{why[1:]}."
            yield problem("untrusted-config", path, Range(), message, harness=harness)
        is_vain = candidate.outcome == "duplicate" and _is_entry(origin) and (origin.path, origin.range) not in leads
        if is_vain and origin.path != path:
            other = first.get(candidate.other or path)
            message = f"{harness} already has {path}, so this entry has no effect. Remove it."
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
    """What is sent twice: each file once, at the import that adds it again if there is one."""
    first: dict[tuple[str, str], Segment] = {}
    seen: set[str] = set()
    for message in prompt.messages:
        for segment in message.segments:
            origin = segment.origin
            is_file = origin.kind == "file" and segment.layer == "instructions" and not segment.frame
            if origin.path is None or not is_file or len(text := unescaped(segment.text.strip())) < LEAST_COPY:
                continue
            # Two reads need not come together.
            other = first.get((START, text)) or first.setdefault((message.at, text), segment)
            is_repeated = other.origin.path == origin.path and not _overlap(other.origin.range, origin.range)
            if other is segment or is_repeated or origin.path in seen:
                continue
            seen.add(origin.path)
            found = _twice(prompt, origin.path, other.origin.path or "", message.at)
            # Of what an import adds, all that it imports comes again, too.
            if found.path == origin.path or found.path not in seen:
                yield found


def _overlap(one: Range | None, two: Range | None) -> bool:
    """Whether two stretches of a file share a place; a range may end with the line or at the next one."""
    if one is None or two is None:
        return True
    first, last = sorted(((one.start_line, one.start_character), (two.start_line, two.start_character)))
    earlier = one if (one.start_line, one.start_character) == first else two
    return last < (earlier.end_line, earlier.end_character)


def _twice(prompt: Prompt, path: str, other: str, at: str) -> Problem:
    harness = prompt.session.harness
    if path != other:
        related = (Related(other, Range(), "The same text."),)
        advice = BY_LINK if specs.of(harness).sends_links_once else ONE_OF_THEM
        says = f"{harness} sends this text twice: {other} contains it too. {advice}"
        return problem("duplicate-text", path, Range(), says, harness=harness, related=related)
    brought = [each for each in prompt.candidates if each.path == path and each.outcome in USED]
    imports = [each.origin for each in brought if each.origin.kind == "file" and each.at in (START, at)]
    if not imports:
        says = f"{harness} sends this file twice, because two of its rules find it."
        return problem("duplicate-text", path, Range(), says, harness=harness)
    by = imports[-1]
    says = f"{harness} sends {path} twice: this import adds it a second time. {UNLESS}"
    related = (Related(path, Range(), "The text that is sent twice."),)
    return problem("duplicate-text", by.path or path, by.range or Range(), says, harness=harness, related=related)
