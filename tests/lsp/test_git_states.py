from pathlib import Path

from promptls.core.model import GitState
from promptls.lsp.git_states import GitStates
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.repository import commit, git


def test_git_is_asked_again_when_head_or_the_index_changes(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    commit(folder)
    states = GitStates()
    first = states(str(folder))
    assert isinstance(first, GitState)
    assert first.status == ""
    (folder / "b.txt").write_text("2\n", encoding="utf-8")
    assert states(str(folder)) is first
    git(folder, "add", "b.txt")
    second = states(str(folder))
    assert second is not None
    assert second.status == "A  b.txt"
    assert states(str(tmp_path)) is None


async def test_an_untrusted_folder_has_a_placeholder(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"CLAUDE.md": "rules\n"}, git=False)
    commit(folder)
    shown = await _status(client, folder, untrusted=True)
    assert "Current branch" not in shown


async def test_a_trusted_folder_has_its_state(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"CLAUDE.md": "rules\n"}, git=False)
    commit(folder)
    assert "Current branch" in await _status(client, folder, untrusted=False)


async def _status(client: Client, folder: Path, *, untrusted: bool) -> str:
    await client.start(folders=[str(folder)], options={"untrustedWorkspace": untrusted})
    asked = {"textDocument": {"uri": uri_of(str(folder / "CLAUDE.md"))}, "harness": "claude-code"}
    text: str = (await client.request("prompt/preview", asked))["text"]
    return text
