"""What of the user's files a program is given: lists of what is allowed, and nothing that could be run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as property_of
from hypothesis import settings
from hypothesis import strategies as st

from promptls import harnesses
from promptls.core.formats import front_matter, parse_toml
from promptls.core.formats.tree import Value
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.harnesses import catalogue
from promptls.kit.launch import JSON, SETTING, Configuration
from promptls.wire import scratch
from promptls.wire.given_arguments import arguments
from promptls.wire.given_files import MOST_TEXTS, Given, Rules, called_for, choose, is_of_system, texts, with_paths
from promptls.wire.harmless_text import without_commands, without_keys
from tests.folder import lay_out

Files = dict[str, str | bytes | dict[str, object]]
PROGRAMS = {name: found for name in catalogue.FOLDERS if (found := catalogue.program(name)) is not None}
# What begins or names a program, an address or a secret, however a list spells it.
DANGEROUS = re.compile(
    r"(?i)hooks?(?:$|\.(?!enabled))|mcp_?-?servers?|(?:^|\.)mcp$|command(?!s?$|\.\*)|helper|awsAuth|awsCred|\bnotify|statusLine"
    r"|fileSuggestion|plugin(?!s\.|s$|Configs)|npm|sandbox(?!_mode|_workspace_write)|baseurl|base_url|api_?key|token$"
    r"|shell_environment|model_providers|extensions$|packages|scripts|(?:^|\.)bin$|(?:^|\.)env$|formatter|lsp|tasks"
)
# Each changes no program: a switch, or a list of names.
HARMLESS = {
    *("disableAllHooks", "features.hooks", "features.plugins", "chat\\.useHooks", "chat\\.useClaudeHooks"),
    *("settings.chat\\.useHooks", "settings.chat\\.useClaudeHooks", "security.allowedExtensions"),
    *("security.blockGitExtensions", "disabledMcpjsonServers", "enabledMcpjsonServers", "enableAllProjectMcpServers"),
}
VARIABLES = re.compile(
    r"^(?:PATH|LD_.*|DYLD_.*|GIT_.*|NODE_.*|.*_PROXY|BASH_ENV|ENV|SHELL|IFS|PYTHON.*|BUN_.*|.*_KEY|.*_TOKEN|.*_SECRET"
    r"|.*BASE_URL|.*SANDBOX.*|.*_COMMAND|EDITOR|PAGER|.*_BINARY|.*HELPER.*)$"
)
OPTIONS = re.compile(
    r"mcp|plugin-dir|hook|^--config$|settings$|extension-dir|sandbox-image|api-key|provider|base-?url$|policy$"
)


def chosen(
    tmp_path: Path, harness: str, laid: Files, *, args: tuple[str, ...] = (), runs: bool = False
) -> tuple[Path, Prompt, Given]:
    """What the program of a harness is given of a home and a project."""
    top = lay_out(tmp_path.resolve() / "top", {"project/.keep": "", "home/.keep": "", **laid}, git=False)
    env = {"HOME": str(top / "home"), "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    host = Host(home=str(top / "home"), env=env, platform="linux")
    session = Session(harness, str(top / "project"), args=args)
    prompt = harnesses.preview(session, host)
    own = (str(top / "project"), str(top / "home"))
    rules = Rules(PROGRAMS[harness], harnesses.get(harness).spec, str(top / "home"), own, runs=runs)
    return top, prompt, choose(host, prompt, rules, further=sorted(map(str, top.rglob("*"))))


def text_of(top: Path, found: Given, below: str) -> str:
    return found.files[str(top / below)].decode()


# -- lists -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_list_has_what_runs_something(name: str) -> None:
    program = PROGRAMS[name]
    of_options = [each for each in program.options.values() if isinstance(each, Configuration)]
    for kind in (*program.configurations, *of_options):
        for key in (*kind.keys, *kind.inert):
            is_inert = key in kind.inert and key not in kind.keys
            assert is_inert or key in HARMLESS or not DANGEROUS.search(key), (kind.place, key)
        assert "**" not in kind.keys, kind.place
        assert set(kind.variables) <= {"env", ""}, kind.place
    assert [each for each in program.keeps if VARIABLES.match(each)] == []
    assert not {"hooks", "mcpServers", "mcp-servers", "command", "env"} & set(program.headers)
    free = {option for option, takes in program.options.items() if not isinstance(takes, Configuration)}
    assert [each for each in free - {"--strict-mcp-config", "--no-mcp"} if OPTIONS.search(each)] == []
    re.compile(program.code)


# -- configurations ----------------------------------------------------------------------------------------------


def test_a_configuration_has_only_what_changes_the_prompt(tmp_path: Path) -> None:
    said: dict[str, object] = {
        "language": "French",
        "permissions": {"allow": ["Read"], "own": "x"},
        "env": {"CLAUDE_CODE_EFFORT_LEVEL": "high", "PATH": "./bin", "LD_PRELOAD": "./x.so"},
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch x"}]}]},
        "theme": "dark",
        "model": {"command": "x"},
    }
    top, _, found = chosen(tmp_path, "claude-code", {"project/.claude/settings.json": said})
    # One value of a wrong type, and Claude Code ignores them all: so it does with the copy.
    assert text_of(top, found, "project/.claude/settings.json") == "{"
    del said["model"]
    top, _, found = chosen(tmp_path, "claude-code", {"project/.claude/settings.json": said})
    kept = {"language": "French", "permissions": {"allow": ["Read"]}, "env": {"CLAUDE_CODE_EFFORT_LEVEL": "high"}}
    assert json.loads(text_of(top, found, "project/.claude/settings.json")) == kept
    assert {what for what, _ in found.left_out} == {"env.PATH", "env.LD_PRELOAD", "permissions.own", "hooks"}


@pytest.mark.parametrize(
    "text",
    [
        '{"tools": {"discovery\\u0043ommand": "x", "exclude": ["a"]}}',
        '{"tools": {"exclude": ["a"]}, /* a comment */ "mcpServers": {"promptls-none": {"command": "x"}}}',
        '{"tools": {"sandbox": "docker"}, "tools": {"exclude": ["a"], "sandbox": "docker"}}',
    ],
    ids=["escape", "comment", "twice"],
)
def test_a_key_does_not_hide(tmp_path: Path, text: str) -> None:
    top, _, found = chosen(tmp_path, "gemini-cli", {"project/.gemini/settings.json": text})
    known = json.loads(text_of(top, found, "project/.gemini/settings.json"))
    assert known == {"tools": {"exclude": ["a"]}}


def test_toml_is_written_anew(tmp_path: Path) -> None:
    text = (
        'model = "m"\nnotify = ["sh", "-c", "x"]\n"mcp_servers".s = { command = "x" }\n'
        '[agents."a.b"]\ndescription = "A\\nb"\nconfig_file = "a.toml"\n[model_providers.x.auth]\ncommand = "x"\n'
    )
    top, _, found = chosen(tmp_path, "codex", {"home/.codex/config.toml": text})
    root = parse_toml(text_of(top, found, "home/.codex/config.toml")).root
    assert _plain(root) == {"model": "m", "agents": {"a.b": {"description": "A\nb", "config_file": "a.toml"}}}
    assert ("mcp_servers", str(top / "home/.codex/config.toml")) in found.left_out


def test_none_is_written_where_a_file_must_say_it(tmp_path: Path) -> None:
    laid: Files = {"project/.mcp.json": {"mcpServers": {"s": {"command": "x"}}}}
    top, _, found = chosen(tmp_path, "claude-code", laid)
    assert json.loads(text_of(top, found, "project/.mcp.json")) == {"mcpServers": {}}
    assert [what for what, _ in found.left_out] == ["mcpServers"]


@pytest.mark.parametrize(
    ("harness", "below"),
    [
        ("opencode", ".opencode/plugin/t.ts"),
        ("opencode", ".opencode/plugins/p.js"),
        ("kilo-code", ".kilo/plugin/p.js"),
        ("pi", ".pi/extensions/x/index.ts"),
        ("cline", ".clinerules/hooks/PreToolUse"),
        ("qwen-code", ".qwen/extensions/x/qwen-extension.json"),
        ("copilot-cli", ".github/hooks/h.json"),
        ("codex", ".codex/hooks.json"),
        ("claude-code", ".claude/hooks/h.sh"),
        ("opencode", "bunfig.toml"),
        ("claude-code", ".npmrc"),
        ("claude-code", ".envrc"),
    ],
)
def test_a_program_is_not_there(tmp_path: Path, harness: str, below: str) -> None:
    top, _, found = chosen(tmp_path, harness, {f"project/{below}": 'preload = ["./x.mjs"]\n'})
    assert found.files.get(str(top / "project" / below), b"") in (b"", b"{}")


def test_a_variable_of_a_file_is_one_of_the_list(tmp_path: Path) -> None:
    laid: Files = {"project/.gemini/.env": "GEMINI_SANDBOX=docker\nexport GEMINI_MODEL=m\nPATH=./bin\n"}
    top, _, found = chosen(tmp_path, "gemini-cli", laid)
    assert text_of(top, found, "project/.gemini/.env") == "GEMINI_MODEL=m\n"


# -- texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Say !`ls`.", "Say `ls`."),
        ("```!\nls\n```", "```\nls\n```"),
        ("```!!\nls\n```", "```\nls\n```"),
        ("!!`ls`", "`ls`"),
        ('prompt = "!{ls}"', 'prompt = "{ls}"'),
        ('"{file:./bang.txt}`ls`"', '"{file:./bang.txt} `ls`"'),
        ("Stop! It is `ls`!", "Stop! It is `ls`!"),
    ],
)
def test_commands_in_a_text_are_marked_no_more(text: str, plain: str) -> None:
    assert without_commands(text) == plain


@pytest.mark.parametrize(
    ("text", "plain", "dropped"),
    [
        ("---\nname: a\nhooks:\n  A:\n  - x\nmodel: m\n---\nText", "---\nname: a\nmodel: m\n---\nText", ("hooks",)),
        ("---\rname: a\rhooks: x\r---\rText", "---\rname: a\r---\rText", ("hooks",)),
        ("---\r\nname: a\r\nhooks: x\r\n---\r\nText", "---\r\nname: a\r\n---\r\nText", ("hooks",)),
        ('---\n"hooks": x\nname: a\n---\n', "---\nname: a\n---\n", ('"hooks": x',)),
        ("---\n hooks: x\n---\n", "---\n---\n", ("hooks: x",)),
        ("---\n{hooks: x}\n---\n", "---\n---\n", ("{hooks: x}",)),
        ("---\nname: &a {b: c}\n<<: *a\n---\n", "---\nname: &a {b: c}\n---\n", ("<<: *a",)),
        ("---\n? hooks\n: x\n---\n", "---\n---\n", ("? hooks", ": x")),
        ("---js\n({name: run()})\n---\n", "---\n---\n", ("---js", "({name: run()})")),
        ("\ufeff--- \nhooks: x\n---\t\n", "\ufeff---\n---\n", ("hooks",)),
        ("---\xa0\nhooks: x\n---\n", "---\n---\n", ("hooks",)),
        ("---\n\nA line, and no other.\n", "\n---\n\nA line, and no other.\n", ()),
        ("---\nname: a\n---\nText\n---\nhooks: x\n---\n", "---\nname: a\n---\nText\n---\nhooks: x\n---\n", ()),
        ("----\nhooks: x\n----\n", "----\nhooks: x\n----\n", ()),
        ("Text\n", "Text\n", ()),
    ],
)
def test_front_matter_has_only_keys_of_the_list(text: str, plain: str, dropped: tuple[str, ...]) -> None:
    assert without_keys(text, {"name", "model"}) == (plain, dropped)


def test_utf_16_hides_nothing(tmp_path: Path) -> None:
    said = "\ufeff---\ndescription: d\nhooks: x\n---\nSay !`ls`.\n"
    for encoding in ("utf-16-le", "utf-16-be"):
        laid: Files = {"project/.claude/commands/go.md": said.encode(encoding)}
        top, _, found = chosen(tmp_path, "claude-code", laid)
        data = found.files[str(top / "project/.claude/commands/go.md")]
        assert data.decode(encoding) == "\ufeff---\ndescription: d\n---\nSay `ls`.\n"


def test_a_text_elsewhere_is_as_it_is(tmp_path: Path) -> None:
    said = "---\nhooks: of ours\n---\nRun !`ls` yourself.\n"
    top, _, found = chosen(tmp_path, "claude-code", {"project/CLAUDE.md": said, "project/docs/x.md": said})
    assert text_of(top, found, "project/CLAUDE.md") == said
    assert text_of(top, found, "project/docs/x.md") == said


def test_what_a_link_or_a_configuration_leads_to_may_be_a_command(tmp_path: Path) -> None:
    laid: Files = {"project/docs/x.md": "Run !`ls`.\n"}
    top = lay_out(tmp_path.resolve() / "top", {"project/.claude/commands/.keep": "", **laid}, git=False)
    (top / "project/.claude/commands/go.md").symlink_to("../../docs/x.md")
    top, _, found = chosen(tmp_path, "claude-code", laid)
    assert text_of(top, found, "project/docs/x.md") == "Run `ls`.\n"
    named = {"command": {"go": {"template": "{file:./docs/y.txt}"}}}
    laid = {"project/docs/y.txt": "Run !`ls`.\n", "project/opencode.json": named}  # type: ignore[dict-item]
    top, _, found = chosen(tmp_path, "opencode", laid)
    assert text_of(top, found, "project/docs/y.txt") == "Run `ls`.\n"


LINES = st.sampled_from(
    (
        *("---", "--- ", "---js", "...", "name: a", "name:", " x: y", "\thooks: x", "hooks: x", '"hooks": x'),
        *("'hooks': x", "? hooks", ": x", "<<: *a", "name: &a {hooks: x}", "{hooks: x}", "- hooks: x", "name: |"),
        *("  hooks: x", "# c", "}", "]", "%YAML 1.2", "!!map hooks: x", "hooks : x", "hooks:x", "", "!`x`", "```!"),
        *("!{x}", "\ufeff", "\u2028"),
    )
)
TEXTS = st.builds(
    lambda lines, end: end.join(lines), st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n", "\r"])
)


@settings(max_examples=60, deadline=None)
@property_of(TEXTS | st.text(alphabet="-!`{}\n\r\ufeff hoks:nam\u2028\x85\t\"'&*?<|>[],#", max_size=40))
def test_whatever_the_text_no_key_and_no_command_is_left(text: str) -> None:
    plain, _ = without_keys(without_commands(text), {"name"})
    assert not re.search(r"!`|```!|!\{", plain)
    assert without_commands(plain) == plain
    again, dropped = without_keys(plain, {"name"})
    assert (again, dropped) == (plain, ()), "once is enough"
    for each in (plain, plain.lstrip("\ufeff")):
        document = front_matter.split(each).document
        root = document.root if document is not None else None
        assert {str(key.data) for key, _ in root.members} <= {"name"} if root is not None else True


# -- arguments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("harness", "args", "kept", "dropped"),
    [
        (
            "claude-code",
            ("--model", "m", "--mcp-config", "a", "b", "--bare"),
            ("--model", "m", "--bare"),
            ("--mcp-config",),
        ),
        ("claude-code", ("--settings", "evil.json"), (), ("--settings",)),
        (
            "claude-code",
            ("--settings", '{"language": "x", "apiKeyHelper": "y", "hooks": {}}'),
            ("--settings", '{"language": "x"}'),
            (),
        ),
        ("claude-code", ("--model=m", "--plugin-dir=x"), ("--model=m",), ("--plugin-dir",)),
        (
            "claude-code",
            ("--agents", '{"a": {"prompt": "p", "hooks": {"x": 1}}}'),
            ("--agents", '{"a": {"prompt": "p"}}'),
            (),
        ),
        ("codex", ("-c", 'model="m"', "-c", "notify=['sh']"), ("-c", 'model="m"'), ("-c",)),
        ("codex", ("-c", "mcp_servers.s.command=x", "-m", "m"), ("-m", "m"), ("-c",)),
        ("codex", ("-c", "model_providers={x={auth={command='x'}}}"), (), ("-c",)),
        ("gemini-cli", ("--allowed-mcp-server-names", "s", "-y"), ("-y",), ("--allowed-mcp-server-names",)),
        ("pi", ("--extension", "./x.ts", "-e", "y", "--model", "m"), ("--model", "m"), ("--extension", "-e")),
    ],
)
def test_arguments_are_those_of_the_list(
    harness: str, args: tuple[str, ...], kept: tuple[str, ...], dropped: tuple[str, ...]
) -> None:
    assert arguments(args, PROGRAMS[harness]) == (kept, dropped)


def test_places_of_options_are_no_places_of_files() -> None:
    places = [kind.place for program in PROGRAMS.values() for kind in program.configurations]
    assert not {JSON, SETTING} & set(places)


def _plain(value: Value | None) -> Any:
    if value is not None and value.kind == "object":
        return {str(key.data): _plain(each) for key, each in value.members}
    return value.data if value is not None else None


def test_what_anybody_may_write_to_does_not_belong_to_the_system(tmp_path: Path) -> None:
    assert is_of_system("/dev/null", ())
    assert not is_of_system("/dev/shm/o.json", ())  # noqa: S108 - only its name
    for name in ("dev/shm", "dev/other", "tmp", "usr/me"):
        (tmp_path / name).mkdir(parents=True)
    found = scratch.binds(str(tmp_path), ("/usr/me",))
    assert found == tuple((f"{tmp_path}/{each}", f"/{each}") for each in ("dev/shm", "tmp", "usr/me"))


def test_a_directory_behind_a_link_is_there_once(tmp_path: Path) -> None:
    skill = "---\nname: a\ndescription: What it is for.\n---\nText.\n"
    files = {"project/skills/a/SKILL.md": skill, "project/skills/b/SKILL.md": skill.replace("a\n", "b\n", 1)}
    top = lay_out(tmp_path / "top", {**files, "project/.agents/.keep": "", "home/.keep": ""}, git=False)
    (top / "project/.agents/skills").symlink_to("../skills")
    host = Host(home=str(top / "home"), env={})
    prompt = harnesses.preview(Session("opencode", str(top / "project")), host)
    own = (str(top / "project"), str(top / "home"))
    found = choose(host, prompt, Rules(PROGRAMS["opencode"], harnesses.get("opencode").spec, own[1], own))
    for root in (tmp_path / "one", tmp_path / "other"):
        scratch.lay_out(str(root), found)
        place = Path(f"{root}{top}/project/.agents/skills")
        assert place.is_symlink()
        assert sorted(each.name for each in place.iterdir()) == ["a", "b"]


def test_a_link_that_is_an_instruction_file_makes_no_command(tmp_path: Path) -> None:
    text = "Never write `x!` or `y`.\n"
    top, _, _ = chosen(tmp_path, "claude-code", {"project/AGENTS.md": text})
    (top / "project/CLAUDE.md").symlink_to("AGENTS.md")
    top, _, found = chosen(tmp_path, "claude-code", {"project/AGENTS.md": text})
    assert text_of(top, found, "project/AGENTS.md") == text
    (top / "project/.claude/commands").mkdir(parents=True)
    (top / "project/.claude/commands/go.md").symlink_to("../../AGENTS.md")
    top, _, found = chosen(tmp_path, "claude-code", {"project/AGENTS.md": text})
    assert text_of(top, found, "project/AGENTS.md") == "Never write `x` or `y`.\n"


def test_of_many_texts_those_nearest_to_the_working_directory_are_given() -> None:
    paths = [f"/w/d{number}/AGENTS.md" for number in range(MOST_TEXTS)]
    near = ["/w/z/y/AGENTS.md", "/w/z/y/x/AGENTS.md", "/w/z/AGENTS.md", "/w/AGENTS.md"]
    found = texts([*paths, *near], PROGRAMS["codex"], "/w/z/y")
    assert len(found) == MOST_TEXTS
    assert found[0] == near[0]
    assert set(near) <= set(found)


def test_with_what_may_run_nothing_of_the_home_is_left_out_but_secrets(tmp_path: Path) -> None:
    server: dict[str, object] = {"command": "s", "env": {"API_KEY": "canary-7f3a"}}
    laid: Files = {
        "home/.claude/settings.json": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}},
        "home/.claude.json": {"mcpServers": {"s": server}, "oauthAccount": {"emailAddress": "a@example.invalid"}},
        "home/.claude/commands/go.md": "Say !`date`\n",
    }
    top, _, found = chosen(tmp_path, "claude-code", laid, runs=True)
    assert json.loads(text_of(top, found, "home/.claude/settings.json")) == laid["home/.claude/settings.json"]
    state = json.loads(text_of(top, found, "home/.claude.json"))
    assert state["mcpServers"]["s"]["command"] == "s"
    assert "canary" not in json.dumps(state)
    assert "oauthAccount" not in state
    assert text_of(top, found, "home/.claude/commands/go.md") == laid["home/.claude/commands/go.md"]
    assert found.left_out == ()


def test_with_what_may_run_the_variables_that_decide_over_the_prompt_are_given(tmp_path: Path) -> None:
    env = {"MCP_TIMEOUT": "9000", "ENABLE_TOOL_SEARCH": "false", "OWN_KEY": "canary-7f3a"}
    top, _, found = chosen(tmp_path, "claude-code", {"home/.claude/settings.json": {"env": env}}, runs=True)
    given = json.loads(text_of(top, found, "home/.claude/settings.json"))["env"]
    assert {name: value for name, value in given.items() if name != "OWN_KEY"} == {
        "MCP_TIMEOUT": "9000",
        "ENABLE_TOOL_SEARCH": "false",
    }
    assert "canary" not in given["OWN_KEY"]


def test_settings_are_written_into_the_copy_wherever_a_link_leads(tmp_path: Path) -> None:
    system = lay_out(tmp_path / "system", {"there.json": {"a": 1}}, git=False)
    root = lay_out(tmp_path / "root", {"home/real.json": {"b": 2}, "home/in/.keep": ""}, git=False)
    (root / "home/one.json").symlink_to("real.json")
    (root / "home/other.json").symlink_to(system / "there.json")
    (root / "home/out").symlink_to(system)
    assert json.loads(scratch.own(str(root), "/home/one.json") or b"") == {"b": 2}
    for path in ("/home/other.json", "/home/out/there.json", "/home/new/x.json"):
        assert scratch.own(str(root), path) is None
        Path(f"{root}{path}").write_text("{}", "utf-8")
    assert json.loads((system / "there.json").read_text("utf-8")) == {"a": 1}


def test_the_paths_in_calls_are_those_of_the_tools() -> None:
    inner = Call(tool="Edit", input=json.dumps({"file_path": "/w/b.py", "old_string": "x\ny"}))
    edit = Call(tool="Edit", input=json.dumps({"file_path": "a.py", "replace_all": True, "old_string": ""}))
    steps = ((edit,), (Call(tool="Agent", input="[]", steps=((inner,),)), Call(read="/w/c.py")))
    named = called_for(Session("claude-code", "/w", turns=(Turn("go", steps=steps),)))
    assert sorted(named) == ["/w/a.py", "/w/b.py", "/w/c.py"]


def test_paths_that_are_there_are_no_secrets(tmp_path: Path) -> None:
    """A server whose variables name directories starts as it does at home; any other value stays masked."""
    values = {"A": f"{tmp_path}:/usr", "B": "/no/such/place", "C": "geheim", "D": str(tmp_path)}
    text = json.dumps({"env": values}, ensure_ascii=False)
    masked = re.sub(r'(?<=": ")[^"]+', lambda each: "*" * len(each[0]), text)
    found = json.loads(with_paths(text, masked))["env"]
    assert found == {"A": f"{tmp_path}:/usr", "B": "*" * 14, "C": "*" * 6, "D": str(tmp_path)}
    assert with_paths(text, masked[:-1]) == masked[:-1]
