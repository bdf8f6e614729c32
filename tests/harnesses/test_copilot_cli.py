"""Copilot CLI to the letter, where no captured session shows it in so few words."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.formats import front_matter
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn, reading
from promptls.harnesses.copilot_cli.files import imports as copilot_cli_imports
from promptls.harnesses.copilot_cli.files import instruction_files as copilot_cli_scoped
from promptls.harnesses.copilot_cli.front_matter import is_strict
from promptls.harnesses.copilot_cli.listing.servers import _schema
from tests.disk import disk_of
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
Files = dict[str, str | bytes | dict[str, object]]


def previewed(folder: Path, *reads: str, **env: str) -> Prompt:
    host = Host(home=f"{folder}-home", env=env)
    return harnesses.preview(
        Session("copilot-cli", str(folder), turns=reading(str(folder / each) for each in reads)), host
    )


def test_what_comes_with_a_view_is_escaped_whole(tmp_path: Path) -> None:
    files: Files = {"p/AGENTS.md": "a < b's\n@x&y.md\n", "p/x&y.md": '\n "x" \n\n', "p/a.py": "1"}
    folder = lay_out(tmp_path, files)
    text = previewed(folder, "p/a.py").messages[-1].text
    assert text == (
        "\n<system_reminder>\nCustom instructions from p/AGENTS.md. Apply these to any code you write here:\n\n"
        "a &lt; b&apos;s\n@x&amp;y.md\n\n"
        f"&lt;imported_custom_instruction source=&quot;{folder}/p/x&amp;amp;y.md&quot;&gt;\n"
        "\n &quot;x&quot;\n&lt;/imported_custom_instruction&gt;\n"
        "\n</system_reminder>"
    )


@pytest.mark.parametrize(("depth", "notes"), [(100, 0), (101, 1)])
def test_how_deep_instructions_files_are_looked_for(depth: int, notes: int) -> None:
    """A limit of promptls, which a note names."""
    place = "/".join(["/w/.github/instructions", *["d"] * depth])
    disk = disk_of({f"{place}/a.instructions.md": "---\napplyTo: '**'\n---\n", "/w/.git/HEAD": ""})
    prompt = harnesses.preview(Session("copilot-cli", "/w"), Host(home="/h", env={}, disk=disk))
    assert len([each for each in prompt.notes if "was not searched to its end" in each]) == notes


def test_what_is_looked_for_in_the_places_of_rules(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a.md": "a"})
    missing = {each.path: each.rule for each in previewed(folder).candidates if each.outcome == "missing"}
    assert missing[f"{folder}/.claude/rules"] == "Copilot CLI looks for *.md here"
    assert missing[f"{folder}/.github/instructions"] == "Copilot CLI looks for *.instructions.md here"


def test_at_start_only_the_source_of_an_import_is_escaped(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "@x&y.md <b>", "x&y.md": "", "GEMINI.md": ""})
    assert (
        "</tools>\n\n<custom_instruction>\n@x&y.md\n\n"
        f'<imported_custom_instruction source="{folder}/x&amp;y.md">\n\n</imported_custom_instruction> <b>'
        "\n</custom_instruction>\n\n<custom_instruction>\n\n</custom_instruction>\n<system_notifications>"
    ) in previewed(folder).messages[0].text


def test_a_row_is_one_line_with_its_bars_escaped(tmp_path: Path) -> None:
    rule = '---\npaths: ["a|b", "c, d"]\ndescription: |\n  one | two\n  three\n---\n'
    text = previewed(lay_out(tmp_path, {".claude/rules/r.md": rule})).messages[0].text
    assert "\n| a\\|b, c, d | '.claude/rules/r.md' | one \\| two three |\n" in text


def test_a_directory_outside_of_the_repository_is_named_relative_to_it_and_a_file_by_its_whole_path(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path, {"own/AGENTS.md": "x", "own/x.instructions.md": "---\napplyTo: '*.py'\n---\n", "repo/a.py": "1"})
    (tmp_path / "repo" / ".git").mkdir()
    text = previewed(tmp_path / "repo", COPILOT_CUSTOM_INSTRUCTIONS_DIRS="../own").messages[0].text
    assert "| ../own/ | '../own/AGENTS.md' | Agent instructions for ../own/**/* |\n\nHere is a list of " in text
    assert f"\n| *.py | '{tmp_path}/own/x.instructions.md' |  |\n" in text


def test_of_two_spellings_the_preview_says_that_the_disk_decides(tmp_path: Path) -> None:
    prompt = previewed(lay_out(tmp_path, {"agents.md": "one", "Agents.md": "two"}))
    assert "two" in prompt.messages[0].text
    assert any("lists first" in note for note in prompt.notes)
    (tmp_path / "AGENTS.md").write_text("exact", encoding="utf-8")
    prompt = previewed(tmp_path)
    assert "exact" in prompt.messages[0].text
    assert not prompt.notes


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("{ts}", "ts"), ("a{b{c}d}e", "abcde"), ("{a,{b}}", "{a,b}"), ("{1..3}", "{1..3}"), ("{a", "{a"), ("}a{", "}a{")],
)
def test_braces_around_one_alternative_say_nothing(pattern: str, expected: str) -> None:
    assert copilot_cli_scoped._without_single_braces(pattern) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\n@a.md\n```\n@b.md", "b.md"),
        ("`@a.md` @b.md", "b.md"),
        ("`@a.md`@b.md", "b.md"),
        ("~~~\n@a.md", ""),
        ("@a.md `@b.md", "a.md"),
        ("@a.md, x@b.md %@c.md (@d.md)", "a.md d.md"),
        ("@a @b/ @.c @d.md.).", "b/ .c d.md"),
    ],
)
def test_what_is_an_import(text: str, found: str) -> None:
    assert " ".join(each.target for each in copilot_cli_imports.mentions(text)) == found


def test_the_pieces_of_a_file_name_it_once(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "a @b.md c @d.md e", "b.md": "b", "d.md": "d"})
    pieces = [
        each for each in previewed(folder).messages[0].segments if each.layer == "instructions" and not each.frame
    ]
    assert [(each.text, each.origin.again) for each in pieces] == [
        ("a @b.md", False),
        ("b", False),
        (" c @d.md", True),
        ("d", False),
        (" e", True),
    ]


@pytest.mark.parametrize(
    ("matter", "described"),
    [
        ("description: one", "one"),
        ("description: |\n  one\n  two", "one\ntwo"),
        ("description: |\n  one\nname: s", "one\n"),
        ("description: |\n  one\n", "one\n"),
        ("description: |-\n  one\n\nname: s", "one"),
    ],
)
def test_a_block_at_the_end_has_no_line_break_behind_it(tmp_path: Path, matter: str, described: str) -> None:
    folder = lay_out(tmp_path, {".github/skills/s/SKILL.md": f"---\n{matter}\n---\ntext"})
    (found,) = [each.text for each in previewed(folder).messages[0].segments if each.title == "skill s"]
    assert found == described


@pytest.mark.parametrize(("text", "again"), [("", True), (" \n\n", True), ("text", False)])
def test_a_file_with_front_matter_alone_is_named_before_it_comes(tmp_path: Path, text: str, *, again: bool) -> None:
    rule = f"---\napplyTo: '*.py'\n---\n{text}"
    folder = lay_out(tmp_path, {".github/instructions/a.instructions.md": rule, "a.py": "1"})
    (found,) = [each for each in previewed(folder, "a.py").messages[-1].segments if not each.frame]
    assert found.origin.again is again


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("# Title\n\n one \ntwo\n\n## Title\n3\nfour\n", "one two 3"),
        ("\n\none", "one"),
        (f"{'x' * 1020}\nyyyy\nz", f"{'x' * 1020} yyy"),
    ],
)
def test_the_first_lines_of_a_skill_describe_it(tmp_path: Path, text: str, described: str) -> None:
    folder = lay_out(tmp_path, {".github/skills/s/SKILL.md": f"---\nname: s\n---\n{text}"})
    (found,) = [each.text for each in previewed(folder).messages[0].segments if each.title == "skill s"]
    assert found == described


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        ("a: b", True),
        ("a: b\na: c", False),
        ("a: *.py", False),
        ("a: &x b\nc: *x", True),
        ("a: &xy b\nc: [d, {e: *xy}]", True),
        ("a: &x b\nc: [*x, *y]", False),
        ("a: b\n--- c", False),
        ("a: b\n...\n# c", True),
        ("a: b\n...\nc: d", False),
    ],
)
def test_what_a_strict_reader_takes(matter: str, *, expected: bool) -> None:
    document = front_matter.split(f"---\n{matter}\n---\n").document
    assert document is not None
    assert is_strict(document) is expected


@pytest.mark.parametrize(
    ("line", "patterns"),
    [
        ("applyTo: ''", ()),
        ("applyTo: '*.py' # python", ("*.py",)),
        ("applyTo: '*.py, *.ts'", ("*.py", "*.ts")),
        ("applyTo: '", ("'",)),
        ("applyTo: '*.py\"", ("'*.py\"",)),
        ("applyTo: [*.py]", ("[*.py]",)),
        ("applyTo:  *.py#x", ("*.py#x",)),
        ("applyTo:\npaths: *.ts", ("*.ts",)),
    ],
)
def test_the_line_of_patterns_where_the_rest_is_no_yaml(line: str, patterns: tuple[str, ...]) -> None:
    assert copilot_cli_scoped.scope(f"---\ndescription: a: b\n{line}\n---\n").patterns == patterns


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/**/", True),
        ("**/", True),
        ("src/*/", False),
        ("src/", False),
        ("./src/a/b.py", True),
        ("/src/**", False),
        ("src//a/b.py", False),
        ("!src/**", False),
        ("!lib/**", True),
        ("!!src/**", True),
        ("!!!src/**", False),
        ("b.py", True),
        ("B.py", False),
    ],
)
def test_a_pattern(pattern: str, *, expected: bool) -> None:
    found = copilot_cli_scoped.first_match([pattern], "/w/src/a/b.py", "/w")
    assert found == (pattern if expected else None)


def work(function: Callable[[], object]) -> int:
    """How many calls it takes, those into C included."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize(
    "line",
    ["`a` @b.md\n", "@b.md é ", "`` ` @b.md ", "a@b.md ", "@/b ", "~~~\n@b.md\n```\n", "@a/a/", "<!-- @b.md -->", "`@"],
)
def test_twice_the_text_is_twice_the_work(tmp_path: Path, line: str) -> None:
    lay_out(tmp_path, {"b.md": "b"})

    def preview_of(lines: int) -> int:
        (tmp_path / "AGENTS.md").write_text(line * lines, encoding="utf-8")
        return work(lambda: previewed(tmp_path))

    preview_of(1)
    assert preview_of(200) <= 2.3 * preview_of(100)
    assert sum(1 for _ in copilot_cli_imports.mentions(line * 400)) <= 400


def test_twice_the_imports_are_twice_the_work(tmp_path: Path) -> None:
    def preview_of(files: int) -> int:
        names = [f"f{number}.md" for number in range(files)]
        texts: Files = {name: f"@{after}\n@f0.md" for name, after in zip(names, [*names[1:], "x"], strict=True)}
        folder = lay_out(tmp_path / str(files), texts | {"AGENTS.md": " ".join(f"@{name}" for name in names)})
        return work(lambda: previewed(folder))

    preview_of(1)
    assert preview_of(100) <= 2.3 * preview_of(50)


@pytest.mark.parametrize(
    ("mode", "named"),
    [
        ("plan", ["note on sql", "notes on other tools"]),
        ("autopilot", ["note on ask_user", "note on sql", "notes on other tools"]),
    ],
)
def test_notes_on_the_tools_of_a_mode_come_after_sql(tmp_path: Path, mode: str, named: list[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "x\n"})
    session = Session("copilot-cli", str(folder), mode=mode, interactive=False)
    prompt = harnesses.preview(session, Host(home=f"{folder}-home", env={}))
    titles = [each.title for each in prompt.messages[0].segments if each.elided]
    assert [each for each in titles if each in named] == named
    assert titles.index("notes on other tools") < titles.index("note on grep")


def test_on_the_screen_the_tool_task_names_the_model(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "x\n"})

    def size(model: str | None) -> int:
        session = Session("copilot-cli", str(folder), model=model, interactive=True)
        tools = harnesses.preview(session, Host(home=f"{folder}-home", env={})).tools or ()
        return next(tool.size or 0 for tool in tools if tool.name == "task")

    assert [size("gpt-5") - size(None), size("claude-opus-4.6") - size("gpt-5")] == [-5, 10]


def test_what_names_of_properties_have_to_be_is_said_in_the_description() -> None:
    data = {"type": "object", "description": "Data.", "propertyNames": {"type": "string"}}
    assert _schema({"type": "object", "properties": {"data": data}})["properties"]["data"] == {
        "type": "object",
        "description": 'Data.\n\n{propertyNames: {"type":"string"}}',
    }


@pytest.mark.parametrize(
    ("name", "tools", "begins"), [("s.one", '["*"]', ["s-one-*"]), ("docs", "[]", []), ("a_b", '["x"]', ["a_b-*"])]
)
def test_tools_of_a_server_that_was_never_asked_begin_as_they_are_sent(
    name: str, tools: str, begins: list[str], tmp_path: Path
) -> None:
    server = f'{{"mcpServers": {{"{name}": {{"type": "local", "command": "x", "args": [], "tools": {tools}}}}}}}'
    folder = lay_out(tmp_path, {"p/AGENTS.md": "x\n", ".copilot/mcp-config.json": server})
    found = harnesses.preview(Session("copilot-cli", f"{folder}/p"), Host(home=str(folder), env={}))
    assert [each.name for each in found.tools or () if each.name.endswith("-*")] == begins


def _started(folder: Path, asked: str) -> Prompt:
    call = Call(tool="task", input=json.dumps({"agent_type": asked, "prompt": "Do it."}), steps=())
    session = Session("copilot-cli", str(folder), turns=(Turn("go", steps=((call,),)),))
    return harnesses.preview(session, Host(home=f"{folder}-home", env={}))


@pytest.mark.parametrize("asked", ["second", "second one", "second-one"])
def test_an_agent_is_started_by_its_own_name_only(tmp_path: Path, asked: str) -> None:
    agent = "---\nname: Second One\ndescription: d\n---\nSecond text.\n"
    folder = lay_out(tmp_path, {".github/agents/second.agent.md": agent})
    assert "Second text." not in _started(folder, asked).messages[0].text
    assert "Second text." in _started(folder, "Second One").messages[0].text


def test_directories_are_listed_by_their_names_with_the_slash(tmp_path: Path) -> None:
    agent = "---\nname: a\ndescription: d\n---\nText.\n"
    names = ("docs/x", "docs-archive/x", "docs b/x", "docs.txt")
    folder = lay_out(tmp_path, {".github/agents/a.agent.md": agent, **dict.fromkeys(names, "1")})
    assert ": docs b/\ndocs-archive/\ndocs.txt\ndocs/\n" in _started(folder, "a").messages[0].text


@pytest.mark.parametrize(("longest", "named"), [(54, 101), (55, 100)])
def test_further_skills_are_named_as_far_as_there_is_room(tmp_path: Path, longest: int, named: int) -> None:
    """The line may have 5,000 characters up to the last name: with 54 in the first name it has them."""
    names = ["b" * longest, *(f"c{number:03}".ljust(47, "c") for number in range(105))]
    texts = {f"a{number:02}": "x" * 900 for number in range(15)} | dict.fromkeys(names, "y" * 1000)
    skills = {name: f"---\nname: {name}\ndescription: {text}\n---\n" for name, text in texts.items()}
    prompt = previewed(lay_out(tmp_path, {f".github/skills/{name}/SKILL.md": text for name, text in skills.items()}))
    line = next(each for each in prompt.messages[0].text.splitlines() if each.startswith("Additional skills"))
    # Two are Copilot's own.
    assert line.endswith(f"c... and {106 + 2 - named} more")
    assert len(line.partition("... ")[0]) <= 5000
    assert len([each for each in prompt.candidates if each.outcome == "dropped"]) == 106 - named


@pytest.mark.parametrize("model", ["claude-sonnet-4.6", "gpt-5.5", "gpt-5"])
def test_what_a_model_is_told_more_stands_before_the_line_end_of_the_notices(tmp_path: Path, model: str) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "x\n"})
    session = Session("copilot-cli", str(folder), model=model)
    text = harnesses.preview(session, Host(home=f"{folder}-home", env={})).messages[0].text
    assert "\n</system_notifications>\n\n⟪notices for the model of Copilot CLI" in text
    assert ": not reproduced⟫\n⟪notices of Copilot CLI, 34 characters" in text
