"""What the model is told of commands that Claude Code carries out itself, such as /compact and /clear."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.values import replace
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup

WHY = "the user types it"
# How the program sets what it says on the screen in fainter letters.
FAINT, END_OF_FAINT = "\x1b[2m", "\x1b[22m"


def caveat(setup: Setup) -> Block:
    """What comes before a local command (captured: compact-typed-then-read, clear-resumed)."""
    why, size = "Claude Code says that what follows is of commands that the user gave", setup.facts.command_caveat
    text = elided("runtime", NAME, "caveat on local commands", why=why, size=size)
    return [
        head("<local-command-caveat>", "runtime"),
        replace(text, cache="turn"),
        tail("</local-command-caveat>", "runtime"),
    ]


def named(name: str, given: str = "") -> Block:
    """The command, and what was typed behind it, each on a line of its own (captured: compact-instructions)."""
    indent = " " * 12
    tags = f"<command-name>/{name}</command-name>\n{indent}<command-message>{name}</command-message>\n{indent}"
    found = [head(f"{tags}<command-args>", "runtime")]
    if given:
        found.append(Segment("runtime", "arguments", given, Origin("argument", name="arguments"), WHY, cache="turn"))
    return [*found, tail("</command-args>", "runtime")]


def printed(said: Block) -> Block:
    """What it prints."""
    return [head("<local-command-stdout>", "runtime"), *said, tail("</local-command-stdout>", "runtime")]


def faint(setup: Setup, said: Block) -> Block:
    """A line as the program on the screen prints it (captured: interactive-compact-skill-again)."""
    if not setup.is_interactive:
        return said
    return [head(FAINT, "runtime"), *said, tail(END_OF_FAINT, "runtime")]
