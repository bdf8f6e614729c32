"""skill-unlisted, skill-shadowed: skills and commands that are not listed for the model."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import Range, Related
from promptls.core.uses import is_in_effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Candidate, Outcome, Problem, Prompt, Use
    from promptls.core.settings import Settings

UNLISTED: dict[Use, str] = {"skill": "skill-unlisted", "command": "skill-unlisted", "agent": "agent-unoffered"}
# What is there and cannot be used. What a setting or the file itself leaves out is meant so.
UNUSABLE: tuple[Outcome, ...] = ("failed", "empty")
CUT: tuple[Outcome, ...] = ("cut", "dropped")


def check(prompt: Prompt, _settings: Settings) -> Iterator[Problem]:
    """What the harness looks for and cannot use, and what another one of its name hides."""
    harness = prompt.session.harness
    title = specs.of(harness).title
    # A file may be looked for in two ways: by its place, and by an entry that says what it lacks.
    offered = {each.path for each in prompt.candidates if each.use in UNLISTED and is_in_effect(each)}
    for candidate in prompt.candidates:
        path, code, what = candidate.path, UNLISTED.get(candidate.use), candidate.use
        # A file that is not text, a directory or a broken link is reported where links are.
        if path is None or path in offered or code is None or candidate.faults or candidate.state is not None:
            continue
        if candidate.outcome in UNUSABLE and candidate.reason and not _is_for_people(path):
            message = f"{title} does not offer this {what} to the model: {candidate.reason}. Fix it or remove the file."
            yield problem(code, path, Range(), message, harness=harness)
        elif candidate.outcome == "shadowed" and candidate.other is not None:
            message = (
                f"{title} does not offer this {what}, because {candidate.other} has the same name. Rename one of them."
            )
            related = (Related(candidate.other, Range(), "This one is offered."),)
            yield problem("skill-shadowed", path, Range(), message, harness=harness, related=related)
    yield from _cut_lists(prompt)


def _cut_lists(prompt: Prompt) -> Iterator[Problem]:
    """One problem for each limit that a list does not fit into, at the first file of this folder that loses by it."""
    found: dict[tuple[Use, str], list[Candidate]] = {}
    for each in prompt.candidates:
        is_short = each.outcome in CUT and each.use in UNLISTED and each.path is not None
        if is_short and each.cut is not None and not each.cut.is_ours:
            found.setdefault((each.use, each.cut.limit), []).append(each)
    harness, cwd = prompt.session.harness, prompt.session.cwd
    for (what, limit), candidates in found.items():
        first = next((each for each in candidates if (each.path or "").startswith(f"{cwd}/")), candidates[0])
        dropped = sum(each.outcome == "dropped" for each in candidates)
        lost = [_number(dropped, what, "left out")] if dropped else []
        lost += [_number(len(candidates) - dropped, what, "cut short")] if dropped < len(candidates) else []
        setting = first.cut.setting if first.cut else None
        advice = f", or raise {setting.name}" if setting is not None and setting.name else ""
        message = (
            f"{specs.of(harness).title} does not list everything: {limit}, so {' and '.join(lost)}. "
            f"Shorten the descriptions or remove some{advice}."
        )
        yield problem("listing-cut", first.path or "", Range(), message, harness=harness)


def _number(number: int, what: str, fate: str) -> str:
    return f"{number:,} {what}{' is' if number == 1 else 's are'} {fate}"


def _is_for_people(path: str) -> bool:
    """README.md, CHANGELOG.md ...: about the files beside it."""
    return path.rpartition("/")[2].partition(".")[0].isupper() and not path.endswith("/SKILL.md")
