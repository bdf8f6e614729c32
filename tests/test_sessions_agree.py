"""The command line and the server show the same prompt: for any settings, place and options the JSON is the same."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptls.cli import main
from promptls.lsp.main import create
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, ReplyError

# Keys of prompt/preview that are the protocol's own.
OF_PROTOCOL = {"uri", "text", "version", "cacheKey", "cacheHit", "ownLine"}
FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "root rules\n",
    "app.py": "1\n",
    "lib/CLAUDE.md": "lib rules\n",
    "lib/app.py": "2\n",
    "lib/deep/AGENTS.md": "deep rules\n",
    "lib/deep/app.py": "3\n",
    "repo/GEMINI.md": "rules of a repository in the folder\n",
    "repo/app.py": "4\n",
    "repo/.git/HEAD": "ref: refs/heads/main\n",
}
Shown = Callable[..., dict[str, Any] | str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with one file in it."""
    for name in ("XDG_CONFIG_HOME", "ETCODE_TEST_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "cache"))
    return lay_out(tmp_path / "home", {"notes.py": "5\n"}, git=False)


@pytest.fixture
def top(tmp_path: Path, home: Path) -> Path:
    assert home.is_dir()
    top = lay_out(tmp_path / "project", FILES, git=False)
    (top / "link").symlink_to("lib")
    return top


@pytest.fixture
def both(top: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shown:
    """What both show of a file below ``top`` for the parameters of ``prompt/preview``: JSON, or why they do not."""

    def both(file: str | None, *, is_open: bool = True, **params: Any) -> dict[str, Any] | str:
        """``is_open``: the editor has the folder open in which the command line is run.

        Without a folder, an editor starts in the repository of the file, or beside it, if it is not told where to; so
        that is where the command line is run.
        """
        path = top / file if file is not None else None
        beside = top if is_open or path is None else path if path.is_dir() else path.parent
        above = (each for each in (beside, *beside.parents) if (each / ".git").exists())
        monkeypatch.chdir(beside if is_open or "cwd" in params else next(above, beside))
        by_server = asyncio.run(_by_server(path, [str(top)] if is_open else [], params))
        code = main(["preview", *_arguments(path, params)])
        out, err = capsysbinary.readouterr()
        by_command = json.loads(out) if code == 0 else err.decode().strip()
        if isinstance(by_command, str) and ("There is no directory" in by_command or "not a directory" in by_command):
            # What is not there ends the command line, while an editor still shows a preview.
            return by_server
        assert _differences(by_server, by_command) == []
        return by_server

    return both


def _differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Where two values of JSON differ: of long ones it takes pytest minutes to say that."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = dict.fromkeys((*one, *other))
        return [each for key in keys for each in _differences(one.get(key), other.get(key), f"{at}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [each for i, pair in pairs for each in _differences(*pair, f"{at}[{i}]")]
    return [] if one == other else [f"{at}: {str(one)[:200]} in the server, {str(other)[:200]} on the command line"]


async def _by_server(path: Path | None, folders: list[str], params: dict[str, Any]) -> dict[str, Any] | str:
    client = Client(create())
    document = {"textDocument": {"uri": uri_of(str(path))}} if path is not None else {}
    try:
        await client.start(folders=folders)
        shown = await client.request("prompt/preview", {**document, **params})
    except ReplyError as error:
        return f"promptls: {error}"
    finally:
        await client.stop()
    return {key: value for key, value in shown.items() if key not in OF_PROTOCOL}


def _arguments(path: Path | None, params: dict[str, Any]) -> list[str]:
    """The parameters of ``prompt/preview`` as a command line."""
    options = [f"--{name}={params[name]}" for name in ("harness", "cwd", "model", "agent") if name in params]
    reads = [each for each in params.get("reads", ()) if each != str(path)]
    args = ["--", *params["args"]] if "args" in params else []
    file = [str(path)] if path is not None else []
    return [*file, "--format=json", "--no-network", *options, *(f"--read={each}" for each in reads), *args]


def settle(folder: Path, **said: Any) -> None:
    """Write promptls.toml."""
    (folder / "promptls.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in said.items()))


SAID = {"harness": "opencode", "model": "stub/m", "agent": "plan", "args": ["--agent", "plan"]}


def test_what_is_said_of_one_harness_is_not_said_of_another(both: Shown, top: Path) -> None:
    settle(top, **SAID)
    own, other = both("app.py"), both("app.py", harness="codex")
    assert isinstance(own, dict)
    assert isinstance(other, dict)
    assert {key: own["session"][key] for key in ("model", "agent", "args")} == {
        "model": "stub/m",
        "agent": "plan",
        "args": ["--agent", "plan"],
    }
    assert other["harness"]["name"] == "codex"
    assert other["session"]["args"] == []
    assert other["session"]["model"] != "stub/m"
    assert other["session"]["agent"] != "plan"


def test_what_is_asked_for_belongs_to_the_harness_that_is_asked_for(both: Shown, top: Path) -> None:
    settle(top, **SAID)
    shown = both("app.py", harness="codex", model="gpt-5", args=["-c", "x=1"])
    assert isinstance(shown, dict)
    assert (shown["session"]["model"], shown["session"]["args"]) == ("gpt-5", ["-c", "x=1"])


@pytest.mark.parametrize(
    "said",
    [
        {"harness": "claude-code@2.1.85"},
        {"harnesses": ["codex", "claude-code@2.1.85"]},
        {"harnesses": ["claude-code@2.1.85"], "harness": "claude-code"},
        {"harness": "nosuch"},
        {"harness": "codex@0"},
        {"model": "said/of-no-harness-by-name"},
        {"cwd": "lib"},
        {"cwd": "~"},
    ],
    ids=str,
)
@pytest.mark.parametrize("harness", [None, "claude-code", "codex"])
def test_settings(both: Shown, top: Path, said: dict[str, Any], harness: str | None) -> None:
    settle(top, **said)
    shown = both("app.py", **({"harness": harness} if harness else {}))
    if harness == "claude-code" and "2.1.85" in str(said):
        assert isinstance(shown, dict)
        assert shown["harness"]["version"] == "2.1.85"


PLACES = ["app.py", "lib", "lib/app.py", "lib/deep/app.py", "link/app.py", "link", "repo/app.py", "repo", ".", None]
HARNESSES = ["opencode", "codex", "claude-code", "claude-code@2.1.85", "gemini-cli", "codex@0", "nosuch", "cursor"]
NAMED = st.sampled_from(HARNESSES)
WORDS = st.sampled_from(["stub/m", "plan", "gpt-5", "~"])
ARGS = st.lists(st.sampled_from(["--agent", "plan", "-c", "model=x", "--", "--add-dir=lib"]), max_size=3)
FOLDERS = st.sampled_from(["lib", "lib/deep", "repo", "link", ".", "..", "gone", "~", "~/gone", "app.py"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "harness": NAMED,
        "harnesses": st.lists(NAMED, max_size=3),
        "model": WORDS,
        "agent": WORDS,
        "cwd": FOLDERS,
        "args": ARGS,
    },
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "harness": NAMED,
        "model": WORDS,
        "agent": WORDS,
        "cwd": FOLDERS,
        "args": ARGS,
        "reads": st.lists(st.sampled_from(["lib/app.py", "../app.py", "~/notes.py", "gone", "lib", "link/app.py"])),
    },
)


@pytest.mark.property
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(file=st.sampled_from(PLACES), data=st.data(), of_top=SETTINGS, params=OPTIONS)
def test_any_settings_places_and_options(
    both: Shown, top: Path, home: Path, file: str | None, data: st.DataObject, of_top: Any, params: dict[str, Any]
) -> None:
    shutil.rmtree(top / ".git", ignore_errors=True)
    if data.draw(st.booleans(), "is_repository"):
        lay_out(top, {".git/HEAD": "ref: refs/heads/main\n"}, git=False)
    settle(top, **of_top)
    settle(top / "lib", **data.draw(SETTINGS, "of_lib"))
    chosen = data.draw(SETTINGS, "of_user").get("harnesses", [])
    settle(lay_out(home / ".config/promptls", {"x": ""}, git=False), harnesses=chosen)
    # Without a folder the command line is run beside the file, where a shell knows no links.
    can_be_closed = file is not None and not file.startswith("link")
    is_open = not can_be_closed or data.draw(st.booleans(), "is_open")
    if "reads" in params:
        own = [str(top / file)] if file is not None and (top / file).is_file() else []
        params = {**params, "reads": [*own, *params["reads"]]}
    if file is not None and file.startswith("repo") and is_open:
        # Settings and files that show a harness count up to the open folder in an editor, on the command line up to
        # the nearest repository, unless it is set to start in a folder that holds the file.
        params = {**params, "cwd": "."}
    both(file, is_open=is_open, **params)
