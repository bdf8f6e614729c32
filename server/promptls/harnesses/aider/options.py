"""The command line of Aider: which options have a value, and which of them matter here [source: args.py]."""

from __future__ import annotations

from promptls.kit.args import Options

READ, FILE, MODEL, CONFIG = "--read", "--file", "--model", "--config"

VALUES = (
    *(READ, FILE, "--env-file", "--encoding", "--load", "--message", "--msg", "-m", "--message-file", "-f"),
    *("--openai-api-key", "--anthropic-api-key", "--openai-api-base", "--openai-api-type", "--api-key"),
    *("--openai-api-version", "--openai-api-deployment-id", "--openai-organization-id", "--set-env"),
    *("--list-models", "--models", "--alias", "--reasoning-effort", "--thinking-tokens", "--timeout"),
    *("--edit-format", "--chat-mode", "--weak-model", "--editor-model", "--editor-edit-format"),
    *("--max-chat-history-tokens", "--cache-keepalive-pings", "--map-tokens", "--map-refresh"),
    *("--map-multiplier-no-files", "--user-input-color", "--tool-output-color", "--tool-error-color"),
    *("--tool-warning-color", "--assistant-output-color", "--completion-menu-color", "--code-theme"),
    *("--completion-menu-bg-color", "--completion-menu-current-color", "--completion-menu-current-bg-color"),
    *("--commit-prompt", "--lint-cmd", "--test-cmd", "--analytics-log", "--analytics-posthog-host"),
    *("--analytics-posthog-project-api-key", "--voice-format", "--voice-language", "--voice-input-device"),
    *("--chat-language", "--commit-language", "--line-endings", "--notifications-command", "--editor"),
    *("--shell-completions", "--model-settings-file", "--model-metadata-file", "--input-history-file"),
    *("--chat-history-file", "--llm-history-file", "--aiderignore", "--apply"),
)
NO_GIT = "--no-git"
# The others have no value and add no text of the user's.
SWITCHES = (
    *(
        NO_GIT,
        "--git",
        "--vim",
        "-v",
        "--verbose",
        "--version",
        "--gui",
        "--browser",
        "--commit",
        "--lint",
        "--test",
    ),
    *("--architect", "--dark-mode", "--light-mode", "--subtree-only", "--skip-sanity-check-repo", "--show-diffs"),
    *("--yes-always", "--exit", "--upgrade", "--update", "--just-check-update", "--install-main-branch"),
    *("--show-repo-map", "--show-prompts", "--disable-playwright", "--apply-clipboard-edits", "--analytics-disable"),
    *(
        f"--{no}{option}"
        for no in ("", "no-")
        for option in (
            *("verify-ssl", "auto-accept-architect", "show-model-warnings", "check-model-accepts-settings"),
            *("cache-prompts", "pretty", "stream", "gitignore", "add-gitignore-files", "auto-commits", "dry-run"),
            *("dirty-commits", "attribute-author", "attribute-committer", "attribute-commit-message-author"),
            *("attribute-commit-message-committer", "attribute-co-authored-by", "git-commit-verify", "watch-files"),
            *("auto-lint", "auto-test", "analytics", "check-update", "show-release-notes", "copy-paste"),
            *("suggest-shell-commands", "fancy-input", "multiline", "notifications", "detect-urls"),
        )
    ),
)
OPTIONS = Options(
    model=(MODEL,),
    named=dict.fromkeys(("--config", "-c"), CONFIG),
    values=VALUES,
    switches=SWITCHES,
    not_modelled=("--restore-chat-history", "--load"),
)
