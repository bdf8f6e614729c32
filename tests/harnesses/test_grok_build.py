"""Grok Build: what the list says of a skill."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from promptls.core.model import Call, Turn
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("description", "row"),
    [
        ("Review changes. Use when asked to.", "- s: Review changes\n  Use when: asked to.\n"),
        ("Clean up.\n  Use when\n  a file grows.", "- s: Clean up\n  Use when: a file grows.\n"),
        ("MUST USE when reviewing.", "- s: MUST\n  Use when: reviewing.\n"),
        ("Clean up. Only use this skill when told.", "- s: Clean up. Only\n  Use when: told.\n"),
        ("Use when editing.", "- s: Use when editing.\n"),
        ("Review. Use whenever you ship.", "- s: Review\n  Use when: Use whenever you ship.\n"),
        ("Review. Trigger only when asked to.", "- s: Review\n  Use when: Trigger only when asked to.\n"),
        ("Use for reviews. Use this when creating.", "- s: Use for reviews. Use this when creating.\n"),
        ("Guide. Use this skill when: (1) a, (2) b.", "- s: Guide\n  Use when: (1) a, (2) b.\n"),
        ("Guide. Invoke when a user asks.", "- s: Guide\n  Use when: a user asks.\n"),
        ("Guide. Triggers on tasks.", "- s: Guide\n  Use when: tasks.\n"),
        ("Guide. It is called when a. Use when b.", "- s: Guide. It is\n  Use when: a. Use when b.\n"),
        ("Guide. MUST trigger when editing.", "- s: Guide\n  Use when: editing.\n"),
        ("Guide. Must be invoked when shipping.", "- s: Guide\n  Use when: shipping.\n"),
        ("Guide. Auto-invoke when x.", "- s: Guide\n  Use when: x.\n"),
        ("Guide. Misuse when bad.", "- s: Guide. Mis\n  Use when: bad.\n"),
        ("Guide. Use when, say, editing.", "- s: Guide\n  Use when: say, editing.\n"),
        ("Guide. Use when - editing.", "- s: Guide\n  Use when: - editing.\n"),
        ("Guide. Use when :: editing.", "- s: Guide\n  Use when: editing.\n"),
        ("Guide.. Use when editing.", "- s: Guide.\n  Use when: editing.\n"),
        ("Guide! **Use when** editing.", "- s: Guide! **\n  Use when: ** editing.\n"),
        ("Guide. Use when.", "- s: Guide\n  Use when: .\n"),
        ("Guide. Use when", "- s: Guide\n  Use when: Use when\n"),
        ("Guide. Triggers onto x.", "- s: Guide\n  Use when: Triggers onto x.\n"),
        ("Guide. Trigger on/off things.", "- s: Guide\n  Use when: /off things.\n"),
        ("Guide. Use  when two blanks.", "- s: Guide. Use  when two blanks.\n"),
        ("Guide. Triggers: x. TRIGGER when: y.", "- s: Guide. Triggers: x. TRIGGER when: y.\n"),
        ("This skill should be used when editing.", "- s: This skill should be used when editing.\n"),
    ],
)
def test_a_description_may_say_itself_when_to_use_the_skill(tmp_path: Path, description: str, row: str) -> None:
    skill = f"---\nname: s\ndescription: |\n  {description}\n---\nbody\n"
    prompt = preview(tmp_path, "grok-build", {".agents/skills/s/SKILL.md": skill}, is_trusted=True)
    assert row in "".join(message.text for message in prompt.messages)


def test_when_to_use_of_the_front_matter_leaves_the_description_as_it_is(tmp_path: Path) -> None:
    skill = "---\nname: s\ndescription: Review. Use when asked.\nwhen-to-use: always\n---\nbody\n"
    prompt = preview(tmp_path, "grok-build", {".agents/skills/s/SKILL.md": skill}, is_trusted=True)
    assert "- s: Review. Use when asked.\n  Use when: always\n" in "".join(each.text for each in prompt.messages)


@pytest.mark.parametrize(
    ("size", "more", "is_own", "sent"),
    [
        # Seen in the request of the program itself.
        (36, 380, False, (33, 367)),
        (20, 441, False, (20, 380)),
        (150, 250, False, (146, 250)),
        (300, 100, False, (293, 100)),
        (500, 600, False, (195, 205)),
        (36, 441, True, (30, 370)),
        (150, 250, True, (150, 250)),
        (500, 50, True, (363, 37)),
    ],
)
def test_a_description_and_when_to_use_it_share_a_limit(
    tmp_path: Path, size: int, more: int, sent: tuple[int, int], *, is_own: bool
) -> None:
    words, when = "a" * size, "b" * more
    said = f"description: {words}\nwhen-to-use: {when}" if is_own else f"description: {words}. Use when {when}"
    files: Files = {".agents/skills/s/SKILL.md": f"---\nname: s\n{said}\n---\nbody\n"}
    text = "".join(each.text for each in preview(tmp_path, "grok-build", files, is_trusted=True).messages)
    shown, _, rest = text.partition("- s: ")[2].partition("\n  Use when: ")
    assert (len(shown.encode()), len(rest.partition("\n")[0].encode())) == sent


def test_a_tool_names_the_directory_of_the_session(tmp_path: Path) -> None:
    """Its size goes with the path of the folder, encoded as in a URL, and with that of ~/.grok (seen by verify)."""
    sizes = []
    for name in ("a", "a/b+c", "a/é"):
        prompt = preview(tmp_path / name, "grok-build", {"x": ""}, is_trusted=True)
        (tool,) = [each for each in prompt.tools or () if each.name == "send_feedback"]
        sizes.append((tool.size or 0) - 2 * len(str(tmp_path / name)))
    plain, with_signs, with_bytes = sizes
    assert (with_signs - plain, with_bytes - plain) == (2 * 2, 2 + 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# H\n\npara\n", "para"),
        ("# H\npara\n", "para"),
        ("## H\n\none\ntwo\n\nthree\n", "one two"),
        ("- item\n\n  loose\n\npara\n", "para"),
        ("1. one\n\npara\n", "para"),
        ("> quote\nlazy\n\npara\n", "para"),
        ("```\ncode\n```\n\npara\n", "para"),
        ("<!-- c -->\n\npara\n", "para"),
        ("| a |\n|---|\n| 1 |\n\npara\n", "para"),
        ("![img](x)\n\npara\n", "para"),
        ("para\n---\nmore\n\nnext\n", "more"),
        ("-----\npara\n", "para"),
        ("**bold** `code` [link](u) <b>html</b> &amp; \\* _em_ <http://x.y> hard  \nbreak\n", None),
        ("# H **b**\n", "H b"),
        ("```\nopen\n", "s"),
        ("\ufeff---\nname: other\ndescription: D\n---\nbody\n", "body"),
        ("---\nname: other\n---\n# H\n", "H"),
        ("---\n name: other\n description: D\n---\nbody\n", "body"),
        ("---\ndescription: D\nx: |\n  a --- b\n---\nbody\n", "D"),
        ("---\ndescription: D\n---x\nbody\n", "D"),
        ("", "s"),
    ],
)
def test_what_is_said_of_a_skill_without_a_description(tmp_path: Path, text: str, said: str | None) -> None:
    """The first paragraph as Markdown, else the first heading, else the name (seen by a capture of odd forms)."""
    prompt = preview(tmp_path, "grok-build", {".grok/skills/s/SKILL.md": text.encode()}, is_trusted=True)
    (row,) = [line for each in prompt.messages for line in each.text.splitlines() if re.match(r"- (s|other): ", line)]
    assert row.partition(": ")[2] == (said or "bold code link html & * em http://x.y hard break")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\npaths: x\n---\nrule\n", "rule"),
        ("\n\n---\nx: y\n---\nrule\n", "rule"),
        ("----\nx: y\n----\nrule\n", "-\nrule"),
        ("---x\nx: y\n---\nrule\n", "rule"),
        ("\ufeff---\nx: y\n---\nrule\n", "\ufeff---\nx: y\n---\nrule"),
        ("---\nx: y\nrule\n", "---\nx: y\nrule"),
    ],
)
def test_front_matter_of_a_rule(tmp_path: Path, text: str, said: str) -> None:
    prompt = preview(tmp_path, "grok-build", {".grok/rules/r.md": text.encode()}, is_trusted=True)
    shown = "".join(each.text for each in prompt.messages)
    assert f'rules/r.md">\n{said}\n</always_applied_workspace_rule>' in shown


@pytest.mark.parametrize(("value", "is_listed"), [("true", False), ("'true'", False), ("'True'", True), ("'1'", True)])
def test_a_skill_that_is_not_for_the_model(tmp_path: Path, value: str, *, is_listed: bool) -> None:
    text = f"---\ndescription: D\ndisable-model-invocation: {value}\n---\nx\n"
    prompt = preview(tmp_path, "grok-build", {".grok/skills/s/SKILL.md": text}, is_trusted=True)
    assert any("- s: D" in each.text for each in prompt.messages) is is_listed


def test_servers_that_say_nothing_are_those_of_the_configuration(tmp_path: Path) -> None:
    """So that verify, which runs none of them, waits for no message of theirs."""
    prompt = preview(tmp_path, "grok-build", {".mcp.json": {"mcpServers": {"s": {"command": "s"}}}}, is_trusted=True)
    (said,) = [each for message in prompt.messages for each in message.segments if "MCP servers" in each.title]
    assert (said.origin.kind, said.origin.path) == ("config", f"{tmp_path}/folder/.mcp.json")


# As verify saw them, in folders that are not trusted.
AGENTS: Files = {
    ".grok/agents/a.md": "---\nname: a\ndescription: d\n---\n\nMARK-grok\n",
    ".claude/agents/a.md": "---\nname: a\ndescription: d\n---\n\nMARK-claude\n",
    ".claude/agents/b.md": "---\nname: b\ndescription: d\n---\n\nMARK-b\n",
    ".agents/agents/c.md": "---\nname: c\ndescription: d\n---\n\nMARK-c\n",
    "sub/.claude/agents/a.md": "---\nname: a\ndescription: d\n---\n\nMARK-sub\n",
    "~/.grok/agents/b.md": "---\nname: b\ndescription: d\n---\n\nMARK-home\n",
    "~/.grok/agents/h.md": "---\nname: h\ndescription: d\n---\n\nMARK-h\n",
}


@pytest.mark.parametrize(
    ("agent", "cwd", "text", "size"),
    [
        ("a", "", "MARK-grok", 7881),
        ("a", "sub", "MARK-sub", 7881),
        ("b", "", "MARK-b", 7881),
        ("h", "", "MARK-h", 7881),
        ("c", "", "", 8750),
        ("explore", "", "", None),
    ],
)
def test_agents_of_a_folder_that_is_not_trusted_count(
    tmp_path: Path, agent: str, cwd: str, text: str, size: int | None
) -> None:
    prompt = preview(tmp_path, "grok-build", AGENTS, agent=agent, cwd=cwd, is_trusted=False)
    first = prompt.messages[0].segments
    said = [each.text for each in first if "MARK" in each.text]
    assert (said, first[0].elided and first[0].elided.size_offline) == ([text] if text else [], size)


@pytest.mark.parametrize(
    ("model", "base", "spawn", "others"),
    [
        ("stub", 8750, 3323, []),
        ("gpt-5.5", 8750, 3326, []),
        ("grok-4.5", 8754, 3315 + 18, []),
        ("grok-4.6", 8754, 3315 + 18, ["web_search", "x_search"]),
    ],
)
def test_models_of_its_own_are_asked_in_another_way(
    tmp_path: Path, model: str, base: int, spawn: int, others: list[str]
) -> None:
    prompt = preview(tmp_path, "grok-build", {}, model=model)
    sizes = {each.name: each.size for each in prompt.tools or ()}
    first = prompt.messages[0].segments[0].elided
    assert first is not None
    assert (first.size_offline, sizes["spawn_subagent"], [*sizes][-2:] if others else []) == (base, spawn, others)


def test_models_of_the_settings_are_listed(tmp_path: Path) -> None:
    settings = '[models]\ndefault = "mine"\n[model.mine]\nmodel = "x"\n[model.other]\nmodel = "y"\n'
    prompt = preview(tmp_path, "grok-build", {"~/.grok/config.toml": settings})
    sizes = {each.name: each.size for each in prompt.tools or ()}
    assert sizes["spawn_subagent"] == 3315 + len("- mine\\n- other\\n")


@pytest.mark.parametrize(
    ("args", "base", "typed"),
    [
        ((), 8750, "<user_query>\na\n</user_query>"),
        (("--verbatim",), 8750, "a"),
        (("--rules", "r"), 8751, "<user_query>\na\n</user_query>"),
        (("--tools", "grep"), None, "<user_query>\na\n</user_query>"),
    ],
)
def test_options(tmp_path: Path, args: tuple[str, ...], base: int | None, typed: str) -> None:
    prompt = preview(tmp_path, "grok-build", {}, args=args, turns=(Turn("a"),))
    first = prompt.messages[0].segments[0].elided
    assert first is not None
    assert (first.size_offline, prompt.messages[-1].text) == (base, typed)


def _listed(tmp_path: Path, files: Files, *steps: tuple[Call, ...], is_trusted: bool = True) -> list[list[str]]:
    """The names of the skills that each message lists, for those from that of the start on that follow a step."""
    here = {f"{name}/SKILL.md" if re.search("/skills/[^/]+$", name) else name: text for name, text in files.items()}
    prompt = preview(tmp_path, "grok-build", here, turns=(Turn("go", steps=steps),), is_trusted=is_trusted)
    kept = [each.text for each in prompt.messages if each.role == "user" and "<user_query>" not in each.text][1:]
    return [re.findall(r"^- (\S+): ", text, re.MULTILINE) for text in kept]


def _skill(paths: str = "") -> str:
    return f"---\ndescription: d\n{f'paths: {paths}' if paths else ''}\n---\nbody\n"


@pytest.mark.parametrize(
    ("paths", "listed"),
    [
        # When it is listed: at start, once web/src/in/y.ts is read, once web/src/x.ts is, or never.
        *((each, 0) for each in ("'/**'", "['**']", "[3]", "true", "{a: b}", "''", "'**/**'")),
        *((each, 1) for each in ("'**/*'", "'**, zz.ts'", "'{web,docs}/**, zz'", "'!zz, web/**'", "' web/src/*'")),
        *((each, 1) for each in ("'src/'", "'**/src'", "'web/*'", "['web/**', 3]", "'web/src/**/*'", "['zz, web/**']")),
        *((each, 1) for each in ("'/web'", "'**/'", "'{web}/**'", "'*'")),
        *((each, 2) for each in ("['web/{src,lib}/*.ts']", "'web/**/x.ts'", "'web/**/src/x.ts'", "'[x].ts'")),
        *((each, 2) for each in ("'web/src/x.{ts,js}'", "'web/src/x.ts,'", "'web/src/{x,{y,z}}.ts'", "'x.t*'")),
        *((each, 3) for each in ("'!web/**'", "'web/**, !web/src/**'", "'web/src/x.ts/'", "'src/x.ts'", "'X.TS'")),
        *((each, 3) for each in ("'../folder/web/**'", "'web//src/x.ts'", "'zz.ts web/**'", "'./**'")),
        ("'./web/src/x.ts'", 3),
        ("|\n  zz.ts\n  web/**", 3),
    ],
)
def test_paths_of_a_skill_say_when_it_is_listed(tmp_path: Path, paths: str, listed: int) -> None:
    """As in .gitignore, from the working directory on (seen by a capture of odd forms)."""
    names = ("web/src/in/y.ts", "web/src/x.ts")
    files: Files = {".grok/skills/s/SKILL.md": _skill(paths), **dict.fromkeys(names, "")}
    prompt = preview(tmp_path, "grok-build", files, reads=names, is_trusted=True)
    found = [each.at for each in prompt.messages if "\n- s: " in each.text]
    events = ["start", *(f"read:{tmp_path}/folder/{each}" for each in names)]
    assert [events.index(each) for each in found] == ([listed] if listed < len(events) else [])


def test_a_skill_is_listed_once_when_its_file_is_read_or_changed(tmp_path: Path) -> None:
    """Not when it is searched, listed or named in a command (seen by a capture)."""
    files: Files = {f".grok/skills/s-{each}": _skill(f"'*.{each}'") for each in "abcdefgh"}
    files |= {f"{each}/f.{each}": "old" for each in "abcdefg"} | {".grok/skills/s": _skill()}

    def call(tool: str, **given: str) -> tuple[Call, ...]:
        return (Call(tool=tool, input=json.dumps(given)),)

    path = str(tmp_path / "folder")
    found = _listed(
        tmp_path,
        files,
        call("grep", pattern="old", path=f"{path}/a"),
        call("list_dir", target_directory=f"{path}/b"),
        call("run_terminal_command", command="cat c/f.c"),
        call("search_replace", file_path=f"{path}/d/f.d", old_string="other", new_string="new"),
        call("search_replace", file_path=f"{path}/e/f.e", old_string="old", new_string="new"),
        (Call(read=f"{path}/none.h"), Call(read=f"{path}/f/f.f"), Call(read=f"{path}/g/f.g")),
        (Call(read=f"{path}/f/f.f"),),
    )
    assert found == [["s"], ["s-e"], ["s-f", "s-g"]]


def test_skills_on_the_way_to_a_file_are_listed_the_nearest_first(tmp_path: Path) -> None:
    """Those of Cursor are not, and those with paths wait for the next file (seen by a capture)."""
    files: Files = {".grok/skills/own": _skill(), "web/in/y.ts": "", "web/x.ts": ""}
    for number, directory in enumerate(("web/in", "web")):
        for program in ("grok", "agents", "claude", "cursor"):
            files[f"{directory}/.{program}/skills/s{number}{program}"] = _skill()
            files[f"{directory}/.{program}/commands/c{number}{program}.md"] = _skill()
        files[f"{directory}/.grok/skills/own"] = _skill()
    files["web/.grok/skills/later"] = _skill("'*.ts'")
    programs = ("grok", "agents", "claude")
    wanted = [f"{kind}{number}{each}" for number in (0, 1) for kind in "sc" for each in programs]
    reads = [(Call(read=str(tmp_path / "folder" / each)),) for each in ("web/in/y.ts", "web/x.ts")]
    assert _listed(tmp_path, files, *reads) == [["own"], wanted, ["later"]]
    assert _listed(tmp_path / "other", files, *reads, is_trusted=False) == [[]]
