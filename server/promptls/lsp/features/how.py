"""What a preview does not know, as actions that name the command that finds it out. The server itself runs none."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from lsprotocol import types

from promptls.core import specs
from promptls.core.how import WHAT, how_json, open_ones, unknown_of, unknowns
from promptls.core.visible import code, visible
from promptls.lsp.server import PromptServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.how import How
    from promptls.core.model import Prompt

COMMAND = "promptls.findOut"
# Shown where actions on the whole file are asked for, and not at each line.
KIND = "source.findOut"
# Commands that are offered.
MOST = 6


def register(server: PromptServer) -> None:
    """Offer the command, if the client does not have its own: an extension runs it in a terminal."""
    context = server.context

    @context.events.initializing.listen
    def offer_command(_: None) -> None:
        if not context.client.text_document_content:

            @server.command(COMMAND)
            async def find_out(how: Any) -> dict[str, Any]:
                text = _typed(how)
                if text:
                    message = visible(f"Run this in a terminal: {text}")
                    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
                return {"text": text}


def actions(prompts: Iterable[Prompt]) -> Iterator[types.CodeAction]:
    """An action for each command that finds out more of the prompts."""
    found: dict[tuple[str, str], How] = {}
    for prompt in prompts:
        # A prompt of a read differs from that of a start only in what is read.
        for how in unknowns(prompt):
            found.setdefault((how.kind, specs.of(prompt.session.harness).title), how)
    for (kind, title), how in list(found.items())[:MOST]:
        says = visible(f"To know {WHAT[kind].format(title)}: {how.text}")
        yield types.CodeAction(says, KIND, command=types.Command(says, COMMAND, arguments=[how_json(how)["how"]]))


def commands(prompts: Iterable[Prompt]) -> Iterator[types.Command]:
    """A command for each kind of what makes sizes of the prompts lower bounds, for lenses."""
    for each in open_ones(prompts, of=unknown_of):
        yield types.Command(f"{each.text} · find out", COMMAND, visible(each.how.text), [how_json(each.how)["how"]])


def link(how: How, *, is_run: bool) -> str:
    """A command in Markdown; ``is_run``: the client has an extension that runs it, after asking."""
    if not is_run:
        return code(how.text)
    argument = quote(json.dumps([how_json(how)["how"]], separators=(",", ":")), safe="")
    return f"[{code(how.text)}](command:{COMMAND}?{argument})"


def _typed(how: Any) -> str:
    """The command of an argument as people type it; "" for anything else: a client may send what it likes."""
    from shlex import join  # noqa: PLC0415 - only where it is asked for

    command = getattr(how, "command", None) if not isinstance(how, dict) else how.get("command")
    return join(command) if isinstance(command, list) and all(isinstance(each, str) for each in command) else ""
