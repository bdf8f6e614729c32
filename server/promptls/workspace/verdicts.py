"""The verdicts on a file for its reader: the same for the command line, the server and MCP."""

from __future__ import annotations

from promptls import harnesses
from promptls.core.session_line import session_line_json
from promptls.core.values import replace
from promptls.sessions.remedies import remedies
from promptls.sessions.session_facts import NOTHING
from promptls.sessions.start import named
from promptls.sessions.verdict import Asked, verdicts
from promptls.workspace.request import each_answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.prompt_json import Json
    from promptls.sessions.explanation import Explanation
    from promptls.sessions.verdict import Verdict
    from promptls.workspace.request import Here


def sessions_of(here: Here, base: str, only: Sequence[str] = ()) -> list[Json]:
    """Which sessions an answer on a file is about: of each program of the reader's, else of those in use there.

    ``only``: those that are asked for by name; ``base``: where paths are seen from.
    """
    own = [each for each in here.names() if here.habits.of(harnesses.split(each)[0])]
    answers = each_answered(here, only or own)
    said = [each if only else replace(each, asked=NOTHING) for each in answers]
    return [session_line_json(each.session_facts, base, here.host.home) for each in said]


def verdicts_on(path: str, explained: Sequence[Explanation], here: Here, *, has_lines: bool = False) -> list[Verdict]:
    """One for each program of the reader's; where none is known, of those in use, else of all that were asked.

    ``here``: the place of the file; ``has_lines``: the explanations are of some lines of it.
    """
    found = [each for each in explained if each.is_found] or list(explained)
    own = [each for each in found if here.habits.of(each.harness)] or found
    root = here.place.top
    asked = Asked(path, here.start, root, has_lines)
    settings = named(here.settings, here.found)
    return verdicts(own, asked, remedies(own, asked, here.sources.host(), settings, here.habits))
