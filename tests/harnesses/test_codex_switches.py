"""What one line of config.toml, or one option, changes in Codex."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, changed, outcomes, preview
from tests.roots import in_order

pytestmark = pytest.mark.same_everywhere
CONFIG = "~/.codex/config.toml"
PLAIN: Files = {
    "AGENTS.md": "root",
    "b/AGENTS.md": "below",
    ".codex/config.toml": 'model = "project-model"',
    ".codex/agents/r.toml": 'description = "of the project"\ndeveloper_instructions="i"\n',
    "~/.codex/agents/u.toml": 'name="user-role"\ndescription="a role"\nmodel="m1"\ndeveloper_instructions="i"\n',
    "~/.codex/agents/v.toml": 'description = "effort"\nmodel_reasoning_effort = "low"\ndeveloper_instructions="i"\n',
    "~/.codex/agents/w.toml": 'description="w"\nmodel="m"\nmodel_reasoning_effort="low"\ndeveloper_instructions="i"\n',
    ".agents/skills/s/SKILL.md": "---\ndescription: a skill\n---\n",
    "base.md": "my base",
    "~/.codex/base.md": "my base",
    "~/.codex/x.toml": 'developer_instructions="i"\n',
    "~/.codex/off.config.toml": '[[skills.config]]\nname = "s"\nenabled = false\n',
    "~/.codex/p.config.toml": 'developer_instructions = "of the profile"',
}

# The one of which the sizes below are.
VERSION = "0.169.0"


def here(expected: str, top: Path) -> str:
    """What is expected where the folders of ``changed`` are."""
    return in_order(expected, top / "2/folder", top / "2/home")


UNKNOWN = (
    "+base text 16979 -spawn_agent 147 +spawn_agent 133 -base text 21769 "
    "-collaboration mode 879 -role among agents 2363 -mode of agents 234"
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('sandbox_mode = "read-only"', ""),
        (
            'sandbox_mode = "workspace-write"',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable roots are `.`, `/tmp`.' "
                "-environment context 385 +environment context 733"
            ),
        ),
        (
            'sandbox_mode = "danger-full-access"',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`danger-full-access`: ' -environment context 385 +environment context 323"
            ),
        ),
        (
            'sandbox_mode = "workspace-write"\nsandbox_workspace_write.network_access = true',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable roots are `.`, `/tmp`.' "
                "-environment context 385 +environment context 733"
            ),
        ),
        (
            'sandbox_mode = "workspace-write"\nsandbox_workspace_write.exclude_slash_tmp = true',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable root is `.`.' -environment "
                "context 385 +environment context 674"
            ),
        ),
        (
            'sandbox_mode = "workspace-write"\nsandbox_workspace_write.writable_roots = ["~/w", "rel"]',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable roots are `.`, `~/.codex/rel`, `~/w`, `/tmp`.' "
                "-environment context 385 +environment context 1321"
            ),
        ),
        ("sandbox_workspace_write.network_access = true", ""),
        ('approval_policy = "never"', ""),
        ('developer_instructions = "mine"', "+developer_instructions 'mine'"),
        ('model = "gpt-5"', UNKNOWN),
        (
            'model = "gpt-5.5"',
            (
                "-spawn_agent 147 -role user-role 'a role' -role v 'effort' -role w 'w' -role default 14 "
                "-role explorer 1005 -role worker 1036 -base text 21769 +base text 21299 +how to use skills 2531 "
                "+sub-agents 43 -collaboration mode 879 -role among agents 2363 -mode of agents 234"
            ),
        ),
        ("project_doc_max_bytes = 2", "-AGENTS.md 'root' +AGENTS.md 'ro'"),
        ("project_doc_max_bytes = 4", ""),
        ("project_doc_max_bytes = 0", "-AGENTS.md 'root'"),
        (
            "include_permissions_instructions = false",
            (
                "+collaboration mode 879 -sandbox 66 -sandbox mode '`sandbox_mode` is `read-only`: ' -approvals "
                "'Approval policy is currently never.' -collaboration mode 879"
            ),
        ),
        ("include_environment_context = false", "-environment context 385"),
        ("include_collaboration_mode_instructions = false", "-collaboration mode 879"),
        ("include_environment_context_time = false", "-environment context 385 +environment context 312"),
        ('personality = "friendly"', ""),
        # Nobody has measured it in this version.
        ('personality = "none"', "-base text 21769 +base text"),
        (
            'approvals_reviewer = "auto_review"',
            ("-approvals 'Approval policy is currently never.' +reviewer '\\n`approvals_reviewer` is `auto_review`: '"),
        ),
        ('approvals_reviewer = "auto_review"\napproval_policy = "never"', ""),
        ("skills.include_instructions = false", "-skills 261 -.agents/skills/s/SKILL.md 'a skill'"),
        ("skills.bundled.enabled = false", ""),
        (
            "agents.enabled = false",
            (
                "-spawn_agent 147 -role user-role 'a role' -role v 'effort' -role w 'w' -role default 14 "
                "-role explorer 1005 -role worker 1036 -role among agents 2363 -mode of agents 234"
            ),
        ),
        ("features.multi_agent = false", ""),
        ("memories.use_memories = true", ""),
        ('[agents.x]\ndescription = "of the configuration"', "+role x 'of the configuration'"),
        ('[agents.x]\nconfig_file = "x.toml"\ndescription = "with a file"', "+role x 'with a file'"),
        ('[agents.x]\nconfig_file = "gone.toml"', ""),
        (
            'default_permissions = ":workspace"',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable roots are `.`, `/tmp`.' "
                "-environment context 385 +environment context 733"
            ),
        ),
        ('default_permissions = ":read-only"', ""),
        (
            'default_permissions = "own"\npermissions.own.filesystem."." = "write"',
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable root is `.`.' -environment "
                "context 385 +environment context 376"
            ),
        ),
        (
            'default_permissions = "own"\npermissions.own.filesystem = {":root" = "read", "/etc" = "deny"}',
            "+denied reads '\\n- path `/etc`' -environment context 385 +environment context 451",
        ),
        ('mcp_servers.m.command = "c"', "+m '- mcp__m' +first line of MCP server m"),
        ('mcp_servers.m = {command = "c", enabled = false}', ""),
        ('model_instructions_file = "base.md"', "-base text 21769 +~/.codex/base.md 'my base'"),
        (
            'model_instructions_file = "gone.md"',
            (
                "nothing is sent: Codex ends, because of model_instructions_file ~/.codex/gone.md: there "
                "is no such file. Fix the entry."
            ),
        ),
        ('instructions = "mine"', "-base text 21769 +instructions 'mine'"),
        ('instructions = ""', "-base text 21769"),
        (
            'profile = "p"',
            ("nothing is sent: Codex ends, because the key profile has no effect any more. Start it with --profile p."),
        ),
        ("project_root_markers = []", ""),
        ('project_doc_fallback_filenames = ["b"]', ""),
        (
            "model = 1",
            ("nothing is sent: Codex ends, because ~/.codex/config.toml is not valid: this must be a string. Fix it."),
        ),
    ],
)
def test_a_line_of_the_configuration(tmp_path: Path, config: str, expected: str) -> None:
    assert changed(tmp_path, "codex", PLAIN, {CONFIG: config}, version=VERSION) == here(expected, tmp_path)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("exec", "--sandbox", "workspace-write"),
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' +writable roots '\\n The writable roots are `.`, `/tmp`.' "
                "-environment context 385 +environment context 733"
            ),
        ),
        (("--no-alt-screen",), "-approvals 'Approval policy is currently never.' +approvals 3660"),
        (("--no-alt-screen", "say", "e"), "-approvals 'Approval policy is currently never.' +approvals 3660"),
        (("e", "--no-alt-screen"), ""),
        (("--no-alt-screen", "--ask-for-approval", "never"), ""),
        (
            ("--no-alt-screen", "-c", "approval_policy.granular.rules=true"),
            (
                "-approvals 'Approval policy is currently never.' +approvals '# Approval "
                "Requests\\n\\nApproval policy is `granular`. ' +approvals 76 +approvals 146"
            ),
        ),
        (
            ("--no-alt-screen", "-c", 'approvals_reviewer="auto_review"'),
            ("-approvals 'Approval policy is currently never.' +reviewer '\\n`approvals_reviewer` is `auto_review`: '"),
        ),
        (
            ("-c", "model=other"),
            UNKNOWN,
        ),
        (("-c", "developer_instructions=mine"), "+developer_instructions 'mine'"),
        (("-c", "developer_instructions=\U0001f642"), "+developer_instructions '\U0001f642'"),
        (("-c", "="), ""),
        (
            ("-c", "model=1"),
            (
                "nothing is sent: Codex ends, because it cannot take the option -c model=1: this must be "
                "a string. Fix it."
            ),
        ),
        (("--cd", "b"), "+b/AGENTS.md 'below'"),
        (("--cd", "b/AGENTS.md"), "-AGENTS.md 'root' -environment context 385 +environment context 405"),
        (("--cd", "gone"), "nothing is sent: Codex ends, because there is no directory gone. Fix -C."),
        (("--add-dir", "/opt"), "-environment context 385 +environment context 402"),
        (("--model", "gpt-5"), UNKNOWN),
        (("--profile", "p"), "+developer_instructions 'of the profile'"),
        (("--profile", "gone"), ""),
        (("--profile", "off"), "-.agents/skills/s/SKILL.md 'a skill'"),
        (
            ("exec", "--dangerously-bypass-approvals-and-sandbox"),
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`danger-full-access`: ' -environment context 385 +environment context 323"
            ),
        ),
        (
            ("exec", "--approve-for-me"),
            (
                "-sandbox mode '`sandbox_mode` is `read-only`: ' +sandbox mode '`sandbox_mode` is "
                "`workspace-write`: ' -approvals 'Approval policy is currently never.' "
                "+reviewer '\\n`approvals_reviewer` is `auto_review`: ' +writable roots '\\n The "
                "writable roots are `.`, `/tmp`.' -environment context 385 +environment context 733"
            ),
        ),
        (("-i", "x.png"), "+image x.png"),
        (
            ("debug", "prompt-input", "say"),
            (
                "-base text 21769 +approvals 3660 -approvals 'Approval policy is currently never.' "
                "-collaboration mode 879"
            ),
        ),
        (("--unknown",), ""),
    ],
)
def test_an_option(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    assert changed(tmp_path, "codex", PLAIN, {}, args=args, version=VERSION) == here(expected, tmp_path)


@pytest.mark.parametrize(
    ("args", "text", "becomes"),
    [
        (("--enable", "memories"), "x", ["memory_summary.md loaded"]),
        (("--enable", "memories"), " \n", ["memory_summary.md empty"]),
        (("--enable", "memories"), None, ["memory_summary.md missing"]),
        (("--enable", "memories", "-c", "memories.use_memories=false"), "x", []),
        (("--disable", "memories"), "x", []),
    ],
)
def test_memories(tmp_path: Path, args: tuple[str, ...], text: str | None, becomes: list[str]) -> None:
    files: Files = {} if text is None else {"~/.codex/memories/memory_summary.md": text}
    prompt = preview(tmp_path, "codex", files, args=args)
    assert outcomes(prompt, "memory_summary.md") == becomes
    is_sent = any(segment.layer == "memory" for message in prompt.messages for segment in message.segments)
    assert is_sent is (becomes == ["memory_summary.md loaded"])


COMMAND, URL, ONLY = (f"[mcp_servers.mg]\n{each}\n" for each in ('command = "c"', 'url = "u"', 'enabled_tools = ["y"]'))


@pytest.mark.parametrize(
    ("of_user", "of_project", "args", "blamed"),
    [
        (COMMAND, ONLY, (), ""),
        (ONLY, COMMAND, (), ""),
        (COMMAND, "", ("-c", 'mcp_servers.mg.enabled_tools=["y"]'), ""),
        (ONLY, "", (), "home/.codex/config.toml"),
        ("", ONLY, (), "folder/.codex/config.toml"),
        (COMMAND, URL, (), "folder/.codex/config.toml"),
        ("", "", ("-c", 'mcp_servers.mg.enabled_tools=["y"]'), "the option -c mcp_servers.mg.enabled_tools"),
    ],
)
def test_layers_together_say_how_a_server_is_started(
    tmp_path: Path, of_user: str, of_project: str, args: tuple[str, ...], blamed: str
) -> None:
    """Seen by verify."""
    files: Files = {CONFIG: of_user, ".codex/config.toml": of_project}
    stopped = preview(tmp_path, "codex", files, args=args, is_trusted=True).stopped or ""
    assert (bool(stopped), blamed in stopped) == (bool(blamed), True)
    assert not stopped or "this needs either command or url" in stopped


# Seen by verify, with 0.171.0.
@pytest.mark.parametrize(
    ("model", "features", "expected"),
    [
        ("gpt-6.1-sol", "goals=false", "functions 15283 for 18321"),
        ("gpt-6.1-sol", "goals=true", ""),
        ("gpt-6.1-sol", "goals=false,shell_tool=false", "functions 12260 for 18321"),
        ("gpt-6.1-sol", "sleep_tool=false", "clock off"),
        ("gpt-5.5", "goals=false", "create_goal off, get_goal off, update_goal off"),
        ("gpt-5.5", "unified_exec_tty=false", "exec_command 1415 for 1529"),
        ("gpt-5.5", "default_mode_request_user_input=true", "request_user_input 1366 for 1355"),
        ("gpt-5.5", "default_mode_request_user_input=false", ""),
        ("gpt-6.1-sol", "view_image=false", "functions 17949 for 18321"),
        ("gpt-5.5", "view_image=false", "view_image off"),
    ],
)
def test_a_feature(tmp_path: Path, model: str, features: str, expected: str) -> None:
    """What features that are set to what is not usual do to the definitions of tools."""
    args = tuple(each for name in features.split(",") for each in ("-c", f"features.{name}"))
    before, after = (
        {
            tool.name: tool.size if tool.enabled else "off"
            for tool in preview(tmp_path / each, "codex", {}, **more).tools or ()
        }
        for each, more in (("1", {"model": model}), ("2", {"model": model, "args": args}))
    )
    differ = {name: size for name, size in after.items() if size != before[name]}
    assert (
        ", ".join(f"{name} {size}" + f" for {before[name]}" * (size != "off") for name, size in sorted(differ.items()))
        == expected
    )


# Seen by verify, with 0.171.0.
@pytest.mark.parametrize(
    ("model", "setting", "expected"),
    [
        ("gpt-5.5", 'web_search={context_size="high"}', 118),
        ("gpt-5.5", 'web_search={allowed_domains=["a.b"]}', 127),
        ("gpt-5.5", 'web_search={location={country="DE"}}', 143),
        ("gpt-5.5", "web_search=true", 89),
    ],
)
def test_a_search_that_is_narrowed(tmp_path: Path, model: str, setting: str, expected: int) -> None:
    found = preview(tmp_path, "codex", {}, model=model, args=("-c", f"tools.{setting}")).tools or ()
    assert [tool.size for tool in found if tool.name == "web_search"] == [expected]


@pytest.mark.parametrize(
    ("model", "expected"), [("gpt-6.2-sol", 21_282), ("gpt-6-luna", 15_924), ("gpt-5.5", 19_575), ("other", 16_979)]
)
def test_a_base_text_without_a_personality(tmp_path: Path, model: str, expected: int) -> None:
    """Seen by verify, with 0.171.0."""
    prompt = preview(tmp_path, "codex", {}, model=model, args=("-c", 'personality="none"'))
    parts = [each for message in prompt.messages for each in message.segments]
    sizes = [each.elided.size for each in parts if each.elided and each.title == "base text"]
    assert sizes == [expected]


@pytest.mark.parametrize("switch", ["agents.enabled=false", "features.multi_agent=false"])
def test_nothing_to_look_up_is_not_searched(tmp_path: Path, switch: str) -> None:
    """Seen by verify, with 0.171.0."""
    names = [
        [tool.name for tool in preview(tmp_path / each, "codex", {}, model="gpt-5.5", args=args).tools or ()]
        for each, args in (("1", ()), ("2", ("-c", switch)))
    ]
    assert [("tool_search" in each) for each in names] == [True, False]


@pytest.mark.parametrize("is_trusted", [False, True])
def test_an_option_trusts_the_folder(tmp_path: Path, *, is_trusted: bool) -> None:
    args = ("--trust",) if is_trusted else ()
    prompt = preview(tmp_path, "codex", {".codex/config.toml": 'model = "gpt-5.5"'}, args=args)
    assert prompt.model == ("gpt-5.5" if is_trusted else None)


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("--thread-source", "user", "--cyber-access-program", "standard", "--trust", "--no-daemon"), []),
        (("--worktree",), ["--worktree"]),
        (("--remote", "ws://host:1"), ["--remote"]),
        (("-c", 'model_catalog_json="/c.json"'), ["model_catalog_json"]),
        (
            ("-c", 'features.multi_agent_v2={tool_namespace="team"}'),
            ["features.multi_agent_v2.tool_namespace"],
        ),
        (("-c", "features.utc_environment_date=true"), ["features.utc_environment_date"]),
    ],
)
def test_what_is_not_shown_is_named(tmp_path: Path, args: tuple[str, ...], named: list[str]) -> None:
    prompt = preview(tmp_path, "codex", {}, args=args)
    assert [each.origin.name for each in prompt.candidates if "does not model" in each.why] == named


@pytest.mark.parametrize(
    ("config", "named"),
    [("token_budget = true", ["features.token_budget"]), ("token_budget = false", []), ("goals = false", [])],
)
def test_a_feature_that_is_not_shown(tmp_path: Path, config: str, named: list[str]) -> None:
    prompt = preview(tmp_path, "codex", {CONFIG: f"[features]\n{config}\n"})
    assert [each.origin.name for each in prompt.candidates if "does not model" in each.why] == named
