"""Which skills and commands Claude Code knows, and what their files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses.claude_code.listing.skill_rows import columns
from promptls.harnesses.claude_code.listing.skills import Skill, Skills, find_skills
from promptls.harnesses.claude_code.setup import set_up
from promptls.kit import collation
from promptls.kit.draft import Draft
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
Files = dict[str, str | bytes | dict[str, object]]


def look(
    folder: Path, files: Files, cwd: str = "", args: tuple[str, ...] = (), *, git: bool = True
) -> tuple[Skills, Draft]:
    """What is found below ``workspace``; ``home`` and ``etc`` stand beside it."""
    lay_out(folder, files, git=False)
    lay_out(folder / "workspace", {}, git=git)
    directory = folder / "workspace" / cwd
    directory.mkdir(parents=True, exist_ok=True)
    draft = Draft(Session("claude-code", str(directory), "2.1.330", args=args))
    host = Host(home=str(folder / "home"), env={}, sysroot=str(folder))
    return find_skills(draft, set_up(draft, draft.session, host)), draft


def outcomes(draft: Draft) -> dict[str, str]:
    """The outcome of each file that is a skill or command, by its last two names."""
    return {
        "/".join(Path(each.path).parts[-2:]): each.outcome
        for each in draft.candidates
        if each.path and each.use in ("skill", "command")
    }


def skill(folder: Path, text: str, *, kind: str = "skills/x/SKILL.md", name: str = "x") -> Skill:
    return look(folder, {f"workspace/.claude/{kind}": text})[0].known[name]


def test_skills_come_by_places_and_commands_in_one_alphabet(tmp_path: Path) -> None:
    found, _ = look(
        tmp_path,
        {
            "etc/claude-code/.claude/skills/z-managed/SKILL.md": "x",
            "home/.claude/skills/z-user/SKILL.md": "x",
            "workspace/.claude/skills/a-root/SKILL.md": "x",
            "workspace/in/.claude/skills/a-in/SKILL.md": "x",
            "workspace/in/.claude/skills/B-in/SKILL.md": "x",
            "extra/.claude/skills/a-extra/SKILL.md": "x",
            "etc/claude-code/.claude/commands/m.md": "x",
            "home/.claude/commands/b.md": "x",
            "workspace/.claude/commands/a/c.md": "x",
        },
        "in",
        ("--add-dir", "../../extra"),
    )
    assert list(found.known) == ["z-managed", "z-user", "a-in", "B-in", "a-root", "a-extra", "a:c", "b", "m"]


def test_of_one_name_the_first_counts(tmp_path: Path) -> None:
    found, draft = look(
        tmp_path,
        {
            "workspace/.claude/skills/x/SKILL.md": "root",
            "workspace/in/.claude/skills/x/SKILL.md": "in",
            "workspace/in/.claude/commands/x.md": "command",
            "extra/.claude/skills/x/SKILL.md": "extra",
        },
        "in",
        ("--add-dir", "../../extra"),
    )
    assert [each.text for each in found.known.values()] == ["in"]
    assert [each.text for each in found.scoped] == ["extra"]
    assert outcomes(draft) == {"x/SKILL.md": "shadowed", "commands/x.md": "shadowed"}


def test_the_walk_stops_at_the_root_of_the_repository(tmp_path: Path) -> None:
    files: Files = {"above.txt": "", ".claude/skills/up/SKILL.md": "x", "workspace/.claude/skills/x/SKILL.md": "x"}
    assert list(look(tmp_path / "git", files)[0].known) == ["x"]
    assert list(look(tmp_path / "none", files, git=False)[0].known) == ["x", "up"]


@pytest.mark.parametrize(
    ("text", "width"), [("a\nb", 2), ("é", 1), ("e\u0301", 1), ("漢", 2), ("漢\n字", 4), ("a\u200db", 2), ("ｆ", 2)]
)
def test_the_columns_of_a_text(text: str, width: int) -> None:
    assert columns(text) == width


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("--bare",), []),
        (("--safe-mode",), []),
        (("--restricted",), ["m"]),
        (("--setting-sources", "user"), ["m", "u"]),
        (("--setting-sources", "project"), ["m", "p"]),
    ],
)
def test_a_layer_can_be_off(args: tuple[str, ...], names: list[str], tmp_path: Path) -> None:
    files: Files = {
        "etc/claude-code/.claude/skills/m/SKILL.md": "x",
        "home/.claude/skills/u/SKILL.md": "x",
        "workspace/.claude/skills/p/SKILL.md": "x",
    }
    assert list(look(tmp_path, files, args=args)[0].known) == names


def test_a_skill_is_a_directory_and_a_command_a_file(tmp_path: Path) -> None:
    found, draft = look(
        tmp_path,
        {
            "workspace/.claude/skills/flat.md": "x",
            "workspace/.claude/skills/SKILL.md": "x",
            "workspace/.claude/skills/a/b/SKILL.md": "x",
            "workspace/.claude/skills/lower/skill.md": "x",
            "workspace/.claude/commands/a/b/c.md": "x",
            "workspace/.claude/commands/foo/SKILL.md": "x",
            "workspace/.claude/commands/foo/other.md": "x",
            "workspace/.claude/commands/x.txt": "x",
        },
    )
    assert list(found.known) == ["a:b:c", "foo"]
    assert outcomes(draft) == {"skills/flat.md": "failed", "skills/SKILL.md": "failed", "foo/other.md": "excluded"}


def test_a_file_counts_once_under_the_first_of_its_names(tmp_path: Path) -> None:
    lay_out(tmp_path, {"workspace/.claude/skills/real/SKILL.md": "x", "home/.claude/skills/y/x": ""}, git=False)
    (tmp_path / "home/.claude/skills/z").symlink_to(tmp_path / "workspace/.claude/skills/real")
    (tmp_path / "workspace/.claude/skills/circle").symlink_to(tmp_path / "workspace/.claude/skills")
    (tmp_path / "workspace/.claude/skills/broken").symlink_to(tmp_path / "nowhere")
    found, draft = look(tmp_path, {})
    assert list(found.known) == ["z"]
    assert outcomes(draft) == {"real/SKILL.md": "duplicate"}


def test_links_in_circles_end(tmp_path: Path) -> None:
    lay_out(tmp_path, {"workspace/.claude/commands/a/b.md": "x"}, git=False)
    (tmp_path / "workspace/.claude/commands/a/again").symlink_to(tmp_path / "workspace/.claude/commands")
    assert list(look(tmp_path, {})[0].known) == ["a:b"]


def test_a_worktree_without_skills_has_those_of_the_main_checkout(tmp_path: Path) -> None:
    lay_out(tmp_path, {"main/.claude/skills/m/SKILL.md": "x", "main/.claude/commands/c.md": "x"}, git=False)
    lay_out(
        tmp_path, {"main/.git/worktrees/wt/HEAD": "ref: x", "workspace/.claude/skills/own/SKILL.md": "x"}, git=False
    )
    (tmp_path / "workspace/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/wt\n", encoding="utf-8")
    assert list(look(tmp_path, {}, git=False)[0].known) == ["own", "c"]


@pytest.mark.parametrize("word", ["true", "yes", '"true"', "True"])
def test_a_skill_can_be_kept_from_the_model(word: str, tmp_path: Path) -> None:
    assert skill(tmp_path, f"---\ndisable-model-invocation: {word}\n---\nx").is_for_users_only


def test_what_the_front_matter_says(tmp_path: Path) -> None:
    found = skill(
        tmp_path,
        "---\nname: Other\nuser-invocable: false\ncontext: fork\npaths: src/**, '*.md'\nmodel: haiku\n---\n\n body\n",
    )
    assert (found.given_name, found.is_for_users, found.is_forked, found.is_for_users_only) == (
        "Other",
        False,
        True,
        False,
    )
    assert found.patterns == ("src", "'*.md'")
    assert found.text.startswith("---")
    whole = found.whole(Host(home="/", env={}))
    assert whole.text[whole.front.body :] == "body\n"
    assert found.value("model") == "haiku"
    assert found.base == str(tmp_path / "workspace")


def test_a_skill_without_front_matter_is_all_body(tmp_path: Path) -> None:
    found = skill(tmp_path, "Do it.\n")
    assert found.text[found.front.body :] == "Do it.\n"
    assert (found.is_for_users, found.is_for_users_only, found.patterns) == (True, False, ())


def test_broken_front_matter_has_no_effect_and_is_named(tmp_path: Path) -> None:
    found = skill(tmp_path, '---\ndescription: "x\n---\nBody.\n')
    assert found.value("description") is None
    assert [(fault.code, fault.range.start_line) for fault in found.faults()] == [("front-matter-invalid", 1)]


def test_the_name_of_a_command_is_that_of_its_file(tmp_path: Path) -> None:
    assert skill(tmp_path, "---\nname: other\n---\nx", kind="commands/x.md").given_name is None


def test_a_skill_is_found_by_the_name_in_its_front_matter(tmp_path: Path) -> None:
    files: Files = {
        "workspace/.claude/skills/a/SKILL.md": "---\nname: b\n---\n",
        "workspace/.claude/skills/b/SKILL.md": "x",
        "workspace/.claude/skills/c/SKILL.md": "---\nname: d\n---\n",
    }
    found, _ = look(tmp_path, files)
    names = {wanted: found.find(wanted) for wanted in "abcde"}
    assert {wanted: each and each.name for wanted, each in names.items()} == {
        "a": "a",
        "b": "b",
        "c": "c",
        "d": "c",
        "e": None,
    }


def test_the_order_of_names() -> None:
    names = ["a b", "a_b", "a-b", "a.b", "a1", "ab", "AB", "aB2", "b", "é", "f", "zz", "я", "日"]
    backwards = names[::-1]
    assert sorted(backwards, key=collation.key) == names
