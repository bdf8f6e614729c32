"""``promptls servers``: what is listed, what is asked, and how a server that misbehaves is told in bounded time."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import stat
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from promptls.cli import main, servers
from promptls.core import specs
from promptls.core.servers import from_kept
from promptls.core.tokens import counter
from promptls.wire import server_client
from promptls.wire.enclosing import means
from promptls.wire.enclosure import MOVES
from promptls.wire.server_client import expanded

FAKE = Path(__file__).parent / "fake_server.py"
PYTHON = "/usr/bin/python3"
NO_NETWORK = "It ran enclosed and without a network; --network starts it as the program does."
Run = Callable[..., tuple[int, str, str]]

needs_enclosure = pytest.mark.skipif(
    means() not in MOVES or not Path(PYTHON).exists(), reason="this system cannot enclose a server"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    shutil.copy(FAKE, work / "fake_server.py")
    (work / ".git").mkdir()
    for name, value in {"HOME": home, "PROMPTLS_DATA_DIR": tmp_path / "data", "PROMPTLS_CACHE_DIR": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(work)
    # The enclosure is another user's where root has started it.
    for each in (tmp_path, *tmp_path.parents[:2], work):
        each.chmod(each.stat().st_mode | 0o055)
    return work


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*args: str) -> tuple[int, str, str]:
        code = main(args)
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def configure(work: Path, wrong: str = "", name: str = "docs", **more: Any) -> None:
    command = [PYTHON, str(work / "fake_server.py"), *([wrong] if wrong else [])]
    server = {"type": "local", "command": command, **more}
    (work / "opencode.json").write_text(json.dumps({"mcp": {name: server}}), encoding="utf-8")


def tools(run: Run, harness: str = "opencode") -> dict[str, int | None]:
    _, out, _ = run("preview", "--harness", harness, "--format", "json")
    return {each["name"]: each["size"] for each in json.loads(out)["tools"] if each["enabled"]}


def test_nothing_is_configured(place: Path, run: Run) -> None:
    assert run("servers", str(place))[1].startswith("No MCP server and no hook is configured here")


def test_what_is_configured_is_listed(place: Path, run: Run) -> None:
    configure(place, environment={"API_KEY": "geheim-123456789"})
    (place / ".claude").mkdir()
    hook = {"hooks": [{"type": "command", "command": "make hint"}]}
    settings = {"hooks": {"SessionStart": [hook]}}
    (place / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    code, out, _ = run("servers", "--harness", "opencode", "--harness", "claude-code")
    assert code == 0
    assert out.splitlines() == [
        "MCP servers",
        f"docs  {PYTHON} {shlex.quote(f'{place}/fake_server.py')}",
        "    opencode.json:1 · opencode",
        "    not asked yet",
        "",
        "Hooks, of which promptls runs none",
        "make hint · .claude/settings.json:1 · Claude Code",
        "",
        "“promptls servers --ask” asks them, after a question for each.",
    ]


def test_the_json_has_no_secret(place: Path, run: Run) -> None:
    secret = "ghp_" + "a1B2" * 9
    configure(place, environment={"TOKEN": secret}, command=["srv", "--api-key", secret])
    out = run("servers", "--harness", "opencode", "--format", "json")[1]
    found = json.loads(out)["servers"]
    assert [(each["name"], each["state"], each["tools"]) for each in found] == [("docs", "open", None)]
    assert found[0]["start"].startswith("srv --api-key ")
    assert secret not in out


@pytest.mark.ordinary_too
@needs_enclosure
def test_an_answer_is_kept_and_previews_have_it(place: Path, run: Run) -> None:
    configure(place)
    assert "docs_search" not in tools(run)
    code, out, _ = run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    assert code == 0, out
    assert out.startswith("docs: 1 tool for opencode, in ")
    assert tools(run)["docs_search"] is not None
    kept = list((place.parent / "data" / "servers").iterdir())
    assert [stat.S_IMODE(each.stat().st_mode) for each in kept] == [0o600]
    assert stat.S_IMODE(kept[0].parent.stat().st_mode) == 0o700
    assert "Search the documents." in kept[0].read_text("utf-8")
    assert "annotations" not in kept[0].read_text("utf-8")
    listed = run("servers", "--harness", "opencode")[1]
    assert "1 tool (fake for opencode 1.0), asked on" in listed
    # Another configuration is another question.
    configure(place, "pages")
    assert "docs_search" not in tools(run)


@needs_enclosure
def test_a_definition_is_longer_for_the_models_of_anthropic(place: Path, run: Run) -> None:
    configure(place)
    run("servers", "--harness", "opencode", "--ask", "docs", "--yes")

    def size(model: str) -> int:
        out = run("preview", "--harness", "opencode", "--model", model, "--format", "json")[1]
        (found,) = [each["size"] for each in json.loads(out)["tools"] if each["name"] == "docs_search"]
        return int(found)

    assert size("anthropic/claude-sonnet-4-5") - size("local/stub") == len(',"eager_input_streaming":true') + 2


@needs_enclosure
def test_an_answer_is_forgotten(place: Path, run: Run) -> None:
    configure(place)
    run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    assert "docs_search" in tools(run)
    assert run("servers", "--harness", "opencode", "--forget", "docs") == (0, "", "1 answer was forgotten.\n")
    assert "docs_search" not in tools(run)
    run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    # One whose configuration has changed since is forgotten with all others.
    configure(place, "pages")
    assert run("servers", "--forget", "docs", "--harness", "opencode")[2] == "0 answers were forgotten.\n"
    assert run("servers", "--forget")[2] == "1 answer was forgotten.\n"
    assert list((place.parent / "data" / "servers").iterdir()) == []
    assert "There is no server 'no' here" in run("servers", "--forget", "no", "--harness", "opencode")[2]
    assert "not both" in run("servers", "--forget", "--ask")[2]


@needs_enclosure
def test_what_tools_cost_is_told(place: Path, run: Run) -> None:
    (place / "AGENTS.md").write_text("Be brief.\n", encoding="utf-8")
    configure(place)
    before = json.loads(run("--harness", "opencode", "--format", "json")[1])["columns"][0]
    assert before["at_least"]
    run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    size = tools(run)["docs_search"]
    assert size is not None
    found = json.loads(run("servers", "--harness", "opencode", "--format", "json")[1])["costs"]
    assert [(each["harness"], each["named"]) for each in found] == [("opencode", 0)]
    tokens = found[0]["sent"][0]["tokens"]
    assert found[0]["sent"] == [{"name": "docs_search", "server": "docs", "tokens": tokens}]
    assert tokens == pytest.approx(counter(None).of_tools(size), rel=0.2)
    listed = run("servers", "--harness", "opencode")[1]
    assert f"    docs_search {tokens:>7}  docs" in listed
    # The last answer of ``promptls`` is not given again.
    after = json.loads(run("--harness", "opencode", "--format", "json")[1])
    row = next(each for each in after["rows"] if each["kind"] == "servers")
    assert row["cells"][0]["tokens"] == found[0]["tokens"]
    assert after["columns"][0]["tokens"] > before["tokens"]


@needs_enclosure
def test_each_program_asks_in_its_own_name(place: Path, run: Run) -> None:
    (place / "AGENTS.md").write_text("Be brief.\n", encoding="utf-8")
    home = place.parent / "home"
    server = {"type": "stdio", "command": PYTHON, "args": [str(place / "fake_server.py")]}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"docs": server}}), encoding="utf-8")
    code, out, _ = run("servers", "--harness", "claude-code", "--ask", "docs", "--yes")
    assert (code, out[:33]) == (0, "docs: 2 tools for Claude Code, in"), out
    assert {"mcp__docs__search", "mcp__docs__elicit"} <= set(tools(run, "claude-code"))


@needs_enclosure
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("hangs", f"docs did not answer to initialize within 1 seconds. {NO_NETWORK}"),
        ("pings", f"docs did not answer to initialize within 1 seconds. {NO_NETWORK}"),
        ("crashes", f"docs ended before it answered to initialize; it said last: KeyError: 'TOKEN'. {NO_NETWORK}"),
        ("floods", "docs printed more than 1 MiB, and was ended."),
        ("error", "docs answers to initialize with an error: no key."),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    wrong: str, says: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_client, "FIRST", 1.0 if wrong in ("hangs", "pings") else 20.0)
    monkeypatch.setattr(server_client, "MOST", (1 if wrong == "floods" else 32) << 20)
    monkeypatch.setattr(servers, "PATIENCE", 0.25 if wrong == "hangs" else 20.0)
    configure(place, wrong)
    began = time.monotonic()
    code, out, err = run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    assert (code, out) == (1, f"{says}\n")
    assert time.monotonic() - began < 40
    waits = "docs has not answered opencode for 0.25 s; Ctrl-C ends it."
    assert err.splitlines()[:1] == ([waits] if wrong == "hangs" else [])
    assert "docs_search" not in tools(run)


@needs_enclosure
@pytest.mark.parametrize(
    ("wrong", "names", "says"),
    [
        (
            "changes",
            {"docs_search"},
            "docs changed its list of tools while it was asked; the first one counts.",
        ),
        ("samples", {"docs_search"}, "docs asked for a model, and got none."),
        ("shouts", {"docs_search"}, ""),
        ("pages", {"docs_search"}, ""),
    ],
)
def test_what_is_odd_is_said(wrong: str, names: set[str], says: str, place: Path, run: Run) -> None:
    configure(place, wrong)
    code, out, _ = run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    assert (code, out.splitlines()[1:]) == (0, [says] if says else [])
    assert {each for each in tools(run) if each.startswith("docs_")} == names


@needs_enclosure
@pytest.mark.parametrize("harness", ["gemini-cli", "copilot-cli"])
def test_some_programs_send_the_list_that_a_server_has_changed_by_then(harness: str, place: Path, run: Run) -> None:
    command = {"command": PYTHON, "args": [str(place / "fake_server.py"), "changes"], "trust": True}
    at_home = {"gemini-cli": ".gemini/settings.json", "copilot-cli": ".copilot/mcp-config.json"}
    path = place.parent / "home" / at_home[harness]
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"docs": command}}), encoding="utf-8")
    _, out, _ = run("servers", "--harness", harness, "--ask", "docs", "--yes")
    assert out.splitlines()[1:] == ["docs changed its list of tools while it was asked; the last one counts."]
    assert any(each.endswith("late") for each in tools(run, harness))


@pytest.mark.parametrize("harness", ["copilot-cli", "gemini-cli", "codex", "opencode"])
def test_of_two_servers_of_one_name_the_list_has_the_one_of_the_preview(harness: str, place: Path, run: Run) -> None:
    """Where the folder is not trusted, previews say what is sent once it is, and so does the list."""
    home = place.parent / "home"
    for at, script in ((home, "home.js"), (place, "folder.js")):
        server = {"command": "node", "args": [script], "tools": ["*"]}
        of_opencode = {"type": "local", "command": ["node", script]}
        texts = {
            ".mcp.json" if at is place else ".copilot/mcp-config.json": json.dumps({"mcpServers": {"docs": server}}),
            ".gemini/settings.json": json.dumps({"mcpServers": {"docs": server}}),
            "opencode.json" if at is place else ".config/opencode/opencode.json": json.dumps(
                {"mcp": {"docs": of_opencode}}
            ),
            ".codex/config.toml": f'[mcp_servers.docs]\ncommand = "node"\nargs = ["{script}"]\n',
        }
        for name, text in texts.items():
            (at / name).parent.mkdir(parents=True, exist_ok=True)
            (at / name).write_text(text, encoding="utf-8")
    shown = json.loads(run("preview", "--harness", harness, "--format", "json")[1])
    listed = json.loads(run("servers", "--harness", harness, "--format", "json")[1])["servers"]
    of_preview = [each["origin"]["path"] for each in shown["tools"] if each["origin"]["kind"] == "config"]
    assert of_preview == [f"{place}/{name}" for name in texts if f"{place}/{name}" in of_preview]
    until = "it counts until you trust the folder"
    assert [each["path"] for each in listed if each["why"] != until] == of_preview
    # Until then the one at home counts, where the program sends anything.
    also = [each["path"] for each in listed if each["why"] == until]
    assert (len(also), all(each.startswith(f"{home}/") for each in also)) == (harness in {"copilot-cli", "codex"}, True)


@pytest.mark.ordinary_too
def test_nothing_is_started_unasked(place: Path, run: Run) -> None:
    configure(place)
    assert run("servers", "--ask")[0] == 2
    code, _, err = run("servers", "--ask", "--yes")
    assert (code, err) == (2, "promptls: With --yes, name each server that may be started: --ask NAME --yes.\n")
    assert "There is no server 'other' here" in run("servers", "--harness", "opencode", "--ask", "other", "--yes")[2]
    assert not (place.parent / "data").exists()


@pytest.mark.parametrize("harness", ["claude-code", "copilot-cli", "gemini-cli", "codex"])
def test_a_server_of_an_untrusted_folder_is_never_started(harness: str, place: Path, run: Run) -> None:
    server = {"command": PYTHON, "args": [str(place / "fake_server.py")]}
    text = json.dumps({"mcpServers": {"docs": server}})
    (place / ".mcp.json").write_text(text, encoding="utf-8")
    (place / ".gemini").mkdir()
    (place / ".gemini" / "settings.json").write_text(text, encoding="utf-8")
    (place / ".codex").mkdir()
    toml = f'[mcp_servers.docs]\ncommand = "{PYTHON}"\nargs = ["fake_server.py"]\n'
    (place / ".codex" / "config.toml").write_text(toml, encoding="utf-8")
    code, _, err = run("servers", "--harness", harness, "--ask", "docs", "--yes")
    assert (code, "the folder is not trusted" in err) == (2, True), err
    says = "Not asked: the folder is not trusted: start the program in it and trust it first.\n"
    assert run("servers", "--harness", harness, "--ask") == (0, says, "")
    # A preview of Claude Code does not say which files wait for trust.
    if harness != "claude-code":
        title = specs.of(harness).title
        assert f"start {title} here and trust the folder first" in " ".join(run("--harness", harness)[1].split())
        assert f"To see it, first trust the folder in {title}, then: " in run("preview", "--harness", harness)[1]
    assert not (place.parent / "data").exists()


def test_where_nothing_can_be_kept_no_server_is_started(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(place)
    (place.parent / "file").touch()
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(place.parent / "file"))
    code, out, err = run("servers", "--harness", "opencode", "--ask", "docs", "--yes")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith("Not a directory. Set PROMPTLS_DATA_DIR to another directory, and try again.\n")


@pytest.mark.ordinary_too
@needs_enclosure
def test_a_server_is_enclosed(place: Path, run: Run) -> None:
    canary = place.parent / "home" / ".netrc"
    canary.write_text("geheim", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        env = {"CANARY": str(canary), "OPEN_PORT": str(listener.getsockname()[1])}
        configure(place, "looks", environment=env)
        assert run("servers", "--harness", "opencode", "--ask", "docs", "--yes")[0] == 0
        kept = json.loads(next((place.parent / "data" / "servers").iterdir()).read_text("utf-8"))
        assert kept["answer"]["instructions"] == "home"
        # Each of these works where it is not enclosed.
        assert run("servers", "--harness", "opencode", "--ask", "docs", "--yes", "--network")[0] == 0
        kept = json.loads(next((place.parent / "data" / "servers").iterdir()).read_text("utf-8"))
        assert kept["answer"]["instructions"] == "home canary write network"


def test_a_program_that_is_not_there_is_named(place: Path, run: Run) -> None:
    configure(place, command=["no-such-program"])
    out = run("servers", "--harness", "opencode", "--ask", "docs", "--yes")[1]
    assert out == "docs cannot be started: there is no program no-such-program here; install it.\n"


def test_a_network_starts_it_as_the_program_does(place: Path, run: Run) -> None:
    configure(place)
    code, out, _ = run("servers", "--harness", "opencode", "--ask", "docs", "--yes", "--network")
    assert (code, out[:30]) == (0, "docs: 1 tool for opencode, in "), out


class Remote(BaseHTTPRequestHandler):
    """A server at an address, that answers as its path says."""

    seen: ClassVar[list[tuple[str, dict[str, str]]]] = []

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method, wrong = message["method"], self.path.strip("/")
        self.seen.append((method, {key.lower(): value for key, value in self.headers.items()}))
        if wrong == "login" or (wrong == "lost" and method == "tools/list"):
            self.answer(401 if wrong == "login" else 404, "", "text/plain")
            return
        if "id" not in message:
            self.answer(202, "", "text/plain")
            return
        result: dict[str, Any] = {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}
        if method == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "far"}}
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        if wrong == "events":
            note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
            self.answer(200, f"event: message\ndata: {note}\n\n: wait\nid: 3\ndata: {text}\n\n", "text/event-stream")
        else:
            self.answer(200, "no JSON" if wrong == "odd" else text, "application/json")

    def answer(self, status: int, text: str, kind: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "mcp-session-id": "s1", "content-length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def remote() -> Iterator[str]:
    Remote.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Remote) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("kind", ["json", "events"])
def test_a_server_at_an_address_is_asked(kind: str, remote: str, place: Path, run: Run) -> None:
    secret = "ghp_" + "a1B2" * 9
    configure(place, type="remote", url=f"{remote}/{kind}", command=[], headers={"Authorization": f"Bearer {secret}"})
    assert "add --network to ask it" in run("servers", "--harness", "opencode", "--ask", "docs", "--yes")[1]
    assert Remote.seen == []
    code, out, _ = run("servers", "--harness", "opencode", "--ask", "docs", "--yes", "--network")
    assert (code, out[:30]) == (0, "docs: 1 tool for opencode, in "), out
    assert tools(run)["docs_search"] is not None
    assert [method for method, _ in Remote.seen] == ["initialize", "notifications/initialized", "tools/list"]
    assert [headers["authorization"] for _, headers in Remote.seen] == [f"Bearer {secret}"] * 3
    assert Remote.seen[2][1]["mcp-session-id"] == "s1"
    assert all(secret not in each.read_text("utf-8") for each in (place.parent / "data" / "servers").iterdir())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("login", "docs wants a login, which promptls does not do (status 401)."),
        ("lost", "docs answers to tools/list with status 404; check its address."),
        ("odd", "docs does not answer to initialize."),
    ],
)
def test_what_goes_wrong_at_an_address_is_one_sentence(
    wrong: str, says: str, remote: str, place: Path, run: Run
) -> None:
    configure(place, type="remote", url=f"{remote}/{wrong}", command=[])
    assert run("servers", "--harness", "opencode", "--ask", "docs", "--yes", "--network")[:2] == (1, f"{says}\n")


@pytest.mark.ordinary_too
def test_an_address_where_nobody_listens_is_told(place: Path, run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    configure(place, type="remote", url=f"http://127.0.0.1:{port}/mcp", command=[])
    out = run("servers", "--harness", "opencode", "--ask", "docs", "--yes", "--network")[1]
    assert out == "docs cannot be reached (ConnectError); check its address.\n"


@needs_enclosure
def test_a_server_gets_the_variables_that_the_program_gives_it(place: Path, run: Run) -> None:
    """Gemini CLI passes none on that loads code, so a server that needs one does not start there either."""
    (place / "lib").mkdir()
    (place / "lib" / "needed.py").touch()
    code = "import needed, runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
    server: dict[str, Any] = {"command": PYTHON, "args": ["-c", code, str(place / "fake_server.py")]}
    server |= {"env": {"PYTHONPATH": str(place / "lib")}}
    for home in (place, place.parent / "home"):
        (home / ".gemini").mkdir()
        (home / ".copilot").mkdir()
    text = json.dumps({"mcpServers": {"docs": {**server, "tools": ["*"]}}})
    for name in (".gemini/settings.json", ".copilot/mcp-config.json"):
        (place.parent / "home" / name).write_text(text, encoding="utf-8")
    assert run("servers", "--harness", "copilot-cli", "--ask", "docs", "--yes")[0] == 0
    code_, out, _ = run("servers", "--harness", "gemini-cli", "--ask", "docs", "--yes")
    assert (code_, out.count("\n")) == (1, 1)
    assert out.endswith("The program starts it so, too: it gives no server PYTHONPATH.\n")


def test_variables_are_filled_in() -> None:
    env = {"A": "1", "B": ""}
    texts = ["${A}", "$A/x", "{env:A}", "${C:-d}", "${B:-d}", "$C", "{env:C}", "100$"]
    assert [expanded(each, env) for each in texts] == ["1", "1/x", "1", "d", "", "$C", "", "100$"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"answer": 1}', b'{"answer": {"tools": [1, {"name": 2}]}}'])
def test_what_is_kept_and_not_as_it_was_written_is_no_fault(data: bytes) -> None:
    found = from_kept(data)
    assert found is None or found.answer.tools == ()
