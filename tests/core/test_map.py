"""What each harness gets in each directory."""

from __future__ import annotations

import pytest

from promptls.core.map import Map, Sessions, fullest, made, total
from promptls.core.model import COMPUTED, Candidate, Limit, Message, Origin, Prompt, Segment, Session
from promptls.core.values import replace

pytestmark = pytest.mark.same_everywhere
LINKS = {"/w/a/CLAUDE.md": "/w/a/AGENTS.md"}


def file(path: str, tokens: int) -> Segment:
    return Segment("instructions", path, "word " * tokens, Origin("file", path=path), "why")


def typed(tokens: int) -> Segment:
    return Segment("runtime", "typed", "word " * tokens, COMPUTED, "why")


def prompt(*segments: Segment, limits: tuple[Limit, ...] = (), candidates: tuple[Candidate, ...] = ()) -> Prompt:
    return Prompt(Session("a", "/w", "1"), (Message("system", segments, 0),), candidates, limits=limits)


def mapped(**directories: Sessions) -> Map:
    top = directories.pop("top")
    sessions = {"/w": [top], **{f"/w/{name}": [each] for name, each in directories.items()}}
    return made("/w", sessions, lambda path: LINKS.get(path, path))


def names(found: Map) -> dict[str, tuple[list[str], list[str], list[str]]]:
    places = {each.path: each.places[0] for each in found.directories}
    return {
        path: (
            [each.name for each in place.at_start],
            [each.name for each in place.on_read],
            [each.name for each in place.only_at_start],
        )
        for path, place in places.items()
    }


TOP = Sessions(prompt(file("/w/AGENTS.md", 5), typed(50)), None)


def test_what_a_start_and_a_read_bring_is_the_users_own_text() -> None:
    both = file("/w/AGENTS.md", 5), file("/w/a/AGENTS.md", 3)
    found = mapped(top=TOP, a=Sessions(prompt(*both, file("/w/a/x.md", 9)), prompt(*both, typed(70))))
    assert names(found) == {
        "/w": (["/w/AGENTS.md"], [], []),
        "/w/a": (["/w/a/x.md", "/w/AGENTS.md", "/w/a/AGENTS.md"], ["/w/a/AGENTS.md"], ["/w/a/x.md"]),
    }
    place = found.directories[1].places[0]
    assert (total(place.at_start), total(place.on_read), total(place.only_at_start)) == (17, 3, 9)


def test_a_directory_without_anything_of_its_own_is_left_out() -> None:
    same = Sessions(prompt(file("/w/AGENTS.md", 5)), prompt(file("/w/AGENTS.md", 5)))
    assert [each.path for each in mapped(top=TOP, a=same).directories] == ["/w"]


def test_a_link_and_its_file_are_one_text() -> None:
    start, read = prompt(file("/w/a/CLAUDE.md", 3)), prompt(file("/w/AGENTS.md", 5), file("/w/a/AGENTS.md", 3))
    assert names(mapped(top=TOP, a=Sessions(start, read)))["/w/a"] == (["/w/a/CLAUDE.md"], ["/w/a/AGENTS.md"], [])


def test_a_link_and_its_file_in_one_prompt_are_one_file() -> None:
    frame = replace(file("/w/a/CLAUDE.md", 3), frame="head")
    found = mapped(top=TOP, a=Sessions(prompt(frame, file("/w/a/AGENTS.md", 2)), prompt()))
    [size] = found.directories[1].places[0].at_start
    assert (size.name, size.tokens, size.files) == ("/w/a/CLAUDE.md", 5, 1)


def test_a_file_that_is_read_again_counts_as_much_as_is_added() -> None:
    found = mapped(top=TOP, a=Sessions(prompt(), prompt(file("/w/AGENTS.md", 5), file("/w/AGENTS.md", 5))))
    assert total(found.directories[1].places[0].on_read) == 5


def test_a_single_token_counts() -> None:
    found = mapped(top=TOP, a=Sessions(prompt(), prompt(file("/w/AGENTS.md", 5), file("/w/a/AGENTS.md", 1))))
    assert names(found)["/w/a"] == ([], ["/w/a/AGENTS.md"], [])


def test_skills_are_told_apart() -> None:
    skills = tuple(Candidate("loaded", "why", COMPUTED, f"/w/a/{name}/SKILL.md", use="skill") for name in "xy")
    start = prompt(*(file(each.path or "", 2) for each in skills), candidates=skills)
    assert names(mapped(top=TOP, a=Sessions(start, None)))["/w/a"][2] == ["/w/a/x/SKILL.md", "/w/a/y/SKILL.md"]


def test_the_least_room_below_each_limit() -> None:
    def limited(used: int) -> Sessions:
        limits = (Limit("files", used, 10, "bytes"), Limit("skills", 1, 9, "tokens"))
        return Sessions(prompt(file(f"/w/{used}.md", 1), limits=limits), None)

    found = fullest(mapped(top=limited(1), a=limited(12), b=limited(8)))
    assert [(harness, path, limit.name, limit.used) for harness, path, limit in found] == [
        ("a", "/w/a", "files", 12),
        ("a", "/w", "skills", 1),
    ]
