"""A preview and a request side by side."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Elided, Message, Segment
from promptls.wire.align import compare
from promptls.wire.formats import Said

HOOK = Message("user", (Segment("runtime", "text of hook", "⟪hook⟫", COMPUTED, "why", elided=Elided("hook")),), 0)
DATE = Segment("runtime", "time", "⟪time⟫", COMPUTED, "why", elided=Elided("time", size=4))
TYPED = Message("user", (DATE, Segment("runtime", "prompt", "\n\nsay ok", COMPUTED, "why")), 1)
SENT = Said("user", "noon\n\nsay ok", 1)


def test_a_hook_may_say_something_or_nothing() -> None:
    silent = compare([HOOK, TYPED], [SENT])
    assert silent.differences == ()
    assert [pair.said for pair in silent.pairs] == [None, SENT]
    spoken = compare([HOOK, TYPED], [Said("user", "hello", 0), SENT])
    assert spoken.differences == ()
    assert [pair.gaps for pair in spoken.pairs] == [{0: "hello"}, {0: "noon"}]


def test_what_follows_another_message_is_not_what_a_hook_says() -> None:
    found = compare([HOOK, TYPED], [SENT, Said("user", "hello", 2)])
    assert [pair.said for pair in found.pairs] == [None, SENT]


def test_a_message_with_a_text_must_be_sent() -> None:
    assert [each.kind for each in compare([HOOK, TYPED], []).differences] == ["missing"]


def test_any_other_message_is_a_difference() -> None:
    found = compare([TYPED], [SENT, Said("user", "hello", 2), Said("assistant", "ok", 3)])
    assert [(each.kind, each.message) for each in found.differences] == [("extra", 2)]
