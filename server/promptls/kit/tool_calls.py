"""What a tool is called with, and what one for reading gives of a file that it gives whole."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.secrets import is_config, spans
from promptls.core.text import decode, is_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call, Session


def given(call: Call) -> dict[str, object]:
    """The input of a call by name; nothing where it is no JSON object."""
    import json  # noqa: PLC0415 - only where a tool is called

    try:
        found = json.loads(call.input)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text(call: Call, name: str) -> str:
    """A text of the input; "" if there is none."""
    value = given(call).get(name)
    return value if isinstance(value, str) else ""


def words_with_paths(command: str) -> list[str]:
    """The words of a command line with a slash or a dot that are no options; none of one that no shell can read."""
    import shlex  # noqa: PLC0415 - only where a command is called

    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [each for each in words if not each.startswith("-") and set("/.") & set(each)]


def is_inside(call: Call, session: Session) -> bool:
    """Whether the request is one of the sub-agent that the last call starts: the call has steps, which may be empty.

    A session that says nothing of how it was started says nothing of steps either, and means the sub-agent.
    """
    return call.steps is not None or session.interactive is None


WHY = "the session reads this file"


def text_of(host: Host, path: str) -> str | None:
    """The text of a file in UTF-8; None of one that is not there, is no text, or is configuration with secrets.

    In a frame of numbers or of JSON, nobody who looks for secrets would find them.
    """
    contents = host.read(path)
    if contents.state != "file" or contents.is_cut or is_binary(contents.data):
        return None
    text = decode(contents.data, keep_bom=False)
    return None if "\ufffd" in text or (is_config(path) and spans(text)) else text


def shown(path: str, said: str) -> Segment:
    """What the tool says of the text of the file at ``path``."""
    return Segment("runtime", path, said, Origin("file", path=path), WHY, cache="turn")
