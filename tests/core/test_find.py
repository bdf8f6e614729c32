"""Where a text stands in prompts, and why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.find import MOST, Found, find, meant
from promptls.core.host import Host
from promptls.core.model import Prompt, Range, Session, Turn, reading
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
Files = dict[str, str | bytes | dict[str, object]]


def prompt(folder: Path, harness: str, *reads: str, prompt: str | None = None) -> Prompt:
    turns = (Turn(prompt),) if prompt else reading(f"{folder}/{each}" for each in reads)
    session = Session(harness, str(folder), turns=turns, is_trusted=True)
    return harnesses.preview(session, Host(home=str(folder / "home"), env={}))


def found(folder: Path, text: str, *prompts: Prompt) -> Found:
    texts: dict[tuple[str, ...], str] = {(f"{path}",): path.read_text() for path in sorted(folder.rglob("*.md"))}
    return find(text, prompts, texts)


def test_a_place_is_a_line_of_a_message(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "one\ntwo words\nthree\n"})
    [hits] = found(folder, "two words", prompt(folder, "claude-code")).hits
    [place] = hits.places
    assert hits.prompt.messages[place.message].text.split("\n")[place.line] == "two words"
    assert (place.source.names, place.source.line) == ((f"{folder}/CLAUDE.md",), "two words")
    assert hits.left_out == ()


@pytest.mark.parametrize("text", ["two words", "two  words", "two\nwords", " two words ", "one two words three"])
def test_white_space_is_like_any_other(tmp_path: Path, text: str) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "one\ntwo\n words\nthree\n"})
    [hits] = found(folder, text, prompt(folder, "claude-code")).hits
    assert len(hits.places) == 1


def test_what_takes_it_away(tmp_path: Path) -> None:
    rule = "---\npaths: src/**\n---\nrule\n"
    folder = lay_out(
        tmp_path,
        {"CLAUDE.md": "<!-- hidden -->\none\n", ".claude/rules/a.md": rule, "src/a.py": "1\n", "b.md": "bare\n"},
    )
    start = prompt(folder, "claude-code")
    read = prompt(folder, "claude-code", "src/a.py")

    def reasons(text: str) -> list[list[str]]:
        return [[piece.reason for _, piece in hits.left_out] for hits in found(folder, text, start, read).hits]

    assert reasons("hidden") == [["comment"], ["comment"]]
    assert reasons("rule") == [["unscoped"], []]
    assert reasons("src/**") == [["unscoped"], ["front-matter"]]
    assert reasons("bare") == [["unknown"], ["unknown"]]


def test_a_file_beside_a_skill_is_for_who_has_called_it(tmp_path: Path) -> None:
    skill = "---\nname: deploy\ndescription: Deploys.\n---\nSee more.md.\n"
    files: Files = {".claude/skills/deploy/SKILL.md": skill, ".claude/skills/deploy/more.md": "zebra\n"}
    folder = lay_out(tmp_path, files)
    of_two = found(folder, "zebra", prompt(folder, "claude-code"), prompt(folder, "codex")).hits
    assert [[(piece.reason, piece.why) for _, piece in hits.left_out] for hits in of_two] == [
        [("later", "the agent may read it after the skill deploy is called")],
        [("unknown", "no file of this name is looked for in this place")],
    ]


def test_a_line_with_the_text_twice_is_one_place(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "one\n"})
    [hits] = found(folder, "zebra", prompt(folder, "claude-code", prompt="a zebra, a zebra\nand a zebra")).hits
    assert [(each.source.line, each.line) for each in hits.places] == [
        ("a zebra, a zebra", hits.places[0].line),
        ("and a zebra", hits.places[0].line + 1),
    ]


def test_what_takes_it_away_is_told_once(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "<!-- one -->\ntext\n<!-- two -->\n"})
    [hits] = found(folder, "one --> text <!-- two", prompt(folder, "claude-code")).hits
    assert [piece.reason for _, piece in hits.left_out] == ["comment"]


def test_only_the_piece_with_it_is_told(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "<!-- one -->\ntext\n<!-- two -->\nmore\n<!-- three -->\n"})
    for text in ("two", "<!-- two"):
        [hits] = found(folder, text, prompt(folder, "claude-code")).hits
        assert [piece.range.start_line for _, piece in hits.left_out] == [2]
        assert hits.places == ()


def test_one_line_is_sent_and_another_is_not(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "kiwi\n<!-- kiwi -->\n"})
    [hits] = found(folder, "kiwi", prompt(folder, "claude-code")).hits
    assert [place.source.range.start_line for place in hits.places] == [0]
    assert [(source.range.start_line, piece.reason) for source, piece in hits.left_out] == [(1, "comment")]


def test_a_text_that_is_escaped_is_found_by_its_file(tmp_path: Path) -> None:
    rule = '---\npaths: "src/**"\n---\nSay "yes" & go.\n'
    folder = lay_out(tmp_path, {".claude/rules/a.md": rule, "src/a.py": "1\n"})
    shown = prompt(folder, "copilot-cli", "src/a.py")
    [hits] = found(folder, 'Say "yes" & go.', shown).hits
    assert len(hits.places) == 1
    assert "&quot;yes&quot;" in shown.messages[hits.places[0].message].text.split("\n")[hits.places[0].line]


def test_the_same_text_twice(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Sent again.\n", "CLAUDE.md": "@AGENTS.md\n"})
    [hits] = found(folder, "Sent again.", prompt(folder, "copilot-cli")).hits
    assert len(hits.places) == 2


def test_what_is_typed_is_no_file(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "one\n"})
    result = found(folder, "please do", prompt(folder, "claude-code", prompt="So please do it"))
    [source] = result.sources
    assert (source.names, source.line) == ((), "So please do it")
    assert len(result.hits[0].places) == 1


def test_what_is_typed_has_a_line(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "one\n"})
    shown = prompt(folder, "codex", prompt="\nSo\nplease do\nit")
    [place] = found(folder, "please do", shown).hits[0].places
    assert shown.messages[place.message].text.split("\n")[place.line] == "please do"


def test_a_text_of_a_configuration_is_found_where_it_is_sent(tmp_path: Path) -> None:
    config = ".codex/config.toml"
    folder = lay_out(tmp_path, {config: 'developer_instructions = "Be brief."\n', "AGENTS.md": "one\n"})
    result = found(folder, "be brief", prompt(folder, "codex"))
    assert result.sources == ()
    result = found(folder, "Be brief", prompt(folder, "codex"))
    assert [(source.names, source.title) for source in result.sources] == [((), f"{folder}/{config}")]


def test_a_file_that_is_read_says_nothing_of_the_instructions(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "one\n", "a.py": "two words\n"})
    shown = prompt(folder, "claude-code", "a.py")
    assert any("two words" in message.text for message in shown.messages)
    assert found(folder, "two words", shown).sources == ()


def test_only_the_first_lines_are_looked_at(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "Again, again\n" * 99})
    assert len(found(folder, "again", prompt(folder, "claude-code")).sources) == MOST


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("USE TABS", "Use tabs, always."),
        ("use tbas allways", "Use tabs, always."),
        ("Never push to any branch", "Never push to main."),
        ("something else entirely", None),
        ("...", None),
    ],
)
def test_what_was_meant(text: str, line: str | None) -> None:
    source = meant(text, {("/a.md",): "# Rules\nUse tabs, always.\nNever push to main.\n"})
    assert (source.line if source else None) == line


def test_what_was_meant_is_a_whole_line() -> None:
    source = meant("use tabs", {("/a.md",): "# Rules\n  Use tabs.\n"})
    assert source
    assert (source.names, source.range, source.line) == (("/a.md",), Range(1, 0, 1, 11), "Use tabs.")
