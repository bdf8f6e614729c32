"""Files that a harness reads and that no preview shows yet: what is known of them.

Commands, servers, hooks and skills of a harness whose candidates do not have them, by their places below a directory
in which it looks for them. The source of each is its documentation.
"""

from __future__ import annotations

import re

from promptls.core import specs

COMMAND = "its text is sent when the command is called"
SERVERS = "it names MCP servers, whose tools and instructions are sent"
HOOKS = "it names hooks, whose output may be sent"
SKILL = "its name and description are sent where skills are listed"


def not_shown(harness: str, path: str) -> str | None:
    """What becomes of the file at ``path`` beside the parts that a preview shows; None if nothing is known of it."""
    known = specs.of(harness).not_shown
    return next((says for place, says in known if re.search(rf"/{place}\Z", path)), None)
