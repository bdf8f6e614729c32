"""What is said of a file to its reader, with verdicts: the same for the command line, the server and MCP."""

from __future__ import annotations

from promptls import harnesses
from promptls.core.session_line import session_line_json
from promptls.core.values import dataclass, replace
from promptls.harnesses.agents_folder import in_agents
from promptls.harnesses.documented import said_of
from promptls.sessions.explain import explain
from promptls.sessions.remedies import remedies
from promptls.sessions.session_facts import NOTHING
from promptls.sessions.start import is_of_user, named
from promptls.sessions.verdict import Asked, verdicts
from promptls.workspace.request import each_answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.prompt_json import Json
    from promptls.harnesses.agents_folder import InAgents
    from promptls.harnesses.documented import DocumentedRead
    from promptls.sessions.explanation import Explanation
    from promptls.sessions.verdict import Verdict
    from promptls.workspace.request import Here


@dataclass(frozen=True, slots=True)
class Explained:
    """What each harness does with a file, the verdicts for its reader, and which sessions these are about, as JSON.

    ``documented``: programs without a preview that read it by their documentation. ``in_agents``: who read such a file
    of a folder ``.agents`` when it was recorded.
    """

    about: tuple[Explanation, ...]
    verdicts: tuple[Verdict, ...]
    sessions: tuple[Json, ...]
    documented: tuple[DocumentedRead, ...] = ()
    in_agents: InAgents | None = None

    def json(self) -> Json:
        """What the command line and an editor are given, beside the path."""
        found: Json = {
            "sessions": [*self.sessions],
            "verdicts": [each.json() for each in self.verdicts],
            "harnesses": [each.json() for each in self.about],
            "documented": [each.json() for each in self.documented],
        }
        return found | ({"in_agents": self.in_agents.json()} if self.in_agents is not None else {})


def explained(
    path: str,
    here: Here,
    list_files: Callable[[str], list[str]],
    base: str,
    *,
    root: str | None = None,
    only: Sequence[str] = (),
    lines: tuple[int, int] | None = None,
) -> Explained:
    """What there is to say of the file at ``path``, or of some ``lines`` of it.

    ``here`` is its place and ``root`` the folder that is open around it; ``only``: harnesses in place of all, which are
    then as good as in use; ``base``: where paths of sessions are seen from.
    """
    # One host for all sessions: what one has looked up, the next one need not.
    host = here.sources.asking_git_of(here.start).host()
    here = replace(here, host=host)
    found = explain(
        path,
        lambda: host,
        root or (here.place.workspace if is_of_user(here.host, path) else None),
        settings=here.settings,
        habits=here.habits,
        list_files=list_files,
        only=only,
        lines=lines,
        with_later=True,
        start=here.start,
    )
    own = [replace(each, is_found=True) for each in found] if only else found
    said = verdicts_on(path, own, here, has_lines=lines is not None)
    top, home = here.place.top, here.host.home
    documented, agents = ((), None) if only else (said_of(path, top, home), in_agents(path, home))
    return Explained(tuple(found), tuple(said), tuple(sessions_of(here, base, only)), documented, agents)


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
    return verdicts(own, asked, remedies(own, asked, here.host, settings, here.habits))
