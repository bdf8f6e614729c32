"""Who leaves out what a folder has as long as nobody trusts it: without a word on disk, the session decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.describe import meaning
from promptls.core.host import Host
from promptls.core.model import Session, Turn
from promptls.core.places import Meaning, awaits_trust
from promptls.core.settings import DEFAULT
from promptls.sessions.start import Overrides, Place, session_of
from tests.folder import lay_out
from tests.harnesses.shown import Files, outcome, preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("harness", "file", "without"),
    [
        ("pi", ".pi/SYSTEM.md", "excluded"),
        ("codex", ".codex/config.toml", "excluded"),
        ("qwen-code", "QWEN.md", "loaded"),
        ("claude-code", "CLAUDE.md", "loaded"),
    ],
)
def test_a_session_says_whether_its_folder_is_trusted(tmp_path: Path, harness: str, file: str, without: str) -> None:
    files: Files = {file: "model = 'x'\n"}
    assert outcome(preview(tmp_path / "yes", harness, files, is_trusted=True), f"folder/{file}") == "loaded"
    assert outcome(preview(tmp_path / "no", harness, files, is_trusted=False), f"folder/{file}") == without


ONCE = 'trust_level = "trusted"'


@pytest.mark.parametrize(("level", "awaits"), [("", True), (f'[projects."FOLDER"]\n{ONCE}\n', False)])
def test_codex_says_what_counts_only_once_the_folder_is_trusted(tmp_path: Path, level: str, *, awaits: bool) -> None:
    files: Files = {".codex/config.toml": "model = 'x'\n", "AGENTS.md": "x\n"}
    files["~/.codex/config.toml"] = level.replace("FOLDER", str(tmp_path / "folder"))
    prompt = preview(tmp_path, "codex", files, is_trusted=True)
    assert awaits_trust(prompt, str(tmp_path / "folder/.codex/config.toml")) is awaits
    assert not awaits_trust(prompt, str(tmp_path / "folder/AGENTS.md"))
    asked = next(each for each in prompt.candidates if (each.path or "").endswith("folder/.codex/config.toml"))
    hover = meaning(Meaning(prompt, asked), lambda _: None, lambda _: None)
    assert ("once you trust the folder" in hover) is awaits


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    ("harness", "record", "waiting", "free"),
    [
        ("copilot-cli", {"~/.copilot/config.json": '{"trusted_folders": ["@"]}'}, (".mcp.json",), ("AGENTS.md",)),
        ("gemini-cli", {"~/.gemini/trustedFolders.json": '{"@": "TRUST_FOLDER"}'}, ("GEMINI.md", ".mcp.json"), ()),
        (
            "grok-build",
            {"~/.grok/trusted_folders.toml": '[folders."@"]\ntrusted = true\n'},
            ("AGENTS.md", ".grok/rules/a.md"),
            (),
        ),
    ],
)
def test_what_waits_until_the_user_trusts_the_folder(
    tmp_path: Path, harness: str, record: Files, waiting: tuple[str, ...], free: tuple[str, ...], *, is_known: bool
) -> None:
    folder = str(tmp_path / "folder")
    known: Files = {path: str(text).replace("@", folder) for path, text in record.items()}
    prompt = preview(tmp_path, harness, known if is_known else {}, is_trusted=True)
    assert [awaits_trust(prompt, f"{folder}/{name}") for name in waiting] == [not is_known] * len(waiting)
    assert [awaits_trust(prompt, f"{folder}/{name}") for name in free] == [False] * len(free)


@pytest.mark.parametrize(("turns", "is_trusted"), [((Turn(),), False), ((Turn(prompt="hi"),), True)])
def test_a_turn_in_which_nothing_happened_says_nothing_of_trust(turns: tuple[Turn, ...], *, is_trusted: bool) -> None:
    place, asked = Place("/w", "/w", "/w"), Overrides("gemini-cli", turns=turns, is_trusted=None, is_given=True)
    assert session_of(place, DEFAULT, (), asked).is_trusted is is_trusted


@pytest.mark.parametrize(
    ("harness", "path", "record"),
    [
        ("copilot-cli", ".copilot/config.json", '{"trusted_folders": ["@"]}'),
        ("gemini-cli", ".gemini/trustedFolders.json", '{"@": "TRUST_FOLDER"}'),
        ("codex", ".codex/config.toml", '[projects."@"]\ntrust_level = "trusted"\n'),
    ],
)
def test_a_folder_that_is_trusted_is_so_by_a_link(tmp_path: Path, harness: str, path: str, record: str) -> None:
    real = f"{tmp_path}/real"
    files: Files = {"AGENTS.md": "x", "GEMINI.md": "x", ".codex/config.toml": "", ".mcp.json": '{"mcpServers": {}}'}
    lay_out(tmp_path / "real", files)
    lay_out(tmp_path / "home", {path: record.replace("@", real)}, git=False)
    (tmp_path / "link").symlink_to("real")
    session = Session(harness, f"{tmp_path}/link", is_trusted=True)
    assert not harnesses.preview(session, Host(home=f"{tmp_path}/home", env={})).once_trusted


def test_grok_build_does_not_ask_so_its_session_is_in_a_folder_that_nobody_trusts() -> None:
    place = Place("/w", "/w", "/w")
    assert not session_of(place, DEFAULT, (), Overrides("grok-build")).is_trusted
    assert session_of(place, DEFAULT, (), Overrides("codex")).is_trusted
