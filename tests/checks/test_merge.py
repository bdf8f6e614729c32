from __future__ import annotations

import pytest

from promptls.checks.merge import merge
from promptls.core.model import Problem, Range

pytestmark = pytest.mark.same_everywhere


def fault(message: str, *, line: int = 0, path: str = "/w/a.json", code: str = "glob-empty") -> Problem:
    return Problem(path, Range(line, 0, line, 1), code, "warning", message)


def test_messages_that_differ_by_the_harness_only_are_one() -> None:
    found = merge([(name, [fault(f"{name} loads nothing, and {name}'s log is silent.")]) for name in ("a", "b", "c")])
    assert [(each.message, each.harnesses) for each in found] == [
        ("a (also b, c) loads nothing, and a's log is silent.", ("a", "b", "c"))
    ]


def test_a_message_of_two_names_both() -> None:
    (found,) = merge([(name, [fault(f"{name} loads nothing.")]) for name in ("a", "b")])
    assert found.message == "a (also b) loads nothing."


def test_other_messages_stay_apart() -> None:
    assert len(merge([("a", [fault("a cuts it.")]), ("b", [fault("b drops it.")])])) == 2


@pytest.mark.parametrize("other", [{"line": 1}, {"path": "/w/b.json"}, {"code": "cut"}])
def test_other_places_and_codes_stay_apart(other: dict[str, object]) -> None:
    assert len(merge([("a", [fault("x")]), ("b", [fault("x", **other)])])) == 2  # type: ignore[arg-type] # one of them


def test_a_later_session_of_a_harness_adds_only_what_is_new() -> None:
    first, again, new = fault("/w/x is gone"), fault("/w/lib/x is gone"), fault("y", line=1)
    assert [each.message for each in merge([("a", [first]), ("a", [again, new])])] == ["/w/x is gone", "y"]


def test_one_session_may_say_two_things_of_a_place() -> None:
    assert len(merge([("a", [fault("x"), fault("y")])])) == 2


def test_a_name_inside_of_a_path_is_no_name() -> None:
    (found,) = merge([(name, [fault("codex misses /w/.codex/codex.toml.")]) for name in ("codex", "codex")])
    assert found.message == "codex misses /w/.codex/codex.toml."
    apart = merge([(name, [fault(f"/w/{name}/x is gone.")]) for name in ("codex", "etcode")])
    assert len(apart) == 2
