"""Files that look as if a harness read them: reported where they are there, with why it does not."""

from __future__ import annotations

import re

from promptls.core import specs
from promptls.kit.candidates import own
from promptls.kit.paths import is_below, join, parent, path_key, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.host import Host
    from promptls.core.model import Outcome
    from promptls.kit.draft import Draft


def name_unread(draft: Draft, host: Host, why: str, paths: Iterable[str], *, outcome: Outcome = "excluded") -> None:
    """Report the files at ``paths`` that are there and that nothing has been said of."""
    known = [each.path for each in draft.candidates if each.path is not None]
    # On Windows two names may be one file.
    first: dict[str, str] = {}
    for path in paths:
        first.setdefault(path_key(path), path)
    for path in first.values():
        if host.kind(path) == "file" and not any(host.is_same(path, each) for each in known):
            draft.candidates.append(own(why).candidate(outcome, path))


def name_above(draft: Draft, host: Host, why: str, top: str, names: Iterable[str]) -> None:
    """Report the files of these names above ``top``, the uppermost directory that is looked into."""
    paths = [join(directory, name) for directory in upwards(parent(top)) if directory != top for name in names]
    name_unread(draft, host, why, paths, outcome="outside")


def name_nested(draft: Draft, host: Host, why: str, top: str, names: Iterable[str]) -> None:
    """Report the files of these names from what the session reads up to below ``top``, where none comes with a read."""
    for read in draft.session.reads:
        below = [each for each in upwards(parent(read), top) if each != top] if is_below(read, top) else []
        name_unread(draft, host, why, [join(each, name) for each in below for name in names])


# -- files that are read and that no preview shows yet -----------------------------------------------------------------

COMMAND = "its text is sent when the command is called"
SERVERS = "it names MCP servers, whose tools and instructions are sent"
HOOKS = "it names hooks, whose output may be sent"
SKILL = "its name and description are sent where skills are listed"


def not_shown(harness: str, path: str) -> str | None:
    """What becomes of the file at ``path`` beside the parts that a preview shows; None if nothing is known of it."""
    known = specs.of(harness).not_shown
    return next((says for place, says in known if re.search(rf"/{place}\Z", path)), None)
