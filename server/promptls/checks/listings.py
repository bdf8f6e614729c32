"""skill-unlisted, skill-shadowed: skills and commands that are not listed for the model."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import Range, Related
from promptls.core.uses import is_in_effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Outcome, Problem, Prompt, Use
    from promptls.core.settings import Settings

UNLISTED: dict[Use, str] = {"skill": "skill-unlisted", "command": "skill-unlisted", "agent": "agent-unoffered"}
# What is there and cannot be used. What a setting or the file itself leaves out is meant so.
UNUSABLE: tuple[Outcome, ...] = ("failed", "empty")


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


def _is_for_people(path: str) -> bool:
    """README.md, CHANGELOG.md ...: about the files beside it."""
    return path.rpartition("/")[2].partition(".")[0].isupper() and not path.endswith("/SKILL.md")
