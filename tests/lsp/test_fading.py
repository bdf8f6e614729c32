from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.folder import lay_out
from tests.lsp.client import PUBLISH, Client
from tests.lsp.cursor import opened

PULL: dict[str, Any] = {"diagnostic": {}, "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}}}
FADES: dict[str, Any] = {"textDocument": PULL, "workspace": {"diagnostics": {"refreshSupport": True}}}
NOTE = "# Shop\n\n<!-- for people\nonly -->\n\nPrices are integers.\n"
LONG = "A line of thirty-two characters\n" * 1030


async def faded(client: Client, path: Path) -> list[tuple[int, int, int, str]]:
    """First and last line, the last character, and the message of each."""
    report = await client.request("textDocument/diagnostic", await opened(client, path, "markdown"))
    found = [each for each in report["items"] if each["code"] == "not-sent"]
    assert all((each["severity"], each["tags"], each["source"]) == (4, [1], "promptls") for each in found)
    ranges = [(each["range"], each["message"]) for each in found]
    return [(at["start"]["line"], at["end"]["line"], at["end"]["character"], says) for at, says in ranges]


@pytest.mark.parametrize(
    ("harness", "files", "expected"),
    [
        (
            "claude-code",
            {"CLAUDE.md": NOTE},
            [(2, 3, 8, "claude-code does not send this: HTML comments are removed.")],
        ),
        ("codex", {"AGENTS.md": NOTE}, []),
        (
            "claude-code",
            {"CLAUDE.md": "See @rules.md\n", "rules.md": "text\n"},
            [],  # the text of the file takes the place of its name
        ),
    ],
)
async def test_what_is_not_sent(
    client: Client, tmp_path: Path, harness: str, files: dict[str, Any], expected: list[tuple[int, int, int, str]]
) -> None:
    folder = lay_out(tmp_path / "project", files)
    await client.start(FADES, folders=[str(folder)], options={"harness": harness, "harnesses": [harness]})
    assert await faded(client, folder / next(iter(files))) == expected


async def test_what_is_beyond_a_limit(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": LONG})
    await client.start(FADES, folders=[str(folder)], options={"harnesses": ["codex"]})
    [(first, last, _, says)] = await faded(client, folder / "AGENTS.md")
    assert (first, last) == (1024, 1029)
    assert says.startswith("codex does not send this, because of a limit: ")
    assert "32,768" in says or "32768" in says


async def test_a_file_that_another_one_replaces(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "One.\n\nTwo.\n", "AGENTS.override.md": "Three.\n"})
    await client.start(FADES, folders=[str(folder)], options={"harnesses": ["codex"]})
    [(first, last, end, _)] = await faded(client, folder / "AGENTS.md")
    assert (first, last, end) == (0, 2, 4)
    assert await faded(client, folder / "AGENTS.override.md") == []


async def test_only_the_harness_that_is_shown_counts(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": NOTE, "CLAUDE.md": "@AGENTS.md\n", ".codex/config.toml": ""})
    options = {"harness": "codex", "harnesses": ["codex", "claude-code"]}
    await client.start(FADES, folders=[str(folder)], options=options)
    assert await faded(client, folder / "AGENTS.md") == []


async def test_a_file_of_another_harness_is_faded_for_that_one(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "One.\n", "CLAUDE.md": NOTE, ".codex/config.toml": ""})
    options = {"harness": "codex", "harnesses": ["codex", "claude-code"]}
    await client.start(FADES, folders=[str(folder)], options=options)
    assert [says for *_, says in await faded(client, folder / "CLAUDE.md")] == [
        "claude-code does not send this: HTML comments are removed."
    ]


async def test_the_settings_turn_it_off(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"CLAUDE.md": NOTE})
    await client.start(FADES, folders=[str(folder)], options={"fade": False})
    assert await faded(client, folder / "CLAUDE.md") == []


async def test_a_client_that_cannot_fade_is_told_nothing(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"CLAUDE.md": NOTE + "Hidden\u200b.\n"})
    await client.start(folders=[str(folder)])
    await opened(client, folder / "CLAUDE.md", "markdown")
    shown = await client.next(PUBLISH)
    assert [each["code"] for each in shown["diagnostics"]] == ["hidden-characters"]
