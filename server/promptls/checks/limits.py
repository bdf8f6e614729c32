"""cut, dropped, token-budget: what does not fit."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import START, Range, Related
from promptls.core.tokens import counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Cut, Problem, Prompt, Segment
    from promptls.core.settings import Settings

# How a limit of promptls itself, which the harness has not, begins.
OURS = "promptls"


def check(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """What a limit of the harness, or a budget of the user's, takes away."""
    harness = prompt.session.harness
    for segment in _instructions(prompt):
        cut = segment.cut
        if cut is not None and not cut.limit.startswith(OURS):
            lost = f"{cut.total - cut.kept} of its {cut.total} {cut.unit}"
            message = (
                f"{harness} does not send {lost}{_from(segment)}: {cut.limit}. Shorten the file or raise the limit."
            )
            path, related = segment.origin.path or "", _setting(cut)
            yield problem("cut", path, Range(), message, harness=harness, related=related)
    for candidate in prompt.candidates:
        # An import that is too deep is reported where it is.
        if candidate.outcome == "dropped" and candidate.path is not None and candidate.state != "too-deep":
            advice = "Shorten what comes before it, or raise the limit."
            message = f"{harness} sends nothing of this file: {candidate.why}. {advice}"
            related = _setting(candidate.cut) if candidate.cut else ()
            yield problem("dropped", candidate.path, Range(), message, harness=harness, related=related)
    if settings.token_budget is not None:
        yield from _budget(prompt, settings.token_budget)


def _instructions(prompt: Prompt) -> Iterator[Segment]:
    for message in prompt.messages:
        for segment in message.segments:
            if segment.origin.kind == "file" and segment.layer == "instructions" and not segment.frame:
                yield segment


def _from(segment: Segment) -> str:
    """From which line on it is lost, where that is one place."""
    where = segment.origin.range
    is_head = segment.cut is not None and where is not None and len(segment.text) <= segment.cut.total
    return f", from line {where.end_line + 1} on" if is_head and where is not None else ""


def _setting(cut: Cut) -> tuple[Related, ...]:
    setting = cut.setting
    if setting is None or setting.path is None:
        return ()
    return (Related(setting.path, setting.range or Range(), "The limit is set here."),)


def _budget(prompt: Prompt, budget: int) -> Iterator[Problem]:
    count = counter(prompt.model)
    total = sum(count(message.text) for message in prompt.messages if message.at == START)
    files: dict[str, int] = {}
    for segment in _instructions(prompt):
        path = segment.origin.path or ""
        files[path] = files.get(path, 0) + count(segment.text)
    if total > budget and files:
        longest = max(files, key=lambda path: files[path])
        message = (
            f"The prompt of {prompt.session.harness} has {total} tokens, and the budget is {budget}; "
            f"{files[longest]} of them are this file's. Shorten it or raise the budget."
        )
        yield problem("token-budget", longest, Range(), message, harness=prompt.session.harness)
