"""No output of the command line repeats a secret of a configuration; a prompt does, where the model gets it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.cli.check import FORMATS
from tests.folder import lay_out
from tests.repository import commit
from tests.secrets import CANARY, FILES, KEY

ARGS = ("--api-key", CANARY, "-c", f'api_key="{CANARY}"', f"--token={CANARY}", f"https://x:{CANARY}@127.0.0.1/")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv(
        "OPENCODE_CONFIG_CONTENT", f'{{"apiKey": "{CANARY}", "instructions": ["http://127.0.0.1:1/x?token={CANARY}"]}}'
    )
    return lay_out(tmp_path / "folder", FILES)


def written(capfd: pytest.CaptureFixture[str], *args: object) -> str:
    main(list(map(str, args)))
    return "".join(capfd.readouterr())


@pytest.mark.parametrize("form", FORMATS)
def test_a_check(folder: Path, capfd: pytest.CaptureFixture[str], form: str) -> None:
    shown = written(capfd, "check", folder, "--format", form)
    assert "opencode.json" in shown
    assert CANARY not in shown
    assert KEY not in shown


def test_a_check_shows_the_lines_around_secrets(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shown = written(capfd, "check", folder)
    for visible in ("“gone.md”", "    | The key ****", "https://****", "?api_key=****"):
        assert visible in shown, visible


@pytest.mark.parametrize("name", harnesses.names())
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_preview(folder: Path, capfd: pytest.CaptureFixture[str], name: str, form: str) -> None:
    if name == "gptme":  # it sends these files as they are, and so are they shown
        (folder / ".cursor/rules/a.mdc").unlink()
    for path in ("app.py", "opencode.json", "api/etcode.json", ".codex/config.toml"):
        args = ("preview", folder / path, "--cwd", folder, "--harness", name, "--format", form)
        shown = written(capfd, *args, "--", *ARGS)
        assert name in shown
        assert CANARY not in shown, path


def test_what_the_model_gets_stays(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": f"{KEY}\ntoken: {CANARY}\n"})
    shown = written(capfd, "preview", folder, "--harness", "codex", "--cwd", folder)
    assert f"{KEY}\ntoken: {CANARY}\n" in shown


def test_an_explanation(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for path in FILES:
        for form in ("text", "json"):
            assert CANARY not in written(capfd, "explain", folder / path, "--format", form)


def test_a_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for path in FILES:
        for form in ("text", "json"):
            shown = written(capfd, "explain", f"{folder / path}:1", "--format", form)
            assert f"{path}:1" in shown or "lines" in shown or "has 0 lines" in shown
            assert CANARY not in shown, path


@pytest.mark.parametrize("text", ["key", "token", "api", "https:", "{", "OWN", "="])
def test_what_is_found(folder: Path, capfd: pytest.CaptureFixture[str], text: str) -> None:
    for form in ("text", "json"):
        shown = written(capfd, "find", text, folder, "--format", form)
        assert shown
        assert CANARY not in shown
        assert KEY not in shown


def test_a_difference(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit(folder)
    for path in FILES:
        with (folder / path).open("a") as file:
            file.write(f"\ntoken: {CANARY}\n")
    for form in ("text", "markdown", "json"):
        shown = written(capfd, "diff", "--folder", folder, "--format", form)
        assert "AGENTS.md" in shown
        assert CANARY not in shown


def test_the_patch_leaves_out_what_stands_beside_a_secret(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = '{{\n  "instructions": ["/%s/docs/a.md"],\n  "apiKey": "%s"\n}}\n'
    git = shutil.which("git")
    assert git is not None
    folder = lay_out(tmp_path, {"docs/a.md": "a", "b/docs/a.md": "a"}, git=False)
    (folder / "etcode.json").write_text(config.replace("{{", "{").replace("}}", "}") % (str(folder)[1:], CANARY))
    (folder / "GEMINI.md").write_text("a\u200bb\n")
    assert main(["check", str(folder), "--diff"]) == 1
    out, err = capfd.readouterr()
    assert CANARY not in out + err
    assert "etcode.json was not changed because a secret is next to the change; apply it with --fix." in err
    assert "diff --git a/GEMINI.md b/GEMINI.md" in out
    subprocess.run([git, "apply"], cwd=folder, input=out.encode(), check=True, env={})
    assert (folder / "GEMINI.md").read_text() == "ab\n"
    main(["check", str(folder), "--fix"])
    assert '"docs/a.md"' in (folder / "etcode.json").read_text()
    assert CANARY in (folder / "etcode.json").read_text()


def test_errors(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert CANARY not in written(capfd, "preview", f"token={CANARY}")
    assert CANARY not in written(capfd, "check", folder, "--harness", f"token={CANARY}")
    assert CANARY not in written(capfd, "check", f"--token={CANARY}")

    def fails(_: object) -> None:
        raise RuntimeError(f"Authorization: Bearer {CANARY}")

    monkeypatch.setattr("promptls.cli.check._options", fails)
    shown = written(capfd, "check")
    assert "RuntimeError: Authorization: ****" in shown
    assert CANARY not in shown
