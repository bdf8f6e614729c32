"""How a file is read with a tool of a program that nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.wire.reading import reading_call

pytestmark = pytest.mark.same_everywhere


def body(**properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"path": {"type": "string"}} | properties}
    return {
        "tools": [{"type": "function", "name": "view", "parameters": {**schema, "required": [*schema["properties"]]}}]
    }


@pytest.mark.parametrize(
    ("about", "given"),
    [
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, None),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, 1),
        ({"type": ["number", "null"]}, None),
        ({"type": ["number", "null"], "enum": [1, None]}, None),
        ({"type": "number"}, 1),
        ({"type": "string", "enum": ["utf-8"]}, "utf-8"),
        ({}, "x"),
        ({"anyOf": [7]}, "x"),
    ],
)
def test_an_argument_that_is_required_is_nothing_where_that_is_allowed(about: dict[str, Any], given: object) -> None:
    call = reading_call("responses", body(offset=about), "a.py")
    assert call is not None
    assert call.arguments == {"path": "a.py", "offset": given}


def test_objects_inside_of_one_another_are_filled_in_to_a_bound() -> None:
    about: dict[str, Any] = {"type": "object"}
    for _ in range(2000):
        about = {"type": "object", "properties": {"a": about}, "required": ["a"]}
    call = reading_call("responses", body(options=about), "a.py")
    assert call is not None
    arguments: Any = call.arguments
    depth, value = 0, arguments["options"]
    while value:
        depth, value = depth + 1, value["a"]
    assert 0 < depth < 30
