"""What the tools answer that the model calls, as far as files and plain words decide it; nothing is run."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment
from promptls.core.text import decode, whole
from promptls.harnesses.codex.unread import WHY_READ
from promptls.kit import tool_calls
from promptls.kit.echo import printed
from promptls.kit.paths import resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call
    from promptls.harnesses.codex.start.setup import Setup

COMMAND = "exec_command"
WHY_KNOWN = "it only prints a file or plain words, so the output is known without running it"
WHY_PASSING = "it differs each time"
BYTES_PER_TOKEN = 4
_CAT = regex(r"cat((?:[ \t]+[\w@%+,./:-]+)+)[ \t]*", re.ASCII)
_SLEEP = regex(r"sleep[ \t]+[\d.]+[smhd]?[ \t]*", re.ASCII)


def result(host: Host, setup: Setup, call: Call) -> list[Segment]:
    """What a tool answers: the output of a command that prints a file or plain words, else a placeholder.

    (captured: subagent-v1-role, compact-typed-summary)
    """
    known = _output(host, setup, call) if call.tool == COMMAND else None
    if known is None:
        return [elided("runtime", "codex", f"output of {call.tool}", why=WHY_READ)]
    size = sum(len(segment.text.encode("utf-8", "replace")) for segment in known)
    count = -(-size // BYTES_PER_TOKEN)
    facts = setup.config.facts
    if count > facts.command_output:
        return [elided("runtime", "codex", f"output of {call.tool}", why=WHY_READ)]
    return [
        head("Chunk ID: ", "runtime"),
        elided("runtime", "codex", "id of the output", why=WHY_PASSING, size=facts.output_id),
        tail("\nWall time: ", "runtime"),
        elided("runtime", "codex", "time that it took", why=WHY_PASSING, size=facts.output_time),
        tail(f" seconds\nProcess exited with code 0\nOriginal token count: {count}\nOutput:\n", "runtime"),
        *known,
    ]


def _output(host: Host, setup: Setup, call: Call) -> list[Segment] | None:
    """What a command prints that succeeds; None where only running it shows that."""
    command = tool_calls.text(call, "cmd").strip()
    if _SLEEP.fullmatch(command):
        return []
    found = _CAT.fullmatch(command)
    if found is None:
        words = printed(command, host.home)
        return None if words is None else [Segment("runtime", COMMAND, words, Origin("argument"), WHY_KNOWN)]
    directory = resolve(setup.start.cwd, tool_calls.text(call, "workdir") or ".")
    segments: list[Segment] = []
    for name in found[1].split():
        path = resolve(directory, name)
        contents = host.read(path)
        if name.startswith("-") or contents.state != "file" or contents.is_cut:
            return None
        text = decode(contents.data, keep_bom=True)
        segments.append(Segment("runtime", path, text, Origin("file", path=path, range=whole(text)), WHY_KNOWN))
    return segments
