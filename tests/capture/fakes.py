"""Small programs of our own in the place of the real ones: each reads the files that the real one reads, and posts.

What a fake sends is the preview of its scratch home and its folder, with an ``x`` for each character that a preview
leaves out, and its tools in their sizes. So it needs what the real program needs: the files, the variables and the
answers of the server.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import IO, Any

from promptls import harnesses
from promptls.core.model import Call, Prompt, Segment, Session, Turn
from promptls.git.state import state
from promptls.harnesses import catalogue, preview
from promptls.workspace.machine import local_host

CANARY = "canary-7f3a"
# The files that are held, open.
HELD: list[IO[str]] = []
SIX = ("claude-code", "codex", "opencode", "gemini-cli", "copilot-cli", "openclaw")
NEWER = ("qwen-code", "pi", "continue", "cline", "kilo-code", "copilot-vscode")
SAYS = {
    **dict.fromkeys(NEWER, "{}"),
    "claude-code": "{} (Claude Code)",
    "codex": "codex-cli {}",
    "opencode": "{}",
    "gemini-cli": "{}",
    "copilot-cli": "GitHub Copilot CLI {}.",
    "openclaw": "OpenClaw {} (0000000)",
    **dict.fromkeys(("auggie", "gptme", "kimi-code", "droid", "goose"), "{}"),
    "deepagents-code": "deepagents-code {}",
    "grok-build": "grok {} (0000000)",
    "letta-code": "{} (Letta Code)",
    "kimi-cli": "kimi, version {}",
    "mistral-vibe": "vibe {}",
    "openhands": "OpenHands CLI {}",
    "hermes": "Hermes Agent v{} (2026.7.20)",
}
# What a program does in the place of a request, as Python.
BAD = {
    "hangs": "import time\ntime.sleep(600)",
    "crashes": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
    "wants a login": "print('Please log in with /login.')\nsys.exit(1)",
    "asks": "print('Go on? [y/N]')\nsys.exit(2 if sys.stdin.read() == '' else 0)",
    "prints megabytes": "for _ in range(300):\n    print('y' * 100_000)\nprint('That was all.')",
    "starts a daemon": """
import os, time
from tests.capture.fakes import hold, is_held
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        hold(Path(LOG).parent / 'daemon')
        os.closerange(0, 3)
        time.sleep(600)
    os._exit(0)
while not (Path(LOG).parent / 'daemon').exists() or not is_held(Path(LOG).parent / 'daemon'):
    time.sleep(0.01)
print('It runs in the background now.')
""",
    "goes elsewhere": """
import urllib.request
try:
    urllib.request.urlopen('http://models.invalid/x', timeout=5)
except Exception as error:
    print('no answer')
sys.exit(3)
""",
}


# As ``instead``: the program sends the files of the root otherwise than they are.
OTHER = """
import json
import tests.capture.fakes as fakes
body = fakes._body
fakes._body = lambda *given: json.loads(json.dumps(body(*given)).replace("rules of the root", "rules of nobody"))
fakes.send({harness!r}, {version!r}, LOG)
"""


def install(folder: Path, harness: str, *, version: str, instead: str = "", says: str | None = None) -> Path:
    """Put the fake of a harness into ``folder``; ``instead`` is Python that runs in place of the requests.

    What it saw of its home and environment is in ``seen`` beside it.
    """
    program = catalogue.program(harness)
    assert program is not None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / program.command
    answer = SAYS[harness].format(version) if says is None else says
    # Where modules are is told, so Python need not look for it.
    head = f"#!{sys.executable} -S\nimport sys\nfrom pathlib import Path\nsys.path[:0] = {sys.path!r}\n"
    head += f"LOG = {str(folder / 'seen')!r}\n"
    does = "serve" if program.launcher else "send"
    body = instead or f"from tests.capture.fakes import {does}\n{does}({harness!r}, {version!r}, LOG)\n"
    path.write_text(f"{head}if '--version' in sys.argv:\n    print({answer!r})\n    sys.exit()\n{body}\n", "utf-8")
    path.chmod(0o755)
    if program.launcher:
        beside = folder / program.beside[0]
        beside.write_text(f"{head}from tests.capture.fakes import browse\nbrowse()\n", "utf-8")
        beside.chmod(0o755)
        extension = folder / "lib/vscode/extensions/copilot/package.json"
        extension.parent.mkdir(parents=True, exist_ok=True)
        extension.write_text(json.dumps({"version": version}), "utf-8")
    return path


def let_in(folder: Path, patch: Callable[[object, str, object], None] = setattr) -> None:
    """Let fakes, which are enclosed, see these tests, and write to ``folder`` what they saw."""
    from promptls.wire import find_program  # noqa: PLC0415 - only a run needs it

    tests, real = str(Path(__file__).parents[2]), vars(find_program)["enclosure"]
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o777)

    def enclosure(*given: Any, shown: Sequence[Any], **named: Any) -> Any:
        more = ((tests, tests, False), (str(folder), str(folder), True))
        return real(*given, shown=(*shown, *more), **named)

    patch(find_program, "enclosure", enclosure)


def hold(path: Path) -> None:
    """Hold a file until this process and all that it has started have ended."""
    import fcntl  # noqa: PLC0415 - only POSIX has it

    HELD.append(path.open("a"))
    fcntl.flock(HELD[-1], fcntl.LOCK_EX)


def is_held(path: Path) -> bool:
    """Whether somebody holds a file."""
    import fcntl  # noqa: PLC0415 - only POSIX has it

    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def own_model() -> str:
    """What the fake of Codex asks where nobody names a model."""
    from promptls.harnesses.codex.versions import NEWEST  # noqa: PLC0415 - the others start without it

    return NEWEST.default_model


def newest(harness: str) -> str:
    """The version that a preview is one of where nobody says another."""
    return harnesses.get(harness).versions[0].name


def send(harness: str, version: str, log: str) -> None:
    """What a fake does."""

    _look(Path(os.environ["HOME"]), log)
    program = catalogue.program(harness)
    assert program is not None
    argv = sys.argv
    model = next((argv[at + 1] for at, each in enumerate(argv) if each in ("-m", "--model")), None)
    model = os.environ.get("COPILOT_MODEL", model) if harness != "openclaw" else None
    asked = json.loads(os.environ.get("PROMPTLS_ASKED", "{}"))
    model = asked.get("model", model)
    typed = argv[argv.index("-p") + 1] if "-p" in argv and "--" not in argv else argv[-1]
    typed = asked.get("typed", typed)

    kept = Path(os.environ["HOME"], "turns.json")
    # The turns before this one: what was typed, and whether a file was read.
    past = json.loads(kept.read_text("utf-8")) if {"--continue", "--resume", "resume"}.intersection(argv) else []
    read = (Call(read=os.path.join(os.getcwd(), "pkg", "a.py")),)

    # What a fake does between its requests is nothing to git.
    git = cache(state)

    def request(*, has_read: bool) -> bytes:
        kept.write_text(json.dumps([*past, [typed, has_read]]), "utf-8")
        attached = tuple(asked.get("attached", ()))
        said = [*past, [typed, has_read]]
        spec = harnesses.get(harness).spec
        is_known = spec is not None and "resume" in spec.later
        turns = tuple(
            Turn(text, attached, steps=(read,) if read_it else (), resumes=is_known and number > 0)
            for number, (text, read_it) in enumerate(said)
        )
        trusts = any("trust_level" in each for each in argv)
        session = Session(harness, os.getcwd(), version, turns=turns, model=model, is_trusted=trusts)
        prompt = preview(session, local_host(git=git, with_known_texts=False))
        address, kind = _address(harness)
        body = _body(kind, prompt, dict.fromkeys(filter(None, (*program.main[:1], program.read))), model)
        if "prompt-input" in argv:
            sys.stderr.write("a warning\n")
            sys.stdout.write(json.dumps(body["input"]))
            return b""
        return _answer("POST", address, json.dumps(body).encode())

    answer = request(has_read=False)
    if program.read and program.read.encode() in answer:
        # The answer asks to read a file; a fake knows only this one.
        request(has_read=True)


def serve(harness: str, version: str, log: str) -> None:
    """What the fake of an editor does: the first who opens its page has it send its request."""

    import http.server  # noqa: PLC0415 - only an editor needs it

    class Page(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            if "folder=" in self.path:
                send(harness, version, log)
                Path(json.loads(os.environ["PROMPTLS_ASKED"])["log"]).write_text("said", "utf-8")

    port = int(sys.argv[sys.argv.index("--bind-addr") + 1].rpartition(":")[2])
    with http.server.HTTPServer(("127.0.0.1", port), Page) as server:
        server.serve_forever()


def browse() -> None:
    """What the fake of a browser does: it opens a page and stays."""

    _answer("GET", sys.argv[-1])
    signal.pause()


def _answer(method: str, url: str, body: bytes = b"") -> bytes:
    """What a server on this machine answers. To import http.client is a third of a fake's start."""

    there = re.fullmatch(r"http://([^:/]+):(\d+)(/.*)", url)
    assert there is not None
    lines = (f"{method} {there[3]} HTTP/1.1", f"Host: {there[1]}", f"Content-Length: {len(body)}", "Connection: close")
    with socket.create_connection((there[1], int(there[2])), timeout=60) as connection:
        connection.sendall("\r\n".join((*lines, "", "")).encode() + body)
        answer = b"".join(iter(partial(connection.recv, 2**16), b""))
    assert answer
    return answer.partition(b"\r\n\r\n")[2]


def _look(home: Path, log: str) -> None:
    """Write down all that a program could find."""

    found = [f"{name}={value}" for name, value in os.environ.items()] + sys.argv
    named = [Path(value) for value in os.environ.values() if os.path.isabs(value) and value.endswith(".json")]
    for path in (*sorted(home.rglob("*")), *named):
        found.append(os.path.relpath(path, home))
        if path.is_file():
            found.append(path.read_text("utf-8", "replace"))
    Path(log).write_text("\n".join(found), "utf-8")


def _address(harness: str) -> tuple[str, str]:
    """Where the real program would send a request, by what it was told, and in which format."""

    env = os.environ
    if harness == "claude-code":
        settings = json.loads(sys.argv[sys.argv.index("--settings") + 1])
        return settings["env"]["ANTHROPIC_BASE_URL"] + "/v1/messages?beta=true", "messages"
    if harness == "codex":
        found = re.search(r'base_url="([^"]+)"', " ".join(sys.argv))
        assert found
        return f"{found[1]}/responses", "responses"
    if harness == "opencode":
        provider = json.loads(env["OPENCODE_CONFIG_CONTENT"])["provider"]["anthropic"]
        return provider["options"]["baseURL"] + "/messages", "messages"
    if harness == "gemini-cli":
        return env["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models/m:streamGenerateContent?alt=sse", "generate"
    return _address_of_chat(harness), "chat"


def _address_of_chat(harness: str) -> str:
    env = os.environ
    if harness == "copilot-cli":
        return env["COPILOT_PROVIDER_BASE_URL"] + "/chat/completions"
    if harness == "copilot-vscode":
        return str(json.loads(env["PROMPTLS_ASKED"])["url"])
    if harness == "qwen-code":
        return env["OPENAI_BASE_URL"] + "/chat/completions"
    if harness == "goose":
        return env["OPENAI_HOST"] + "/v1/chat/completions"
    if harness == "kilo-code":
        provider = json.loads(env["KILO_CONFIG_CONTENT"])["provider"]["promptls"]
        return str(provider["options"]["baseURL"]) + "/chat/completions"
    if harness in ("pi", "cline"):
        below = {"pi": ".pi/agent/models.json", "cline": ".cline/data/settings/providers.json"}[harness]
        text = Path(env["HOME"], below).read_text("utf-8")
        return str(re.findall(r'"base[Uu]rl": "([^"]+)"', text)[0]) + "/chat/completions"
    config = json.loads(Path(sys.argv[sys.argv.index("--config") + 1]).read_text("utf-8"))
    if harness == "continue":
        return str(config["models"][0]["apiBase"]) + "/chat/completions"
    return str(config["models"]["providers"]["promptls"]["baseUrl"]) + "/chat/completions"


def _body(kind: str, prompt: Prompt, needed: Iterable[str], model: str | None) -> dict[str, Any]:
    """A preview as a request; it offers the tools that are ``needed`` where the preview knows of none."""
    texts = [(each.role, "".join(_sent(segment) for segment in each.segments)) for each in prompt.messages]
    described = [text for role, text in texts if role == "tools"]
    if prompt.tools is None:
        tools = [{"name": name, "description": "x"} for name in needed]
        tools += [{"name": f"t{at}", "description": text} for at, text in enumerate(described)]
    else:
        tools = list(_tools(prompt, described))
    said = [(role, text) for role, text in texts if role != "tools"]
    if kind == "messages":
        system = [{"type": "text", "text": said.pop(0)[1]} for _ in range(len(said)) if said[0][0] == "system"]
        blocks = {"tool": lambda text: [{"type": "tool_result", "content": [{"type": "text", "text": text}]}]}
        listed = [
            {"role": "user" if role == "tool" else role, "content": blocks[role](text) if role in blocks else text}
            for role, text in said
        ]
        return {"system": system, "messages": listed, "tools": tools}
    if kind == "chat":
        functions = [{"type": "function", "function": each} for each in tools]
        return {"messages": [{"role": role, "content": text} for role, text in said], "tools": functions}
    if kind == "responses":
        items: list[dict[str, Any]] = [{"type": "additional_tools", "tools": tools}]
        items += [
            {"type": "function_call_output", "output": text}
            if role == "tool"
            else {"role": role, "content": [{"type": "input_text", "text": text}]}
            for role, text in said
        ]
        return {"model": model or own_model(), "input": items}
    instruction = {"parts": [{"text": text} for role, text in said if role == "system"]}
    contents = [
        {
            "role": "user",
            "parts": [{"functionResponse": {"response": {"output": text}}} if role == "tool" else {"text": text}],
        }
        for role, text in said
        if role != "system"
    ]
    return {"systemInstruction": instruction, "contents": contents, "tools": [{"functionDeclarations": tools}]}


def _tools(prompt: Prompt, described: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The tools that are sent, each as long as the preview says; the one for agents or the largest have its texts."""
    program = catalogue.program(prompt.session.harness)
    assert program is not None
    inner = dict(reversed([each.split("/", 1) for each in program.main if "/" in each]))
    sizes = {each.name: each.size for each in prompt.tools or () if each.enabled and each.size != 0}
    largest = sorted(sizes, key=lambda name: (name != "task", -(sizes[name] or 0)))
    texts = dict(zip(largest, described, strict=False))
    for name, size in sizes.items():
        tool: dict[str, Any] = {"name": name, "description": texts.get(name, ""), "more": ""}
        tool |= {"tools": [{"name": inner[name]}]} if name in inner else {}
        least = len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")))
        yield {**tool, "more": "x" * ((size or least) - least)}


def _sent(segment: Segment) -> str:
    if segment.elided is None:
        return segment.text
    if segment.why.startswith("a server decides"):
        return ""
    size = 50 if segment.elided.size is None else segment.elided.size
    return ("x," * size)[:size]  # no name of a tool
