"""The request for a title, which the program on the screen makes beside the first one (captured: interactive-title)."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.harnesses.codex.files import global_file
from promptls.harnesses.codex.messages.context import wrapped
from promptls.harnesses.codex.messages.environment import moment
from promptls.harnesses.codex.request import Item, item
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Turn
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.kit.draft import Draft

WHY = "Codex asks for a title of the session"
WHY_PROMPT = "the title is that of what the user types"
NOTE = "Of the request for a title only what files decide is known, and that no project file and no tool is in it."


def title_items(draft: Draft, host: Host, setup: Setup, turn: Turn) -> list[Item]:
    """Its items: the global file without a directory, the day and the time zone, and what was typed."""
    draft.notes.append(NOTE)
    everywhere = global_file(draft, host, setup.config)
    asks = elided("runtime", "codex", "request for a title", why=WHY)
    typed = elided("runtime", "codex", "prompt", why=WHY_PROMPT)
    if turn.prompt is not None:
        typed = Segment("runtime", "prompt", turn.prompt, Origin("argument", name="prompt"), WHY_PROMPT)
    first = item("user", "context", wrapped(setup.start.cwd, everywhere, []), moment(host))
    return [*first, *item("user", "prompt", [asks, typed])]
