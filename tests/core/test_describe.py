"""What hovers and lenses say of a place, sentence by sentence."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from promptls.core.describe import SHOWN, fetched, lenses, matched, meaning, named, when
from promptls.core.model import (
    COMPUTED,
    Candidate,
    Cut,
    Elided,
    FetchResult,
    Message,
    Origin,
    Prompt,
    Range,
    Segment,
    Session,
)
from promptls.core.places import Meaning, Named
from promptls.core.values import replace

if TYPE_CHECKING:
    from promptls.core.model import Outcome, Use

pytestmark = pytest.mark.same_everywhere
RULE = Origin("file", "/w/api/AGENTS.md", range=Range(1, 0, 1, 3), name="*.py")


def prompt(*candidates: Candidate, at: str = "start", harness: str = "stub", elided: Elided | None = None) -> Prompt:
    own = Segment("instructions", "AGENTS.md", "One. Two.", Origin("file", "/w/api/AGENTS.md"), "why")
    other = Segment("provider", "preface", "x" * 8, COMPUTED, "why", elided=elided)
    return Prompt(Session(harness, "/w"), (Message("user", (own, other), 0, at=at),), candidates)


def said(candidate: Candidate, size: int | None = None, answer: FetchResult | None = None) -> list[str]:
    answers = {answer.url: answer} if answer else {}
    return meaning(Meaning(prompt(), candidate), lambda _: size, answers.get).split("  \n")


def test_a_file_that_is_loaded() -> None:
    assert said(Candidate("loaded", "it is *there*", COMPUTED, "/w/api/AGENTS.md"), 0) == [
        "**stub** loads it · at start",
        "`api/AGENTS.md` · 0 bytes · ~3 tokens (estimate ±30 %) as instructions in the user message",
        "it is \\*there\\*",
    ]


def test_a_file_that_is_not() -> None:
    cut = Cut(1200, 3400, "bytes", "its limit")
    gone = Candidate("dropped", "why", COMPUTED, "/w/b.md", at="read:/w/x.py", other="/w/c.md", cut=cut)
    assert said(gone, 1234) == [
        "**stub** drops it · on reading `x.py`",
        "`b.md` · 1,234 bytes",
        "1,200 of 3,400 bytes are kept: its limit",
        "Instead: `c.md`",
        "why",
    ]
    assert said(Candidate("duplicate", "why", COMPUTED, "/w/b.md", other="/w/b.md")) == [
        "**stub** has already loaded it · at start",
        "`b.md`",
        "why",
    ]


def test_the_newest_answer_of_a_url_is_named() -> None:
    old = FetchResult("https://x.example/", "pending")
    named_url = Candidate("pending", "why", COMPUTED, url="https://x.example/", fetched=old)
    assert said(named_url)[2] == "pending"
    assert said(named_url, answer=FetchResult("https://x.example/", "ok", "text"))[2] == "answered · 4 bytes"


@pytest.mark.parametrize(
    ("outcome", "use", "says"),
    [
        ("loaded", "skill", "offers it as a skill"),
        ("unscoped", "skill", "offers it as a skill"),
        ("shadowed", "skill", "does not offer it as a skill"),
        ("missing", "skill", "finds no file here"),
        ("loaded", "server", "starts its MCP servers"),
        ("loaded", "config", "uses it as configuration"),
        ("failed", "config", "cannot read it"),
    ],
)
def test_what_a_harness_does_with_a_file(outcome: Outcome, use: Use, says: str) -> None:
    assert said(Candidate(outcome, "why", COMPUTED, "/w/x", use=use))[0] == f"**stub** {says} · at start"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (FetchResult("u", "ok", "é"), "answered · 2 bytes"),
        (FetchResult("u", "ok", status=204), "answered with status 204"),
        (FetchResult("u", "status", status=404), "answered with status 404"),
        (FetchResult("u", "refused", detail="it is *large*"), "refused · it is \\*large\\*"),
        (FetchResult("u", "timeout", headers_seconds=0.0), "timeout · 0.00 s to the headers"),
        (FetchResult("u", "timeout", total_seconds=5.004), "timeout · 5.00 s in total"),
        (FetchResult("u", "empty", from_cache=True), "empty · the cached answer is still valid"),
        (FetchResult("u", "empty", final_url="u"), "empty"),
        (FetchResult("u", "empty", final_url="v"), "empty · redirected to `v`"),
    ],
)
def test_what_a_url_answered(answer: FetchResult, says: str) -> None:
    assert fetched(answer) == says


def test_when_a_url_was_asked() -> None:
    asked = datetime(2026, 1, 2, 3, 4, 5).astimezone()
    assert fetched(FetchResult("u", "empty", fetched_at=asked.timestamp())) == "empty · requested 2026-01-02 03:04:05"


@pytest.mark.parametrize(
    ("number", "is_cut", "says"),
    [(0, False, "0 files"), (1, False, "1 file"), (1, True, "1 or more files"), (1234, True, "1,234 or more files")],
)
def test_how_much_a_pattern_matches(number: int, is_cut: bool, says: str) -> None:
    assert matched(number, is_cut=is_cut) == f"matches {says}"


@pytest.mark.parametrize(("more", "says"), [(0, None), (1, "and 1 more")])
def test_only_the_first_meanings_are_named(more: int, says: str | None) -> None:
    meanings = [Meaning(prompt(), Candidate("missing", "why", COMPUTED, f"/w/{n}")) for n in range(SHOWN + more)]
    parts = named(Named(Range(), "x", tuple(meanings)), lambda _: None).split("\n\n---\n\n")
    assert len(parts) == SHOWN + more
    assert parts[-1] == says or says is None


def test_when() -> None:
    assert when("read:/w/a.py", prompt()) == "on reading `a.py`"
    assert when('tool:Bash {"command": "ls"}', prompt()) == "on a call of `Bash`"


OWN = "/w/api/AGENTS.md"


def test_lenses_of_a_text_that_is_sent() -> None:
    assert lenses([prompt()], OWN, "") == ["stub · start · ~3 tokens of 4"]
    assert lenses([prompt(elided=Elided("p"))], OWN, "") == ["stub · start · ~3 tokens of at least 3"]
    assert lenses([prompt(Candidate("loaded", "w", RULE, OWN))], OWN, "") == ["stub · for *.py · ~3 tokens of 4"]


@pytest.mark.parametrize(
    ("is_ours", "says"), [(False, " · 5 bytes over the limit, from line 2"), (True, "")], ids=["of the harness", "ours"]
)
def test_lenses_say_how_much_is_over_a_limit_of_the_harness(is_ours: bool, says: str) -> None:
    cut = Cut(4, 9, "bytes", "its limit", is_ours=is_ours)
    kept = Segment("instructions", OWN, "One\n", Origin("file", OWN, range=Range(0, 0, 1, 0)), "why", cut=cut)
    candidate = Candidate("cut", "why", COMPUTED, OWN, cut=cut)
    found = Prompt(Session("stub", "/w"), (Message("user", (kept,), 0),), (candidate,))
    assert lenses([found], OWN, "One\nTwo.\n") == [f"stub · start · ~2 tokens of 2{says}"]


@pytest.mark.parametrize(("files", "says"), [(None, ""), (0, " (0 files)"), (1, " (1 file)"), (1234, " (1,234 files)")])
def test_lenses_of_a_text_that_waits(files: int | None, says: str) -> None:
    at = "read:/w/api/x.py"
    assert lenses([prompt(at=at)], OWN, "", files) == [f"stub · read when you open api/**{says} · ~3 tokens of 4"]
    rule = Candidate("loaded", "w", RULE, OWN, at=at)
    assert lenses([prompt(rule, at=at)], OWN, "", files) == ["stub · read when you open *.py · ~3 tokens of 4"]


def test_lenses_of_a_text_that_is_not_sent() -> None:
    shadowed = Candidate("shadowed", "w", COMPUTED, "/w/b.md")
    assert lenses([prompt(Candidate("missing", "w", COMPUTED, "/w/b.md"), shadowed)], "/w/b.md", "") == [
        "stub · ignores it in favour of another file"
    ]
    assert lenses([prompt(shadowed)], "/w/link.md", "", names=("/w/b.md",)) == [
        "stub · ignores it in favour of another file"
    ]
    servers = Candidate("loaded", "w", COMPUTED, "/w/b.md", use="server")
    used = Candidate("loaded", "w", COMPUTED, "/w/b.md", use="config")
    for both in ((servers, used), (used, servers)):
        assert lenses([prompt(*both)], "/w/b.md", "") == ["stub · starts its MCP servers"]
    settings = Candidate("excluded", "w", COMPUTED, "/w/b.md", use="config")
    assert lenses([prompt(settings)], "/w/b.md", "") == ["stub · does not use it as configuration"]


def test_lenses_say_where_a_session_starts_that_is_not_the_usual_one() -> None:
    usual, beside = Prompt(Session("stub", "/w"), (), ()), replace(prompt(), session=Session("stub", "/w/api"))
    assert lenses([usual, beside], OWN, "") == ["stub · start, if started in api · ~3 tokens of 4"]


def test_the_first_prompt_with_the_text_counts_else_the_first_that_says_why() -> None:
    without = [Prompt(Session("stub", "/w"), (), (Candidate(why, "w", COMPUTED, OWN),)) for why in ("empty", "outside")]
    assert lenses(without, OWN, "") == ["stub · finds it empty"]
    late = prompt(at="read:/w/api/x.py")
    assert lenses([*without, prompt(), late], OWN, "") == ["stub · start · ~3 tokens of 4"]
    assert lenses([prompt(), without[0], prompt(harness="b")], OWN, "") == [
        "stub · start · ~3 tokens of 4",
        "b · start · ~3 tokens of 4",
    ]
