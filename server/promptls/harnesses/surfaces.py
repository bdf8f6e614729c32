"""Files that a harness reads beside its instruction files, and that no preview shows yet: what is known of them.

Skills, commands, sub-agents, servers and hooks, by their places below a directory in which the harness looks for
them. The source of each is the harness's cases of tier ``surfaces``, or else its documentation.
"""

from __future__ import annotations

import re

from promptls.core import specs

SKILL = "its name and description are in the list of skills, and its text follows when the skill is used"
COMMAND = "its text is sent when the command is called"
LISTED_COMMAND = f"its name and description are in the list of skills, and {COMMAND}"
AGENT = "its name and description are in the list of agents, and its text is the prompt of that agent"
SERVERS = "it names MCP servers, whose tools and instructions are sent"
HOOKS = "it names hooks, whose output may be sent"


def surface_of(harness: str, path: str) -> str | None:
    """What becomes of the file at ``path`` beside the parts that a preview shows; None if nothing is known of it."""
    known = specs.of(harness).surfaces
    return next((says for place, says in known if re.search(rf"/{place}\Z", path)), None)
