"""Frames, placeholders and answers of URLs; and what hides secrets in them."""

from __future__ import annotations

import pytest

from promptls.core.model import (
    COMPUTED,
    Candidate,
    Cut,
    FetchResult,
    Message,
    Origin,
    Prompt,
    Segment,
    Session,
    Tool,
)
from promptls.core.values import replace
from promptls.kit import masked
from promptls.kit.mentions import mentions
from promptls.kit.segments import elided, head, tail, url_segments, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Outcome

pytestmark = pytest.mark.same_everywhere
HIDDEN = "canary-7f3a"
STARS = "*" * len(HIDDEN)
URL = "https://rules.example/x"


@pytest.mark.parametrize(
    ("size", "text"), [(None, "⟪x of Y: not reproduced⟫"), (0, "⟪x of Y, 0 characters: not reproduced⟫")]
)
def test_a_placeholder_says_its_size(size: int | None, text: str) -> None:
    found = elided("provider", "Y", "x", why="because", size=size)
    assert (found.text, found.cache, found.why, found.origin.name) == (text, "static", "because", "x")
    assert found.elided
    assert (found.elided.name, found.elided.size) == ("x", size)


def test_frames_stand_before_or_behind() -> None:
    assert (head("<a>").frame, tail("</a>").frame) == ("head", "tail")
    assert head("<a>", path="/w/a.md").origin.path == "/w/a.md"


@pytest.mark.parametrize("path", [None, "/w/a.json", "/w/.env"])
def test_a_secret_in_a_configuration_is_a_placeholder(path: str | None) -> None:
    text = f'{{"apiKey": "{HIDDEN}", "a": 1}}'
    found = without_secrets(Segment("instructions", "a", text, Origin("file", path), "why"))
    assert [each.text for each in found] == ['{"apiKey": "', "⟪11 characters, a secret⟫", '", "a": 1}']
    assert [each.frame for each in found] == [None, "tail", None]
    assert found[1].elided is not None


@pytest.mark.parametrize(("path", "text"), [("/w/a.md", f"token: {HIDDEN}"), ("/w/a.json", "{}"), (None, "plain")])
def test_a_text_without_one_stays_whole(path: str | None, text: str) -> None:
    segment = Segment("instructions", "a", text, Origin("file", path), "why")
    assert without_secrets(segment) == [segment]


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        (FetchResult(URL, "ok", "Use tabs."), ["From it:\n", "Use tabs."]),
        (FetchResult(URL, "ok", ""), []),
        (FetchResult(URL, "pending"), ["From it:\n", f"⟪{URL}: not answered yet⟫"]),
        (FetchResult(URL, "disabled"), ["From it:\n", f"⟪{URL}: not fetched⟫"]),
        (FetchResult(URL, "timeout", "x"), []),
    ],
)
def test_what_a_url_answered(answer: FetchResult, texts: list[str]) -> None:
    found = url_segments(answer, "From it:\n", why="it is named")
    assert [each.text for each in found] == texts
    assert all(each.cut is None for each in found)
    assert [each.elided is not None for each in found[1:]] == [answer.state != "ok"] * len(found[1:])


def test_a_long_answer_is_cut() -> None:
    found = url_segments(FetchResult(URL, "ok", "text", truncated=True), "", why="it is named")
    assert found[-1].cut == Cut(4, 4, "characters", "promptls keeps 1 MiB", is_ours=True)


def test_nothing_of_a_prompt_says_a_secret() -> None:
    setting = Origin("config", "/w/a.json", name=f"token={HIDDEN}")
    argument = Origin("argument", name=HIDDEN)
    cut = Cut(1, 2, "bytes", "its limit", argument)
    whole = Prompt(
        Session("stub", "/w", args=("--api-key", HIDDEN, "--key", "abc")),
        (
            Message(
                "user",
                (
                    Segment("instructions", f"of {HIDDEN}", HIDDEN, argument, f"by {HIDDEN}", cut=cut),
                    Segment("runtime", HIDDEN, "<a>", COMPUTED, "a frame", frame="head"),
                    Segment("instructions", "abc", "abc", COMPUTED, "abc"),
                    Segment("instructions", "named", "a", argument, "why"),
                    Segment("instructions", "cut", "a", COMPUTED, "why", cut=cut),
                    Segment("runtime", "prompt", f"use {HIDDEN}", COMPUTED, "why"),
                ),
                0,
            ),
        ),
        (
            Candidate("loaded", f"by {HIDDEN}", setting, f"/w/{HIDDEN}", cut=cut, reason=HIDDEN),
            Candidate("missing", "why", COMPUTED, f"/w/token={HIDDEN}"),
            Candidate("failed", "why", COMPUTED, f"https:/u:{HIDDEN}@h"),
            Candidate("missing", "why", COMPUTED, f"/w/{HIDDEN}"),
        ),
        tools=(Tool("read", True, f"by {HIDDEN}"),),
        stopped=f"no {HIDDEN}",
        stopped_by=argument,
        notes=(f"a {HIDDEN}",),
    )
    shown = masked.without_secrets(whole)
    first, frame, last, named, limited, typed = shown.messages[0].segments
    assert (first.title, first.why, first.text) == (f"of {STARS}", f"by {STARS}", HIDDEN)
    assert first.origin.name == STARS
    assert first.cut
    assert first.cut.setting == Origin("argument", name=STARS)
    # A frame is the harness's own, and three letters are part of too many words.
    assert (frame, last) == whole.messages[0].segments[1:3]
    assert named == replace(whole.messages[0].segments[3], origin=first.origin)
    assert limited == replace(whole.messages[0].segments[4], cut=first.cut)
    assert typed == replace(whole.messages[0].segments[5], text=f"use {STARS}")
    loaded, entry, address, other = shown.candidates
    assert (loaded.rule, loaded.reason, loaded.path) == (f"by {STARS}", STARS, f"/w/{HIDDEN}")
    assert loaded.origin.name == f"token={STARS}"
    assert loaded.cut == first.cut
    assert (entry.path, other.path) == (f"/w/token={STARS}", f"/w/{HIDDEN}")
    assert HIDDEN not in (address.path or "")
    assert [tool.why for tool in shown.tools or ()] == [f"by {STARS}"]
    assert (shown.stopped, shown.stopped_by, shown.notes) == (f"no {STARS}", first.origin, (f"a {STARS}",))


@pytest.mark.parametrize(("key", "note"), [("abcd", "****e"), ("abc", "abcde")])
def test_three_letters_are_part_of_too_many_words(key: str, note: str) -> None:
    shown = masked.without_secrets(Prompt(Session("stub", "/w", args=("--api-key", key)), (), (), notes=("abcde",)))
    assert shown.notes == (note,)


@pytest.mark.parametrize("outcome", ["loaded", "missing"])
def test_without_a_secret_nothing_is_made_again(outcome: Outcome) -> None:
    cut = Cut(1, 2, "bytes", "its limit", Origin("config", "/w/a.json", name="limit"))
    own = Segment("instructions", "a", "a", Origin("file", "/w/a.md"), "why", cut=cut)
    whole = Prompt(Session("stub", "/w"), (Message("user", (own,), 0),), (Candidate(outcome, "why", COMPUTED, "/w/a"),))
    shown = masked.without_secrets(whole)
    assert shown.messages[0] is whole.messages[0]
    assert shown.candidates[0] is whole.candidates[0]
    assert (shown.tools, shown.stopped, shown.stopped_by) == (None, None, None)


def test_names_behind_a_sign_are_mentions_except_in_code() -> None:
    text = "@a.md and @b/c `@d.md` x@e.md (@f.md)\n```\n@g.md\n```\n@alice"
    found = list(mentions(text))
    assert [(each.target, each.is_path) for each in found] == [("a.md", True), ("b/c", True), ("alice", False)]
    assert [text[each.start : each.end] for each in found] == ["@a.md", "@b/c", "@alice"]
    assert list(mentions("none")) == []
