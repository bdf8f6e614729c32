"""Prompts from a file's point of view: what it names, what names it, and where its text is."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.core.model import COMPUTED, Candidate, Message, Origin, Prompt, Range, Segment, Session
from promptls.core.places import Meaning, Named, awaits_trust, is_read, named_in, names_of, naming, presence, scope_of
from promptls.core.values import replace

pytestmark = pytest.mark.same_everywhere
FILE, OTHER = "/w/AGENTS.md", "/w/b.md"
FIRST, SECOND = Range(0, 4, 0, 9), Range(2, 0, 2, 5)


def prompt(*candidates: Candidate, harness: str = "stub", messages: tuple[Message, ...] = ()) -> Prompt:
    return Prompt(Session(harness, "/w"), messages, candidates)


def named(where: Range | None, path: str | None = OTHER, file: str = FILE, **more: str) -> Candidate:
    return Candidate("loaded", "it is imported", Origin("file", file, range=where, name="@b.md"), path, **more)  # type: ignore[arg-type] # outcome, url and at are texts


def test_the_stretches_of_a_file_that_name_others() -> None:
    found = named_in(
        [
            prompt(named(SECOND), named(FIRST), named(FIRST), named(FIRST, at="read:/w/x")),
            prompt(named(FIRST), harness="second"),
            prompt(named(None), named(FIRST, file=OTHER), named(SECOND, None), named(SECOND, None, url="https://x")),
        ],
        FILE,
    )
    assert [(each.range, len(each.meanings)) for each in found] == [(FIRST, 3), (SECOND, 2)]
    assert {each.name for each in found} == {"@b.md"}


def test_the_files_and_urls_that_a_stretch_names() -> None:
    gone = Candidate("missing", "why", COMPUTED, "/w/gone.md")
    answered = Candidate("loaded", "why", COMPUTED, url="https://x")
    candidates = (named(FIRST), named(FIRST), named(FIRST, FILE), gone, answered, answered)
    what = Named(FIRST, "@b.md", tuple(Meaning(prompt(), each) for each in candidates))
    assert what.files(but=FILE) == [OTHER]
    assert what.urls() == ["https://x"]


@pytest.mark.parametrize(("path", "awaits"), [("/w", True), ("/w/a.md", True), ("/x/a.md", False)])
def test_what_waits_until_the_user_trusts_the_folder(path: str, awaits: bool) -> None:
    assert awaits_trust(replace(prompt(), once_trusted=("/w",)), path) is awaits


def test_the_places_that_name_a_file() -> None:
    prompts = [prompt(named(SECOND), named(FIRST), named(FIRST)), prompt(named(None), named(FIRST, FILE))]
    computed = Candidate("loaded", "why", Origin("computed", range=FIRST), OTHER)
    assert [each.range for each in naming([*prompts, prompt(computed)], OTHER)] == [SECOND, FIRST]


def test_the_names_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "sent.md").symlink_to("a.md")
    own, link, sent, other = (f"{tmp_path}/{name}.md" for name in ("a", "link", "sent", "b"))
    segments = (
        Segment("instructions", "x", "x", Origin("file", sent), "why"),
        Segment("instructions", "x", "x", COMPUTED, "why"),
    )
    known = prompt(
        Candidate("loaded", "why", COMPUTED, link),
        Candidate("loaded", "why", COMPUTED, other),
        Candidate("loaded", "why", COMPUTED),
        messages=(Message("user", segments, 0),),
    )
    assert names_of([known], own, Host(home="/", env={})) == {own, link, sent}


def test_where_a_text_is() -> None:
    def piece(text: str, path: str = FILE, **more: str) -> Segment:
        return Segment("instructions", path, text, Origin("file", path), "why", **more)  # type: ignore[arg-type] # a frame

    first = Message("system", (piece("word " * 10), piece("word " * 100, frame="head"), piece("word " * 12)), 0)
    second = Message("user", (piece("x" * 20, OTHER), piece("x" * 4, "/w/link.md")), 1)
    runtime = Message("user", (Segment("runtime", "x", "x", Origin("file", FILE), "why"),), 2)
    found = presence(prompt(messages=(first, second, runtime)), FILE, ["/w/link.md"])
    assert [(each.message.index, each.tokens) for each in found] == [(0, 119), (1, 1)]
    assert {each.total for each in found} == {found[0].total}
    assert found[0].segment.text == "word " * 10
    assert presence(prompt(messages=(first,)), OTHER) == []


@pytest.mark.parametrize(
    ("candidate", "scope"),
    [
        (Candidate("loaded", "why", Origin("file", FILE, range=FIRST, name="*.py"), FILE), "*.py"),
        (Candidate("cut", "why", Origin("file", FILE, range=FIRST, name="*.py"), FILE), "*.py"),
        (Candidate("unscoped", "why", Origin("file", FILE, range=FIRST, name="*.py"), FILE), None),
        (Candidate("loaded", "why", Origin("file", FILE, range=FIRST, name="*.py"), OTHER), None),
        (Candidate("loaded", "why", Origin("file", OTHER, range=FIRST, name="*.py"), FILE), None),
        (Candidate("loaded", "why", Origin("file", FILE, name="*.py"), FILE), None),
        (Candidate("loaded", "why", Origin("file", FILE, range=FIRST, name="*.py"), FILE, at="read:/w/x"), None),
    ],
)
def test_the_patterns_of_a_rule_that_is_sent(candidate: Candidate, scope: str | None) -> None:
    message = Message("user", (), 0)
    assert scope_of(prompt(candidate), message, [FILE]) == scope


@pytest.mark.parametrize(("use", "expected"), [("instruction", True), ("prompt", True), ("config", False)])
def test_what_a_harness_reads_as_instructions(use: str, expected: bool) -> None:
    candidate = Candidate("missing", "why", COMPUTED, FILE, use=use)  # type: ignore[arg-type] # one of three uses
    assert is_read([prompt(candidate)], FILE) is expected
    assert is_read([prompt(candidate)], OTHER, [FILE]) is expected
    assert not is_read([prompt(candidate)], OTHER)
