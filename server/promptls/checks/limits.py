"""cut, dropped, token-budget, window-share: what does not fit."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.model import START, Range, Related
from promptls.core.totals import counter_of, prompt_tokens, window_of
from promptls.core.uses import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Cut, Problem, Prompt, Segment
    from promptls.core.settings import Settings


def check(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """What a limit of the harness, or a budget of the user's, takes away."""
    harness = prompt.session.harness
    for segment in _instructions(prompt):
        cut = segment.cut
        if cut is not None and not cut.is_ours:
            lost = f"{cut.total - cut.kept:,} of its {cut.total:,} {cut.unit}"
            where = _from(segment, cut)
            line = f", from line {where.start_line + 1:,} on" if where != Range() else ""
            advice = "Shorten the file." if cut.is_fixed else "Shorten the file or raise the limit."
            message = f"{harness} does not send {lost}{line}: {cut.limit}. {advice}"
            path, related = segment.origin.path or "", _setting(cut)
            yield problem("cut", path, where, message, harness=harness, related=related)
    for candidate in prompt.candidates:
        # An import that is too deep is reported where it is, and what a list has no room for once for all.
        is_whole = candidate.use not in WORDS and candidate.state != "too-deep"
        if candidate.outcome == "dropped" and candidate.path is not None and is_whole:
            is_fixed = candidate.cut is not None and candidate.cut.is_fixed
            advice = "Shorten the others." if is_fixed else "Shorten what comes before it, or raise the limit."
            message = f"{harness} sends nothing of this file: {candidate.why}. {advice}"
            related = _setting(candidate.cut) if candidate.cut else ()
            yield problem("dropped", candidate.path, Range(), message, harness=harness, related=related)
    if settings.token_budget is not None or settings.window_budget is not None:
        yield from _budgets(prompt, settings)


def _instructions(prompt: Prompt) -> Iterator[Segment]:
    for message in prompt.messages:
        for segment in message.segments:
            if segment.origin.kind == "file" and segment.layer == "instructions" and not segment.frame:
                yield segment


def _from(segment: Segment, cut: Cut) -> Range:
    """The place from which on it is lost; the beginning of the file where that is not one place."""
    where = segment.origin.range
    if where is None or len(segment.text) > cut.total:
        return Range()
    return Range(where.end_line, where.end_character, where.end_line, where.end_character)


def _setting(cut: Cut) -> tuple[Related, ...]:
    setting = cut.setting
    if setting is None or setting.path is None:
        return ()
    return (Related(setting.path, setting.range or Range(), "The limit is set here."),)


def _budgets(prompt: Prompt, settings: Settings) -> Iterator[Problem]:
    """The user's own limits for the start of a session, each reported at the longest file."""
    count, name = counter_of(prompt), prompt.session.harness
    total = prompt_tokens(prompt, count, at=START)
    files: dict[str, int] = {}
    for segment in _instructions(prompt):
        path = segment.origin.path or ""
        files[path] = files.get(path, 0) + count(segment.text)
    if not files:
        return
    longest = max(files, key=lambda path: files[path])
    part = f"{files[longest]:,} of them are this file's"
    budget, window = settings.token_budget, window_of(prompt)
    if budget is not None and total > budget:
        message = (
            f"The prompt of {name} has {total:,} tokens, and the budget is {budget:,}; {part}. "
            "Shorten it or raise the budget."
        )
        yield problem("token-budget", longest, Range(), message, harness=name)
    share = settings.window_budget
    if share is not None and window is not None and total * 100 > share * window:
        message = (
            f"The prompt of {name} takes {total:,} of the {window:,} tokens that the model can hold, "
            f"and the budget is {share} %; {part}. Shorten it or raise the budget."
        )
        yield problem("window-share", longest, Range(), message, harness=name)
