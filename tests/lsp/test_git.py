"""Git under the server: it runs nothing that a repository names, and ends with the server."""

from __future__ import annotations

import os
import select
from pathlib import Path
from shlex import quote

import pytest

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.git.traps import Traps, partial, plain
from tests.lsp.client import Client
from tests.lsp.process import LIMIT, ServerProcess


@pytest.fixture
def traps(unquoted_path: Path) -> Traps:
    return Traps(unquoted_path / "traps")


@pytest.mark.parametrize("lacks", [None, "blob:none", "tree:0"])
async def test_a_comparison_with_a_commit_runs_nothing(client: Client, traps: Traps, lacks: str | None) -> None:
    folder = partial(traps, "ext", lacks) if lacks else plain(traps)
    await client.start(folders=[str(folder)])
    params = {"textDocument": {"uri": uri_of(f"{folder}/AGENTS.md")}, "rev": "HEAD"}
    if lacks == "tree:0":
        refusal = await client.refusal("prompt/preview", params)
        assert str(refusal).endswith("and promptls does not fetch them; run “git fetch” first.")
    else:
        assert (await client.request("prompt/preview", params))["text"]
    assert traps.fired() == set()


def test_git_ends_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reported = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    waits = f"#!/bin/sh\nexec 3> {quote(str(pipe))}\necho up >&3\nexec sleep 60\n"
    folder = lay_out(tmp_path / "shop", {"AGENTS.md": "rules\n", "../bin/git": waits})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with ServerProcess() as server:
        server.start()
        server.ask("prompt/preview", {"textDocument": {"uri": uri_of(f"{folder}/AGENTS.md")}, "rev": "HEAD"})
        assert select.select([reported], [], [], LIMIT)[0]
        assert os.read(reported, 10) == b"up\n"
        server.notify("exit")
        assert server.code() == 1
    assert select.select([reported], [], [], LIMIT)[0], "it has ended, and so its end of the pipe is closed"
    assert os.read(reported, 10) == b""
    os.close(reported)
