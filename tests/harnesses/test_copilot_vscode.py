from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.host import Buffers, Host
from promptls.core.model import Call, OpenFile, Prompt, Range, Session, Turn
from promptls.harnesses.copilot_vscode.capture import PROGRAM
from promptls.harnesses.copilot_vscode.files.locations import base_name, kind_of
from promptls.harnesses.copilot_vscode.files.references import targets
from promptls.harnesses.copilot_vscode.listing.skills import without_tags
from promptls.harnesses.copilot_vscode.tree import tree
from promptls.harnesses.copilot_vscode.turns import called
from tests.cases import test_cases as cases
from tests.cases.test_cases import HERE, read
from tests.folder import lay_out
from tests.harnesses import shown
from tests.harnesses.shown import Files, outcomes, segments, text_of

pytestmark = pytest.mark.same_everywhere
SKILL_TOOL: Files = {".vscode/settings.json": {"github.copilot.chat.skillTool.enabled": True}}


def preview(top: Path, files: Files, **session: Any) -> Prompt:
    return shown.preview(top, "copilot-vscode", files, **session)


def message(prompt: Prompt, at: int = -1) -> str:
    return "".join(each.text for each in prompt.messages[at].segments)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](b) [c](d.md)\n[e](f)", [(4, "b"), (11, "d.md"), (21, "f")]),
        ("[](b)", [(3, "b")]),
        ("[a](b)[c](d)", [(4, "b"), (10, "d")]),
        ("[a]() [b](c)", [(4, ") [b](c")]),
        ("![a](b)", []),
        ("`[a](b)` [c](d)", [(13, "d")]),
        ("`a`[c](d)`e`", [(7, "d")]),
        ("`a` `[c](d)` [e](f)", [(17, "f")]),
        ("[a`](b)`", [(5, "b")]),
        ("[`a`](b)", [(6, "b")]),
        ("a ` [c](d)", [(8, "d")]),
        ("#file:a.md and #FILE:b.md#c", [(6, "a.md"), (21, "b.md")]),
        ("`#file:a.md` #file:b.md", [(19, "b.md")]),
        ("[x](a.md)#file:b.md", [(4, "a.md")]),
        ("[x](a.md) #file:b.md", [(4, "a.md"), (16, "b.md")]),
        ("#file:b.md [x](a.md)", [(6, "b.md"), (15, "a.md")]),
        ("#file:b.md![x](a.md)", [(6, "b.md![x](a.md)")]),
        ("```\n[a](b)\n```\n[c](d)", [(19, "d")]),
        ("```\n[a](b)\n``` sh\n[c](d)", []),
        ("```\n~~~\n[a](b)\n```\n[c](d)", [(23, "d")]),
        ("````\n```\n[a](b)\n````\n[c](d)", [(25, "d")]),
        ("~~~\n[a](b)\n~~~~\n[c](d)", [(20, "d")]),
        ("[a](b", []),
    ],
)
def test_what_a_text_refers_to(text: str, found: list[tuple[int, str]]) -> None:
    assert list(targets(text)) == found


def test_references_are_looked_for_from_a_place_on() -> None:
    assert list(targets("[a](b) [c](d)", 6)) == [(11, "d")]


def test_where_references_lead(tmp_path: Path) -> None:
    links = "~ ~/of-home.md https://x/y.md mailto:/y.md gone.md docs next.md#part next.instructions.md b.json"
    start = "".join(f"[x]({each}) " for each in links.split())
    front = "\ufeff---\napplyTo: '**'\ndescription: '[x](front.md)'\n---\n"
    files: Files = {
        ".vscode/settings.json": {"chat.includeReferencedInstructions": True},
        ".github/instructions/a.instructions.md": f"{front}{start}",
        ".github/instructions/front.md": "not in the text",
        ".github/instructions/next.instructions.md": "[x](far.md)",
        ".github/instructions/next.md#part": "a name",
        ".github/instructions/far.md": "[x](unfollowed.md)",
        ".github/instructions/unfollowed.md": "not an instructions file's",
        ".github/instructions/docs/a.txt": "a",
        ".github/instructions/b.json": '"[x](deep.prompt.md)"',
        ".github/instructions/deep.prompt.md": "[x](SKILL.md)",
        ".github/instructions/SKILL.md": "[x](end.md)",
        ".github/instructions/end.md": "end",
        "~/of-home.md": "home",
    }
    prompt = preview(tmp_path, files)
    sent = [each.title for each in segments(prompt) if each.why.startswith("a link or #file:")]
    assert " ".join(Path(each).name for each in sent) == (
        "of-home.md next.md#part next.instructions.md b.json deep.prompt.md SKILL.md end.md far.md"
    )


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [
        (None, None),
        ("plan", None),
        ("/plan", ""),
        ("/plan  a b ", "a b"),
        ("/plans", None),
        ("/plan,", None),
        (" /plan", None),
    ],
)
def test_what_a_prompt_calls(prompt: str | None, calls: str | None) -> None:
    found = called(prompt, {"plan": "plan.prompt.md"})
    assert (found.arguments if found else None) == calls


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Plan.", "Plan."),
        ("---\nagent: ask\n---\nPlan.", "--\nPlan."),
        ("---\nPlan.", "---\nPlan."),
        ("---Plan.\n---\n", "---Plan.\n---\n"),
    ],
)
def test_what_is_sent_of_a_prompt_file(tmp_path: Path, text: str, sent: str) -> None:
    prompt = preview(tmp_path, {".github/prompts/plan.prompt.md": text}, turns=(Turn("/plan"),))
    assert text_of(prompt, "plan.prompt.md") == sent


@pytest.mark.parametrize(
    ("path", "kind", "base"),
    [
        ("/w/a.prompt.md", "prompt", "a"),
        ("/w/a.instructions.md", "instructions", "a.instructions"),
        ("/w/copilot-instructions.md", "instructions", "copilot-instructions"),
        ("/w/a.agent.md", "agent", "a"),
        ("/w/a.chatmode.md", "agent", "a"),
        ("/w/.github/agents/a.md", "agent", "a"),
        ("/w/.github/agents/README.md", None, "README"),
        ("/w/.github/agents/below/a.md", None, "a"),
        ("/w/.claude/agents/SKILL.md", None, "SKILL"),
        ("/w/.claude/rules/below/a.md", "instructions", "a"),
        ("/w/.claude/rules/a.txt", None, "a.txt"),
        ("/w/a.md", None, "a"),
    ],
)
def test_what_a_file_is_by_its_path(path: str, kind: str | None, base: str) -> None:
    assert (kind_of(path), base_name(path)) == (kind, base)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "one\ntwo\nthree"),
        ({"startLine": 2}, "two\nthree"),
        ({"endLine": 1}, "one"),
        ({"startLine": 2, "endLine": 2}, "two"),
        ({"startLine": 0, "endLine": 2}, "one\ntwo"),
        ({"startLine": 2, "endLine": 3}, "two\nthree"),
        ({"startLine": 2, "endLine": 4}, "two\nthree"),
        ({"startLine": 2, "endLine": 99}, "two\nthree"),
        ({"startLine": "2", "endLine": 2.5}, "one\ntwo\nthree"),
    ],
)
def test_the_lines_that_are_read(tmp_path: Path, given: dict[str, object], text: str) -> None:
    call = Call(tool="read_file", input=json.dumps({"filePath": "a.txt", **given}))
    prompt = preview(tmp_path, {"a.txt": "one\ntwo\nthree\n"}, turns=(Turn("x", steps=((call,),)),))
    assert message(prompt) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [({}, "one\ntwo\n"), ({"endLine": 1}, "one"), ({"endLine": 2}, "one\ntwo"), ({"endLine": 3}, "one\ntwo\n")],
)
def test_lines_that_something_follows(tmp_path: Path, given: dict[str, object], text: str) -> None:
    """A line break at the end of the file is the third line's beginning."""
    hook: Files = {".github/hooks/h.json": {"hooks": {"PreToolUse": [{"command": "x"}]}}}
    call = Call(tool="read_file", input=json.dumps({"filePath": "a.txt", **given}))
    prompt = preview(tmp_path, {"a.txt": "one\ntwo\n", **hook}, turns=(Turn("x", steps=((call,),)),))
    assert message(prompt).partition("\n<PreToolUse-context>")[0] == text


REQUESTS = '<attachment filePath="a.py">\nUser\'s active file for additional context:\none\ntwo\n</attachment>\n'


@pytest.mark.parametrize(
    ("selection", "shown_as", "lines"),
    [
        (None, "", ""),
        (Range(1, 1, 1, 1), "", ""),
        (Range(0, 0, 0, 3), f"one\n```\n</attachment>\n{REQUESTS}", "from line 1 to line 1"),
        (Range(0, 3, 1, 3), f"two\n```\n</attachment>\n{REQUESTS}", "from line 1 to line 2"),
        (Range(0, 0, 2, 0), "one\ntwo\n```\n</attachment>\n", "from line 1 to line 3"),
    ],
)
def test_what_is_selected(tmp_path: Path, selection: Range | None, shown_as: str, lines: str) -> None:
    path = str(tmp_path / "folder" / "a.py")
    prompt = preview(tmp_path, {"a.py": "one\ntwo\n"}, turns=(Turn("x", open=(OpenFile(path, selection),)),))
    text = message(prompt).replace(path, "a.py")
    assert text.partition("```python\n")[2].partition("\n</attachments>")[0] == shown_as
    assert ("The current selection is" in text, lines in text) == (bool(lines), True)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (2, ""),
        (3, "..."),
        (7, "..."),
        (8, "a.md ..."),
        (10, "a.md ..."),
        (11, "a.md bb/ f/"),
        (15, "a.md bb/ f/"),
        (16, "a.md bb/ >... f/"),
        (21, "a.md bb/ >... f/ >..."),
        (22, "a.md bb/ >c.md >dd/ f/"),
        (27, "a.md bb/ >c.md >dd/ f/ >..."),
        (28, "a.md bb/ >c.md >dd/ f/ >g.md"),
        (33, "a.md bb/ >c.md >dd/ f/ >g.md"),
        (34, "a.md bb/ >c.md >dd/ >>... f/ >g.md"),
        (35, "a.md bb/ >c.md >dd/ >>e.md f/ >g.md"),
    ],
)
def test_as_much_of_a_tree_as_fits(tmp_path: Path, limit: int, text: str) -> None:
    names = ("a.md", "bb/c.md", "bb/dd/e.md", "f/g.md", ".h", "i.png", "dist/x.js", "yarn.lock")
    top = lay_out(tmp_path / "top", dict.fromkeys(names, ""), git=False)
    shows = tree(Host(home=str(tmp_path), env={}), str(top), limit, dot=False)
    assert shows.replace("\n", " ").replace("\t", ">") == text


@pytest.mark.parametrize(("limit", "text"), [(5, "a ..."), (6, "a ..."), (7, "a b ..."), (9, "a b c d e")])
def test_three_dots_take_the_place_of_short_names(tmp_path: Path, limit: int, text: str) -> None:
    top = lay_out(tmp_path / "top", dict.fromkeys("abcde", ""), git=False)
    assert tree(Host(home=str(tmp_path), env={}), str(top), limit, dot=False).replace("\n", " ") == text


def test_a_fence_is_longer_than_those_of_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    files: Files = {"a.md": "\ufeff```\nx\n"}
    prompt = preview(tmp_path, files, agent="edit", turns=(Turn("x", attached=(f"{tmp_path}/folder/a.md",)),))
    assert "````markdown\n<!-- filepath: " in message(prompt)


def test_earlier_prompts_in_ask_mode(tmp_path: Path) -> None:
    turns = (Turn("one"), Turn("two"), Turn("three"))
    prompt = preview(tmp_path, {}, agent="ask", model="gpt-5", turns=turns)
    assert [(each.role, each.index, each.at) for each in prompt.messages] == [
        ("system", 0, "start"),
        ("user", 1, "start"),
        ("user", 3, "turn:2"),
        ("user", 5, "turn:3"),
    ]
    assert [message(prompt, at) for at in (1, 2, 3)] == ["one", "two", "<prompt>\nthree\n</prompt>"]
    longer = preview(tmp_path / "longer", {}, agent="ask", model="gpt-5-mini", turns=turns)
    first, second = (each.messages[0].segments[0].elided for each in (prompt, longer))
    assert first is not None
    assert second is not None
    # It names the model twice.
    assert (second.size or 0) - (first.size or 0) == 2 * len("-mini")


def test_names_are_written_in_their_own_letters(tmp_path: Path) -> None:
    files: Files = {"ü/é.py": "1", ".vscode/tasks.json": {"tasks": [{"label": "ö", "type": "x"}]}}
    attached = (f"{tmp_path}/folder/ü/é.py",)
    prompt = preview(tmp_path, files, model="gpt-5", turns=(Turn("x", attached=attached),))
    assert f'<attachment id="é.py" filePath="{tmp_path}/folder/ü/é.py">' in message(prompt)
    assert '<task id="x: ö">\n{\n\t"label": "ö",' in message(prompt, 1)


def test_claude_local_md_is_read_beside_the_workspace_only(tmp_path: Path) -> None:
    names = ("CLAUDE.local.md", ".claude/CLAUDE.local.md", "~/.claude/CLAUDE.local.md", "~/CLAUDE.local.md")
    prompt = preview(tmp_path, {name: f"of {name}" for name in names})
    assert [each.text for each in segments(prompt) if each.text.startswith("of ")] == ["of CLAUDE.local.md"]


def test_links_that_are_not_followed_lead_no_further(tmp_path: Path) -> None:
    files: Files = {
        ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\n[x](../b.instructions.md)",
        ".github/b.instructions.md": "[x](c.md)",
        ".github/c.md": "c",
    }
    assert outcomes(preview(tmp_path, files), "/b.instructions.md", "/c.md") == ["b.instructions.md disabled"]


def test_what_the_model_says_takes_a_place_before_each_step_and_after_the_last(tmp_path: Path) -> None:
    call = Call(tool="x", input="{}")
    turns = (Turn("one", steps=((call, call), (call,))), Turn("two", steps=((call,),)), Turn("three"))
    found = [(each.role, each.index) for each in preview(tmp_path, {}, turns=turns).messages]
    assert found[:3] == [("system", 0), ("user", 1), ("user", 2)]
    assert found[3:] == [("tool", 4), ("tool", 5), ("tool", 7), ("user", 9), ("tool", 11), ("user", 13)]


@pytest.mark.parametrize("hooks", ["{}", '{"hooks": {}}', '{"hooks": 1}', "[]", '{"hooks": {"SessionStart": [{}]}}'])
def test_a_file_of_hooks_without_a_command(tmp_path: Path, hooks: str) -> None:
    prompt = preview(tmp_path, {".github/hooks/h.json": hooks, ".vscode/mcp.json": "[]"})
    assert outcomes(prompt, "/h.json", "/mcp.json") == ["h.json loaded", "mcp.json empty"]
    assert ("output of the SessionStart hook" in message(prompt)) is ("SessionStart" in hooks)


def test_places_that_are_neither_on_nor_off(tmp_path: Path) -> None:
    places: dict[str, object] = {"docs": 1, " ": True, " more ": " TRUE ", "less": "false", "none": None}
    files: Files = {
        f"{place}/a.instructions.md": "---\napplyTo: '**'\n---\n" for place in ("docs", "more", "less", "none")
    }
    files[".vscode/settings.json"] = {"chat.instructionsFilesLocations": places}
    prompt = preview(tmp_path, files)
    assert outcomes(prompt, "/a.instructions.md", "/docs", "/more", "/less", "/none", "/folder") == [
        "less disabled",
        "a.instructions.md loaded",
    ]
    assert "/more/a.instructions.md</file>" in message(prompt, 0)


def test_patterns_of_places_begin_below_the_folder_whatever_it_is_called(tmp_path: Path) -> None:
    names = ("docs/a", "docs/below/b", "more/x/c", "more/x/below/d")
    files: Files = {f"{name}.instructions.md": f"---\napplyTo: '**'\n---\n{name}" for name in names}
    places: dict[str, object] = {"docs/*": True, "more/*/*.md": True}
    files[".vscode/settings.json"] = {"chat.instructionsFilesLocations": places}
    found = outcomes(preview(tmp_path / "[x]", files), ".instructions.md")
    assert found == ["a.instructions.md loaded", "c.instructions.md loaded"]


def test_a_folder_without_skill_md_is_no_skill(tmp_path: Path) -> None:
    files: Files = {f".github/skills/{name}": "x" for name in ("a/skill.md", "b/c/SKILL.md", "SKILL.md")}
    assert outcomes(preview(tmp_path, files), "/SKILL.md") == []


def test_tasks_that_are_all_hidden_are_not_named(tmp_path: Path) -> None:
    hidden: dict[str, object] = {"tasks": [{"label": "a", "type": "x", "hide": True}]}
    assert "<workspaceFolder" not in message(preview(tmp_path, {".vscode/tasks.json": hidden}, model="gpt-5"), 1)


def test_with_some_tools_nobody_knows_how_long_the_own_text_is_around_a_server(tmp_path: Path) -> None:
    files: Files = {
        ".github/agents/x.agent.md": "---\ntools: [search]\n---\nx",
        ".vscode/mcp.json": {"servers": {"s": {"command": "c"}}},
    }
    prompt = preview(tmp_path, files, agent="x", model="gpt-5")
    own = [each.elided.size for each in segments(prompt) if each.title.startswith("system prompt") and each.elided]
    assert own == [None, None]


def test_a_repository_in_the_home_directory_does_not_count_for_folders_below(tmp_path: Path) -> None:
    files: Files = {
        "AGENTS.md": "of the home directory",
        ".git/HEAD": "",
        "p/AGENTS.md": "of the folder",
        "p/.vscode/settings.json": {"chat.useCustomizationsInParentRepositories": True},
    }
    home = lay_out(tmp_path, files, git=False)
    for directory, texts in (
        (home, ["of the folder"]),
        (tmp_path / "elsewhere", ["of the home directory", "of the folder"]),
    ):
        prompt = harnesses.preview(Session("copilot-vscode", f"{home}/p"), Host(home=str(directory), env={}))
        assert [each.text for each in segments(prompt) if each.text.startswith("of ")] == texts


def test_a_document_that_is_open_and_not_saved_is_read(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a.py": "1"})
    host = Host(home="/h", env={}, buffers=Buffers({f"{folder}/AGENTS.md": "Use tabs."}))
    prompt = harnesses.preview(Session("copilot-vscode", str(folder)), host)
    assert text_of(prompt, "AGENTS.md") == "Use tabs."


def test_an_attached_folder_shows_names_with_a_dot(tmp_path: Path) -> None:
    attached = (f"{tmp_path}/folder/d",)
    prompt = preview(tmp_path, {"d/.h": "", "d/a": ""}, turns=(Turn("x", attached=attached),))
    assert "structure: ```\n.h\na\n```" in message(prompt)


def test_a_tree_of_what_is_left_out_anyway_is_empty(tmp_path: Path) -> None:
    top = lay_out(tmp_path / "Dist" / "a", {"b.md": ""}, git=False)
    assert tree(Host(home=str(tmp_path), env={}), str(top), 100, dot=False) == ""


def test_names_with_a_dot_are_in_the_tree_of_an_attached_folder(tmp_path: Path) -> None:
    top = lay_out(tmp_path / "top", {".h": "", ".png": "", "j": ""}, git=False)
    assert tree(Host(home=str(tmp_path), env={}), str(top), 100, dot=True) == ".h\n.png\nj"


def test_a_text_without_its_tags() -> None:
    texts = ("a <b>c</b> < d", "<>", "a", "<a>", "x>y<z")
    assert [without_tags(each) for each in texts] == ["a c < d", "<>", "a", "", "x>y<z"]


@pytest.mark.parametrize(
    ("size", "kept", "becomes"),
    [
        (197, 198, ["a.md loaded", "b.md cut"]),
        (198, 199, ["a.md loaded", "b.md dropped"]),
        (199, 199, ["a.md cut", "b.md dropped"]),
    ],
)
def test_200_lines_of_notes(tmp_path: Path, size: int, kept: int, becomes: list[str]) -> None:
    notes = "~/ud/User/globalStorage/github.copilot-chat/memory-tool/memories"
    files: Files = {f"{notes}/a.md": "x\n" * size, f"{notes}/b.md": "y", f"{notes}/.c": "y", f"{notes}/d/e": "y"}
    prompt = preview(tmp_path, files, args=("--user-data-dir", "../home/ud"))
    assert len(text_of(prompt, "a.md").split("\n")) == kept
    assert outcomes(prompt, "memories/a.md", "memories/b.md", "memories/.c", "memories/d") == becomes


@pytest.mark.parametrize(
    ("entries", "offered"),
    [
        ("[]", ""),
        ("[search]", "file_search grep_search list_dir read_file vscode_listCodeUsages"),
        ("[search/fileSearch]", "file_search"),
        ("[fileSearch]", "file_search"),
        ("[read_file]", "read_file"),
        ("nothing", ""),
        ("'fileSearch, agent'", "file_search runSubagent"),
        ("[agent, browser/x]", "runSubagent"),
    ],
)
def test_the_tools_that_an_agent_asks_for(tmp_path: Path, entries: str, offered: str) -> None:
    files: Files = {".github/agents/x.agent.md": f"---\ntools: {entries}\n---\nx"}
    prompt = preview(tmp_path, files, agent="x", model="gpt-5")
    always = "session_store_sql"
    assert " ".join(each.name for each in prompt.tools or () if each.enabled and each.name != always) == offered


@pytest.mark.parametrize(("entries", "number"), [("['*']", 40), ("null", 40)])
def test_an_agent_that_asks_for_all_tools(tmp_path: Path, entries: str, number: int) -> None:
    files: Files = {".github/agents/x.agent.md": f"---\ntools: {entries}\n---\nx"}
    assert sum(each.enabled for each in preview(tmp_path, files, agent="x", model="gpt-5").tools or ()) == number


def test_tasks_as_json(tmp_path: Path) -> None:
    every: dict[str, object] = {
        "tasks": [
            {
                "label": "a",
                "type": "shell",
                "args": [1, 2.0, 2.5, True, None, {"x": []}],
                "command": "c",
                "presentation": {},
                "problemMatcher": [],
                "windows": {"command": "w"},
                "linux": {"command": "l"},
            },
            {"dependsOn": "a"},
            {"label": "hidden", "type": "x", "hide": True},
            {"label": "shown", "type": "x", "hide": False},
            {"label": "without a type"},
        ]
    }
    prompt = preview(tmp_path, {".vscode/tasks.json": every}, model="gpt-5")
    assert {each.title: json.loads(each.text) for each in segments(prompt) if each.title.startswith("task ")} == {
        "task a": {"label": "a", "type": "shell", "args": [1, 2, 2.5, True, None, {"x": []}], "command": "l"},
        "task 1": {"dependsOn": "a"},
        "task shown": {"label": "shown", "type": "x", "hide": False},
    }
    assert '<task id="shell: a">' in message(prompt, 1)
    assert '<task id="1">' in message(prompt, 1)
    assert '\t"args": [\n\t\t1,\n\t\t2,\n\t\t2.5,' in message(prompt, 1)


def rows(tmp_path: Path, size: int) -> Files:
    """15 skills whose rows are of so many characters."""
    top = tmp_path / "folder" / ".github" / "skills"
    frame = "<skill>\n<name></name>\n<description></description>\n<file></file>\n</skill>\n"
    names = [f"s{number:02}" for number in range(15)]
    left = size - sum(len(frame) + len(each) + len(f"{top}/{each}/SKILL.md") for each in names)
    sizes = dict.fromkeys(names, left // 15)
    sizes["s14"] += left % 15
    return {f".github/skills/{name}/SKILL.md": f"---\ndescription: {'x' * size}\n---\n" for name, size in sizes.items()}


@pytest.mark.parametrize(("more", "listed"), [(0, True), (1, False)])
def test_rows_of_skills_where_there_is_a_tool_for_them(tmp_path: Path, more: int, *, listed: bool) -> None:
    prompt = preview(tmp_path, {**rows(tmp_path, 15_000 + more), **SKILL_TOOL}, model="gpt-5")
    assert outcomes(prompt, "/s14/SKILL.md") == [f"SKILL.md {'loaded' if listed else 'dropped'}"]


@pytest.mark.parametrize(
    ("more", "named"), [(0, []), (1, ["chronicle"]), (540 + 1, ["agent-customization", "chronicle"])]
)
def test_the_rows_of_the_programs_own_skills_come_last(tmp_path: Path, more: int, named: list[str]) -> None:
    own = sum(size + len("\n") for size in (1265, 301, 1173, 539))
    prompt = preview(tmp_path, {**rows(tmp_path, 15_000 - own + more), **SKILL_TOOL}, model="gpt-5")
    said = [each.text for each in segments(prompt) if each.title == "names of further skills"]
    assert said == [f"Additional skills available (invoke by name): {', '.join(named)}\n"] * bool(named)


def test_names_of_skills_without_a_row(tmp_path: Path) -> None:
    """82 names of 59 letters, with what is between them, are 5000 characters."""
    names = [f"{number:03}" + "x" * 56 for number in range(160)]
    files: Files = {f".github/skills/{each}/SKILL.md": f"---\ndescription: {'d' * 900}\n---\n" for each in names}
    prompt = preview(tmp_path, {**files, **SKILL_TOOL}, model="gpt-5")
    (text,) = [each.text for each in segments(prompt) if each.title == "names of further skills"]
    kept = text.removeprefix("Additional skills available (invoke by name): ").partition("...")[0].split(", ")
    rows = sum(each.endswith(" loaded") for each in outcomes(prompt, "/SKILL.md"))
    assert kept == names[rows : rows + 82]
    # The program's own four come last.
    assert text.endswith(f"... and {160 - rows - 82 + 4} more\n")


@pytest.mark.parametrize(
    ("package", "version"), [('{"version": "0.67.0"}', "0.67.0"), ("{}", None), ("", None), (None, None)]
)
def test_the_version_of_a_copy_of_code_server(tmp_path: Path, package: str | None, version: str | None) -> None:
    files: Files = {"code/bin/code-server": ""}
    if package is not None:
        files["code/lib/vscode/extensions/copilot/package.json"] = package
    top = lay_out(tmp_path / "top", files, git=False)
    (top / "linked").symlink_to(top / "code" / "bin" / "code-server")
    assert PROGRAM.find_version is not None
    assert PROGRAM.find_version(Host(home=str(tmp_path), env={}), str(top / "linked")) == version


def test_a_comment_changes_nothing(tmp_path: Path) -> None:
    scenario = read(HERE / "copilot-vscode" / "everything-as-sent.txt")
    folder, home = cases.lay_out(scenario, tmp_path)
    for path in (each for each in tmp_path.rglob("*") if each.suffix in (".json", ".code-workspace")):
        path.write_text("// a comment\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert cases.texts(cases.preview(scenario, folder, home), folder, home) == scenario.sections["text"]
