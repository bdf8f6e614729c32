"""What the user types, what it brings, and what is read then (sections 3, 11 and 12 of the surfaces)."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment, Turn
from promptls.harnesses.codex.hooks import PROMPT, RESUME, SESSION, STARTUP, outputs
from promptls.harnesses.codex.unread import read_outputs
from promptls.kit.segments import elided, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.codex.request import Request
    from promptls.harnesses.codex.start.setup import Setup

WHY_PROMPT = "what the user types is sent as it is: Codex puts no file or command in the place of a name"
WHY_IMAGE = "an image goes before the prompt"


def session_hooks(request: Request, setup: Setup, source: str = STARTUP, at: str = START) -> None:
    """What the hooks print that run when a session begins (surface: hooks)."""
    if setup.start.mode == "debug":
        return
    for output in outputs(setup.hooks, SESSION, setup.config.facts.hook_tokens, source):
        request.send("developer", output, at=at)


def send_turns(request: Request, host: Host, setup: Setup) -> None:
    """Each turn: the prompt, the output of hooks, the skills that it names, then what was read (surface: hooks).

    ``codex debug prompt-input`` shows neither hooks nor skills (captured: dbg-mention). A later turn of ``codex exec``
    takes the session up again, which its hooks are told before the prompt (captured with 0.169.0).
    """
    for number, turn in enumerate(request.draft.session.turns or (Turn(),), 1):
        at = START if number == 1 else f"turn:{number}"
        if number > 1 and setup.start.mode == "exec":
            session_hooks(request, setup, RESUME, at)
        images = list(_images(setup, turn)) if number == 1 else []
        request.send("user", *images, [_prompt(turn)], at=at)
        if setup.start.mode != "debug":
            for output in outputs(setup.hooks, PROMPT, setup.config.facts.hook_tokens):
                request.send("developer", output, at=at)
            _send_skills(request, host, setup, turn, at)
        read_outputs(request, host, setup, turn)


def _send_skills(request: Request, host: Host, setup: Setup, turn: Turn, at: str) -> None:
    if turn.prompt is None or "$" not in turn.prompt:
        return
    from promptls.harnesses.codex.skills.mentions import bodies  # noqa: PLC0415 - only where a skill may be named

    for body in bodies(request.draft, host, turn.prompt, setup.skills, at):
        request.send("user", body, at=at)


def _prompt(turn: Turn) -> Segment:
    """The prompt to the letter, ``@file`` and ``/name`` too (surface: prompt-files, tui-command)."""
    if turn.prompt is None:
        return elided("runtime", "codex", "prompt", why=WHY_PROMPT)
    return Segment("runtime", "prompt", turn.prompt, Origin("argument", name="prompt"), WHY_PROMPT)


def _images(setup: Setup, turn: Turn) -> Iterator[list[Segment]]:
    """Images, each between two parts (captured: image)."""
    for number, path in enumerate((*setup.start.images, *turn.attached), 1):
        yield [head(f'<image name=[Image #{number}] path="{path}">', "runtime", path=path)]
        yield [elided("runtime", "codex", f"image {path}", why=WHY_IMAGE)]
        yield [head("</image>", "runtime")]
