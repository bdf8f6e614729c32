from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from promptls.cli import main
from promptls.cli.arguments import absolute
from promptls.cli.mcp_server import create
from promptls.core.files import ONLY_BELOW
from promptls.errors import UsageError
from tests.folder import lay_out
from tests.newest import newest
from tests.repository import commit

TEXT = "# Shop\n\n<!-- for people -->\nPrices are integers.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "private.md").write_text("Nobody may read this.\n", encoding="utf-8")
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
            "unify",
            "trim",
            "sessions",
        ]
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert "CLAUDE.md" in says(await client.call_tool("overview"))
        preview = says(await client.call_tool("preview", {"path": "src/app.py", "harness": "claude"}))
        assert preview.startswith(f"Claude Code {newest('claude-code')} (newest known) · started in . · print · ")
        assert "CLAUDE.md" in preview
        assert "Prices are integers." not in preview
        asked = {"path": "src/app.py", "harness": "claude", "only": ["CLAUDE.md"]}
        part = says(await client.call_tool("preview", asked))
        assert "Prices are integers." in part
        assert "for people" not in part
        whole = says(await client.call_tool("preview", {**asked, "only": ["whole"]}))
        assert len(whole) > len(part)
        assert "━━" not in preview
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
        (folder / ".cursorrules").write_text("Be brief.\n", encoding="utf-8")
        assert "+Be brief." in says(await client.call_tool("unify", {"leave": ["src"]}))
        assert "CLAUDE.md:1" in says(await client.call_tool("trim"))
        assert "No program has recorded" in says(await client.call_tool("sessions"))


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("explain", {"path": "no.md"}, "no.md"),
        ("preview", {"harness": "nobody"}, "nobody"),
        ("explain", {"path": "../private.md"}, "outside of"),
        ("preview", {"path": "/etc"}, "outside of"),
        ("find", {"text": "a", "path": "link/private.md"}, "outside of"),
        ("check", {"path": "a\0b"}, "no argument can hold"),
        ("find", {"text": "\ud800"}, "no argument can hold"),
        ("find", {"text": "x" * 5_000_000}, "ask for less"),
        ("check", {"path": "--fix"}, "--fix"),
        ("diff", {"before": "--format"}, "--format"),
        ("diff", {"before": "../private.md", "after": "CLAUDE.md"}, "outside of"),
        ("diff", {"before": "hidden.md", "after": "CLAUDE.md"}, "is a file; name"),
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
            commit(folder)
            assert not (await client.call_tool("diff")).is_error
            assert not (await client.call_tool("diff", {"before": "opencode", "after": "codex"})).is_error
            assert not (await client.call_tool("sessions")).is_error
        with pytest.raises(BlockingIOError):
            listening.accept()


PRIVATE = "Nobody may read this."
# Links that lead out of the folder: name, and target from the folder.
LINKS = {
    "notes.txt": "../private.md",
    "chain.txt": "notes.txt",
    "src/deep.txt": "../../private.md",
    "absolute.txt": "{outside}/private.md",
    "up": "..",
    "rules": "{outside}",
    "notes.txt:7": "../private.md",
}
SUFFIXES = ("", ":1", ":1:2", ":1-2", "#L1", "#L1-L2", "#L1-2", ":0", ":99", ":1:", "/", "/.", ":1/..")
# The folder above, below other names.
ABOVE = ("..", "src/../..", "up", "up/shop/..", "rules", "{outside}", "{folder}/..", "./..", "~/..", "~")
FILES = (
    *(f"{link}{suffix}" for link in LINKS for suffix in SUFFIXES),
    *(f"{above}/private.md{suffix}" for above in ABOVE for suffix in SUFFIXES[:8]),
    *("{folder}x", "{folder}x/../private.md:1", "../shop/../private.md:1", "/proc/self/cwd/../private.md:1"),
    *(
        "CLAUDE.md/../../private.md",
        "CLAUDE.md:1/../../private.md",
        "file://{outside}/private.md",
        "//{outside}/private.md",
    ),
)


@pytest.fixture
def attacked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with links that lead out of it; the user's home directory is the one above."""
    outside = folder.parent
    lay_out(outside, {"private.md": f"{PRIVATE}\n" * 3, "session.json": {"harness": "codex", "cwd": "."}}, git=False)
    for link, target in LINKS.items():
        (folder / link).symlink_to(target.format(outside=outside))
    (folder / "AGENTS.md").symlink_to("CLAUDE.md")
    monkeypatch.setenv("HOME", str(outside))
    return folder


@pytest.mark.parametrize("path", FILES)
def test_no_path_of_a_file_leads_out(
    attacked: Path, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # What the tools start, without starting it.
    monkeypatch.chdir(attacked)
    monkeypatch.setenv(ONLY_BELOW, str(attacked))
    given = path.format(outside=attacked.parent, folder=attacked)
    below = os.path.join(attacked, given)
    for argv in (["explain", below], ["explain", f"{below}:1"], ["preview", below], ["check", below], [below]):
        if os.path.lexists(os.path.normpath(argv[-1])) and absolute_or_none(argv[-1]) is not None:
            continue
        assert main([*argv, *(["--no-network"] if argv[0] in ("preview", "check") else [])]) == 2, argv
    for argv in (["find", "--", PRIVATE, below], ["map", below], ["sessions", below], ["diff", "--folder", below]):
        if absolute_or_none(below) is None:
            assert main(argv) == 2, argv
    for argv in (["diff", "--", given, "CLAUDE.md"], ["diff", "--", given, given], ["diff", "--", given]):
        assert main(argv) == 2, argv
    out, err = capsys.readouterr()
    assert PRIVATE not in out + err
    assert "Traceback" not in err


def absolute_or_none(path: str) -> str | None:
    """The path, if it may be opened."""
    try:
        return absolute(path)
    except UsageError:
        return None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("explain", {"path": "notes.txt"}),
        ("explain", {"path": "notes.txt:1"}),
        ("explain", {"path": "notes.txt#L1"}),
        ("explain", {"path": "notes.txt", "line": 1}),
        ("explain", {"path": "notes.txt:1", "line": 1}),
        ("explain", {"path": "up/private.md:1"}),
        ("overview", {"path": "notes.txt"}),
        ("preview", {"path": "notes.txt"}),
        ("check", {"path": "notes.txt"}),
        ("map", {"path": "up"}),
        ("find", {"text": PRIVATE, "path": "notes.txt"}),
        ("sessions", {"path": "rules"}),
        ("diff", {"path": "up"}),
        ("unify", {"file": "up/AGENTS.md"}),
        ("trim", {"path": "up/AGENTS.md"}),
        ("trim", {"pick": ["up/AGENTS.md:1"]}),
        ("unify", {"leave": ["up"]}),
        ("diff", {"before": "notes.txt", "after": "chain.txt"}),
        ("diff", {"before": "~/session.json", "after": "~/session.json"}),
    ],
)
async def test_no_tool_leads_out(attacked: Path, tool: str, arguments: dict[str, str]) -> None:
    async with Client(create(str(attacked))) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert "is outside of" in says(result)
    assert PRIVATE not in says(result).replace(repr(arguments.get("text")), "")


async def test_no_text_is_found_outside(attacked: Path) -> None:
    """A part of the text: an answer repeats what is looked for."""
    (attacked / "docs").mkdir()
    (attacked / "docs/inside.md").symlink_to("../AGENTS.md")
    async with Client(create(str(attacked))) as client:
        for path in ({}, {"path": "."}, {"path": "CLAUDE.md"}):
            found = says(await client.call_tool("find", {"text": PRIVATE.split(maxsplit=1)[0], **path}))
            assert PRIVATE not in found
            assert "notes.txt" not in found
        inside = says(await client.call_tool("find", {"text": (attacked / "AGENTS.md").read_text().split("\n")[0]}))
        assert "AGENTS.md:1" in inside


async def test_a_link_inside_the_folder_is_kept(attacked: Path) -> None:
    (attacked / "a:1").write_text("One.\n", encoding="utf-8")
    async with Client(create(str(attacked))) as client:
        assert "AGENTS.md:1" in says(await client.call_tool("explain", {"path": "src/../AGENTS.md", "line": 1}))
        assert "AGENTS.md:4" in says(await client.call_tool("explain", {"path": "AGENTS.md#L4"}))
        assert "a:1" in says(await client.call_tool("explain", {"path": "a:1"}))


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
        "import asyncio, sys; from promptls.cli import mcp_server; "
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
