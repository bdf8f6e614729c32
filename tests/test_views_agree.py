"""Every view of a folder says the same: files, totals, states and problems, over random trees and questions."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import mcp
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mcp_types import TextContent

from promptls.checks.folder import ALONE
from promptls.checks.rules import rule_of
from promptls.cli import main, mcp_server
from promptls.core import specs
from promptls.core.files import ONLY_BELOW
from promptls.lsp import folder_checks
from promptls.lsp.main import create
from promptls.lsp.uris import uri_of
from promptls.system.processes import ATTENDED
from tests.folder import lay_out
from tests.lsp.checking import InProcess
from tests.lsp.client import Client
from tests.lsp.screen import until

Ask = Callable[..., Any]
SKILL = "---\nname: release\ndescription: How to make a release\n---\nTag it.\n"
# What may stand at a place: a text, or a link to another file.
PIECES: dict[str, tuple[str, ...]] = {
    "AGENTS.md": ("Root rules.\n", "@docs/more.md\n", ""),
    "CLAUDE.md": ("@AGENTS.md\n", "-> AGENTS.md", "Own rules.\n", "See @gone.md\n"),
    "GEMINI.md": ("Gemini's rules.\n", "-> AGENTS.md"),
    ".cursorrules": ("Old rules.\n",),
    ".github/copilot-instructions.md": ("For Copilot.\n",),
    "docs/more.md": ("More.\n",),
    "packages/api/AGENTS.md": ("Rules of the API.\n", "Root rules.\n"),
    "packages/api/CLAUDE.md": ("-> AGENTS.md", "The API for Claude.\n"),
    "packages/AGENTS.md": ("Rules of packages.\n",),
    ".claude/skills/release/SKILL.md": (SKILL,),
    ".agents/skills/release/SKILL.md": (SKILL, "-> ../../../.claude/skills/release/SKILL.md"),
    ".claude/rules/api.md": ("---\npaths: packages/**\n---\nFor packages.\n", "Always.\n"),
    "opencode.json": ('{"instructions": ["docs/*.md"]}', '{"instructions": ["gone.md"]}'),
    ".gemini/settings.json": ('{"context": {"fileName": "AGENTS.md"}}',),
}
HARNESSES = ("claude-code", "codex", "opencode", "gemini-cli", "copilot-cli", "cursor")
TREES = st.fixed_dictionaries({}, optional={name: st.sampled_from(texts) for name, texts in PIECES.items()})
USED = ("loaded", "cut")


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """Runs a command in the folder; its JSON."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(tmp_path / "data"))

    def ask(*argv: str) -> Any:
        main([*argv, "--format=json"])
        return json.loads(capsysbinary.readouterr().out)

    return ask


def _lay_out(top: Path, tree: dict[str, str]) -> Path:
    shutil.rmtree(top, ignore_errors=True)
    folder = lay_out(top, {"packages/api/app.py": "1\n", "app.py": "1\n"})
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text)
    return folder


def _problems(found: list[dict[str, Any]], top: Path, of: str = "") -> set[tuple[str, str, int, str]]:
    """Code, file, line and harness of each problem of a file in the folder; ``of``: the harness of a preview."""
    told = [(each, os.path.join(top, each["path"])) for each in found]
    return {
        (each["code"], path, each["range"]["start"]["line"], harness)
        for each, path in told
        for harness in ([of] if of else each["harnesses"])
        if path.startswith(f"{top}/")
    }


def _hangs_on_others(code: str) -> bool:
    """Whether a start elsewhere shows that what this problem is of is no mistake: a check knows these starts."""
    return not ALONE.issuperset(rule_of(code).retracted_if)


def _own(sizes: list[dict[str, Any]]) -> int:
    """The tokens of files; what is one file by a link may stand in one row."""
    return sum(each["tokens"] for each in sizes if each["kind"] == "file")


@pytest.mark.property
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES)
@example(tree={".agents/skills/release/SKILL.md": SKILL})
def test_every_view_of_a_folder_says_the_same(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str]
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    monkeypatch.chdir(folder)
    overview, of_file = ask(), ask("packages/api/app.py")
    made, checked = ask("map"), ask("check", ".", "--no-network")
    names = [each["harness"] for each in overview["columns"]]
    assert made["harnesses"] == names
    known = _problems(checked["problems"], folder)
    assert _problems(overview["worst"], folder) <= known
    assert _problems(of_file["worst"], folder) <= known
    at_root = made["directories"][0]["places"] if names else []
    alone = {
        each: _problems(ask("check", ".", "--no-network", f"--harness={each}")["problems"], folder)
        for each in {column["harness"] for column in (*overview["columns"], *of_file["columns"])}
    }
    for column, place in zip(overview["columns"], at_root, strict=True):
        shown = ask("preview", "--no-network", f"--harness={column['harness']}")
        assert shown["totals"]["tokens"] == column["tokens"], column["harness"]
        assert _problems(shown["problems"], folder, column["harness"]) <= alone[column["harness"]]
        assert _own(place["at_start"]) == _own(shown["sizes"]), column["harness"]
    for column in of_file["columns"]:
        shown = ask("preview", "packages/api/app.py", "--no-network", f"--harness={column['harness']}")
        assert shown["totals"]["tokens"] == column["tokens"], column["harness"]
        assert _problems(shown["problems"], folder, column["harness"]) <= alone[column["harness"]]


@pytest.mark.property
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES, part=st.sampled_from(["packages", "packages/api", "docs", ".claude", "packages/api/AGENTS.md"]))
def test_a_part_has_the_problems_that_the_whole_has_there(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str], part: str
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    if not (folder / part).exists():
        return
    monkeypatch.chdir(folder)
    whole = _problems(ask("check", ".", "--no-network")["problems"], folder)
    wanted = str(folder / part)
    inside = {each for each in whole if each[1] == wanted or each[1].startswith(f"{wanted}/")}
    found = ask("check", part, "--no-network")
    assert _problems(found["problems"], Path(found["root"])) == inside


def _started(shown: dict[str, Any]) -> set[str]:
    """The files that a session has at start, links followed; an empty one may be there as a heading only."""
    used = {each["path"] for each in shown["candidates"] if each["at"] == "start" and each["outcome"] in USED}
    used -= {each["path"] for each in shown["candidates"] if each["use"] == "config"}
    messages = [each for each in shown["messages"] if each["at"] == "start"]
    named = {part["origin"].get("path") for each in messages for part in each["segments"]}
    return {os.path.realpath(path) for path in used | named if path}


@pytest.mark.property
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES, part=st.sampled_from(["packages", "packages/api"]))
@example(tree={"CLAUDE.md": "@AGENTS.md\n", "packages/api/AGENTS.md": "Rules of the API.\n"}, part="packages")
def test_a_part_of_a_folder_is_one_folder_in_every_view(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str], part: str
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    monkeypatch.chdir(folder)
    overview, made, checked = ask(part), ask("map", part), ask("check", part, "--no-network")
    there = folder / part
    assert overview["problems"] == len(checked["problems"])
    assert _problems(overview["worst"], there) <= _problems(checked["problems"], there)
    assert made["harnesses"] == [each["harness"] for each in overview["columns"]]
    places = made["directories"][0]["places"] if overview["columns"] else []
    for column, place in zip(overview["columns"], places, strict=True):
        harness = column["harness"]
        shown = ask("preview", "--no-network", f"--cwd={part}", f"--harness={harness}")
        alone = ask("check", ".", "--no-network", f"--harness={harness}")
        # By place: the start at the root may have a graver one there, such as a file that is empty and hides another.
        own = {each[1:] for each in _problems(shown["problems"], folder, harness) if not _hangs_on_others(each[0])}
        # A check takes people to start where there is a file for it.
        is_expected = any(map(os.path.lexists, (there / name for name in specs.of(harness).nested)))
        assert not is_expected or own <= {each[1:] for each in _problems(alone["problems"], folder)}, harness
        assert shown["totals"]["tokens"] == column["tokens"], harness
        assert _own(place["at_start"]) == _own(shown["sizes"]), harness


@pytest.mark.property
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES)
@example(tree={"AGENTS.md": "Root rules.\n", "packages/api/AGENTS.md": "Rules of the API.\n"})
def test_a_text_is_found_where_it_is_sent(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str]
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    monkeypatch.chdir(folder)
    # In a session of any file of the folder; a rule for some files would be there at start where one is attached.
    found = [each for each in ask("find", "Root rules.")["prompts"] if each["cwd"] == str(folder)]
    for harness in {each["harness"] for each in found}:
        starts = [place for each in found if each["harness"] == harness for place in each["places"]]
        messages = ask("preview", "--no-network", f"--harness={harness}")["messages"]
        sent = [each for each in messages if each["at"] == "start" and "Root rules." in each["text"]]
        assert bool(sent) == any(each["at"] == "start" for each in starts), harness


@pytest.mark.property
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES)
@example(tree={"CLAUDE.md": "@AGENTS.md\nSee @gone.md\n", "packages/api/AGENTS.md": "Rules of the API.\n"})
def test_an_agent_is_told_what_the_json_says(
    ask: Ask, tell: Callable[..., dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str]
) -> None:
    folder = _lay_out(tmp_path / "w", {"AGENTS.md": "Root rules.\n", **tree})
    monkeypatch.chdir(folder)
    overview, made, checked = ask(), ask("map"), ask("check", ".", "--no-network")
    explained, names = ask("explain", "AGENTS.md"), [each["harness"] for each in overview["columns"]]
    told = tell(folder, names)
    for column in overview["columns"]:
        assert f"{column['tokens']:,}" in told["overview"], column
        assert f"{column['tokens']:,} tokens" in told[f"preview {column['harness']}"], column
    root = next(line for line in told["map"].splitlines() if line.startswith("."))
    starts = [sum(each["tokens"] for each in place["at_start"]) for place in made["directories"][0]["places"]]
    assert starts == _starts(root), root
    for each in overview["worst"]:
        assert f" {each['severity']} {each['code']}" in told["overview"]
    for each in checked["problems"]:
        place = f"{each['range']['start']['line'] + 1}:{each['range']['start']['character'] + 1}"
        by = ", ".join(each["harnesses"])
        assert f"  {place} {each['severity']} {each['code']} [{by}]" in told["check"], told["check"]
    for verdict in explained["verdicts"]:
        lines = [each for each in told["explain"].splitlines() if f": {verdict['answer']}" in each.lower()]
        assert lines, (verdict, told["explain"])


def _starts(line: str) -> list[int]:
    """The numbers of a row of a map but for those of what reading adds; a dash is none."""
    cells = [each.rstrip("^!") for each in line.split()[1:] if not each.startswith("+")]
    return [0 if each == "-" else int(each.replace(",", "")) for each in cells]


@pytest.fixture
def tell(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., dict[str, str]]:
    """What the tools of the MCP server say; they run the command line, here without a process for each."""

    async def run(command: list[str], *, env: dict[str, str], **_: object) -> SimpleNamespace:
        with monkeypatch.context() as patch:
            for name in (ONLY_BELOW, "COLUMNS"):
                patch.setenv(name, env[name])
            code = main(command[len(ATTENDED) :])
        out, err = capsysbinary.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    monkeypatch.setattr(mcp_server, "anyio", SimpleNamespace(run_process=run, fail_after=anyio.fail_after))

    async def answers(folder: Path, names: list[str]) -> dict[str, str]:
        asked: dict[str, tuple[str, dict[str, str]]] = {each: (each, {}) for each in ("overview", "map", "check")}
        asked["explain"] = ("explain", {"path": "AGENTS.md"})
        asked |= {f"preview {each}": ("preview", {"harness": each}) for each in names}
        async with mcp.Client(mcp_server.create(str(folder))) as client:
            made = {name: await client.call_tool(*each) for name, each in asked.items()}
        return {name: each.content[0].text for name, each in made.items() if isinstance(each.content[0], TextContent)}

    return lambda folder, names: asyncio.run(answers(folder, names))


@pytest.mark.property
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES)
@example(tree={"AGENTS.md": "@docs/more.md\n", ".gemini/settings.json": PIECES[".gemini/settings.json"][0]})
def test_what_is_explained_is_what_is_sent(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str]
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    monkeypatch.chdir(folder)
    columns = ask()["columns"]
    shown = {column["harness"]: ask("preview", "--no-network", f"--harness={column['harness']}") for column in columns}
    for name in (each for each in tree if (folder / each).exists()):
        explained = {each["harness"]["name"]: each for each in ask("explain", name)["harnesses"]}
        real = os.path.realpath(folder / name)
        for harness, prompt in shown.items():
            told = explained[harness]
            starts = [use for use in told["loaded"] if use["at"] == "start" and use["cwd"] == str(folder)]
            if real in _started(prompt):
                assert starts, (name, harness, told)
            else:
                # What is for certain files, or for an agent, is there at start of sessions about these.
                assert all(use["scope"] or use["by"] for use in starts), (name, harness, told)


@pytest.mark.property
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES)
@example(tree={"AGENTS.md": "@docs/more.md\n", "docs/more.md": "More.\n"})
def test_an_editor_shows_what_the_command_line_shows(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str]
) -> None:
    folder = _lay_out(tmp_path / "w", {"AGENTS.md": "Root rules.\n", **tree})
    monkeypatch.chdir(folder)
    monkeypatch.setattr(folder_checks, "Checker", InProcess)
    monkeypatch.setattr(folder_checks, "QUIET", 0.0)
    file, rules = "packages/api/app.py", "AGENTS.md"
    of_file, at_root, explained = ask(file), ask(), ask("explain", rules)
    shown, checked = ask("preview", file, "--no-network"), ask("check", ".", "--no-network")
    sized = {
        each["harness"]: _sent(ask("preview", "--no-network", f"--harness={each['harness']}"), folder / rules)
        for each in at_root["columns"]
    }
    names = [column["harness"] for column in of_file["columns"]]
    totals = {each["harness"]: each["tokens"] for each in at_root["columns"]}
    asked = asyncio.run(_editor(folder, file, rules))
    preview = asked["preview"]
    # The tree is made of the sizes of the preview, the status of its totals and problems.
    for key in ("totals", "sizes", "problems", "harness", "limits"):
        assert preview[key] == shown[key], key
    assert asked["harnesses"]["current"]["name"] == shown["harness"]["name"]
    assert asked["table"]["harnesses"] == names
    for column in of_file["columns"]:
        assert f"{column['tokens']:,}" in asked["table"]["text"], column
    assert asked["explain"] == explained
    # The folder as a table and as a page.
    assert asked["folder"]["harnesses"] == list(totals)
    for column in at_root["columns"]:
        assert f"{column['tokens']:,}" in asked["folder"]["text"], column
    number = len(checked["problems"])
    assert f">{number} problem" in asked["page"] or not number
    for title in asked["lenses"]:
        harness = title.split(" · ")[0]
        if harness in totals and " · start · " in title:
            assert f"{totals[harness]:,}" in title, totals
            assert f" · ~{sized[harness]:,} tokens of " in title, sized
    known = _problems(checked["problems"], folder)
    own = {(code, line) for code, path, line, _ in known if path == str(folder / rules)}
    assert asked["diagnostics"] == own


def _sent(shown: dict[str, Any], path: Path) -> int:
    """The tokens of a file in a prompt, by whatever name, with what the program writes around it."""
    same = (each for each in shown["sizes"] if each["kind"] == "file" and Path(each["name"]).samefile(path))
    return sum(each["tokens"] for each in same)


async def _editor(folder: Path, file: str, rules: str) -> dict[str, Any]:
    """What a client gets that has the folder open, and the rules."""
    client = Client(create())
    # What several programs do with a file is said by the check of the folder.
    client.checks_folders = True
    client.answers["workspace/diagnostic/refresh"] = lambda _: None
    of_file, of_rules = ({"textDocument": {"uri": uri_of(str(folder / each))}} for each in (file, rules))
    try:
        await client.start(
            {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}},
            folders=[str(folder)],
        )
        await client.open(of_rules["textDocument"]["uri"], (folder / rules).read_text())
        asked = {name: await client.request(f"prompt/{name}", of_file) for name in ("preview", "table", "harnesses")}
        asked["explain"] = await client.request("prompt/explain", of_rules)
        asked["folder"] = await client.request("prompt/table", {})
        asked["page"] = (await client.request("prompt/map", {}))["html"]
        asked["lenses"] = [each["command"]["title"] for each in await client.request("textDocument/codeLens", of_rules)]
        await until(lambda: client.server.folder_checks.is_fresh(str(folder / rules), (folder / rules).read_text()))
        report = await client.request("textDocument/diagnostic", of_rules)
        asked["diagnostics"] = {(each["code"], each["range"]["start"]["line"]) for each in report["items"]}
    finally:
        await client.stop()
    return asked
