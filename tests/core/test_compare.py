"""What differs between two prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from promptls.core.compare import Cache, Change, compare, grouped
from promptls.core.model import (
    COMPUTED,
    START,
    Candidate,
    Cut,
    Elided,
    Message,
    Origin,
    Prompt,
    Range,
    Segment,
    Session,
    Tool,
)
from promptls.core.table import OWN_NAME
from promptls.core.values import replace

if TYPE_CHECKING:
    from promptls.core.model import Frame
    from promptls.core.sizes import Kind

pytestmark = pytest.mark.same_everywhere
A, B = "/w/a.md", "/w/b.md"
CUT = Cut(10, 20, "bytes", "a limit")


def piece(
    text: str, path: str = A, *, line: int = 0, at: int = 0, cut: Cut | None = None, frame: Frame | None = None
) -> Segment:
    where = Range(line, at, line, at + len(text))
    return Segment("instructions", path, text, Origin("file", path, range=where), "why", cut=cut, frame=frame)


def prompt(*segments: Segment, at: str = START, harness: str = "codex", candidate: Candidate | None = None) -> Prompt:
    messages = (Message("user", segments, 0, at=at),) if segments else ()
    return Prompt(Session(harness, "/w"), messages, (candidate,) if candidate else ())


def left_out(outcome: Literal["missing", "shadowed"], path: str = A) -> Candidate:
    return Candidate(outcome, "it is looked for", COMPUTED, path, reason="something comes first")


def changes(before: Prompt, after: Prompt) -> list[Change]:
    return [change for change, _ in compare(before, after).changes]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (prompt(), prompt(piece("four")), Change(A, "file", "new", (0, 1))),
        (prompt(piece("four")), prompt(), Change(A, "file", "gone", (1, 0))),
        (prompt(piece("four")), prompt(candidate=left_out("missing")), Change(A, "file", "gone", (1, 0))),
        (
            prompt(piece("four")),
            prompt(candidate=left_out("shadowed")),
            Change(A, "file", "lost", (1, 0), "something comes first"),
        ),
        (prompt(piece("four")), prompt(piece("fore")), Change(A, "file", "changed", (1, 1))),
        (prompt(piece("four")), prompt(piece("four", cut=CUT)), Change(A, "file", "changed", (1, 1), cut=CUT)),
        (prompt(piece("four", cut=CUT)), prompt(piece("four")), Change(A, "file", "changed", (1, 1))),
        # The same limit cut it before.
        (prompt(piece("four", cut=CUT)), prompt(piece("fore", cut=CUT)), Change(A, "file", "changed", (1, 1))),
        (prompt(), prompt(piece("four"), piece("four")), Change(A, "file", "new", (0, 2), doubled=2)),
        (
            prompt(piece("four")),
            prompt(piece("four"), piece("four")),
            Change(A, "file", "changed", (1, 2), doubled=2),
        ),
        # The second piece goes on after the first.
        (prompt(piece("four")), prompt(piece("four"), piece("five", line=1)), Change(A, "file", "changed", (1, 2))),
        (prompt(piece("four")), prompt(piece("four"), piece("five", at=4)), Change(A, "file", "changed", (1, 2))),
        # A frame around it is none of its text.
        (
            prompt(piece("four")),
            prompt(piece("four"), piece("four", frame="head")),
            Change(A, "file", "changed", (1, 2)),
        ),
    ],
)
def test_what_becomes_of_a_file(before: Prompt, after: Prompt, expected: Change) -> None:
    assert changes(before, after) == [expected]


def test_what_is_equal_is_no_change() -> None:
    assert compare(prompt(piece("four")), prompt(piece("four"))).changes == ()
    assert compare(None, None).changes == ()
    typed = Segment("runtime", "typed", "hello", COMPUTED, "why")
    without: tuple[Kind, ...] = ("typed",)
    assert compare(prompt(), prompt(typed), without=without).changes == ()


def test_a_file_that_is_read_counts_as_typed() -> None:
    result = Segment("runtime", "result", "four", Origin("file", A), "why")
    [change] = changes(prompt(), prompt(result))
    assert (change.name, change.kind) == ("typed and read", "typed")


def test_a_link_and_its_target_are_one_file() -> None:
    [(change, _)] = compare(prompt(piece("four", A)), prompt(piece("for", B)), lambda _: B).changes
    assert (change.status, change.name) == ("changed", B)


@pytest.mark.parametrize(
    ("before", "after", "cache"),
    [
        ("one\ntwo\n", "one\ntoo\n", Cache(0, 1, 2)),
        ("one\n", "one\nmore\n", Cache(0, 1, 2)),
        ("one\nmore\n", "one\n", Cache(0, 1, 0)),
        ("one\n", "one\n", None),
        ("\none\n", "\ntwo\n", Cache(0, 1, 2)),
    ],
)
def test_where_the_cached_prompt_ends(before: str, after: str, cache: Cache | None) -> None:
    assert compare(prompt(piece(before)), prompt(piece(after))).cache == cache


def test_what_of_an_own_text_is_new_is_not_known() -> None:
    before, after = (replace(piece(f"⟪agent {name}⟫"), elided=Elided("agent", 5002)) for name in "ab")
    assert compare(prompt(before), prompt(after, piece("four"))).cache == Cache(0, 0, 1)
    # All of it is new where it begins behind the last letter that is the same.
    assert compare(prompt(piece("fo")), prompt(piece("f"), before)).cache == Cache(0, 0, 1000)


def test_every_message_behind_the_first_that_differs_is_new() -> None:
    before, after = (
        replace(prompt(), messages=tuple(Message("user", (piece(text),), 0) for text in texts))
        for texts in (("same", "four", "five", "six"), ("same", "fore", "five", "six"))
    )
    assert compare(before, after).cache == Cache(1, 0, 3)


def test_a_session_that_is_only_there_before_or_after() -> None:
    one = prompt(piece("four"))
    for found, tokens in ((compare(None, one), (0, 1)), (compare(one, None), (1, 0))):
        assert (found.prompt, found.tokens, found.cache) == (one, tokens, None)
        assert [change.tokens for change, _ in found.changes] == [tokens]


@pytest.mark.parametrize("is_read", [False, True])
def test_definitions_of_tools_count_as_the_messages_do(*, is_read: bool) -> None:
    before, after = (replace(prompt(), tools=(Tool("read", True, "why", size),)) for size in (422, 844))
    [(change, is_at_start)] = compare(before, after, is_read=is_read).changes
    assert (change.kind, change.tokens, is_at_start) == ("tools", (100, 200), not is_read)


def test_what_shows_tools_counts_as_they_do() -> None:
    shown = Message("tools", (Segment("tools", "read", "five for " * 5, COMPUTED, "why"),), 0)
    before, after = (replace(prompt(), tools=(Tool("read", True, "why", size),)) for size in (422, 846))
    [change] = changes(before, replace(after, messages=(shown,)))
    assert (change.name, change.kind, change.tokens) == ("tools", "tools", (100, 200))


def test_each_skill_is_a_part_of_its_own() -> None:
    skills = tuple(Candidate("loaded", "why", COMPUTED, path, use="skill") for path in (A, B))
    before, after = (replace(prompt(piece(text), piece("four", B)), candidates=skills) for text in ("one", "two"))
    assert [(each.name, each.kind, each.status) for each in changes(before, after)] == [(A, "skills", "changed")]


def test_changes_of_files_come_first_then_the_largest() -> None:
    own = Segment("provider", "own", "x" * 400, COMPUTED, "why")
    found = compare(prompt(), prompt(piece("four"), own, piece("four" * 9, B)))
    assert [group.change.name for group in grouped([found])] == [B, A, OWN_NAME]


def test_equal_changes_are_one_group() -> None:
    pairs = [("codex", "four", "five six"), ("cursor", "four four", "four five six"), ("opencode", "four", "x")]
    found = [
        compare(prompt(piece(old), harness=harness), prompt(piece(new), harness=harness)) for harness, old, new in pairs
    ]
    on_read = compare(prompt(piece("b", B), at="read:/w/x"), prompt(at="read:/w/x"))
    groups = grouped([*found, on_read])
    assert [
        (group.change.name, [(each.prompt.session.harness, at_start) for each, _, at_start in group.among])
        for group in groups
    ] == [
        (A, [("codex", True), ("cursor", True)]),
        (B, [("codex", False)]),
        (A, [("opencode", True)]),
    ]
    assert groups[0].change.tokens == (2, 3)


def test_a_text_that_costs_one_model_more_is_a_group_of_its_own() -> None:
    text = piece("four five six " * 10)
    models = ("claude-opus-5", None, "nobody-knows")
    groups = grouped(compare(prompt(), replace(prompt(text), model=model)) for model in models)
    assert [(group.change.tokens, len(group.among)) for group in groups] == [((0, 54), 1), ((0, 29), 2)]


def test_a_cut_by_one_character_is_told() -> None:
    [change] = changes(prompt(piece("ab")), prompt(piece("a", cut=Cut(1, 2, "characters", "a limit"))))
    assert change.cut is not None
