"""Where the lines of a file stand in a prompt, and why others do not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.lines import ELSEWHERE, FileInPrompt, LeftOut, file_in_prompt, never_sent, on_lines
from promptls.core.model import COMPUTED, Candidate, Message, Origin, Prompt, Range, Segment, Session, reading
from promptls.core.places import names_of
from tests.folder import lay_out

if TYPE_CHECKING:
    from promptls.core.model import Outcome

pytestmark = pytest.mark.same_everywhere
Files = dict[str, str | bytes | dict[str, object]]


def standings(top: Path, files: Files, name: str, harness: str, *reads: str) -> FileInPrompt:
    folder = lay_out(top, files)
    host = Host(home=str(top / "home"), env={})
    turns = reading(f"{folder}/{read}" for read in reads)
    session = Session(harness, str(folder), turns=turns, is_trusted=True)
    prompt = harnesses.preview(session, host)
    path = f"{folder}/{name}"
    return file_in_prompt(prompt, names_of([prompt], path, host), (folder / name).read_text())


def reasons(found: FileInPrompt) -> list[tuple[str, int, int]]:
    return [(each.reason, each.range.start_line, each.range.end_line) for each in found.left_out]


def test_a_line_and_its_place_in_the_message(tmp_path: Path) -> None:
    found = standings(tmp_path, {"CLAUDE.md": "one\ntwo\n\nthree\n"}, "CLAUDE.md", "claude-code")
    [piece] = found.sent
    lines = piece.message.text.split("\n")
    assert [lines[piece.line_of(line)] for line in (0, 1, 3)] == ["one", "two", "three"]
    assert found.left_out == ()
    assert piece.line_of(0) == piece.line
    assert on_lines(found.sent, 1, 1) == (piece,)
    # The piece ends without the mark of the last line.
    assert on_lines(found.sent, 4, 9) == ()


def test_comments_and_front_matter(tmp_path: Path) -> None:
    text = "---\npaths: src/**\n---\none\n<!-- two\nlines -->\n\n<!-- more -->\nthree\n"
    files: Files = {".claude/rules/a.md": text, "src/a.py": "1\n"}
    found = standings(tmp_path, files, ".claude/rules/a.md", "claude-code", "src/a.py")
    assert reasons(found) == [("front-matter", 0, 2), ("comment", 4, 7)]
    assert [each.reason for each in on_lines(found.left_out, 5, 5)] == ["comment"]
    lines = found.sent[-1].message.text.split("\n")
    assert lines[found.sent[-1].line_of(8)] == "three"


@pytest.mark.parametrize(("read", "expected"), [([], [("unscoped", 0, 3)]), (["src/a.py"], [("front-matter", 0, 2)])])
def test_a_rule_for_some_files(tmp_path: Path, read: list[str], expected: list[tuple[str, int, int]]) -> None:
    files: Files = {".claude/rules/a.md": "---\npaths: src/**\n---\none\n", "src/a.py": "1\n"}
    found = standings(tmp_path, files, ".claude/rules/a.md", "claude-code", *read)
    assert reasons(found) == expected


def test_what_a_limit_cuts(tmp_path: Path) -> None:
    found = standings(tmp_path, {"AGENTS.md": "line\n" * 8000}, "AGENTS.md", "codex")
    [rest] = found.left_out
    assert rest.reason == "cut"
    assert (rest.range.start_line, rest.range.end_line) == (32768 // 5, 7999)
    assert rest.cut is not None
    assert (rest.cut.kept, rest.cut.total) == (32768, 40000)


def test_an_import_gives_way_to_the_file(tmp_path: Path) -> None:
    found = standings(tmp_path, {"GEMINI.md": "one\n@./a.md\ntwo\n", "a.md": "A"}, "GEMINI.md", "gemini-cli")
    assert reasons(found) == [("import", 1, 1)]
    assert [each.segment.text.strip() for each in found.sent] == ["one", "two"]


def test_the_text_of_a_skill_is_sent_later(tmp_path: Path) -> None:
    skill = ".claude/skills/a/SKILL.md"
    found = standings(tmp_path, {skill: "---\ndescription: Says when.\n---\nBody.\n"}, skill, "claude-code")
    assert [each.segment.text for each in found.sent] == ["Says when."]
    assert {each.reason for each in found.left_out} == {"later"}
    assert "later" in ELSEWHERE


@pytest.mark.parametrize(
    ("files", "name", "harness", "reason"),
    [
        ({"AGENTS.md": "x\n", "AGENTS.override.md": "y\n"}, "AGENTS.md", "codex", "shadowed"),
        ({"notes.md": "x\n", "AGENTS.md": "y\n"}, "notes.md", "codex", "unknown"),
        ({"GEMINI.md": "x\n", ".gemini/settings.json": "}"}, "GEMINI.md", "gemini-cli", "stopped"),
    ],
)
def test_a_whole_file_that_is_left_out(tmp_path: Path, files: Files, name: str, harness: str, reason: str) -> None:
    assert reasons(standings(tmp_path, files, name, harness)) == [(reason, 0, 0)]


def test_a_link_has_the_lines_of_its_target(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "one\ntwo\n"})
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    host = Host(home="/nowhere", env={})
    prompt = harnesses.preview(Session("claude-code", str(folder)), host)
    for path in (f"{folder}/AGENTS.md", f"{folder}/CLAUDE.md"):
        found = file_in_prompt(prompt, names_of([prompt], path, host), "one\ntwo\n")
        assert (len(found.sent), found.left_out) == (1, ()), path


def test_a_configuration_has_no_lines_that_are_left_out(tmp_path: Path) -> None:
    files: Files = {".codex/config.toml": 'developer_instructions = "Be brief."\n', "AGENTS.md": "x\n"}
    assert standings(tmp_path, files, ".codex/config.toml", "codex").left_out == ()
    # Nor has one of which nothing is sent.
    files[".codex/config.toml"] = 'model = "m"\n'
    assert standings(tmp_path / "other", files, ".codex/config.toml", "codex").left_out == ()


FILE = "/w/AGENTS.md"


def sending(*ranges: Range) -> FileInPrompt:
    """Of a file of nine lines, each of two letters, of which the ranges are sent."""
    segments = tuple(Segment("instructions", "x", "x", Origin("file", FILE, range=each), "why") for each in ranges)
    candidate = Candidate("loaded", "why", COMPUTED, FILE)
    prompt = Prompt(Session("stub", "/w"), (Message("user", segments, 0),) if segments else (), (candidate,))
    return file_in_prompt(prompt, [FILE], "ab\n" * 9)


def places(found: list[LeftOut]) -> list[tuple[int, int]]:
    return [(each.range.start_line, each.range.end_line) for each in found]


def test_what_no_prompt_has() -> None:
    first, second = sending(Range(0, 0, 3, 0)), sending(Range(0, 0, 1, 0), Range(4, 0, 6, 0))
    assert places(list(first.left_out)) == [(3, 8)]
    assert places(never_sent([first, second])) == [(3, 3), (6, 8)] == places(never_sent([second, first]))
    third, fourth = sending(Range(2, 0, 9, 0)), sending(Range(0, 0, 1, 0))
    assert places(never_sent([third, fourth])) == [(1, 1)] == places(never_sent([fourth, third]))
    # A prompt that has nothing of the file does not count, unless none has.
    nothing = file_in_prompt(Prompt(Session("stub", "/w"), (), ()), [FILE], "ab\n" * 9)
    assert places(never_sent([nothing, first])) == [(3, 8)]
    assert places(never_sent([nothing])) == [(0, 8)]
    assert never_sent([]) == []
    # One has the first letter, the other all others.
    assert never_sent([sending(Range(0, 1, 9, 0)), sending(Range(0, 0, 0, 1))]) == []


def test_a_piece_in_another_leaves_nothing_out() -> None:
    assert sending(Range(0, 0, 9, 0), Range(1, 0, 2, 0)).left_out == ()


def test_what_is_removed_at_the_beginning_is_no_front_matter() -> None:
    assert [each.reason for each in sending(Range(2, 0, 9, 0)).left_out] == ["removed"]


def test_what_another_file_names_is_no_import_of_this_one() -> None:
    kept = Segment("instructions", "x", "x", Origin("file", FILE, range=Range(0, 0, 8, 0)), "why")
    for path, reason in ((FILE, "import"), ("/w/other.md", "removed")):
        origin = Origin("file", path, range=Range(8, 0, 8, 2), name="ab")
        candidates = (Candidate("loaded", "w", COMPUTED, FILE), Candidate("loaded", "w", origin, "/w/ab"))
        prompt = Prompt(Session("stub", "/w"), (Message("user", (kept,), 0),), candidates)
        assert [each.reason for each in file_in_prompt(prompt, [FILE], "ab\n" * 9).left_out] == [reason]


def test_text_that_a_tool_reads_is_no_place_of_the_file() -> None:
    result = Segment("runtime", "x", "ab", Origin("file", FILE, range=Range(0, 0, 0, 2)), "why")
    candidate = Candidate("loaded", "why", COMPUTED, FILE, use="prompt")
    prompt = Prompt(Session("stub", "/w"), (Message("user", (result,), 0),), (candidate,))
    assert file_in_prompt(prompt, [FILE], "ab\n") == FileInPrompt(prompt, (), ())


@pytest.mark.parametrize(
    ("outcomes", "reasons"),
    [
        (("outside", "loaded"), []),
        (("loaded", "outside"), []),
        (("missing", "shadowed"), ["shadowed"]),
        (("shadowed", "missing"), ["shadowed"]),
    ],
)
def test_of_several_places_the_one_that_says_most_counts(outcomes: tuple[Outcome, ...], reasons: list[str]) -> None:
    candidates = tuple(Candidate(each, "why", COMPUTED, FILE) for each in outcomes)
    prompt = Prompt(Session("stub", "/w"), (), candidates)
    assert [each.reason for each in file_in_prompt(prompt, [FILE], "ab\n").left_out] == reasons


@pytest.mark.parametrize(("reason", "why"), [("", "it is a rule"), ("something comes first", "something comes first")])
def test_a_whole_file_is_left_out_for_a_reason(reason: str, why: str) -> None:
    candidate = Candidate("shadowed", "it is a rule", COMPUTED, FILE, reason=reason)
    prompt = Prompt(Session("stub", "/w"), (), (candidate,))
    assert [each.why for each in file_in_prompt(prompt, [FILE], "ab\n").left_out] == [why]


@pytest.mark.parametrize(
    ("where", "lines"),
    [(Range(0, 0, 2, 5), [0, 1, 2]), (Range(0, 0, 2, 0), [0, 1]), (Range(1, 0, 1, 0), [1]), (Range(1, 2, 1, 4), [1])],
)
def test_the_lines_that_a_piece_touches(where: Range, lines: list[int]) -> None:
    piece = LeftOut(where, "cut", "its limit")
    assert [line for line in range(4) if on_lines([piece], line, line)] == lines
