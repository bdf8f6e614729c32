"""What Codex sends beside instruction files, where scenarios and captured sessions do not show it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, Turn
from promptls.harnesses.codex.messages import command_rules
from promptls.harnesses.codex.skills.header import read_header
from promptls.harnesses.codex.versions import NEWEST
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
CONFIG = "[skills.bundled]\nenabled = false\n"

# The tool that starts sub-agents, for a model that nobody knows.
OWN_SPAWN = NEWEST.unknown.tools["multi_agent_v1"]


def skill(name: str, description: str = "x", body: str = "") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


def preview(folder: Path, *prompts: str, args: tuple[str, ...] = (), config: str = CONFIG) -> Prompt:
    lay_out(folder.parent / "home", {".codex/config.toml": config}, git=False)
    host = Host(home=str(folder.parent / "home"), env={})
    turns = tuple(Turn(prompt=prompt) for prompt in prompts)
    return harnesses.preview(Session("codex", str(folder), model="stub-model", args=args, turns=turns), host)


def texts(prompt: Prompt, role: str) -> list[str]:
    return [message.text for message in prompt.messages if message.role == role]


@pytest.mark.parametrize("text", ["\ufeff---\nname: n\n---\n", "\n---\nname: n\n---\n", "---\nname: n\n", "---\n---\n"])
def test_what_is_no_front_matter(text: str) -> None:
    assert read_header(text).reason == "it has no front matter between two lines ---"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('prefix_rule(pattern=["git", "status"], decision="allow")', [("git", "status")]),
        ("prefix_rule(\n  pattern = ['a', ['b', 'c'],],\n)", [("a", "[b|c]")]),
        ('prefix_rule(pattern=[["a", "b"], "c"])', [("a", "c"), ("b", "c")]),
        ('prefix_rule(decision="prompt", pattern=["a"])', []),
        ('# prefix_rule(pattern=["a"])', []),
        ('other_rule(pattern=["a"])', []),
        (r'prefix_rule(pattern=["a\"b"])', [('a"b',)]),
    ],
)
def test_rules_that_allow_commands(text: str, words: list[tuple[str, ...]]) -> None:
    found, flaw = command_rules.parse(text)
    assert [each for _, _, prefixes in found for each in prefixes] == words
    assert flaw is None


def test_a_rule_that_is_not_closed_spares_the_others() -> None:
    found, flaw = command_rules.parse('prefix_rule(pattern=["a"\nprefix_rule(pattern=["b"])')
    assert [each for _, _, prefixes in found for each in prefixes] == [("b",)]
    assert flaw == 0


def test_approved_commands_are_cut_at_their_limit(tmp_path: Path) -> None:
    rule = 'prefix_rule(pattern=["{}", "{}"])\n'
    text = "".join(rule.format(number, "x" * 490) for number in range(10, 30))
    lay_out(tmp_path / "home", {".codex/rules/long.rules": text}, git=False)
    folder = lay_out(tmp_path / "folder", {})
    developer = texts(preview(folder, args=("--approve-for-me",)), "developer")
    shown = next(text for text in developer if "Approved command" in text).split("approved: ")[1]
    listed, _, _ = shown.partition("...\n[Some commands were truncated]")
    assert len(listed) == 5000


@pytest.mark.parametrize(
    ("sizes", "is_whole"),
    # - ["1000", ""] and a line end are 15 characters, and the last one has no line end.
    [([0] * 100, True), ([0] * 101, False), ([*[485] * 9, 486], True), ([*[485] * 9, 487], False)],
    ids=["number", "a larger number", "size", "a larger size"],
)
def test_as_many_approved_commands_as_there_is_room_for(tmp_path: Path, sizes: list[int], is_whole: bool) -> None:
    text = "".join(f'prefix_rule(pattern=["{at}", "{"x" * size}"])\n' for at, size in enumerate(sizes, 1000))
    lay_out(tmp_path / "home", {".codex/rules/a.rules": text}, git=False)
    folder = lay_out(tmp_path / "folder", {})
    prompt = preview(folder, args=("--approve-for-me",))
    shown = [each for message in prompt.messages for each in message.segments if each.title == "approved command"]
    assert len(shown) == min(len(sizes), 100)
    assert ("truncated" not in "".join(texts(prompt, "developer"))) is is_whole
    assert not any(each.cut for each in shown) or not is_whole


def test_skills_are_whole_up_to_their_limit(tmp_path: Path) -> None:
    names = [f"s{at}" for at in range(5)]
    folder = lay_out(tmp_path / "folder", {f".agents/skills/{each}/SKILL.md": skill(each, "d" * 50) for each in names})
    [wanted] = [each.used for each in preview(folder).limits if each.name == "list of skills"]

    def cut(limit: int) -> int:
        prompt = preview(folder, config=f"[skills]\nmax_context_tokens = {limit}\n{CONFIG}")
        return sum(each.cut is not None for message in prompt.messages for each in message.segments)

    assert (cut(wanted), cut(wanted - 1) > 0) == (0, True)


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        ("", 5440),
        ("model_context_window = 1000", 20),
        ("skills.max_context_tokens = 7\nmodel_context_window = 1000", 7),
        ("skills.max_context_tokens = 0", 0),
    ],
)
def test_the_limit_of_the_list_of_skills(tmp_path: Path, config: str, limit: int) -> None:
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill("a")})
    prompt = preview(folder, config=config)
    assert [each.most for each in prompt.limits if each.name == "list of skills"] == [limit]


@pytest.mark.parametrize(
    ("name", "description", "limit", "line"),
    [
        ("abc", "dddd", 9, "- abc: dddd (file: "),
        ("abc", "dddd", 8, "- abc: dd (file: "),
        ("abc", "ddd", 8, "- abc: dd (file: "),
        ("abc", "dd", 8, "- abc: dd (file: "),
        ("abc", "dddd", 7, ""),
        ("a", "dddd", 7, "- a: (file: "),
    ],
)
def test_a_description_takes_what_the_last_token_leaves(
    tmp_path: Path, name: str, description: str, limit: int, line: str
) -> None:
    """Without a description the line of abc has 29 bytes, that of a 27; with one it has a blank more."""
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill(name, description)})
    listed = "".join(texts(preview(folder, config=f"skills.max_context_tokens = {limit}\n{CONFIG}"), "developer"))
    assert (line or "### Available skills\n</skills_instructions>") in listed


@pytest.mark.parametrize(
    ("entries", "is_on"),
    [
        (["name off"], False),
        (["path off", "name on"], True),
        (["path on", "name off"], False),
        (["name off", "path on", "name off"], False),
        (["name off", "path off", "name off", "path on"], True),
        (["other off"], True),
        ([], True),
    ],
)
def test_the_last_entry_for_a_skill_counts(tmp_path: Path, entries: list[str], is_on: bool) -> None:
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill("a")})
    named = {"name": 'name = "a"', "path": f'path = "{folder}/.agents/skills/a/SKILL.md"', "other": 'name = "b"'}
    tables = "".join(
        f"[[skills.config]]\n{named[what]}\nenabled = {str(state == 'on').lower()}\n"
        for what, state in (each.split() for each in entries)
    )
    prompt = preview(folder, config=f"{CONFIG}{tables}")
    assert [each.outcome for each in prompt.candidates if each.use == "skill"] == ["loaded" if is_on else "disabled"]


def test_tools_that_have_to_be_looked_up_cost_nothing(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {})
    config = f'model = "gpt-5.5"\nmcp_servers.s.command = "c"\n{CONFIG}'
    lay_out(tmp_path / "home", {".codex/config.toml": config}, git=False)
    prompt = harnesses.preview(Session("codex", str(folder)), Host(home=str(tmp_path / "home"), env={}))
    found = {tool.name: tool.size for tool in prompt.tools or ()}
    assert (found["multi_agent_v1"], found["mcp__s"]) == (0, 0)
    prompt = preview(folder, config=config)
    found = {tool.name: tool.size for tool in prompt.tools or ()}
    assert (found["multi_agent_v1"], found["mcp__s"]) == (OWN_SPAWN, None)


@pytest.mark.parametrize(("state", "is_on"), [("disabled", False), ("live", True), ("cached", True)])
def test_the_search_of_the_web(tmp_path: Path, state: str, is_on: bool) -> None:
    folder = lay_out(tmp_path / "folder", {})
    found = {tool.name: tool.enabled for tool in preview(folder, config=f'web_search = "{state}"').tools or ()}
    assert (found.pop("web_search"), set(found.values())) == (is_on, {True})


@pytest.mark.parametrize("sandbox", ["read-only", "danger-full-access"])
@pytest.mark.parametrize(("state", "more", "free"), [("cached", 0, -1), ("live", -1, -1), ("indexed", 25, 25)])
def test_where_the_search_looks_is_in_its_definition(
    tmp_path: Path, state: str, more: int, free: int, sandbox: str
) -> None:
    folder = lay_out(tmp_path / "folder", {})
    config = f'model = "gpt-5.5"\nsandbox_mode = "{sandbox}"\nweb_search = "{state}"'
    sizes = {tool.name: tool.size for tool in preview(folder, config=config).tools or ()}
    assert sizes["web_search"] == 49 + (more if sandbox == "read-only" else free)


@pytest.mark.parametrize(
    ("reviewer", "rule", "shown"),
    [
        (
            "user",
            'prefix_rule(pattern=["é"])',
            '⟫\n\n\n## Approved command prefixes\nThe following {}: - ["é"]\n</perm',
        ),
        ("auto_review", "", "⟫\n\n\n`approvals_reviewer` is `auto_review`: "),
        ("user", "", "⟫\n</permissions instructions>"),
    ],
)
def test_what_follows_the_text_on_approvals(tmp_path: Path, reviewer: str, rule: str, shown: str) -> None:
    lay_out(tmp_path / "home", {".codex/rules/a.rules": rule}, git=False)
    args = ("--no-alt-screen", "-c", f"approvals_reviewer={reviewer}")
    sent = "".join(texts(preview(lay_out(tmp_path / "folder", {}), args=args), "developer"))
    assert shown.format("prefix rules have already been approved") in sent


OWN_PROFILE = 'default_permissions = "own"\npermissions.own.filesystem.":root" = "read"\n'


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("", "restricted"),
        ("sandbox_workspace_write.network_access = true", "restricted"),
        ('sandbox_mode = "workspace-write"', "restricted"),
        ('sandbox_mode = "workspace-write"\nsandbox_workspace_write.network_access = true', "enabled"),
        ('sandbox_mode = "danger-full-access"', "enabled"),
        (OWN_PROFILE, "restricted"),
        (f"{OWN_PROFILE}permissions.own.network.enabled = true", "enabled"),
    ],
)
def test_the_network_of_a_sandbox(tmp_path: Path, config: str, says: str) -> None:
    sent = "".join(texts(preview(lay_out(tmp_path / "folder", {}), config=config), "developer"))
    assert f" Network access is {says}.\n" in sent


PLUGGED: dict[str, str | bytes | dict[str, object]] = {
    ".codex/plugins/cache/m/p/1/.codex-plugin/plugin.json": {"name": "p"},
    ".codex/plugins/cache/m/p/1/.mcp.json": {"mcpServers": {"s": {"command": "c"}}},
}


@pytest.mark.parametrize(
    ("config", "is_there"),
    [
        ("", False),
        ('mcp_servers.s.command = "c"', True),
        ('mcp_servers."a b".command = "c"', True),
        ('mcp_servers.s = {command = "c", enabled = false}', False),
        ('plugins."p@m".enabled = true', True),
    ],
)
def test_tools_that_come_with_any_server(tmp_path: Path, config: str, is_there: bool) -> None:
    lay_out(tmp_path / "home", PLUGGED, git=False)
    found = {tool.name: tool.size for tool in preview(lay_out(tmp_path / "folder", {}), config=config).tools or ()}
    assert (found.get("list_mcp_resources") == 628) is is_there


PLUGIN = ".codex/plugins/cache/m/p/1"
IN_JSON = {
    f"{PLUGIN}/.codex-plugin/plugin.json": '{"name": "p"}',
    f"{PLUGIN}/.mcp.json": '{"mcpServers": {"s": {"command": "c"}}}',
    f"{PLUGIN}/hooks/hooks.json": '{"hooks": {"SessionStart": [{"hooks": [{"command": "hooked"}]}]}}',
    f"{PLUGIN}/skills/t/SKILL.md": skill("t"),
}


@pytest.mark.parametrize(
    ("commented", "missing"),
    [
        ("", []),
        ("plugin.json", ["- p:t: x", "MCP server s", "output of the hook hooked"]),
        (".mcp.json", ["MCP server s"]),
        ("hooks.json", ["output of the hook hooked"]),
    ],
)
def test_json_with_a_comment_is_not_read(tmp_path: Path, commented: str, missing: list[str]) -> None:
    is_changed = {name: bool(commented) and name.endswith(commented) for name in IN_JSON}
    files = {name: f"{'// a comment' if is_changed[name] else ''}\n{text}".lstrip() for name, text in IN_JSON.items()}
    lay_out(tmp_path / "home", {**files}, git=False)
    folder, config = lay_out(tmp_path / "folder", {}), f'{CONFIG}[plugins."p@m"]\nenabled = true\n'
    sent = "".join(m.text for m in preview(folder, args=("--dangerously-bypass-hook-trust",), config=config).messages)
    every = ["- p:t: x", "MCP server s", "output of the hook hooked"]
    assert [words for words in every if words not in sent] == missing


def test_a_variable_of_the_shell_names_no_skill(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill("path")})
    path = f"{folder}/.agents/skills/a/SKILL.md"
    for prompt in ("use $path", f"use [$PATH]({path})"):
        assert preview(folder, prompt).messages[-1].text == prompt


def test_the_frame_of_a_skill_leads_to_its_file(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill("a")})
    prompt = preview(folder, "use $a and $imagegen", config="")
    heads = {
        segment.text.split("\n")[:2][-1]: segment.origin.path
        for message in prompt.messages
        for segment in message.segments
        if segment.text.startswith(("<skill>", "- a:", "- imagegen:"))
    }
    path = f"{folder}/.agents/skills/a/SKILL.md"
    assert heads == {"<name>a</name>": path, "<name>imagegen</name>": None, "- a: ": path, "- imagegen: ": None}


def test_a_link_names_a_skill_by_each_of_its_paths(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {"real/a/SKILL.md": skill("a"), ".agents/skills/b/SKILL.md": skill("b")})
    (folder / ".agents/skills/a").symlink_to(folder / "real/a")
    for path in (f"{folder}/real/a/SKILL.md", f"{folder}/.agents/skills/a/SKILL.md"):
        prompt = preview(folder, f"use [$x]({path})")
        assert [message.text.split("\n")[1] for message in prompt.messages[-1:]] == ["<name>a</name>"]


def test_a_skill_follows_each_turn_that_names_it(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill("a", body="do it")})
    prompt = preview(folder, "no names", "now $a and $home")
    assert [(message.at, message.role) for message in prompt.messages[-3:]] == [
        ("start", "user"),
        ("turn:2", "user"),
        ("turn:2", "user"),
    ]
    where = f"{folder}/.agents/skills/a/SKILL.md"
    assert prompt.messages[-1].text == (
        f"<skill>\n<name>a</name>\n<path>{where}</path>\n---\nname: a\ndescription: x\n---\ndo it\n</skill>"
    )


def test_a_skill_of_codex_itself_is_a_placeholder(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {})
    prompt = preview(folder, "use $imagegen", config="")
    assert prompt.messages[-1].text.startswith("<skill>\n<name>imagegen</name>\n")
    assert any(segment.elided for segment in prompt.messages[-1].segments)


def test_images_go_before_the_prompt(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {})
    user = [message for message in preview(folder, "see", args=("-i", "a.png")).messages if message.role == "user"]
    assert [message.text.partition(" of codex")[0] for message in user[-4:]] == [
        '<image name=[Image #1] path="a.png">',
        "⟪image a.png",
        "</image>",
        "see",
    ]
    assert len({message.index for message in user[-4:]}) == 1


def test_folders_that_link_to_each_other_are_searched_once(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {".agents/skills/a/SKILL.md": skill("a")})
    (folder / ".agents/skills/a/up").symlink_to(folder / ".agents")
    (folder / ".agents/skills/self").symlink_to(folder / ".agents/skills")
    prompt = preview(folder)
    assert [each.path for each in prompt.candidates if each.use == "skill" and each.outcome == "loaded"] == [
        f"{folder}/.agents/skills/a/SKILL.md"
    ]


def test_what_codex_sends_without_any_file_has_a_size(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "folder", {})
    prompt = preview(folder, "hello")
    sizes = [
        segment.elided.size if segment.elided else len(segment.text)
        for message in prompt.messages
        for segment in message.segments
    ]
    assert None not in sizes
    assert sum(size or 0 for size in sizes) > 16_979


@pytest.mark.parametrize(("shell", "named"), [("/usr/bin/zsh", "zsh"), ("/bin/sh", "sh"), ("/usr/bin/fish", "bash")])
def test_the_shell_is_the_login_shell_that_codex_knows(tmp_path: Path, shell: str, named: str) -> None:
    home = lay_out(tmp_path / "home", {}, git=False)
    lay_out(
        tmp_path / "machine",
        # The first one has too few fields.
        {"etc/passwd": f"me:x:1:1:,:{home}\nme:x:1:1:,:{home}:{shell}\nroot:x:0:0:r:/root:/bin/bash\n"},
        git=False,
    )
    host = Host(home=str(home), env={"SHELL": "/bin/zsh"}, sysroot=str(tmp_path / "machine"))
    prompt = harnesses.preview(Session("codex", str(home)), host)
    assert f"<shell>{named}</shell>" in "".join(texts(prompt, "user"))


@pytest.mark.parametrize(
    ("env", "named"), [({"USER": "me"}, "zsh"), ({"LOGNAME": "me"}, "zsh"), ({"USER": "you"}, "bash"), ({}, "bash")]
)
def test_the_shell_of_a_home_directory_that_is_elsewhere(tmp_path: Path, env: dict[str, str], named: str) -> None:
    home = lay_out(tmp_path / "home", {}, git=False)
    lay_out(tmp_path / "machine", {"etc/passwd": "a:x:0:0:r:/a:/bin/sh\nme:x:1:1:,:/me:/bin/zsh\n"}, git=False)
    host = Host(home=str(home), env=env, sysroot=str(tmp_path / "machine"))
    prompt = harnesses.preview(Session("codex", str(home)), host)
    assert f"<shell>{named}</shell>" in "".join(texts(prompt, "user"))


def test_the_size_of_the_tool_that_starts_sub_agents(tmp_path: Path) -> None:
    """With a role it has a parameter more, with the introduction, and each role in its frame."""
    folder = lay_out(tmp_path / "folder", {})
    sizes = [
        {tool.name: tool.size for tool in preview(folder, config=config).tools or ()}["multi_agent_v1"]
        for config in (CONFIG, f'agents.mine.description = "Ours."\n{CONFIG}')
    ]
    frames = "".join(f"{name}: {{\n\n}}\n" for name in ("default", "explorer", "worker"))
    # The list stands in JSON, where breaks are escaped: those of the program's own texts are 16.
    roles = json.dumps(f"Available roles:\nmine: {{\nOurs.\n}}\n{frames}".removesuffix("\n"))
    listed = 133 + len(roles) - 2 + 14 + 1005 + 1036 + 16
    assert sizes == [OWN_SPAWN, OWN_SPAWN + len('"agent_type":{"type":"string","description":""},') + listed]


def test_the_time_zone_is_that_of_the_machine(tmp_path: Path) -> None:
    machine = lay_out(tmp_path / "machine", {"etc/timezone": "Europe/Paris\n"}, git=False)
    home = str(lay_out(tmp_path / "home", {}, git=False))

    def zone() -> str:
        host = Host(home=home, env={"TZ": "Asia/Tokyo"}, sysroot=str(machine))
        found = "".join(texts(harnesses.preview(Session("codex", home), host), "user"))
        return found.partition("<timezone>")[2].partition("</timezone>")[0]

    assert zone() == "Europe/Paris"
    (machine / "etc/localtime").symlink_to("/usr/share/zoneinfo/America/Lima")
    assert zone() == "America/Lima"
