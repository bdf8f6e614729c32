"""Prompts from a file's point of view: what it references, what references it, and where its text is."""

from __future__ import annotations

from promptls.core.model import OF_TEXTS, SKILL_FILE, USED
from promptls.core.paths import is_below, name, parent
from promptls.core.totals import counter_of, prompt_tokens, segment_tokens
from promptls.core.uses import is_in_effect
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Message, Origin, Prompt, Range, Segment


@dataclass(frozen=True, slots=True)
class Meaning:
    """A place that a prompt's harness looks at, and the prompt."""

    prompt: Prompt
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Named:
    """A stretch of a file that names other places: an entry, an import, a scope. ``meanings`` are never empty."""

    range: Range
    name: str
    meanings: tuple[Meaning, ...]

    def files(self, *, but: str) -> list[str]:
        """The existing files that it names, each once, without the file it is in."""
        there = [each.candidate for each in self.meanings if each.candidate.outcome not in ABSENT]
        return [path for path in dict.fromkeys(c.path for c in there if c.path) if path != but]

    def urls(self) -> list[str]:
        """The URLs that it names, each once."""
        return list(dict.fromkeys(each.candidate.url for each in self.meanings if each.candidate.url))


# Nothing, or something other than a file, is where such a candidate was looked for.
ABSENT = ("missing", "failed")


@dataclass(frozen=True, slots=True)
class Presence:
    """A text in a prompt: its message and segment, its tokens with the frame around it, and those of the prompt."""

    prompt: Prompt
    message: Message
    segment: Segment
    tokens: int
    total: int


def named_in(prompts: Iterable[Prompt], path: str) -> list[Named]:
    """Every stretch of the file at ``path`` that names other places, in order; equal meanings once per harness."""
    found: dict[Range, dict[object, Meaning]] = {}
    for prompt in prompts:
        for candidate in prompt.candidates:
            origin = candidate.origin
            if origin.path == path and origin.range is not None and (candidate.path or candidate.url):
                key = (prompt.session.harness, candidate.path, candidate.url, candidate.outcome, candidate.at)
                found.setdefault(origin.range, {}).setdefault(key, Meaning(prompt, candidate))
    ordered = sorted(found.items(), key=lambda item: (item[0].start_line, item[0].start_character))
    return [
        Named(where, next(iter(meanings.values())).candidate.origin.name or "", tuple(meanings.values()))
        for where, meanings in ordered
    ]


def naming(prompts: Iterable[Prompt], path: str) -> list[Origin]:
    """The places in files that name the file at ``path``, each once, in the order of the search."""
    return list(
        dict.fromkeys(
            candidate.origin
            for prompt in prompts
            for candidate in prompt.candidates
            if candidate.path == path and candidate.origin.path and candidate.origin.range
        )
    )


def names_of(prompts: Iterable[Prompt], path: str, host: Host) -> frozenset[str]:
    """The paths by which the prompts know the file at ``path``: its own, and those that lead to it by links."""
    known = {each.path for prompt in prompts for each in prompt.candidates if each.path is not None}
    known.update(origin.path for prompt in prompts for origin in _origins(prompt) if origin.path is not None)
    return frozenset((path, *(each for each in known if host.is_same(each, path))))


def presence(prompt: Prompt, path: str, names: Collection[str] = ()) -> list[Presence]:
    """Where the text of the file at ``path`` is in the prompt; a file in pieces counts once per message.

    Of an instruction file whose whole text is replaced, such as by the note that an import has failed, the heading
    stands for it. ``names``: other paths of the same file.
    """
    every = (path, *names)
    found: list[tuple[Message, list[Segment]]] = []
    for message in prompt.messages:
        pieces = [segment for segment in message.segments if is_text_of(segment, every)]
        if not pieces and _is_sent(prompt, message, every):
            pieces = [each for each in message.segments if each.frame == "head" and each.origin.path in every]
        if pieces:
            found.append((message, pieces))
    if not found:
        return []
    count = counter_of(prompt)
    whole = prompt_tokens(prompt, count)
    return [
        Presence(prompt, message, pieces[0], sum(segment_tokens(each, count) for each in framed), whole)
        for message, pieces in found
        if (framed := _framed(message, every))
    ]


def _framed(message: Message, paths: Collection[str]) -> list[Segment]:
    """The text of a file with what the harness puts around it, as the sizes of a prompt have it."""
    return [each for each in message.segments if each.origin.path in paths and each.layer != "runtime"]


def _is_sent(prompt: Prompt, message: Message, paths: Collection[str]) -> bool:
    return any(
        each.path in paths and each.use == "instruction" and each.outcome in USED and each.at == message.at
        for each in prompt.candidates
    )


def awaits_trust(prompt: Prompt, path: str) -> bool:
    """Whether the file at ``path`` counts in the prompt only as the session has the user trust the folder."""
    return any(is_below(path, each) for each in prompt.once_trusted)


def skill_with(prompts: Iterable[Prompt], path: str) -> tuple[str, str] | None:
    """The innermost skill that is listed and has the file at ``path`` beside it, and when the agent may read it."""
    listed = (each for prompt in prompts for each in prompt.candidates if each.use == "skill" and is_in_effect(each))
    files = {each.path for each in listed if each.path and name(each.path) == SKILL_FILE}
    skill = max((each for each in files if is_below(path, parent(each))), key=len, default=None)
    return (skill, f"the agent may read it after the skill {name(parent(skill))} is called") if skill else None


def scope_of(prompt: Prompt, message: Message, names: Collection[str]) -> str | None:
    """The patterns of a rule that applies to some files, if its text is in the message because of them."""
    for each in prompt.candidates:
        is_rule = each.use == "instruction" and each.path in names and each.origin.path in names
        is_brought = is_rule and each.outcome in USED and each.at == message.at
        if is_brought and each.origin.range is not None and each.origin.name:
            return each.origin.name
    return None


def is_read(prompts: Iterable[Prompt], path: str, names: Collection[str] = ()) -> bool:
    """Whether a harness treats the text of the file at ``path`` as one for the model, loaded or not."""
    return any(
        candidate.path in (path, *names) and candidate.use in OF_TEXTS
        for prompt in prompts
        for candidate in prompt.candidates
    )


def _segments(prompt: Prompt) -> Iterator[Segment]:
    return (segment for message in prompt.messages for segment in message.segments)


def _origins(prompt: Prompt) -> Iterator[Origin]:
    return (segment.origin for segment in _segments(prompt))


def is_text_of(segment: Segment, paths: Collection[str]) -> bool:
    """Whether a segment is text of the file with these paths: no frame around it, and no result of a tool."""
    return segment.origin.path in paths and not segment.frame and segment.layer != "runtime"
