"""What the model is told of commands that Claude Code carries out itself, such as /compact and /clear."""

from __future__ import annotations

from promptls.core.model import Elided, Origin, Segment
from promptls.core.values import replace
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.kit.echo import WHY as WHY_KNOWN
from promptls.kit.echo import printed as known_output
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


def too_little(setup: Setup, given: str) -> list[list[Block]]:
    """``/compact`` where there is too little to compact, and what Claude Code says to that."""
    why = "there is too little to compact"
    says = elided("runtime", NAME, "answer of /compact", why=why, size=setup.facts.too_little)
    return [[caveat(setup)], [named("compact", given)], [printed([replace(says, cache="turn")])]]


def nothing_said(setup: Setup, given: str) -> list[list[Block]]:
    """The same before anything was said: an error."""
    says = elided("runtime", NAME, "answer of /compact", why="nothing was said", size=setup.facts.nothing_said)
    error = [head("<local-command-stderr>", "runtime"), replace(says, cache="turn")]
    return [[caveat(setup)], [named("compact", given)], [[*error, tail("</local-command-stderr>", "runtime")]]]


def turns_on_plan(setup: Setup, given: str, *, is_on: bool) -> list[list[Block]]:
    """``/plan``, which asks the model where something is ``given`` (seen by verify). ``is_on``: the mode is on."""
    size = None if is_on else setup.facts.plan_turned_on
    says = elided("runtime", NAME, "answer of /plan", why="the user turns the plan mode on", size=size)
    found = [[named("plan", given)], [printed([replace(says, cache="turn")])]]
    return found if given else [[caveat(setup)], *found]


def cleared(setup: Setup) -> list[list[Block]]:
    """What is before the first prompt after /clear (captured: clear-resumed)."""
    return [[caveat(setup)], [named("clear")], [printed([])]]


def shell(setup: Setup, command: str) -> list[list[Block]]:
    """A command that the user runs with ``!``, and what it prints, or a placeholder."""
    origin, title = Origin("argument", name=command), f"output of {command}"
    said = known_output(command, setup.host.env.get("HOME", ""))
    text = f"⟪{title}⟫" if said is None else said.rstrip("\n")
    why = "the user runs this command, and the model gets what it prints"
    output = Segment("runtime", title, text, origin, why if said is None else f"{why}; {WHY_KNOWN}", cache="turn")
    output = replace(output, elided=Elided(title)) if said is None else output
    typed = Segment("runtime", "command of the user", command, origin, WHY, cache="turn")
    asks = [head("<bash-input>", "runtime"), typed, tail("</bash-input>", "runtime")]
    answers = [head("<bash-stdout>", "runtime"), output, tail("</bash-stdout><bash-stderr></bash-stderr>", "runtime")]
    return [[asks], [answers]]


def faint(setup: Setup, said: Block) -> Block:
    """A line as the program on the screen prints it (captured: interactive-compact-skill-again)."""
    if not setup.is_interactive:
        return said
    return [head(FAINT, "runtime"), *said, tail(END_OF_FAINT, "runtime")]
