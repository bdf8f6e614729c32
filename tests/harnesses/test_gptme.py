"""gptme: what ends it, what its configurations name, and what comes with a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.model import Call, Prompt, Turn
from tests.harnesses.shown import Files, outcome, preview, segments, text_of

LATIN_1 = "café".encode("latin-1")
USER = "~/.config/gptme/"


def roles(prompt: Prompt, role: str) -> list[str]:
    return [each.text for each in prompt.messages if each.role == role]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"AGENTS.md": LATIN_1}, "AGENTS.md: byte 4 is not UTF-8. Save it as UTF-8."),
        ({f"{USER}GEMINI.md": LATIN_1}, "GEMINI.md: byte 4 is not UTF-8. Save it as UTF-8."),
        ({"gptme.toml": "files = ["}, "gptme.toml. Fix it."),
        ({"gptme.toml": 'files = "a.md"'}, "gptme.toml. Fix it."),
        ({"gptme.toml": "[prompt]\nfiles = [1]"}, "gptme.toml. Fix it."),
        ({"gptme.local.toml": "x", "gptme.toml": ""}, "gptme.local.toml. Fix it."),
        ({f"{USER}config.toml": "["}, "config.toml. Fix it."),
        ({"gptme.toml": 'files = ["/etc/hosts"]'}, "files names /etc/hosts. Name it relative to the folder."),
        ({"gptme.toml": 'files = ["~/x.md"]'}, "files names ~/x.md. Name it relative to the folder."),
        ({"README.md": LATIN_1}, ""),
        ({"gptme.local.toml": "x"}, ""),
        ({"a/gptme.toml": "["}, ""),
    ],
)
def test_what_ends_it(tmp_path: Path, files: Files, says: str) -> None:
    stopped = preview(tmp_path, "gptme", files).stopped or ""
    assert stopped.endswith(says)
    assert bool(stopped) is bool(says)


def test_what_a_project_and_a_user_name(tmp_path: Path) -> None:
    toml = '[prompt]\nprompt = "about"\nfiles = ["docs/*.md", "../x.md", "none.md"]\nexclude = ["docs/b*"]\n'
    config = (
        '[prompt]\nfiles = ["own.md", "~/h.md"]\nproject = { folder = "of the user" }\nfragments = { b = "B", a = "A" }'
    )
    files: Files = {"gptme.toml": toml, "docs/a.md": "a", "docs/b.md": "b", f"{USER}config.toml": config}
    files |= {f"{USER}own.md": "own", "~/h.md": "home", "README.md": "readme"}
    prompt = preview(tmp_path, "gptme", files)
    system = roles(prompt, "system")[0]
    assert "## Current Project: folder\n\nabout\n\nA\n\nB\n\n## Selected files" in system
    assert f"````docs/a.md\na\n````\n\n````{tmp_path}/home/.config/gptme/own.md\nown\n````" in system
    assert outcome(prompt, "none.md") == "missing"
    assert (outcome(prompt, "docs/b.md"), text_of(prompt, "README.md")) == ("excluded", "")
    del files["gptme.toml"]
    assert "Project: folder\n\nof the user\n\nA" in roles(preview(tmp_path / "2", "gptme", files), "system")[0]


@pytest.mark.parametrize(
    ("text", "has_project", "has_skills"), [("full", True, True), ("short", True, False), ("Be kind.", False, False)]
)
def test_another_text_of_its_own(tmp_path: Path, text: str, *, has_project: bool, has_skills: bool) -> None:
    files: Files = {"AGENTS.md": "rules", "skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nx"}
    for prompt in (
        preview(tmp_path, "gptme", files, args=("--system", text)),
        *(
            [preview(tmp_path / "2", "gptme", files | {"gptme.toml": f"[prompt]\nsystem = '{text}'"})]
            if has_project
            else []
        ),
    ):
        system = roles(prompt, "system")[0]
        assert ("Current Project" in system, "**s**" in system) == (has_project, has_skills)
        assert "rules" in system


@pytest.mark.parametrize(
    ("args", "is_sent"), [("--no-workspace", False), ("--context=cmd", False), ("--context=files", True)]
)
def test_all_files_are_left_out(tmp_path: Path, args: str, *, is_sent: bool) -> None:
    prompt = preview(tmp_path, "gptme", {"AGENTS.md": "rules", f"{USER}AGENTS.md": "own"}, args=(args,))
    assert (text_of(prompt, "folder/AGENTS.md"), text_of(prompt, "gptme/AGENTS.md")) == (
        ("rules", "own") if is_sent else ("", "")
    )
    assert outcome(prompt, "folder/AGENTS.md") == ("loaded" if is_sent else "excluded")


def test_the_text_of_the_user_by_another_name_is_not_sent_again(tmp_path: Path) -> None:
    own = tmp_path / "home/.config/gptme/AGENTS.md"
    own.parent.mkdir(parents=True)
    own.write_text("own", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/CLAUDE.md").symlink_to(own)
    prompt = preview(tmp_path, "gptme", {})
    assert outcome(prompt, "folder/CLAUDE.md") == "duplicate"


def test_what_comes_with_a_read(tmp_path: Path) -> None:
    files: Files = {"AGENTS.md": "rules", "p/AGENTS.md": "rules  ", "p/CLAUDE.md": "p", "q/AGENTS.md": "y" * 12_001}
    files |= {"r/gptme.toml": "[agent]\nname = 'bob'", "r/AGENTS.md": "bob", "p/a.py": "", "q/a.py": "", "r/a.py": ""}
    prompt = preview(tmp_path, "gptme", files, reads=("p/a.py", "q/a.py", "r/a.py"))
    p, q, r = roles(prompt, "system")[3:]
    assert outcome(prompt, "folder/p/AGENTS.md") == "duplicate"
    assert p.count("<agent-instructions source=") == 1
    assert p.endswith("````p/CLAUDE.md\np\n````")
    assert q.endswith("Skipped: would exceed per-event budget of 12000 bytes.\n</agent-instructions-skipped>")
    assert ("bob" in r, outcome(prompt, "folder/r/AGENTS.md")) == (False, "excluded")


def test_a_change_of_directory_has_no_limits(tmp_path: Path) -> None:
    files: Files = {f"p/{name}": name for name in ("AGENTS.md", "CLAUDE.md", "COPILOT.md", "GEMINI.md")}
    steps = ((Call(tool="shell", input=json.dumps({"command": "cd p"})),),)
    prompt = preview(tmp_path, "gptme", files, turns=(Turn("x", steps=steps),))
    last = roles(prompt, "system")[-1]
    assert [last.index(f"````p/{each[2:]}") for each in files] == sorted(
        last.index(f"````p/{each[2:]}") for each in files
    )
    other = ((Call(tool="shell", input=json.dumps({"command": "cat p/a"})),),)
    assert len(roles(preview(tmp_path / "2", "gptme", files, turns=(Turn("x", steps=other),)), "system")) == 3


@pytest.mark.parametrize(
    ("path", "text", "is_listed"),
    [
        ("skills/s/SKILL.md", "---\nname: s\n---\nx", True),
        ("skills/s/SKILL.md", "---\ndescription: d\n---\nx", False),
        ("skills/s/SKILL.md", "no front matter", False),
        ("skills/s/SKILL.md", "---\nname: [\n---\nx", False),
        ("skills/s/SKILL.md", "---\nname: s\nstatus: draft\n---\nx", False),
        ("skills/.trash/s/SKILL.md", "---\nname: s\n---\nx", False),
        ("skills/a/b/c/any.md", "---\nname: s\n---\nx", True),
        ("skills/s/template.md", "---\nname: s\n---\nx", False),
        (".cursor/rules/r.mdc", "---\nname: s\n---\nx", True),
        (".agents/skills/s/SKILL.md", "---\nname: s\n---\nx", False),
    ],
)
def test_what_is_a_skill(tmp_path: Path, path: str, text: str, *, is_listed: bool) -> None:
    assert ("- **s**: " in roles(preview(tmp_path, "gptme", {path: text}), "system")[0]) is is_listed


@pytest.mark.parametrize(
    ("keywords", "prompt", "is_sent"),
    [
        ("[err]", "an Error", True),
        ("fix*it", "FIXXit", True),
        ("fix*it", "fix it", False),
        ("'*'", "x", False),
        ("[a, b]", "c", False),
        ("[a]", None, False),
    ],
)
def test_a_lesson(tmp_path: Path, keywords: str, prompt: str | None, *, is_sent: bool) -> None:
    files: Files = {".gptme/lessons/l.md": f"---\nmatch: {{keywords: {keywords}}}\n---\n# T\n\nbody\n"}
    shown = preview(tmp_path, "gptme", files, turns=(Turn(prompt), Turn(prompt)))
    assert [each.count("# T\n\nbody") for each in roles(shown, "system")[3:]] == [1] * is_sent


def test_memories(tmp_path: Path) -> None:
    entry = "---\nname: {0}\ndescription: about {0}\n---\n{0}\n"
    files: Files = {"memory/MEMORY.md": "[a](a.md)\n", **{f"memory/{each}.md": entry.format(each) for each in "abc"}}
    files |= {"other/MEMORY.md": "m" * 70_000, "other/x.md": entry.format("x")}
    first = roles(preview(tmp_path, "gptme", files), "system")[0]
    assert f"(from `{tmp_path}/folder/memory`):\n\n[a](a.md)\n\n" in first
    assert first.endswith("\n- [b](b.md) — about b\n- [c](c.md) — about c")
    env = {"GPTME_MEMORY_DIRS": f"{tmp_path}/2/folder/other"}
    prompt = preview(tmp_path / "2", "gptme", files, env=env)
    kept = next(each for each in segments(prompt) if each.layer == "memory" and each.cut)
    assert (len(kept.text), "about x" in roles(prompt, "system")[0]) == (64 * 1024, False)


def test_a_read_needs_a_tool_that_is_asked_for(tmp_path: Path) -> None:
    says = (
        "gptme has a tool that reads a file only with -t +read; what its shell prints of a file brings no agent files."
    )
    files: Files = {"a/AGENTS.md": "of a", "a/x": "x"}
    for number, args in enumerate(((), ("-t", "+read"))):
        prompt = preview(tmp_path / str(number), "gptme", files, reads=("a/x",), args=args)
        assert (says in prompt.notes) is (not args)


@pytest.mark.parametrize(
    ("model", "systems", "base", "shell"),
    [
        ("local/stub", 3, 15_987 + len("local/stub"), 1175),
        ("openai/gpt-5.5", 1, 16_381 + len("openai/gpt-5.5"), 1175 + len('"type":"function",')),
        ("openai/gpt-5.4", 1, 16_381 + len("openai/gpt-5.4"), 1175 + len('"type":"function",')),
        ("openai/gpt-4.1", 3, None, None),
        ("local/gpt-oss-120b", 3, None, None),
        ("anthropic/claude-opus-4-6", 3, None, None),
    ],
)
def test_a_model_decides_on_how_it_is_asked(
    tmp_path: Path, model: str, systems: int, base: int | None, shell: int | None
) -> None:
    """As verify saw it: models of OpenAI's newer way get all system messages as one, and no examples."""
    prompt = preview(tmp_path, "gptme", {"AGENTS.md": "MARK\n"}, model=model)
    first = prompt.messages[0].segments[0].elided
    sizes = {each.name: each.size for each in prompt.tools or ()}
    assert first is not None
    assert (len(roles(prompt, "system")), first.size_offline, sizes["shell"]) == (systems, base, shell)


def test_what_comes_later_is_in_the_instructions_too(tmp_path: Path) -> None:
    files: Files = {"pkg/AGENTS.md": "MARK-pkg\n", "pkg/a.txt": ""}
    prompt = preview(tmp_path, "gptme", files, model="openai/gpt-5.5", reads=("pkg/a.txt",))
    assert ["MARK-pkg" in each for each in roles(prompt, "system")] == [True]


@pytest.mark.parametrize(
    ("args", "is_fenced"),
    [
        ((), True),
        (("--system", "own words"), True),
        (("--system", "short"), False),
        (("--system", "full-noexamples"), False),
        (("-t", "+subagent"), True),
        (("-t", "shell,save"), True),
        (("-t=-shell",), False),
        (("-t", "save"), False),
    ],
)
def test_the_examples_of_the_shell_have_a_fence(tmp_path: Path, args: tuple[str, ...], *, is_fenced: bool) -> None:
    prompt = preview(tmp_path, "gptme", {"AGENTS.md": "MARK\n"}, args=args)
    assert ("````\n\n" in [each.text for each in segments(prompt)]) is is_fenced


def test_the_older_way_has_the_system_messages_of_gpt_5_as_the_user_s(tmp_path: Path) -> None:
    """Seen in a request of the program itself."""
    env = {"GPTME_OPENAI_RESPONSES_API": "0"}
    prompt = preview(tmp_path, "gptme", {"AGENTS.md": "rules"}, model="openai/gpt-5", env=env)
    assert {each.role for each in prompt.messages} == {"user"}
    first, *_, last = prompt.messages
    assert first.text.startswith("<system>\n")
    assert first.text.endswith("\n</system>")
    assert "rules" in first.text
    assert "<system>" not in last.text
    assert preview(tmp_path / "o", "gptme", {}, model="openai/gpt-4o", env=env).messages[0].role == "system"
