"""What a file is to a harness, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptls.core.model import COMPUTED, Candidate, Origin, Prompt, Segment, Session
from promptls.core.uses import is_in_effect, listed, names_entries, use_of

if TYPE_CHECKING:
    from promptls.core.model import Outcome, Use

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("outcome", "use", "expected"),
    [
        ("loaded", "instruction", True),
        ("cut", "instruction", True),
        ("unscoped", "instruction", False),
        ("unscoped", "skill", True),
        ("shadowed", "skill", False),
        ("missing", "skill", False),
    ],
)
def test_whether_a_harness_uses_what_it_found(outcome: Outcome, use: Use, expected: bool) -> None:
    assert is_in_effect(Candidate(outcome, "why", COMPUTED, "/w/a.md", use=use)) is expected


PATH = "/w/a.json"
ENTRY = Origin("config", PATH, name="servers.x")


def prompt(*candidates: Candidate) -> Prompt:
    return Prompt(Session("stub", "/w"), (), candidates)


def used(outcome: Outcome, use: Use, path: str = PATH) -> Candidate:
    return Candidate(outcome, "why", COMPUTED, path, use=use)


@pytest.mark.parametrize(
    ("candidates", "use"),
    [
        ((), "instruction"),
        ((used("loaded", "skill"),), "skill"),
        ((used("loaded", "config"), used("loaded", "skill")), "skill"),
        ((used("shadowed", "skill"),), "instruction"),
        ((used("loaded", "skill", "/w/b.json"),), "instruction"),
        ((used("loaded", "config"),), "instruction"),
    ],
)
def test_what_a_file_is_used_as(candidates: tuple[Candidate, ...], use: Use) -> None:
    assert use_of(prompt(*candidates), [PATH]) == use


def test_what_of_a_configuration_is_listed() -> None:
    server = Candidate("loaded", "why", ENTRY, use="server")
    config = used("loaded", "config")
    here = Segment("tools", "x", "x", ENTRY, "why")
    elsewhere = Segment("tools", "x", "x", Origin("config", PATH), "why")
    text = Segment("instructions", "x", "x", ENTRY, "why")
    shown = prompt(config, server)
    assert [use_of(shown, [PATH], each) for each in (here, elsewhere, text)] == ["server", "config", "instruction"]
    assert use_of(prompt(server), [PATH], here) == "instruction"
    assert use_of(prompt(config, used("loaded", "server", "/w/b.json")), [PATH], here) == "config"


def test_a_file_that_configures_what_is_listed() -> None:
    server = Candidate("loaded", "why", ENTRY, use="server")
    assert names_entries(prompt(server), [PATH])
    assert not names_entries(prompt(server), ["/w/b.json"])
    assert not names_entries(prompt(Candidate("loaded", "why", ENTRY, use="config")), [PATH])
    assert not names_entries(prompt(Candidate("loaded", "why", ENTRY, PATH, use="server")), [PATH])


@pytest.mark.parametrize(
    ("use", "words"),
    [("instruction", ""), ("config", "used as configuration"), ("skill", "listed as a skill"), ("prompt", "")],
)
def test_what_a_file_is_listed_as(use: Use, words: str) -> None:
    assert listed(use) == words
