"""``promptls capture`` and ``verify`` against small programs of our own in the place of the real ones."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.core.values import replace
from promptls.harnesses import catalogue
from promptls.wire import enclosure
from tests.capture.fakes import BAD, CANARY, SIX, install
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
    **{
        f"home/{name}": f'{{"token": "{CANARY}"}}\n'
        for name in (
            *(".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".local/share/opencode/auth.json"),
            *(".gemini/oauth_creds.json", ".gemini/.env", ".config/github-copilot/hosts.json", ".netrc"),
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
        if name.startswith(("XDG_", "CLAUDE", "ANTHROPIC", "OPEN", "GEMINI", "COPILOT", "CODEX", "LC_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(top / "home"))
    monkeypatch.setenv("PATH", f"{top / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(top / "cache"))
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(top / "data"))
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", "true")
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.chdir(top / "project")
    return top


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*args: str) -> tuple[int, str, str]:
        with at_most(60):
            code = main(list(args))
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def newest(harness: str) -> str:
    return harnesses.get(harness).versions[0].name


@pytest.mark.parametrize("harness", SIX)
def test_what_the_preview_says_is_sent(harness: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    code, out, err = run("verify", "pkg/a.py", "--harness", harness, "--format", "json")
    assert err == ""
    found = json.loads(out)
    assert (found["differences"], code) == ([], 0)
    assert {each["state"] for each in found["messages"]} == {"same"}
    assert found["program"]["version"] == newest(harness)
    seen = (place / "bin" / "seen").read_text("utf-8")
    assert CANARY not in seen, "no credential comes near the program"
    assert CANARY not in out
    own = {"claude-code": "Claude", "codex": "Codex", "opencode": "opencode", "gemini-cli": "Gemini"}
    assert f"My own rules of {own.get(harness, '')}" in seen or harness not in own
    assert list((place / "cache").iterdir()) == [], "the scratch home is gone"
    assert str(place / "cache") not in out


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_a_capture_shows_what_was_sent_and_no_credential(harness: str, place: Path, run: Run) -> None:
    install(place / "bin", harness, version=newest(harness))
    code, out, err = run("capture", "--harness", harness, "--save")
    assert (code, err) == (0, "")
    assert "The rules of" in out
    assert "captured " in out
    assert CANARY not in out
    kept = list((place / "data").glob("*"))
    assert [each.name for each in kept] == [f"{harness}@{newest(harness)}.json"]
    assert CANARY not in kept[0].read_text("utf-8")
    assert "The rules of" not in kept[0].read_text("utf-8"), "no text of the user's is kept"


def test_a_later_preview_shows_what_is_kept(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    before = json.loads(run("preview", "--harness", "codex", "--format", "json")[1])
    assert run("capture", "--harness", "codex", "--save")[0] == 0
    after = json.loads(run("preview", "--harness", "codex", "--model", "gpt-6.1-sol", "--format", "json")[1])
    same_model = json.loads(run("preview", "--harness", "codex", "--format", "json")[1])
    assert before["totals"]["elided"] > 3
    assert same_model["totals"]["elided"] < before["totals"]["elided"]
    assert after["totals"]["elided"] >= before["totals"]["elided"] - 1, "another model has other texts"
    captured = [each for message in same_model["messages"] for each in message["segments"] if each["captured"]]
    assert captured
    (place / "data" / f"codex@{newest('codex')}.json").write_text("[", "utf-8")
    broken = json.loads(run("preview", "--harness", "codex", "--format", "json")[1])
    assert broken["totals"]["elided"] == before["totals"]["elided"], "a file that is broken is no matter"


def test_differences_are_shown_with_their_rule(place: Path, run: Run) -> None:
    """The fake reads AGENTS.md later than the preview did; in between it is changed."""
    changed = "from pathlib import Path\nimport tests.capture.fakes as f\nbody = f._body\n"
    changed += "def other(kind, messages, tool):\n    made = body(kind, messages, tool)\n"
    changed += "    import json\n    text = json.dumps(made).replace('rules of the root', 'rules of nobody')\n"
    changed += "    return json.loads(text)\nf._body = other\n"
    version = newest("codex")
    install(place / "bin", "codex", version=version, instead=f"{changed}f.send('codex', {version!r}, LOG)")
    code, out, err = run("verify", "--harness", "codex")
    assert (code, err) == (1, "")
    assert "1 difference" in out
    assert "expected because" in out
    assert "-The rules of the root." in out
    assert "+The rules of nobody." in out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX has daemons")
@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("hangs", "was stopped after 1 s without a request to a model."),
        ("crashes", "ended with code -11 without a request to a model."),
        ("wants a login", "ended with code 1 without a request to a model; it said last: Please log in with /login."),
        ("asks", "ended with code 2 without a request to a model; it said last: Go on? [y/N]"),
        ("prints megabytes", "ended with code 0 without a request to a model; it said last: That was all."),
        ("starts a daemon", "without a request to a model; it said last: It runs in the background now."),
        ("goes elsewhere", "without a request to a model; it tried to reach models.invalid; it said last: no answer."),
    ],
)
def test_a_bad_program_is_ended_with_one_sentence(
    bad: str, sentence: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place / "bin", "claude-code", version="2.1.330", instead=BAD[bad])
    program = catalogue.program("claude-code")
    assert program is not None
    patience = 1.0 if bad == "hangs" else 30.0
    monkeypatch.setattr(catalogue, "program", lambda _: replace(program, patience=patience))
    code, out, err = run("verify", "--harness", "claude-code")
    assert (code, out) == (2, "")
    assert err.startswith("promptls: Claude Code 2.1.330 ")
    assert err.rstrip("\n").endswith(sentence) or err.rstrip("\n").endswith(f"{sentence}.")
    assert err.count("\n") == 1
    assert list((place / "cache").iterdir()) == []
    if bad == "starts a daemon":
        assert not _runs(int((place / "bin" / "daemon").read_text("utf-8"))), "its children are ended, too"


def test_another_program_of_that_name_is_not_run(place: Path, run: Run) -> None:
    install(place / "bin", "claude-code", version="", instead="Path(LOG).write_text('ran')", says="claude 1.0, a pet")
    code, out, err = run("capture", "--harness", "claude-code")
    assert (code, out) == (2, "")
    assert "is not Claude Code: “--version” does not answer as Claude Code does; it said last: claude 1.0, a pet" in err
    assert not (place / "bin" / "seen").exists()


def test_a_home_that_cannot_be_written_is_named(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    (place / "file").write_text("", "utf-8")
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(place / "file"))
    code, out, err = run("verify", "--harness", "codex")
    assert (code, out) == (2, "")
    assert err.startswith(f"promptls: The directory {place / 'file'} cannot be written")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--harness", "claude-code"), "There is no claude on the search path; install it, or add it to PATH."),
        (("--harness", "cursor"), "promptls does not know how to start cursor; choose one of "),
        (("--harness", "claude-code", "gone.py"), "There is no file or directory "),
    ],
)
def test_what_cannot_be_run_is_refused(args: tuple[str, ...], sentence: str, place: Path, run: Run) -> None:
    code, out, err = run("capture", *args)
    assert (code, out) == (2, "")
    assert err.startswith(f"promptls: {sentence}"), place


def test_a_program_of_the_workspace_is_not_run(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "project" / "bin", "codex", version=newest("codex"), instead="Path(LOG).write_text('ran')")
    monkeypatch.setenv("PATH", f"{place / 'project' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert run("verify", "--harness", "codex")[2].startswith("promptls: There is no codex on the search path")
    (place / "bin").mkdir()
    (place / "bin" / "codex").symlink_to(place / "project" / "bin" / "codex")
    assert "leads into the workspace, and nothing there is run" in run("verify", "--harness", "codex")[2]
    assert not (place / "project" / "bin" / "seen").exists()


@pytest.mark.parametrize(
    ("harness", "file", "content", "sentence"),
    [
        ("opencode", ".opencode/plugin/p.js", "export const x = 1", ".opencode/plugin has programs, which opencode"),
        ("opencode", ".opencode/tool/t.ts", "export default 1", ".opencode/tool has programs, which opencode"),
        (
            "gemini-cli",
            ".gemini/settings.json",
            '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
            "has hooks, which Gemini CLI would run; add --run-workspace to let it.",
        ),
        ("gemini-cli", ".gemini/settings.json", '{"tools": {"discoveryCommand": "x"}}', "has discoveryCommand, which"),
        ("claude-code", ".claude/settings.json", '{"otelHeadersHelper": "x"}', "has otelHeadersHelper, which"),
    ],
)
def test_what_a_workspace_would_run_is_refused(
    harness: str, file: str, content: str, sentence: str, place: Path, run: Run
) -> None:
    install(place / "bin", harness, version=newest(harness))
    lay_out(place / "project", {file: content}, git=False)
    code, _, err = run("verify", "--harness", harness)
    assert code == 2
    assert sentence in err
    assert not (place / "bin" / "seen").exists()


def test_what_a_workspace_would_run_is_run_if_asked_for(place: Path, run: Run) -> None:
    install(place / "bin", "opencode", version=newest("opencode"))
    lay_out(place / "project", {".opencode/plugin/p.js": "export const x = 1"}, git=False)
    assert run("verify", "--harness", "opencode", "--run-workspace")[0] == 0
    assert "--pure" not in (place / "bin" / "seen").read_text("utf-8")


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        ({"turns": [{}, {}]}, "Only a session with one turn can be captured; leave out the others."),
        ({"turns": [{"attached": ["pkg/a.py"]}]}, "Attached and open files cannot be captured; leave them out."),
    ],
)
def test_a_session_that_cannot_be_captured_is_refused(
    session: dict[str, Any], sentence: str, place: Path, run: Run
) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    (place / "s.json").write_text(json.dumps({"harness": "codex", "cwd": ".", **session}), "utf-8")
    assert run("capture", "--session", str(place / "s.json"))[2] == f"promptls: {sentence}\n"


def test_the_report_says_what_held_the_program(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    out = run("verify", "--harness", "codex")[1]
    assert any(f"was run {says}." in out for says in enclosure.SAYS.values())


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
