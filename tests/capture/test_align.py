"""A preview and a request side by side."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Elided, Message, Origin, Segment
from promptls.core.values import replace
from promptls.kit.launch import Passing
from promptls.wire.align import compare
from promptls.wire.request_formats import RequestBlock

HOOK = Message("user", (Segment("runtime", "text of hook", "⟪hook⟫", COMPUTED, "why", elided=Elided("hook")),), 0)
DATE = Segment("runtime", "time", "⟪time⟫", COMPUTED, "why", elided=Elided("time", size=4))
TYPED = Message("user", (DATE, Segment("runtime", "prompt", "\n\nsay ok", COMPUTED, "why")), 1)
SENT = RequestBlock("user", "noon\n\nsay ok", 1)


def test_a_hook_may_say_something_or_nothing() -> None:
    silent = compare([HOOK, TYPED], [SENT])
    assert silent.differences == ()
    assert [pair.sent for pair in silent.pairs] == [None, SENT]
    spoken = compare([HOOK, TYPED], [RequestBlock("user", "hello", 0), SENT])
    assert spoken.differences == ()
    assert [pair.gaps for pair in spoken.pairs] == [{0: "hello"}, {0: "noon"}]


def test_what_follows_another_message_is_not_what_a_hook_says() -> None:
    found = compare([HOOK, TYPED], [SENT, RequestBlock("user", "hello", 2)])
    assert [pair.sent for pair in found.pairs] == [None, SENT]


def test_a_message_with_a_text_must_be_sent() -> None:
    assert [each.kind for each in compare([HOOK, TYPED], []).differences] == ["missing"]


def test_any_other_message_is_a_difference() -> None:
    found = compare([TYPED], [SENT, RequestBlock("user", "hello", 2), RequestBlock("assistant", "ok", 3)])
    assert [(each.kind, each.message) for each in found.differences] == [("extra", 2)]


def own(size: int | None, title: str = "prose") -> Segment:
    return Segment("provider", title, "⟪⟫", COMPUTED, "why", elided=Elided(title, size))


def text(says: str, path: str | None = None) -> Segment:
    return Segment("instructions", path or "text", says, Origin("file", path) if path else COMPUTED, "why")


def system(*segments: Segment) -> Message:
    return Message("system", segments, 0)


def kinds(message: Message, sent: str, files: tuple[tuple[str, str], ...] = (), *passing: Passing) -> list[str]:
    return [each.kind for each in compare([message], [RequestBlock("system", sent, 0)], files, passing).differences]


def test_each_text_of_another_size_is_a_difference() -> None:
    between = text("\nThese are the rules of the house.\n")
    message = system(own(500, "one"), between, own(500, "two"), between, own(500, "three"))
    parts = (f"{'a' * 400}", f"{'b' * 500}", f"{'c' * 700}")
    found = compare([message], [RequestBlock("system", between.text.join(parts), 0)]).differences
    assert [each.says for each in found] == ["one has 400 characters, not 500", "three has 700 characters, not 500"]


def test_a_text_of_nearly_the_size_is_named_and_no_difference() -> None:
    message = system(own(500, "one"), text("\nThese are the rules of the house.\n"), own(500, "two"))
    sent = f"{'a' * 498}\nThese are the rules of the house.\n{'b' * 500}"
    found = compare([message], [RequestBlock("system", sent, 0)])
    assert (found.differences, found.near) == ((), ("one (498 characters were sent, not 500)",))


def test_beside_a_text_of_an_unknown_size_the_others_are_the_least_that_is_sent() -> None:
    message = system(own(500, "one"), own(None, "more"), text("\nThe rules."))

    def says(size: int) -> list[str]:
        sent = RequestBlock("system", f"{'a' * size}\nThe rules.", 0)
        return [each.says for each in compare([message], [sent]).differences]

    assert says(500) == says(900) == []
    assert says(400) == ["one has 400 characters, not 500 or more"]


def test_what_is_of_an_unknown_size_is_listed_and_no_difference() -> None:
    found = compare([system(own(None), text("\nThe rules."))], [RequestBlock("system", "abc\nThe rules.", 0)])
    assert (found.differences, found.unknown) == ((), ("prose (3 characters were sent)",))


def test_what_is_not_sent_offline_is_known() -> None:
    more = Segment("runtime", "more", "⟪⟫", COMPUTED, "why", elided=Elided("more", offline=0))
    message = system(own(500, "one"), more, text("\nThe rules."))
    found = [compare([message], [RequestBlock("system", f"{'a' * size}\nThe rules.", 0)]) for size in (500, 900)]
    assert [each.unknown for each in found] == [(), ()]
    assert [[each.says for each in one.differences] for one in found] == [[], ["one has 900 characters, not 500"]]


def test_a_gap_of_another_size_counts_beside_one_of_an_unknown_size() -> None:
    message = system(own(200), text("\nThe rules of the root.\n"), own(None))
    assert kinds(message, f"{'x' * 200}\nThe rules of the root.\nmore") == []
    assert kinds(message, f"{'x' * 204}\nThe rules of the root.\nmore") == ["size"]


def test_gaps_with_only_a_line_break_between_them_count_together() -> None:
    message = system(own(200, "a"), text("\nThe rules of the root.\n"), own(300, "b"), text("\n"), own(100, "c"))
    further = system(own(None), text("\nThis is the beginning.\n"), *message.segments)
    sent = f"{'x' * 200}\nThe rules of the root.\n"
    for each, before in ((message, ""), (further, "?\nThis is the beginning.\n")):
        assert kinds(each, f"{before}{sent}{'y' * 299}\n{'z' * 100}") == []
        assert kinds(each, f"{before}{sent}{'y' * 1000}\n{'z' * 100}") == ["size"]
        found = compare([each], [RequestBlock("system", f"{before}{sent}{'y' * 300}\n{'z' * 900}", 0)]).differences
        assert [difference.says for difference in found] == ["b and c have 1,200 characters, not 400"]


def test_a_file_is_no_prose_of_the_programs() -> None:
    rules = ("/w/AGENTS.md", "## When to use\nAlways run the tests.\nNever commit.\n")
    message = system(own(20_000))
    prose = "x" * 19_900
    assert kinds(message, f"{prose}\n## When to use\n{'y' * 80}", (rules,)) == []
    assert kinds(message, f"{prose}\n{rules[1]}{'y' * 40}", (rules,)) == ["extra"]
    assert kinds(system(own(None)), rules[1], (rules,)) == ["extra"]


def test_what_the_program_does_not_fix_is_named_and_no_difference() -> None:
    order = Passing("the order", order="<(.)>.*\n")
    date = Passing("the date", r"date is \d+")
    message = system(text("date is 1\n<a>1\n<b>2\n"), own(10))
    found = compare([message], [RequestBlock("system", f"date is 2\n<b>2\n<a>1\n{'x' * 10}", 0)], (), (order, date))
    assert (found.differences, found.passing) == ((), ("the order", "the date"))
    assert kinds(message, f"date is 1\n<b>2\n<c>1\n{'x' * 10}", (), order, date) == ["missing", "extra"]
    assert kinds(message, f"date is 2\n<a>1\n<b>2\n{'x' * 10}", (), order) == ["missing", "extra"]


def test_either_of_two_files_may_count_but_not_both() -> None:
    one, other = "/w/.agents/skills/a/SKILL.md", "/w/.claude/skills/a/SKILL.md"
    race = Passing("which file counts", either=((other, one),))
    message = system(text(f"Use the skill\n{one}\n"))
    found = compare([message], [RequestBlock("system", f"Use the skill\n{other}\n", 0)], (), (race,))
    assert (found.differences, found.passing) == ((), ("which file counts",))
    assert kinds(message, f"Use the skill\n{one}\n{other}\n", (), race) == ["text"]
    assert kinds(message, "Use the skill\n/w/skills/a/SKILL.md\n", (), race) == ["text"]


def test_parallel_calls_end_in_any_order_where_the_program_says_so() -> None:
    ends = Passing("the order in which calls end", r"(?<=</r>)\n?\Z", parallel=True)
    results = [Message("tool", (text(each),), 3, block) for block, each in enumerate(("one", "two"))]
    brought = [Message("user", (text(each),), 3, block) for block, each in enumerate(("a</r>\n", "b</r>"), 2)]
    blocks = [RequestBlock("tool", each, 3) for each in ("two", "one")]
    blocks += [RequestBlock("user", each, 3) for each in ("b</r>\n", "a</r>")]
    assert {each.kind for each in compare([*results, *brought], blocks).differences} >= {"order"}
    found = compare([*results, *brought], blocks, (), (ends,))
    assert (found.differences, found.passing) == ((), ("the order in which calls end",))
    single = [Message("tool", (text("one"),), 3, 0), *brought]
    assert compare(single, [RequestBlock("tool", "one", 3), *blocks[2:]], (), (ends,)).differences


def test_a_note_on_servers_that_did_not_start_is_no_difference() -> None:
    rule = Passing("a note", of_servers=r"Failed: \w+\n")
    found = compare([system(text("The rules."))], [RequestBlock("system", "Failed: x\nThe rules.", 0)], (), (rule,))
    assert (found.differences, found.of_servers) == ((), ("a note",))
    found = compare([TYPED], [SENT, RequestBlock("user", "Failed: x\n", 2)], (), (rule,))
    assert (found.differences, found.of_servers) == ((), ("a note",))


def test_what_a_server_that_did_not_start_would_say_is_no_difference() -> None:
    place = Origin("config", "/w/.mcp.json", name="x")
    says = Segment("tools", "instructions of x", "⟪⟫", place, "why", elided=Elided("x"))
    head = Segment("tools", "frame", "## x\n", COMPUTED, "why", frame="head")
    message = system(text("Before.\n\n"), head, says, text("\n\n"), text("After."))
    sent = [RequestBlock("system", "Before.\n\nAfter.", 0)]
    assert compare([message], sent).differences != ()
    found = compare([message], sent, absent=(place,))
    assert (found.differences, found.of_servers) == ((), ("instructions of x was not sent",))
    alone = compare([Message("developer", (head, says), 0)], [], absent=(place,))
    assert (alone.differences, alone.unknown) == ((), ())


def test_what_a_hook_that_said_nothing_would_add_is_no_difference() -> None:
    place = Origin("config", "/w/settings.json", name="echo")
    says = Segment("runtime", "text of hook", "⟪⟫", place, "why", elided=Elided("x", is_of_hook=True))
    between = Segment("runtime", "frame", "\n\n", COMPUTED, "why", frame="tail")
    typed = Segment("runtime", "prompt", "say ok", COMPUTED, "why")
    messages = [Message("user", (says, between, typed), 0), Message("user", (says,), 1)]
    found = compare(messages, [RequestBlock("user", "say ok", 0)], absent=(place,))
    assert (found.differences, found.of_servers, found.of_hooks) == ((), (), ("text of hook was not sent",))
    assert [pair.sent is not None for pair in found.pairs] == [True, False]


def test_a_server_without_instructions_has_no_frame_either() -> None:
    aa = Origin("config", "/w/opencode.json", name="aa")
    unasked = Segment("tools", "instructions", "⟪⟫", aa, "why", elided=Elided("instructions"))
    around = ("\n<mcp>", '\n<server name="aa">\n', "\n</server>", "\n</mcp>")
    frame = [replace(text(says), frame="tail") for says in around]
    message = system(text("Rules.", "/w/AGENTS.md"), *frame[:2], unasked, *frame[2:], text("\nThe end."))
    found = compare([message], [RequestBlock("system", "Rules.\nThe end.", 0)], absent=[aa])
    assert (found.differences, found.unknown) == ((), ())
    other = compare([message], [RequestBlock("system", "Rules.\nNo end.", 0)], absent=[aa])
    assert [each.kind for each in other.differences] == ["text"]


def test_the_heading_of_a_section_stays_where_its_first_server_is_gone() -> None:
    places = {name: Origin("config", "/w/.mcp.json", name=name) for name in ("late", "plain")}
    use = Segment("tools", "how to use it", "⟪⟫", COMPUTED, "why", elided=Elided("how to use it", 20))
    heading = Segment("tools", "frame", "\n\n# Servers\n\nThey say:", COMPUTED, "why", frame="head")
    each = {}
    for name, place in places.items():
        head = Segment("tools", "frame", f"## {name}\n", COMPUTED, "why", frame="head")
        between = Segment("tools", "frame", "\n\n", COMPUTED, "why", frame="tail")
        each[name] = (between, head, Segment("tools", name, f"Own {name}.", place, "why"))
    message = system(text("Before.\n"), use, heading, *each["late"], *each["plain"])
    sent = f"Before.\n{'u' * 20}\n\n# Servers\n\nThey say:\n\n## plain\nOwn plain."
    found = compare([message], [RequestBlock("system", sent, 0)], absent=(places["late"],))
    assert (found.differences, found.of_servers) == ((), ("late was not sent",))


def test_a_file_of_blanks_or_of_a_sign_was_sent_nowhere() -> None:
    message, sent = system(own(None)), "a text\n\t\nx\nof the program's own"
    assert kinds(message, sent, (("/blank.md", "  \n\t\n"), ("/x.py", "x\n"))) == []
    assert kinds(message, sent, (("/rules.md", "a text\n"),)) == ["extra"]
