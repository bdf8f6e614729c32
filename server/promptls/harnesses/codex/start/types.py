"""The kinds that Codex 0.169.0 takes for the keys of config.toml: a value of another kind ends it.

Each row was seen: the program itself, given a wrong value for the key, ended with an error that names the kind. Keys
that are not here, and those that it does not know, do no harm (captured: settle-type-unknown-key).
"""

from __future__ import annotations

from promptls.core.model import Fault
from promptls.kit.base import type_clause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document, Value

# "*" stands for any name of a table, "[]" for each item of a list.
KINDS = {
    "string": """
        apps_mcp_product_sku chatgpt_base_url compact_prompt default_permissions developer_instructions
        experimental_compact_prompt_file instructions js_repl_node_path log_dir mcp_oauth_callback_url model
        model_catalog_json model_instructions_file model_provider model_reasoning_effort openai_base_url oss_provider
        plan_mode_reasoning_effort profile review_model service_tier sqlite_home
        tui.theme tui.pet otel.environment audio.microphone auto_review.policy
        notify.[] project_doc_fallback_filenames.[] project_root_markers.[] js_repl_node_module_dirs.[]
        tui.status_line.[] tui.terminal_title.[] sandbox_workspace_write.writable_roots.[]
        shell_environment_policy.exclude.[] shell_environment_policy.include_only.[] shell_environment_policy.set.*
        agents.*.description agents.*.config_file profiles.*.model
        mcp_servers.*.command mcp_servers.*.args.[] mcp_servers.*.env.* mcp_servers.*.url mcp_servers.*.cwd
        mcp_servers.*.bearer_token_env_var mcp_servers.*.enabled_tools.[] mcp_servers.*.disabled_tools.[]
        model_providers.*.base_url model_providers.*.name model_providers.*.wire_api model_providers.*.env_key
        """,
    "boolean": """
        allow_login_shell check_for_update_on_startup disable_paste_burst experimental_use_unified_exec_tool
        hide_agent_reasoning include_apps_instructions include_collaboration_mode_instructions
        include_environment_context include_permissions_instructions show_raw_agent_reasoning
        suppress_unstable_features_warning
        tui.animations tui.show_tooltips tui.raw_output_mode tui.disable_paste_burst tui.auto_recap
        sandbox_workspace_write.network_access sandbox_workspace_write.exclude_slash_tmp
        sandbox_workspace_write.exclude_tmpdir_env_var shell_environment_policy.ignore_default_excludes
        shell_environment_policy.experimental_use_profile
        agents.enabled skills.bundled.enabled skills.include_instructions memories.generate_memories
        memories.use_memories mcp_servers.*.enabled mcp_servers.*.required model_providers.*.requires_openai_auth
        notice.hide_full_access_warning analytics.enabled feedback.enabled otel.log_user_prompt plugins.*.enabled
        """,
    "whole number, 0 or more": """
        background_terminal_max_timeout mcp_oauth_callback_port project_doc_max_bytes tool_output_token_limit
        thread_unload_delay_secs mcp_optional_startup_grace_ms history.max_bytes agents.max_threads
        agents.job_max_runtime_seconds
        """,
    "whole number": "model_auto_compact_token_limit model_context_window agents.max_depth",
    "number": "mcp_servers.*.startup_timeout_sec mcp_servers.*.tool_timeout_sec",
    "array": """
        notify project_doc_fallback_filenames project_root_markers js_repl_node_module_dirs tui.status_line
        tui.terminal_title sandbox_workspace_write.writable_roots shell_environment_policy.exclude
        shell_environment_policy.include_only skills.config hooks.SessionStart tool_suggest.discoverables
        mcp_servers.*.args mcp_servers.*.enabled_tools mcp_servers.*.disabled_tools
        """,
    "object": """
        agents analytics apps audio auto_review desktop features feedback ghost_snapshot history hooks marketplaces
        mcp_servers memories model_providers notice orchestrator otel permissions plugins profiles projects realtime
        sandbox_workspace_write shell_environment_policy skills tool_suggest tools tui windows
        tui.keymap shell_environment_policy.set skills.bundled mcp_servers.* mcp_servers.*.env
        mcp_servers.*.http_headers model_providers.* model_providers.*.query_params plugins.* projects.* permissions.*
        permissions.*.filesystem profiles.* marketplaces.*
        """,
}
WORDS = {
    "approvals_reviewer": "user auto_review guardian_subagent",
    "cli_auth_credentials_store": "file keyring auto ephemeral",
    "file_opener": "vscode vscode-insiders windsurf cursor none",
    "forced_login_method": "chatgpt api",
    "mcp_oauth_credentials_store": "auto file keyring",
    "model_reasoning_summary": "auto concise detailed none",
    "model_verbosity": "low medium high",
    "personality": "none friendly pragmatic",
    "sandbox_mode": "read-only workspace-write danger-full-access",
    "web_search": "disabled cached indexed live",
    "tui.alternate_screen": "auto always never",
    "history.persistence": "save-all none",
    "shell_environment_policy.inherit": "core all none",
    "projects.*.trust_level": "trusted untrusted",
    "windows.sandbox": "elevated unelevated mxc",
    "model_providers.*.wire_api": "responses",
}
# These may also be a table.
WORDS_OR_TABLE = {
    "approval_policy": "on-failure on-request never",
    "otel.exporter": "none statsig otlp-http otlp-grpc",
}
# On or off, or settings of their own.
SWITCHES = {"features.*": "object", "tools.web_search": "object", "tui.notifications": "array"}


def type_fault(document: Document) -> Fault | None:
    """The first value that ends Codex, by its place in the text; None if there is none."""
    root = document.root
    if root is None:
        return None
    faults = sorted(_faults(root), key=lambda fault: fault[0].start)
    return Fault("config-type", document.range(faults[0][0]), faults[0][1]) if faults else None


def _faults(root: Value) -> Iterator[tuple[Value, str]]:
    for kind, keys in KINDS.items():
        yield from ((value, type_clause((kind,))) for value in _values(root, keys) if not _is(value, kind))
    for keys, other in SWITCHES.items():
        for value in _values(root, keys):
            if value.kind not in ("true", "false", other):
                yield value, type_clause(("boolean",))
    yield from _word_faults(root)


def _word_faults(root: Value) -> Iterator[tuple[Value, str]]:
    for words, may_be_table in ((WORDS, False), (WORDS_OR_TABLE, True)):
        for key, allowed in words.items():
            for value in _values(root, key):
                if value.data not in allowed.split() and not (may_be_table and value.kind == "object"):
                    yield value, "this must be " + " or ".join(f'"{word}"' for word in allowed.split())


def _values(root: Value, keys: str) -> Iterator[Value]:
    for key in keys.split():
        found = [root]
        for name in key.split("."):
            found = [inner for value in found for inner in _below(value, name)]
        yield from found


def _below(value: Value, name: str) -> list[Value]:
    if name == "[]":
        return list(value.items)
    if name == "*":
        return [inner for _, inner in value.members]
    inner = value.get(name)
    return [inner] if inner is not None else []


def _is(value: Value, kind: str) -> bool:
    if kind == "boolean":
        return value.kind in ("true", "false")
    if kind.startswith("whole number"):
        return isinstance(value.data, int) and (value.data >= 0 or kind == "whole number")
    return value.kind == kind
