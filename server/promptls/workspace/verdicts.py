"""The verdicts on a file for its reader: the same for the command line, the server and MCP."""

from __future__ import annotations

from promptls.sessions.remedies import remedies
from promptls.sessions.start import named
from promptls.sessions.verdict import Asked, verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.sessions.explanation import Explanation
    from promptls.sessions.verdict import Verdict
    from promptls.workspace.request import Here


def verdicts_on(path: str, explained: Sequence[Explanation], here: Here, *, has_lines: bool = False) -> list[Verdict]:
    """One for each program of the reader's; where none is known, of those in use, else of all that were asked.

    ``here``: the place of the file; ``has_lines``: the explanations are of some lines of it.
    """
    found = [each for each in explained if each.is_found] or list(explained)
    own = [each for each in found if here.habits.of(each.harness)] or found
    root = here.place.workspace
    asked = Asked(path, here.settings.cwd or root, root, has_lines)
    settings = named(here.settings, here.found)
    return verdicts(own, asked, remedies(own, asked, here.sources.host(), settings, here.habits))
