from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from promptls.core import specs
from promptls.core.host import Host
from promptls.core.settings import DEFAULT, Settings
from promptls.sessions import of_rule as scoped
from promptls.sessions.explain import explain
from promptls.sessions.explanation import Explanation
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def explanations(
    folder: Path, file: str, settings: Settings = DEFAULT, *, listed: bool = False
) -> dict[str, Explanation]:
    """``listed``: the files of the folder are known, as on the command line; else they are looked for."""
    found = explain(
        str(folder / file),
        lambda: Host(home=str(folder / "home"), env={}),
        str(folder),
        settings=settings,
        list_files=(lambda _: files_of(folder)) if listed else None,
    )
    return {each.harness: each for each in found}


def files_of(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root",
            "CLAUDE.md": "claude",
            "api/AGENTS.md": "api",
            "api/app.py": "x",
            "docs/style.md": "style",
            "etcode.json": {"instructions": ["docs/style.md"]},
        },
    )


def test_loaded_at_start(folder: Path) -> None:
    [use] = explanations(folder, "AGENTS.md")["opencode"].uses
    assert (use.cwd, use.at, use.role) == (str(folder), "start", "system")


def test_loaded_from_its_own_directory_and_on_read(folder: Path) -> None:
    uses = explanations(folder, "api/AGENTS.md")["opencode"].uses
    assert [(use.cwd, use.at, use.role) for use in uses] == [
        (str(folder / "api"), "start", "system"),
        (str(folder), "read", "tool"),
    ]


def test_hidden_by_another_file(folder: Path) -> None:
    explained = explanations(folder, "CLAUDE.md")["opencode"]
    assert explained.uses == ()
    assert (explained.outcome, explained.other) == ("shadowed", str(folder / "AGENTS.md"))
    assert "AGENTS.md exists from here to the worktree root" in explained.why


def test_never_looked_for(folder: Path) -> None:
    explained = explanations(folder, "CLAUDE.md")["etcode"]
    assert explained.uses == ()
    assert explained.why == "etcode does not look for a file of this name in this place"


def test_named_by_a_configuration(folder: Path) -> None:
    assert [use.at for use in explanations(folder, "docs/style.md")["etcode"].uses] == ["start"]
    assert explanations(folder, "docs/style.md")["opencode"].uses == ()


def test_the_harnesses_of_the_workspace_come_first(folder: Path) -> None:
    found = list(explanations(folder, "AGENTS.md").values())
    assert [each.harness for each in found if each.is_found] == ["etcode", "claude-code"]
    assert [each.is_found for each in found[:3]] == [True, True, False]


def test_what_a_change_of_the_file_costs(folder: Path) -> None:
    (folder / "AGENTS.md").write_text("x" * 400, encoding="utf-8")
    [root] = explanations(folder, "AGENTS.md")["etcode"].uses
    [style] = explanations(folder, "docs/style.md")["etcode"].uses
    assert root.of == style.of
    assert style.invalidates < 100 <= root.invalidates < root.of


RULES = {
    "claude-code": (".claude/rules/r.md", "paths", "read"),
    "cursor": (".cursor/rules/r.mdc", "globs", "read"),
    "copilot-cli": (".github/instructions/r.instructions.md", "applyTo", "read"),
    "copilot-vscode": (".github/instructions/r.instructions.md", "applyTo", "start"),
}


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("pattern", ["src/**", "**/*.py", "docs/*.md, src/*.py", "*.py"])
@pytest.mark.parametrize("harness", RULES)
def test_a_rule_for_some_files_is_loaded_when_one_of_these_is_read(
    tmp_path: Path, harness: str, pattern: str, listed: bool
) -> None:
    rule, key, at = RULES[harness]
    folder = lay_out(tmp_path, {rule: f'---\n{key}: "{pattern}"\n---\nrule\n', "src/a.py": "x", "lib/b.md": "y"})
    explained = explanations(folder, rule, listed=listed)[harness]
    if harness == "copilot-cli" and pattern == "*.py":  # what it takes for a match is its own business
        return
    [use] = explained.uses
    assert (use.cwd, use.at, use.scope) == (str(folder), at, pattern)


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("harness", RULES)
def test_a_rule_that_no_file_matches(tmp_path: Path, harness: str, listed: bool) -> None:
    rule, key, _ = RULES[harness]
    folder = lay_out(tmp_path, {rule: f'---\n{key}: "nosuch/**"\n---\nrule\n', "src/a.py": "x"})
    explained = explanations(folder, rule, listed=listed)[harness]
    assert (explained.uses, explained.outcome) == ((), "unscoped")
    assert explained.why == "no file matches “nosuch/**”"


@pytest.mark.parametrize("harness", ["claude-code", "cursor"])
def test_a_rule_of_a_directory_is_for_files_below_it(tmp_path: Path, harness: str) -> None:
    rule, key, _ = RULES[harness]
    text = f'---\n{key}: "src/**"\n---\nrule\n'
    folder = lay_out(tmp_path, {f"app/{rule}": text, "app/src/a.py": "x", "src/b.py": "y", "app/main.py": ""})
    uses = explanations(folder, f"app/{rule}")[harness].uses
    assert {(use.at, use.scope) for use in uses} == {("read", "src/**")}


def test_a_search_for_a_match_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoped, "MOST_ENTRIES", 10)
    many: dict[str, str | bytes | dict[str, object]] = {f"a{number}.txt": "" for number in range(20)}
    rule = '---\npaths: "**/*.py"\n---\nrule\n'
    folder = lay_out(tmp_path, {".claude/rules/r.md": rule, "b/c/d.py": "", **many})
    explained = explanations(folder, ".claude/rules/r.md")["claude-code"]
    assert explained.why == "no file matches “**/*.py”, of the 10 that were looked at"
    assert explanations(folder, ".claude/rules/r.md", listed=True)["claude-code"].uses


def link(folder: Path, name: str, target: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """The commonest recipe: one text, under the names of several programs, in each directory."""
    folder = lay_out(tmp_path / "linked", {"AGENTS.md": "root rules", "sub/AGENTS.md": "rules of sub", "sub/a.py": "x"})
    link(folder, "CLAUDE.md", "AGENTS.md")
    link(folder, "sub/CLAUDE.md", "AGENTS.md")
    return folder


def test_the_target_of_a_link_is_loaded_by_its_name(linked: Path) -> None:
    [use] = explanations(linked, "AGENTS.md")["claude-code"].uses
    assert (use.at, use.by) == ("start", f"as the target of the link {linked}/CLAUDE.md")
    uses = explanations(linked, "sub/AGENTS.md")["claude-code"].uses
    assert [use.at for use in uses] == ["start", "read"]


@pytest.mark.parametrize("harness", ["opencode", "codex", "copilot-cli", "cursor"])
def test_a_link_is_loaded_by_the_name_of_its_target(linked: Path, harness: str) -> None:
    [use] = explanations(linked, "CLAUDE.md")[harness].uses
    assert (use.at, use.by) == ("start", f"as a link to {linked}/AGENTS.md")


def test_by_its_own_name_nothing_is_said_of_links(linked: Path) -> None:
    assert [use.by for use in explanations(linked, "CLAUDE.md")["claude-code"].uses] == [None]
    assert [use.by for use in explanations(linked, "AGENTS.md")["opencode"].uses] == [None]


def test_links_of_links_of_directories_and_out_of_the_folder(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"docs/team/rules.md": "rules", "a.py": ""})
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/all.md").write_text("shared rules", encoding="utf-8")
    link(folder, "CLAUDE.md", "GEMINI.md")
    link(folder, "GEMINI.md", "AGENTS.md")
    link(folder, "AGENTS.md", "docs/team/rules.md")
    link(folder, ".claude/rules", "../docs/team")
    link(folder, ".github/copilot-instructions.md", "../../shared/all.md")
    [target] = explanations(folder, "docs/team/rules.md")["codex"].uses
    assert target.by == f"as the target of the link {folder}/AGENTS.md"
    [link_of_link] = explanations(folder, "CLAUDE.md")["opencode"].uses
    assert link_of_link.by == f"as the same file as {folder}/AGENTS.md"
    assert explanations(folder, "docs/team/rules.md")["claude-code"].uses
    [outside] = explanations(folder, ".github/copilot-instructions.md")["copilot-cli"].uses
    assert outside.by is None


def test_a_file_in_pieces_is_loaded_once(tmp_path: Path) -> None:
    text = "".join(f"Rule {number}\n<!-- why -->\nand more\n" for number in range(25))
    folder = lay_out(tmp_path, {"CLAUDE.md": text})
    assert len(explanations(folder, "CLAUDE.md")["claude-code"].uses) == 1


@pytest.mark.parametrize(
    ("harness", "file", "says"),
    [
        ("cursor", ".cursor/mcp.json", "MCP servers"),
    ],
)
def test_what_no_preview_shows_yet_is_not_said_to_be_left_out(
    tmp_path: Path, harness: str, file: str, says: str
) -> None:
    folder = lay_out(tmp_path, {file: "---\nname: x\ndescription: y\n---\ntext\n"})
    explained = explanations(folder, file)[harness]
    assert explained.is_read
    assert explained.outcome == "unshown"
    assert "reads this file, which promptls does not show yet" in explained.why
    assert says in explained.why


@pytest.mark.parametrize(
    ("harness", "file"),
    [
        ("opencode", ".claude/skills/x/SKILL.md"),
        ("gemini-cli", ".gemini/skills/x/SKILL.md"),
        ("copilot-cli", ".github/agents/x.agent.md"),
    ],
)
def test_a_skill_is_listed(tmp_path: Path, harness: str, file: str) -> None:
    folder = lay_out(tmp_path, {file: "---\nname: x\ndescription: y\n---\ntext\n"})
    [use] = explanations(folder, file)[harness].uses
    assert (use.at, use.layer) == ("start", "tools")


@pytest.mark.parametrize(("harness", "file"), [("opencode", ".opencode/command/x.md")])
def test_a_command_is_read_before_it_is_called(tmp_path: Path, harness: str, file: str) -> None:
    explained = explanations(lay_out(tmp_path, {file: "text\n"}), file)[harness]
    assert explained.is_read
    assert explained.outcome == "loaded"


@pytest.mark.parametrize(
    ("harness", "file"),
    [
        ("claude-code", ".claude/skills/x/y/SKILL.md"),
        ("claude-code", "skills/x/SKILL.md"),
        ("codex", ".mcp.json"),
        ("codex", ".claude/skills/x/SKILL.md"),
        ("gemini-cli", ".claude/skills/x/SKILL.md"),
        ("opencode", ".claude/commands/x.md"),
        ("copilot-cli", ".vscode/mcp.json"),
    ],
)
def test_what_a_harness_does_not_look_at(tmp_path: Path, harness: str, file: str) -> None:
    folder = lay_out(tmp_path, {file: "text\n"})
    assert explanations(folder, file)[harness].outcome == "excluded"


def test_a_configuration_is_read_and_its_text_is_not_sent(folder: Path) -> None:
    explained = explanations(folder, "etcode.json")["etcode"]
    assert explained.is_read
    assert explained.outcome == "loaded"


@pytest.mark.parametrize("rare", [each.name for each in specs.every() if each.is_rare])
def test_rare_harnesses_stand_in_nobodys_way(tmp_path: Path, rare: str) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules", "CLAUDE.md": "rules"})
    assert rare not in explanations(folder, "AGENTS.md")
    assert explanations(folder, "AGENTS.md", Settings(harnesses=(rare,)))[rare].is_found
    assert rare in explanations(folder, "AGENTS.md", Settings(harness=rare))
    assert rare in explanations(lay_out(folder, {f"{specs.of(rare).evidence[0]}/x": ""}, git=False), "AGENTS.md")


def test_a_file_that_is_named_elsewhere_in_the_folder(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path,
        {
            "docs/style.md": "style",
            "apps/web/CLAUDE.md": "@../../docs/style.md\n",
            "apps/web/a.ts": "",
            "CLAUDE.md": "x",
        },
    )
    uses = explanations(folder, "docs/style.md", listed=True)["claude-code"].uses
    assert uses
    assert explanations(folder, "docs/style.md")["claude-code"].uses == ()


def test_sizes_that_are_not_known_are_named(folder: Path) -> None:
    [use] = explanations(folder, "AGENTS.md", Settings(harness="opencode"))["opencode"].uses
    assert use.is_at_least
    assert use.of > 0


def test_a_command_that_waits_for_its_call_is_offered(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {".github/prompts/tag.prompt.md": "---\ndescription: y\n---\ntext\n"})
    explained = explanations(folder, ".github/prompts/tag.prompt.md")["copilot-vscode"]
    assert explained.is_read
    assert (explained.used_as, explained.outcome) == ("command", "unscoped")


@pytest.mark.parametrize(
    ("harness", "place"),
    [
        ("codex", ".agents/skills"),
        ("codex", ".codex/skills"),
        ("claude-code", ".claude/skills"),
        ("opencode", ".opencode/skills"),
        ("gemini-cli", ".gemini/skills"),
        ("copilot-cli", ".github/skills"),
        ("copilot-vscode", ".github/skills"),
    ],
)
@pytest.mark.parametrize("root", ["", "packages/api", "packages/api/{place}/deep"])
def test_a_skill_of_a_folder_without_git_is_read_by_who_starts_there(
    tmp_path: Path, harness: str, place: str, root: str
) -> None:
    file = f"packages/api/{place}/deep/SKILL.md"
    top = lay_out(tmp_path / "project", {file: "---\nname: deep\ndescription: Goes deep.\n---\nx\n"}, git=False)
    host = Host(home=str(tmp_path / "home"), env={})
    folder = str(top / root.format(place=place)).rstrip("/")
    [found] = explain(str(top / file), lambda: host, folder, only=[harness])
    assert {use.used_as for use in found.uses} == {"skill"}, found.why
    if root != "packages/api/{place}/deep":
        assert str(top / "packages/api") in [use.cwd for use in found.uses]


@pytest.mark.parametrize(
    ("harness", "file", "text", "uses"),
    [
        ("gemini-cli", ".gemini/settings.json", {"mcpServers": {"a": {"command": "x"}}}, ["server"]),
        (
            "opencode",
            "opencode.json",
            {
                "mcp": {"a": {"type": "local", "command": ["x"]}},
                "agent": {"x": {"description": "X", "mode": "subagent"}},
            },
            ["server", "config"],
        ),
    ],
)
def test_of_a_configuration_is_said_what_it_is_used_for(
    tmp_path: Path, harness: str, file: str, text: dict[str, object], uses: list[str]
) -> None:
    found = explanations(lay_out(tmp_path / "project", {file: text}), file)[harness]
    assert [use.used_as for use in found.uses] == uses


@pytest.mark.parametrize("harness", ["codex", "opencode"])
def test_a_byte_order_mark_moves_no_line(tmp_path: Path, harness: str) -> None:
    shown = []
    for mark in ("", "\ufeff"):
        folder = lay_out(tmp_path / f"{bool(mark)}", {"AGENTS.md": f"{mark}one\ntwo\n"})
        new_host = partial(Host, home=str(tmp_path / "home"), env={})
        (found,) = explain(str(folder / "AGENTS.md"), new_host, str(folder), only=[harness], lines=(0, 0))
        shown.append((found.left_out, [use.lines for use in found.uses]))
    assert shown[0] == shown[1]
    assert shown[0][0] == ()


def test_what_takes_the_place_of_a_file_tells_more_than_where_it_is_not_read(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {".pi/settings.json": {}, "api/AGENTS.md": "x", "api/CLAUDE.md": "y"})
    explained = explanations(folder, "api/CLAUDE.md")["pi"]
    assert (explained.outcome, explained.other) == ("shadowed", str(folder / "api/AGENTS.md"))


def test_a_harness_that_stops_sends_no_file(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"opencode.json": "{", "docs/a.md": "x"})
    explained = explanations(folder, "docs/a.md")["opencode"]
    assert (explained.outcome, explained.rule) == ("failed", "opencode sends nothing here")
    (folder / "opencode.json").write_text("{}")
    assert explanations(folder, "docs/a.md")["opencode"].outcome == "excluded"


def test_a_file_has_the_cut_of_its_own_text(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "x" * 20_000, "api/AGENTS.md": "y" * 20_000, "api/a.py": ""})
    whole, part = (explanations(folder, name)["codex"] for name in ("AGENTS.md", "api/AGENTS.md"))
    assert [use.cut for use in whole.uses] == [None]
    (use,) = part.uses
    assert use.cut
    assert (use.cut.kept, use.cut.total) == (32_768 - 20_000, 20_000)
    assert not part.once_trusted
    skill = f"---\nname: s\ndescription: {'d' * 2000}\n---\n"
    beside = lay_out(tmp_path / "beside", {"AGENTS.md": "x", ".agents/skills/s/SKILL.md": skill})
    (use,) = explanations(beside, "AGENTS.md")["codex"].uses
    assert use.cut is None
    (use,) = explanations(beside, ".agents/skills/s/SKILL.md")["codex"].uses
    assert use.cut
    soul = lay_out(tmp_path / "soul", {"AGENTS.md": "x", "SOUL.md": "y" * 30_000})
    (use,) = explanations(soul, "AGENTS.md")["openclaw"].uses
    assert use.cut is None
    (use,) = explanations(soul, "SOUL.md")["openclaw"].uses
    assert use.cut
    assert use.cut.total == 30_000
