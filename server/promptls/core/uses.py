"""What a file is to a harness that is no instruction file: a skill, a command, a server ..., in words."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from promptls.core.model import Candidate, Prompt, Segment, Use


@dataclass(frozen=True, slots=True)
class Words:
    """``listed``, ``offered`` and ``refused`` say what comes of a file; the others what the harness does with it.

    ``later``: what of the file is sent, and when, beside what the prompt shows of it.
    """

    listed: str
    offered: str
    refused: str
    does: str
    does_not: str
    later: str


def _words(noun: str, later: str) -> Words:
    """Of what the model or the user can choose."""
    return Words(
        listed=f"listed as {noun}",
        offered=f"offered as {noun}",
        refused=f"not offered as {noun}",
        does=f"offers it as {noun}",
        does_not=f"does not offer it as {noun}",
        later=later,
    )


WORDS: dict[Use, Words] = {
    "skill": _words("a skill", "its text is sent when the skill is used"),
    "command": _words("a command", "its text is sent when the command is called"),
    "agent": _words("an agent", "its text is the prompt of that agent"),
    "style": _words("an output style", "its text is sent when the style is chosen"),
    "hook": Words(
        listed="used for its hooks",
        offered="used for its hooks",
        refused="not used for its hooks",
        does="runs its hooks",
        does_not="does not run its hooks",
        later="what they print may be sent",
    ),
    "server": Words(
        listed="used for its MCP servers",
        offered="used for its MCP servers",
        refused="not used for its MCP servers",
        does="starts its MCP servers",
        does_not="does not start its MCP servers",
        later="their tools and instructions are sent",
    ),
}
# Of a file that counts only so; what the program does until then, a preview of the folder shows.
ONCE_TRUSTED = "once you trust the folder"
_IN_EFFECT = ("loaded", "cut")


def use_of(prompt: Prompt, paths: Collection[str], segment: Segment | None = None) -> Use:
    """What a file is used as, where its text is in the prompt; ``segment`` is what of it is there."""
    found = [each for each in prompt.candidates if each.path in paths and each.outcome in _IN_EFFECT]
    used = next((each.use for each in found if each.use != "config"), None)
    if used is not None or segment is None or segment.layer != "tools" or not found:
        return used or "instruction"
    entries = [each for each in prompt.candidates if each.path is None and each.origin == segment.origin]
    return next((each.use for each in entries), "config")


def names_entries(prompt: Prompt, paths: Collection[str]) -> bool:
    """Whether a file configures what is listed beside files, such as MCP servers."""
    return any(each.path is None and each.origin.path in paths and each.use in WORDS for each in prompt.candidates)


def listed(use: Use) -> str:
    """What a file is used as, where its text is in the prompt, in words; "" for an instruction file."""
    return WORDS[use].listed if use in WORDS else "used as configuration" if use == "config" else ""


def is_in_effect(candidate: Candidate) -> bool:
    """Whether the harness uses what it found, or will where it is asked for."""
    return candidate.outcome in _IN_EFFECT or (candidate.outcome == "unscoped" and candidate.use in WORDS)
