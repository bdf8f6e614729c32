"""What a tool is called with."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Call


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
