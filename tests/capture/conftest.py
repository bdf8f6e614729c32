"""A home with credentials and a project in it, and the command line there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from promptls.cli import main
from tests.capture.fakes import CANARY, let_in
from tests.folder import lay_out
from tests.limits import at_most

FILES: dict[str, str | bytes | dict[str, object]] = {
    "project/AGENTS.md": "The rules of the root.\n",
    "project/CLAUDE.md": "The rules of Claude.\n",
    "project/GEMINI.md": "The rules of Gemini.\n",
    "project/.github/copilot-instructions.md": "The rules of Copilot.\n",
    "project/.claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: How to deploy.\n---\nSteps.\n",
    "project/pkg/AGENTS.md": "The rules of the package.\n",
    "project/pkg/a.py": "print()\n",
    "project/.git/HEAD": "ref: refs/heads/main\n",
    "project/.git/objects/.keep": "",
    "project/.git/refs/.keep": "",
    "home/.claude/CLAUDE.md": "My own rules of Claude.\n",
    "home/.claude/settings.json": {"env": {"X": CANARY}, "apiKeyHelper": f"echo {CANARY}", "includeCoAuthoredBy": True},
    "home/.codex/AGENTS.md": "My own rules of Codex.\n",
    "home/.codex/config.toml": f'[model_providers.x]\nname = "x"\nhttp_headers = {{ "X-Own" = "{CANARY}" }}\n',
    "home/.config/opencode/AGENTS.md": "My own rules of opencode.\n",
    "home/.config/opencode/opencode.json": {"provider": {"x": {"options": {"apiKey": CANARY}}}},
    "home/.gemini/GEMINI.md": "My own rules of Gemini.\n",
    "home/.gemini/settings.json": {"mcpServers": {"s": {"command": "s", "env": {"K": CANARY}}}},
    "home/.copilot/copilot-instructions.md": "My own rules of Copilot.\n",
    "home/.copilot/config.json": {"trusted_folders": ["/nowhere"], "github_token": CANARY, "other": CANARY},
    "home/.openclaw/openclaw.json": {"agents": {"defaults": {}}, "models": {"providers": {"x": {"apiKey": CANARY}}}},
    "home/.qwen/rules/own.md": "A rule of my own.\n",
    "home/.qwen/QWEN.md": "My own rules of Qwen.\n",
    "home/.qwen/settings.json": {"mcpServers": {"s": {"command": "s", "env": {"K": CANARY}}}, "env": {"K": CANARY}},
    "home/.pi/agent/AGENTS.md": "My own rules of Pi.\n",
    "home/.pi/agent/settings.json": {"packages": [f"git:x:{CANARY}@example.org/x"]},
    "home/.continue/config.yaml": f"models:\n  - {{apiKey: {CANARY}}}\nrules:\n  - My own rules of Continue.\n",
    "home/.cline/rules/own.md": "My own rules of Cline.\n",
    "home/.config/kilo/AGENTS.md": "My own rules of Kilo.\n",
    "home/.config/kilo/kilo.json": {"provider": {"x": {"options": {"apiKey": CANARY}}}, "mcp": {"s": {"url": CANARY}}},
    **{
        f"home/{name}": f'{{"token": "{CANARY}"}}\n'
        for name in (
            *(".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".local/share/opencode/auth.json"),
            *(".gemini/oauth_creds.json", ".gemini/.env", ".config/github-copilot/hosts.json", ".netrc"),
            *(".qwen/oauth_creds.json", ".pi/agent/auth.json", ".pi/agent/models.json", ".local/share/kilo/auth.json"),
            *(".cline/data/settings/providers.json", ".cline/data/secrets.json", ".continue/sessions/s.json"),
            *(".config/github-copilot/apps.json", ".openclaw/agents/main/agent/auth-profiles.json", ".npmrc"),
        )
    },
}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with credentials and a project in it; programs are found in ``bin``."""
    top = lay_out(tmp_path / "top", FILES, git=False)
    for name in list(os.environ):
        if name.startswith(
            (
                "KILO",
                "CLINE",
                "CONTINUE",
                "XDG_",
                "CLAUDE",
                "ANTHROPIC",
                "OPEN",
                "GEMINI",
                "COPILOT",
                "CODEX",
                "LC_",
                "GIT_",
                "QWEN",
                "PI_",
            )
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(top / "home"))
    monkeypatch.setenv("PATH", f"{top / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(top / "cache"))
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(top / "data"))
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", "true")
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.chdir(top / "project")
    let_in(top / "bin", monkeypatch.setattr)
    return top


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*args: str) -> tuple[int, str, str]:
        with at_most(60):
            code = main(list(args))
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run
