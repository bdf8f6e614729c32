from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from promptls.mcp_server import create, within
from tests.folder import lay_out
from tests.repository import commit

TEXT = "# Shop\n\n<!-- for people -->\nPrices are integers.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.md").write_text("Nobody may read this.\n", encoding="utf-8")
    return lay_out(tmp_path / "shop", {"CLAUDE.md": TEXT, "src/app.py": "", "hidden.md": "a\u200bb"})


def says(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_the_tools_answer_as_the_command_line_does(folder: Path) -> None:
    async with Client(create(str(folder))) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [
            "overview",
            "preview",
            "explain",
            "find",
            "check",
            "map",
            "diff",
            "sessions",
        ]
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert "CLAUDE.md" in says(await client.call_tool("overview"))
        preview = says(await client.call_tool("preview", {"path": "src/app.py", "harness": "claude"}))
        assert "Prices are integers." in preview
        assert "for people" not in preview
        comment = says(await client.call_tool("explain", {"path": "CLAUDE.md", "line": 3}))
        assert "HTML comments are removed" in comment
        assert "claude-code" in says(await client.call_tool("find", {"text": "integers"}))
        assert "not found" not in says(await client.call_tool("check"))
        assert "claude-code" in says(await client.call_tool("map"))
        commit(folder)
        (folder / "CLAUDE.md").write_text("Less.\n", encoding="utf-8")
        assert "changes what claude-code gets" in says(await client.call_tool("diff"))
        both = says(await client.call_tool("diff", {"before": "claude", "after": "codex"}))
        assert "only claude-code" in both
        assert "No program has recorded" in says(await client.call_tool("sessions"))


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("explain", {"path": "no.md"}, "no.md"),
        ("preview", {"harness": "nobody"}, "nobody"),
        ("explain", {"path": "../secret.md"}, "outside of"),
        ("preview", {"path": "/etc"}, "outside of"),
        ("find", {"text": "a", "path": "link/secret.md"}, "outside of"),
        ("check", {"path": "a\0b"}, "outside of"),
        ("check", {"path": "--fix"}, "--fix"),
        ("diff", {"before": "--format"}, "--format"),
        ("diff", {"before": "../secret.md", "after": "CLAUDE.md"}, "is a file; name"),
        ("sessions", {"path": ".."}, "outside of"),
    ],
)
async def test_a_complaint_is_one_sentence(folder: Path, tool: str, arguments: dict[str, str], complaint: str) -> None:
    (folder / "link").symlink_to("..")
    before = (folder / "hidden.md").read_text(encoding="utf-8")
    async with Client(create(str(folder))) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert complaint in says(result)
    assert "Traceback" not in says(result)
    assert (folder / "hidden.md").read_text(encoding="utf-8") == before


async def test_no_tool_fetches_a_url(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/rules.md"
        lay_out(folder, {"opencode.json": {"instructions": [url]}}, git=False)
        async with Client(create(str(folder))) as client:
            for tool in ("overview", "preview", "check", "map"):
                assert not (await client.call_tool(tool)).is_error
            assert not (await client.call_tool("explain", {"path": "opencode.json"})).is_error
            assert "opencode" in says(await client.call_tool("find", {"text": "integers"}))
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_a_link_inside_the_folder_is_kept(folder: Path) -> None:
    (folder / "AGENTS.md").symlink_to("CLAUDE.md")
    assert within(str(folder), "src/../AGENTS.md") == os.path.join(folder, "AGENTS.md")
    with pytest.raises(ToolError, match="outside of"):
        within(str(folder), f"{folder}x")


async def test_a_real_process(folder: Path) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-P", "-m", "promptls", "mcp"], cwd=str(folder))
    async with Client(command) as client:
        assert "CLAUDE.md" in says(await client.call_tool("overview"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
async def test_a_server_that_is_killed_leaves_no_process(folder: Path, tmp_path: Path) -> None:
    """What it has started holds a FIFO open, which ends with it."""
    fifo = str(tmp_path / "fifo")
    os.mkfifo(fifo)
    child = (
        "import sys, time; from promptls.cli import attended; held = open(sys.argv[1], 'w'); "
        "attended.main = lambda _: print('begun', file=held, flush=True) or time.sleep(600); attended.attended()"
    )
    server = (
        "import asyncio, sys; from promptls import mcp_server; "
        f"mcp_server.ATTENDED = (*mcp_server.ATTENDED[:3], {child!r}); "
        "asyncio.run(mcp_server._answer(sys.argv[1], sys.argv[2]))"
    )
    command = [sys.executable, "-P", "-c", server, str(folder), fifo]
    process = await anyio.open_process(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with anyio.fail_after(60):
        async with await anyio.open_file(fifo) as held:
            assert await held.readline() == "begun\n"
            process.kill()
            assert await held.read() == ""
        await process.wait()
