"""How Codex is started against a recording server."""

from __future__ import annotations

import json

from promptls.core.values import replace
from promptls.kit.launch import (
    KEY,
    MANIFEST,
    PACKAGE,
    RETURN,
    SERVERS,
    SETTING,
    SKILL_OF_CODEX,
    URL,
    Client,
    Configuration,
    OnScreen,
    Passing,
    Program,
    Run,
    Start,
    taking,
)
from promptls.kit.paths import parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "promptls"
KEY_VARIABLE = "PROMPTLS_KEY"
VARIABLES = {KEY_VARIABLE: KEY}
PROVIDER = f'{{name="{NAME}",base_url="{URL}/v1",wire_api="responses",env_key="{KEY_VARIABLE}"}}'
# What is given with -c wins over the user's and the project's configuration.
SETTINGS = (
    f'model_provider="{NAME}"',
    f"model_providers.{NAME}={PROVIDER}",
    "notify=[]",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "features.daemon_auto_start=false",
    "features.shell_snapshot=false",
)

# What is typed comes faster than by hand, which is taken for something that was pasted.
ON_SCREEN = ("disable_paste_burst=true", "tui.animations=false")

CONFIG = Configuration(
    r"(?:^|/)(?:[^/]+\.|managed_)?config\.toml$",
    keys=(
        *("model", "review_model", "model_context_window", "model_auto_compact_token_limit", "model_reasoning_effort"),
        *("model_reasoning_summary", "model_verbosity", "plan_mode_reasoning_effort", "personality", "web_search"),
        *("project_doc_max_bytes", "project_doc_fallback_filenames", "project_root_markers", "projects.*.trust_level"),
        *("instructions", "model_instructions_file", "developer_instructions", "tool_output_token_limit", "profile"),
        *("include_collaboration_mode_instructions", "include_environment_context", "include_apps_instructions"),
        *("include_permissions_instructions", "approval_policy", "approval_policy.granular.*", "approvals_reviewer"),
        *("auto_review.policy", "default_permissions", "permissions.*.description", "permissions.*.extends"),
        *("permissions.*.filesystem.**", "permissions.*.workspace_roots.**", "permissions.*.network.enabled"),
        *("sandbox_mode", "sandbox_workspace_write.writable_roots", "sandbox_workspace_write.network_access"),
        *("sandbox_workspace_write.exclude_slash_tmp", "sandbox_workspace_write.exclude_tmpdir_env_var"),
        *("agents.enabled", "agents.max_threads", "agents.max_depth", "agents.job_max_runtime_seconds"),
        *("agents.*.description", "agents.*.config_file", "agents.*.nickname_candidates"),
        *("skills.include_instructions", "skills.bundled.enabled", "skills.max_context_tokens"),
        *("skills.config.*.path", "skills.config.*.name", "skills.config.*.enabled", "plugins.*.enabled"),
        *("memories.use_memories", "memories.generate_memories", "tools.web_search", "tools.view_image"),
        *("features.multi_agent", "features.memories", "features.plugins", "features.web_search", "features.skills"),
        *("features.multi_agent_v2", "features.multi_agent_v2.*", "features.personality", "features.apps"),
        *("features.collaboration_modes", "features.unified_exec", "features.view_image_tool", "features.hooks"),
        *("features.goals", "features.sleep_tool", "features.shell_tool", "features.unified_exec_tty"),
        *("features.default_mode_request_user_input", "features.unified_image_budget", "features.view_image"),
        *("include_environment_context_time", "tools.web_search.context_size", "tools.web_search.allowed_domains"),
        *("tools.web_search.location.**", "agents.max_concurrent_threads_per_session"),
    ),
    inert=(
        *("$schema", "model_provider", "model_providers", "openai_base_url", "chatgpt_base_url", "oss_provider", "tui"),
        *("history", "notice", "analytics", "feedback", "otel", "audio", "desktop", "windows", "file_opener", "notify"),
        *("forced_login_method", "cli_auth_credentials_store", "mcp_oauth_credentials_store", "log_dir", "sqlite_home"),
        *("check_for_update_on_startup", "disable_paste_burst", "hide_agent_reasoning", "show_raw_agent_reasoning"),
        *("suppress_unstable_features_warning", "service_tier", "mcp_oauth_callback_port", "mcp_oauth_callback_url"),
        *("background_terminal_max_timeout", "thread_unload_delay_secs", "mcp_optional_startup_grace_ms"),
        *("marketplaces", "compact_prompt", "experimental_compact_prompt_file", "ghost_snapshot"),
    ),
)
ROLE = Configuration(
    r"\.toml$",
    (
        *("name", "description", "developer_instructions", "nickname_candidates", "model", "model_reasoning_effort"),
        *("model_reasoning_summary", "model_verbosity", "sandbox_mode", "approval_policy"),
    ),
)


RESUME = ("resume",)
REVIEW = "review"


def _start(run: Run) -> Start:
    resumed = (*RESUME, "--last") if run.goes_on else ()
    if run.is_on_screen:
        own = [each for setting in ON_SCREEN for each in ("-c", setting)]
        args = run.args[1:] if run.args[:1] == RESUME else run.args
        return Start((*resumed, *_command_options(run), *own, *args), VARIABLES)
    if run.is_in_editor:
        return Start((*_command_options(run), *run.args, "app-server"), VARIABLES)
    asks = (*resumed, *((REVIEW,) if run.mode == REVIEW else ()))
    return Start(
        ("exec", "--skip-git-repo-check", *_command_options(run), *run.args, *asks, "--", run.typed), VARIABLES
    )


def _view(run: Run) -> Start:
    # What runs without a screen never asks.
    given = (*_command_options(run), "-c", 'approval_policy="never"')
    return Start(("debug", "prompt-input", *given, *run.args, "--", run.typed), VARIABLES)


def _command_options(run: Run) -> list[str]:
    # A table: the key of -c takes no quotes, and the name of a server may have a dot.
    off = ",".join(f"{json.dumps(name)}={{enabled=false}}" for name in run.servers)
    settings = [*SETTINGS, *([] if run.runs else ["features.hooks=false"])]
    settings += [f"mcp_servers={{{off}}}"] if off and not run.runs else []
    settings += [f"model={json.dumps(run.model)}"] if run.model else []
    # The directories whose folders .codex count once the user trusts them.
    trusted = dict.fromkeys((run.cwd, *(parent(parent(each)) for each in run.trusted))) if run.trusts else ()
    levels = ",".join(f'{json.dumps(each)}={{trust_level="trusted"}}' for each in trusted)
    settings += [f"projects={{{levels}}}"] if levels else []
    given = [each for setting in settings for each in ("-c", setting)]
    return [*given, *(each for path in run.attached for each in ("--image", path))]


def _ways(name: str, given: Mapping[str, object]) -> tuple[tuple[str, Mapping[str, object] | str], ...]:
    """Some models start a sub-agent by another tool, which names the task, and whose history it has.

    And some call all others in code that they write.
    """
    if name == "exec":
        return ((name, given), ("functions/exec", given))
    if name == "exec_command":
        return ((name, given), ("functions/exec", f"text(await tools.exec_command({json.dumps(given)}))"))
    if name != "multi_agent_v1/spawn_agent" or not isinstance(given, dict):
        return ((name, given),)
    named = {"task_name": "agent", "fork_turns": "none", **given}
    return ((name, given), ("collaboration/spawn_agent", named))


PROGRAM = Program(
    command="codex",
    version=r"^codex(?:-cli)? (\d\S*)",
    main=("exec_command", "functions/exec", "functions/exec_command", "shell", "shell_command", "exec"),
    start=_start,
    view=_view,
    passing=(
        Passing("the date", r"<current_date>[^<]*</current_date>"),
        Passing("the id and the time of a command that has run", r"Chunk ID: \w+\nWall time: [\d.]+ seconds"),
    ),
    named=r"Deferred tool namespaces:\n((?:- .*\n)+)",
    # Its prompt names this directory.
    keeps=("TMPDIR",),
    places={"CODEX_HOME": ".codex"},
    attaches=True,
    # (captured: subagent-v2-fork)
    tasks="Message Type: NEW_TASK",
    drives=("resume", "interactive", "editor", "mode", "compact", "request", "subagent"),
    speaks="app-server",
    on_screen=OnScreen(
        # The second offers a newer model in the place of an older one.
        dialogs=(("trustthe", RETURN), ("Useexistingmodel", "2")),
        leaves="/quit",
        modes={"plan": ("/plan ",), REVIEW: ("/review ",)},
        mode_is_last=True,
        loses=("/new",),
        takes_up=RESUME,
        # There a title is asked for with the tools of some models.
        main=("request_user_input", "functions/request_user_input"),
    ),
    ways=_ways,
    configurations=(CONFIG, ROLE, SKILL_OF_CODEX, MANIFEST, SERVERS, PACKAGE),
    headers=("metadata",),
    code=r"(?:^|/)hooks\.json$|(?:^|/)\.codex/(?:hooks|scripts|bin)/",
    options={
        **taking(
            value=(
                *("--cd", "-C", "--model", "-m", "--profile", "-p", "--sandbox", "-s", "--ask-for-approval", "-a"),
                *("--add-dir", "--color"),
            ),
            values=("--image", "-i"),
            nothing=(
                *("--dangerously-bypass-approvals-and-sandbox", "--yolo", "--approve-for-me", "--ignore-rules"),
                *("--no-alt-screen", "--search", "--ephemeral", "--ignore-user-config", "--skip-git-repo-check"),
            ),
        ),
        **dict.fromkeys(("--config", "-c"), replace(CONFIG, place=SETTING)),
    },
    # (captured: mcp-client)
    client=Client(
        "codex-mcp-client",
        "2025-06-18",
        {"experimental": {"codex/auth-change": {}}, "elicitation": {"form": {}, "url": {}}},
        {"title": "Codex"},
        takes_first=True,
    ),
)
