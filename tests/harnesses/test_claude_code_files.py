"""What Claude Code makes of the files that it reads, near the edges of each rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import GitState, Session, Turn
from promptls.core.sizes import sizes
from promptls.harnesses.claude_code.files.instruction_text import recognised, sent
from promptls.harnesses.claude_code.git_status import TRUNCATED
from promptls.harnesses.claude_code.setup import main_checkout
from promptls.harnesses.claude_code.versions import NEWEST
from tests.folder import lay_out
from tests.harnesses.shown import Files, outcomes, preview, segments, text_of, titles
from tests.path_sizes import without_memory

pytestmark = pytest.mark.same_everywhere
BOM = b"\xef\xbb\xbf"
HOOK = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo x"}]}]}
SETTINGS: dict[str, object] = {"language": "Latin", "outputStyle": "o", "hooks": HOOK}
SETTINGS |= {"enabledPlugins": {"far@market": True, "kept@none": True}, "skillListingBudgetFraction": 0.0025}
SETTINGS_FILE = ".claude/settings.json"
# A file of each kind but instruction files, which may send the mark.
EVERY_KIND: Files = {
    SETTINGS_FILE: SETTINGS,
    ".mcp.json": {"mcpServers": {"m": {"command": "m"}}},
    "~/.claude.json": {"mcpServers": {"u": {"command": "u"}}, "skillUsage": {"seldom": {"usageCount": 9}}},
    ".claude/agents/a.md": "---\nname: a\ndescription: A.\nmemory: project\n---\nAgent.",
    ".claude/agent-memory/a/MEMORY.md": "Remember.",
    ".claude/skills/often/SKILL.md": f"---\ndescription: {'o' * 900}\n---\nOften.",
    ".claude/skills/seldom/SKILL.md": f"---\ndescription: {'s' * 900}\n---\nSeldom.",
    ".claude/skills/bare/SKILL.md": "Without front matter.",
    ".claude/commands/c.md": "---\ndescription: C.\n---\nCommand.",
    ".claude/output-styles/o.md": "---\nname: o\n---\nStyle.",
    ".claude/workflows/w.js": "export const meta = {name: 'w', description: 'W.'}",
    "plug/.claude-plugin/plugin.json": {"name": "p", "commands": ["./own"]},
    "plug/own/x.md": "---\ndescription: X.\n---\nx",
    "plug/agents/b.md": "---\nname: b\ndescription: B.\n---\nb",
    "plug/hooks/hooks.json": {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo y"}]}]}},
    "plug/output-styles/s.md": "---\nname: s\n---\ns",
    "~/.claude/plugins/installed_plugins.json": {"plugins": {"kept@none": [{"installPath": "${FOLDER}/kept"}]}},
    "~/.claude/plugins/known_marketplaces.json": {
        "market": {"source": {"source": "directory", "path": "${FOLDER}/market"}}
    },
    "market/.claude-plugin/marketplace.json": {"plugins": [{"name": "near"}, {"name": "far", "source": "./far"}]},
    "market/far/commands/f.md": "---\ndescription: F.\n---\nf",
    "kept/commands/k.md": "---\ndescription: K.\n---\nk",
    "prompt.txt": "Appended.",
    "a.txt": "text",
}
ARGS = ("--plugin-dir", "plug", "--append-system-prompt-file", "prompt.txt", "--agent", "a")


def data_of(top: Path, text: object) -> bytes:
    """The bytes of a file below ``top``; its paths are those of the folder."""
    text = text if isinstance(text, str) else json.dumps(text)
    return text.replace("${FOLDER}", str(top / "folder")).encode()


def shown(top: Path, files: Files) -> list[str]:
    return titles(preview(top, "claude-code", files, args=ARGS, turns=(Turn("/c @a.txt"),)), top)


def test_a_byte_order_mark_changes_nothing_of_the_style_of_a_plugin(tmp_path: Path) -> None:
    files: Files = {
        "plug/output-styles/s.md": BOM + b"---\nname: s\n---\nStyle.",
        SETTINGS_FILE: {"outputStyle": "plug:s"},
    }
    prompt = preview(tmp_path, "claude-code", files, args=ARGS[:2])
    assert [each.text for each in segments(prompt) if each.title == "output style plug:s"] == ["Style."]


def every_kind(top: Path, before: bytes = b"") -> Files:
    return {name: before + data_of(top, text) for name, text in EVERY_KIND.items()}


def test_a_byte_order_mark_changes_nothing_of_any_other_file(tmp_path: Path) -> None:
    plain = shown(tmp_path / "plain", every_kind(tmp_path / "plain"))
    assert shown(tmp_path / "marked", every_kind(tmp_path / "marked", BOM)) == plain
    # Each of the files has its part in it.
    wanted = (
        "prompt of agent a|MEMORY.md|prompt.txt|language|output style o|UserPromptSubmit|echo y|agent p:b|of m|of u"
    )
    wanted += "|skill bare|skill seldom|command c|workflow w|p:x|far:f|kept:k"
    assert [each for each in wanted.split("|") if not any(each in line for line in plain)] == []
    assert not any("skill often" in line for line in plain)


# Of a plugin whose manifest is no JSON nothing is loaded: that is a test of its own.
@pytest.mark.parametrize("name", [name for name in EVERY_KIND if name.endswith(".json") and "plugin.json" not in name])
def test_a_file_of_json_with_a_comment_is_not_read(tmp_path: Path, name: str) -> None:
    places = [tmp_path / each for each in ("plain", "commented", "without")]
    plain, commented, without = map(every_kind, places)
    commented[name] = b"// a comment\n" + data_of(places[1], EVERY_KIND[name])
    del without[name]
    found = [shown(*each) for each in zip(places, (plain, commented, without), strict=True)]
    assert found[1] == found[2]
    assert found[0] != found[1]


def test_settings_on_the_command_line_have_no_comment(tmp_path: Path) -> None:
    plain = titles(preview(tmp_path / "1", "claude-code", {}), tmp_path / "1")
    for number, text in enumerate(('{"language": "Latin" // a comment\n}', ' {"language": "Latin"}'), 2):
        top = tmp_path / str(number)
        prompt = preview(top, "claude-code", {}, args=("--settings", text))
        failed = [each for each in prompt.candidates if each.outcome == "failed"]
        assert [(each.origin.name, each.reason) for each in failed] == [("--settings", "it is not valid JSON")] * (
            number == 2
        )
        assert (titles(prompt, top) == plain) == (number == 2)


@pytest.mark.parametrize(
    ("text", "is_link"),
    [
        ("[r]: u\n\n[@a.md][r]", True),
        ("[@a.md][r]\n\n[r]: u", True),
        ("<!-- c -->\n[r]: u\n\n[@a.md][r]", True),
        ("# h\n[r]: u\n\n[@a.md][r]", True),
        # A definition does not end a paragraph.
        ("a\n[r]: u\n\n[@a.md][r]", False),
        ("b\n\na\n[r]: u\n\n[@a.md][r]", False),
        ("`c`\n\n[@a.md][r]\n\n    [r]: u", False),
    ],
)
def test_what_defines_a_link(text: str, is_link: bool) -> None:
    assert [target for _, _, target in recognised(text)] == ["a.md"] * is_link


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[r]: u\n\na\n\n<!-- c -->\n", "a\n\n"),
        ("<!-- c -->\n[r]: u\na", "a"),
        ("a\n[r]: u\n\n<!-- c -->\n", "a\n[r]: u\n\n"),
        ("a\n\n[r]: u\n", "a\n\n[r]: u\n"),
    ],
)
def test_a_definition_goes_where_a_comment_is(text: str, left: str) -> None:
    """In 2.1.318 (wire: link-definitions-v318)."""
    whole, kept = sent(text, drops_definitions=True)
    assert "".join(whole[start:end] for start, end in kept) == left


@pytest.mark.parametrize(
    ("pointer", "main"),
    [
        ("gitdir: /r/.git/worktrees/w\n", "/r"),
        ("gitdir: ../.git/worktrees/w", "{top}"),
        ("gitdir: /r/.git/modules/w\n", None),
        ("gitdir: /bare.git/worktrees/w\n", None),
        ("", None),
    ],
)
def test_the_main_checkout_of_a_worktree(tmp_path: Path, pointer: str, main: str | None) -> None:
    """A submodule and a worktree of a bare repository have none."""
    lay_out(tmp_path, {"w/.git": pointer}, git=False)
    found = main_checkout(Host(home="/", env={}), str(tmp_path / "w"))
    assert found == (main and main.format(top=tmp_path))


def git_status(top: Path, status: str) -> str:
    host = Host(home=str(top), env={}, git=lambda _: GitState("main", "main", None, status, "c"))
    prompt = harnesses.preview(Session("claude-code", str(lay_out(top / "w", {}))), host)
    text = "".join(each.text for each in segments(prompt))
    return text.partition("Status:\n")[2].partition("\n\nRecent commits:")[0]


@pytest.mark.parametrize(
    ("status", "shown"), [("x" * 2000, "x" * 2000), ("x" * 2001, "x" * 2000 + TRUNCATED), ("", "(clean)")]
)
def test_the_state_of_git_is_cut(tmp_path: Path, status: str, shown: str) -> None:
    assert git_status(tmp_path, status) == shown


@pytest.mark.parametrize(
    ("text", "says", "place"),
    [
        ("", "Skill", (0, 0, 0, 0)),
        ("---\nname: b\n---\n", "Skill", (3, 0, 3, 0)),
        ("---\ndescription: ''\n---\n\n # B\nmore", "B", (4, 1, 4, 4)),
        ("---\ndescription: d\nwhen_to_use: w\n---\nb", "d - w", (1, 13, 1, 14)),
        ("---\nwhen_to_use: w\n---\nb", "b - w", (3, 0, 3, 1)),
    ],
)
def test_the_words_of_a_skill_and_where_they_stand(
    tmp_path: Path, text: str, says: str, place: tuple[int, int, int, int]
) -> None:
    prompt = preview(tmp_path, "claude-code", {".claude/skills/a/SKILL.md": text})
    (words,) = [each for each in segments(prompt) if each.title == "skill a"]
    assert words.text == says
    where = words.origin.range
    assert where
    assert (where.start_line, where.start_character, where.end_line, where.end_character) == place


@pytest.mark.parametrize(("less", "is_whole"), [(0, True), (1, False)])
def test_the_words_of_a_skill_that_just_fit(tmp_path: Path, less: int, is_whole: bool) -> None:
    """The program's own keep their words, but for the two at the end; every line but the last has an end."""
    own = [len(f"- {each.name}: ") + each.size - each.breaks for each in NEWEST.built_in_skills]
    alone = [len(f"- {name}") for name in ("large", *(each.name for each in NEWEST.late_skills))]
    room = sum(own) + sum(alone) + len("- a: ") + 100 + len(own) + len(alone)
    files: Files = {
        f".claude/skills/{name}/SKILL.md": "---\ndescription: " + "d" * size + "\n---\n"
        for name, size in (("a", 100), ("large", 1500))
    }
    prompt = preview(tmp_path, "claude-code", files, env={"SLASH_COMMAND_TOOL_CHAR_BUDGET": str(room - less)})
    assert any(each.title == "skill a" for each in segments(prompt)) is is_whole
    assert not any(each.title == "skill large" for each in segments(prompt))


def test_how_often_a_skill_was_used_may_be_unknown(tmp_path: Path) -> None:
    skill = f"---\ndescription: {'d' * 900}\n---\n"
    usage = {"a": {}, "b": {"usageCount": "many"}, "c": {"usageCount": 1}, "d": 3}
    files: Files = {f".claude/skills/{name}/SKILL.md": skill for name in "abcd"}
    files |= {"~/.claude.json": {"skillUsage": usage}, ".claude/settings.json": {"skillListingBudgetFraction": 0.0025}}
    prompt = preview(tmp_path, "claude-code", files)
    assert [each.title for each in segments(prompt) if each.title.startswith("skill ")] == ["skill c"]


def test_a_worktree_inside_of_its_repository_has_its_own_files(tmp_path: Path) -> None:
    """The specification names it: worktree-inside-repo."""
    files: Files = {name: name for name in ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/r.md")}
    main = lay_out(tmp_path / "main", {**files, ".git/worktrees/w/HEAD": "ref: x"}, git=False)
    worktree = lay_out(
        main / ".claude" / "worktrees" / "w",
        {"CLAUDE.md": "own", ".git": f"gitdir: {main}/.git/worktrees/w"},
        git=False,
    )
    lay_out(tmp_path, {"CLAUDE.md": "above"}, git=False)
    prompt = harnesses.preview(Session("claude-code", str(worktree)), Host(home=str(tmp_path / "home"), env={}))
    found = {
        each.path: (each.outcome, each.other)
        for each in prompt.candidates
        if (each.path or "").startswith(str(tmp_path))
    }
    shadowed = {path for path, (outcome, other) in found.items() if outcome == "shadowed" and other == str(worktree)}
    assert shadowed == {
        f"{main}/{name}" for name in ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules")
    }
    assert [text_of(prompt, name) for name in ("/w/CLAUDE.md", f"{tmp_path}/CLAUDE.md")] == ["own", "above"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("**/*.md", []),
        ("**/.claude/*.md", ["CLAUDE.md", "a.md"]),
        ("**/{CLAUDE,a}.md", []),
        ("**/+(a|b).md", ["CLAUDE.md", ".claude/CLAUDE.md"]),
        ("**/x.md", ["CLAUDE.md", ".claude/CLAUDE.md", "a.md"]),
    ],
)
def test_which_files_a_pattern_leaves_out(tmp_path: Path, pattern: str, left: list[str]) -> None:
    files: Files = {
        SETTINGS_FILE: {"claudeMdExcludes": [pattern]},
        "CLAUDE.md": "root",
        ".claude/CLAUDE.md": "dot",
        "a.md": "a",
    }
    files["CLAUDE.md"] = "root @a.md"
    prompt = preview(tmp_path, "claude-code", files)
    top = f"{tmp_path}/folder/"
    loaded = [
        each.path.removeprefix(top)
        for each in prompt.candidates
        if each.path and each.path.startswith(top) and each.outcome == "loaded"
    ]
    assert [path for path in loaded if path.endswith(".md")] == sorted(
        left, key=["CLAUDE.md", "a.md", ".claude/CLAUDE.md"].index
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<!-- c -->\n", ()),
        ("<!-- c -->\na", ((11, 12),)),
        ("a\n\n<!-- c -->\n", ((0, 3),)),
        ("---\nx: y\n---\n", ()),
        ("", ()),
    ],
)
def test_no_stretch_of_a_text_is_empty(text: str, kept: tuple[tuple[int, int], ...]) -> None:
    assert sent(text) == (text, kept)


@pytest.mark.parametrize(("text", "becomes"), [("a\r\n<!-- open", "a\n<!-- open"), ("a\r\n[b]: c", "a\r\n[b]: c")])
def test_line_ends_of_an_older_version(text: str, becomes: str) -> None:
    """In 2.1.318 a comment, whatever becomes of it, makes them line feeds."""
    assert sent(text, drops_definitions=True)[0] == becomes
    assert sent(text)[0] == text


def test_front_matter_of_instructions_has_no_effect(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "claude-code", {"CLAUDE.md": "---\npaths: src/**\n---\nroot"})
    assert text_of(prompt, "/CLAUDE.md") == "root"


def test_a_link_and_its_file_are_one_row_of_one_file(tmp_path: Path) -> None:
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    for place in (".", "sub"):
        (tmp_path / "folder" / place / "CLAUDE.md").symlink_to("AGENTS.md")
    files: Files = {"AGENTS.md": "root", "sub/AGENTS.md": "sub", "sub/a.py": ""}
    prompt = preview(tmp_path, "claude-code", files, reads=["sub/a.py"])
    rows = [(each.name.removeprefix(str(tmp_path)), each.files) for each in sizes(prompt) if each.kind == "file"]
    assert sorted(rows) == [("/folder/AGENTS.md", 1), ("/folder/sub/AGENTS.md", 1)]


def test_files_that_are_links_and_those_that_link_nowhere(tmp_path: Path) -> None:
    top = tmp_path / "folder" / ".claude"
    lay_out(tmp_path / "folder", {"real.md": "real", ".claude/commands/x": "", ".claude/skills/x": ""}, git=False)
    for name in ("commands/linked.md", "skills/flat.md"):
        (top / name).symlink_to(tmp_path / "folder" / "real.md")
    (top / "commands" / "gone.md").symlink_to(tmp_path / "nowhere")
    prompt = preview(tmp_path, "claude-code", {".claude/workflows/folder.js/x": ""})
    assert outcomes(prompt, ".js") == []
    assert outcomes(prompt, "linked.md", "flat.md", "gone.md") == [
        "flat.md failed",
        "gone.md failed",
        "linked.md loaded",
    ]


@pytest.mark.parametrize(
    ("rules", "notes"), [((), 0), (("a.md",), 0), (("a.md", "b.md"), 1), (("a.md", "b.md", "in/c.md", "in/d.md"), 1)]
)
def test_the_order_of_rules_is_explained_once(tmp_path: Path, rules: tuple[str, ...], notes: int) -> None:
    files: Files = {f"{place}/rules/{name}": name for name in rules for place in (".claude", "~/.claude")}
    prompt = preview(tmp_path, "claude-code", files)
    assert len([each for each in prompt.notes if each.startswith("Rules are sent")]) == notes


def test_its_own_prompt_names_the_directory_of_the_memory(tmp_path: Path) -> None:
    """Seen by verify, with paths of other lengths."""

    def size(directory: str, **more: object) -> int:
        files: Files = {"~/.claude/settings.json": {"autoMemoryDirectory": directory, **more}}
        prompt = preview(tmp_path / str(len([*tmp_path.iterdir()])), "claude-code", files)
        (own,) = (each.elided for each in segments(prompt) if each.title == "own prompt" and each.elided)
        return own.size or 0

    assert size("/memory") - size("/m") == len("emory")
    assert size("/memory", autoMemoryEnabled=False) == size("/m", autoMemoryEnabled=False)


@pytest.mark.parametrize(("keeps", "size"), [("true", 28_279), ("false", 24_958), ("'true'", 24_958), (None, 24_958)])
def test_a_style_may_keep_the_instructions_for_coding(tmp_path: Path, keeps: str | None, size: int) -> None:
    """Sizes of section 5 of the surfaces, without the line break that begins it."""
    front = f"keep-coding-instructions: {keeps}\n" if keeps else ""
    files: Files = {
        SETTINGS_FILE: {"outputStyle": "o"},
        ".claude/output-styles/o.md": f"---\nname: o\n{front}---\nStyle.",
    }
    prompt = preview(tmp_path, "claude-code", files, args=("--model", "claude-sonnet-4-5"))
    own = [each.elided for each in segments(prompt) if each.title == "own prompt" and each.elided]
    assert [without_memory(prompt, each) for each in own] == [size]


def test_only_the_style_that_is_not_chosen_is_named(tmp_path: Path) -> None:
    files: Files = {SETTINGS_FILE: {"outputStyle": "a"}}
    files |= {f".claude/output-styles/{name}.md": f"---\nname: {name}\n---\nStyle." for name in "ab"}
    prompt = preview(tmp_path, "claude-code", files)
    assert sorted(outcomes(prompt, "/a.md", "/b.md")) == ["a.md loaded", "b.md unscoped"]


@pytest.mark.parametrize(
    ("files", "becomes"), [({}, "missing"), ({".claude/agent-memory/a/MEMORY.md": " \n"}, "empty")]
)
def test_the_memory_of_an_agent_may_say_nothing(tmp_path: Path, files: Files, becomes: str) -> None:
    files = {".claude/agents/a.md": "---\nname: a\ndescription: d\nmemory: project\n---\nx", **files}
    prompt = preview(tmp_path, "claude-code", files, agent="a")
    assert outcomes(prompt, "agent-memory/a/MEMORY.md") == [f"MEMORY.md {becomes}"]
    assert "note on an empty memory 85" in titles(prompt, tmp_path)


def test_an_added_directory_that_is_the_folder_itself_adds_no_agent(tmp_path: Path) -> None:
    files: Files = {".claude/agents/a.md": "---\nname: a\ndescription: d\n---\nx", ".claude/agents/b.md/x": ""}
    assert outcomes(preview(tmp_path, "claude-code", files, args=("--add-dir", ".")), "a.md", "b.md") == ["a.md loaded"]


@pytest.mark.parametrize(("is_approved", "becomes"), [(True, "loaded"), (False, "outside")])
def test_an_import_from_outside_needs_an_approval(tmp_path: Path, is_approved: bool, becomes: str) -> None:
    known = {str(tmp_path / "folder"): {"hasClaudeMdExternalIncludesApproved": is_approved}}
    files: Files = {"~/.claude.json": {"projects": known}, "~/x.md": "x", "CLAUDE.md": "@~/x.md"}
    assert outcomes(preview(tmp_path, "claude-code", files), "/home/x.md") == [f"x.md {becomes}"]


def test_a_language_is_named_twice_and_counts_once(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "claude-code", {SETTINGS_FILE: {"language": "Latin"}})
    assert [each.origin.again for each in segments(prompt) if each.title == "language"] == [False, True]


def test_a_tool_that_is_only_named_has_no_size(tmp_path: Path) -> None:
    sizes = {each.name: each.size for each in preview(tmp_path, "claude-code", {}).tools or ()}
    assert [sizes[name] for name in ("WebFetch", "CronList", "DeferredToolPlaceholder", "Write")] == [0, 0, 204, 639]


@pytest.mark.parametrize(("front", "is_listed"), [("", True), ("disable-model-invocation: true\n", False)])
def test_a_skill_for_some_files_is_listed_once_one_is_read(tmp_path: Path, front: str, is_listed: bool) -> None:
    files: Files = {".claude/skills/s/SKILL.md": f"---\npaths: src/**\n{front}---\nGo.", "src/a.ts": "a"}
    prompt = preview(tmp_path, "claude-code", files, reads=["src/a.ts", "src/a.ts"])
    assert [each.text for each in segments(prompt) if each.title == "skill s"] == ["Go."] * is_listed


@pytest.mark.parametrize(
    "given",
    ["gone.json", "comment.json", "none.json", '{"mcpServers": {}, }', "[1]", '{"mcpServers": 1}'],
)
def test_what_names_no_servers_ends_it(tmp_path: Path, given: str) -> None:
    # Claude Code 2.1.330 was started with each of these.
    files: Files = {"comment.json": '{ // c\n"mcpServers": {}}', "none.json": {"a": 1}, "CLAUDE.md": "x"}
    found = preview(tmp_path, "claude-code", files, args=("--mcp-config", given))
    assert found.stopped is not None
    assert "--mcp-config" in found.stopped


@pytest.mark.parametrize("given", ["some.json", '{"mcpServers": {"m": {"command": "m"}}}'])
def test_what_names_servers_does_not(tmp_path: Path, given: str) -> None:
    files: Files = {"some.json": {"mcpServers": {"m": {"command": "m"}}}}
    assert preview(tmp_path, "claude-code", files, args=("--mcp-config", given)).stopped is None


def test_a_plugin_whose_manifest_is_no_json_is_not_loaded(tmp_path: Path) -> None:
    # Claude Code 2.1.330 lists nothing of it.
    files: Files = {
        "plug/.claude-plugin/plugin.json": '{"name": "p" // c\n}',
        "plug/commands/x.md": "---\ndescription: Of the plugin.\n---\nx",
    }
    found = preview(tmp_path, "claude-code", files, args=("--plugin-dir", "plug"))
    assert text_of(found, "x.md") == ""
    assert outcomes(found, "plugin.json") == ["plugin.json failed"]
