from __future__ import annotations

import json
import os
import pwd
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from tests.folder import lay_out
from tests.limits import at_most
from tests.repository import commit

pytestmark = pytest.mark.ordinary_too

Run = Callable[..., str]
COLOUR = re.compile(r"\x1b\[")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root rules é😀\n",
            "etcode.json": '{"instructions": ["docs/style.md",\n "é😀", "gone.md"]}',
            "docs/style.md": "style rules\n",
            "api/AGENTS.md": "api rules\n",
            "api/app.py": "print()\n",
        },
    )
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command that must succeed and say nothing else; returns what it writes."""

    def run(*args: str) -> str:
        with at_most(10):
            code = main(list(args))
        out, err = capsysbinary.readouterr()
        assert (code, err) == (0, b"")
        return out.decode("utf-8")

    return run


@pytest.fixture
def refusal(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command that must be refused; returns the sentence."""

    def run(*args: str) -> str:
        code = main(list(args))
        out, err = capsysbinary.readouterr()
        assert (code, out) == (2, b"")
        said = err.decode("utf-8")
        assert re.fullmatch(r"promptls: [^\n]+[.?]\n", said), said
        return said.removeprefix("promptls: ").rstrip()

    return run


def shown(run: Run, *args: str) -> dict[str, Any]:
    text = run("preview", *args, "--format", "json", "--no-network")
    assert text.isascii()
    found: dict[str, Any] = json.loads(text)
    return found


def files(json: dict[str, Any]) -> list[str]:
    """The paths of the file segments."""
    origins = [segment["origin"] for message in json["messages"] for segment in message["segments"]]
    return [origin["path"] for origin in origins if origin["kind"] == "file"]


def test_the_json(run: Run, folder: Path) -> None:
    found = shown(run, "api/app.py")
    assert found["harness"] == {"name": "etcode", "version": "design", "verified": False, "tier": "documented"}
    assert found["session"]["cwd"] == str(folder)
    assert found["session"]["reads"] == [f"{folder}/api/app.py"]
    assert files(found) == [f"{folder}/AGENTS.md", f"{folder}/docs/style.md", f"{folder}/api/AGENTS.md"]
    for message in found["messages"]:
        assert set(message) >= {"role", "index", "block", "at", "text", "cached", "segments"}
        at = 0
        for segment in message["segments"]:
            assert set(segment) >= {"layer", "title", "start", "end", "origin", "why", "cache", "tokens"}
            assert segment["start"] == at < segment["end"]
            at = segment["end"]
        assert at == len(message["text"]), "offsets are code points and tile the text"
    totals = found["totals"]
    assert totals["characters"] == sum(len(message["text"]) for message in found["messages"])
    assert totals["bytes"] == sum(len(message["text"].encode()) for message in found["messages"])
    assert {candidate["outcome"] for candidate in found["candidates"]} >= {"loaded", "missing"}


def test_ranges_are_utf_16(run: Run, folder: Path) -> None:
    missing = [p["range"] for p in shown(run)["problems"] if p["code"] == "instruction-missing"]
    assert missing == [
        {"start": {"line": 1, "character": 1}, "end": {"line": 1, "character": 6}},
        {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 17}},
    ]
    rules = next(
        segment["origin"]["range"]
        for message in shown(run)["messages"]
        for segment in message["segments"]
        if segment["origin"].get("path") == f"{folder}/AGENTS.md" and segment["origin"]["kind"] == "file"
    )
    assert rules == {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("style", ["text", "markdown"])
def test_text_and_markdown_hold_every_message(run: Run, style: str) -> None:
    text = run("preview", "api/app.py", "--format", style)
    for line in ("root rules é😀", "style rules", "api rules"):
        assert f"\n{line}\n" in text
    assert COLOUR.search(text) is None


@pytest.mark.parametrize(
    ("path", "cwd", "reads"),
    [
        ("api/app.py", "", ["api/app.py"]),
        ("api", "api", []),
        (".", "", []),
        ("", "", []),
        ("api/../api/./app.py", "", ["api/app.py"]),
        ("../project/api/app.py", "", ["api/app.py"]),
        ("link.py", "", ["link.py"]),
        ("linked/app.py", "", ["linked/app.py"]),
        ("pipe", "", ["pipe"]),
    ],
)
def test_what_a_path_means(run: Run, folder: Path, path: str, cwd: str, reads: list[str]) -> None:
    (folder / "link.py").symlink_to("api/app.py")
    (folder / "linked").symlink_to("api")
    os.mkfifo(folder / "pipe")
    session = shown(run, path)["session"]
    assert session["cwd"] == str(folder / cwd)
    assert session["reads"] == [str(folder / read) for read in reads]


def test_a_path_outside_of_the_current_directory(run: Run, folder: Path, tmp_path: Path) -> None:
    other = lay_out(tmp_path / "other", {"AGENTS.md": "other rules\n", "x.py": "x\n"})
    found = shown(run, str(other / "x.py"))
    assert found["session"]["cwd"] == str(other)
    assert found["harness"]["name"] == "opencode"
    assert str(folder) not in json.dumps(found)


def test_double_slashes(run: Run, folder: Path) -> None:
    assert shown(run, f"/{folder}/api/app.py") == shown(run, "api/app.py")


def test_read_is_relative_to_cwd(run: Run, folder: Path) -> None:
    session = shown(run, "--cwd", "api", "--read", "app.py", "--read", "../docs/style.md")["session"]
    assert session["cwd"] == str(folder / "api")
    assert session["reads"] == [f"{folder}/api/app.py", f"{folder}/docs/style.md"]


@pytest.mark.usefixtures("folder")
def test_what_follows_two_dashes_is_the_harness_s(run: Run) -> None:
    found = shown(run, "api/app.py", "--harness", "opencode", "--model", "a/b", "--agent", "plan")
    assert (found["session"]["model"], found["session"]["agent"]) == ("a/b", "plan")
    text = run("preview", "--format", "json", "--harness", "opencode", "--", "--model", "c/d", "--format", "x", "--")
    assert json.loads(text)["session"]["args"] == ["--model", "c/d", "--format", "x", "--"]
    assert json.loads(text)["session"]["model"] == "c/d"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["nosuch"], "no command 'nosuch'"),
        (["preview", "gone.py"], "gone.py"),
        (["preview", "a\nb"], "a"),
        (["preview", "--cwd", "gone"], "gone"),
        (["preview", "--cwd", "AGENTS.md"], "is not a directory"),
        (["preview", "--harness", "nosuch"], "'nosuch'"),
        (["preview", "--harness", "etcode@9"], "'9'"),
        (["preview", "--harness"], "--harness"),
        (["preview", "--nosuch"], "--nosuch"),
        (["preview", "--nosuch\nline"], "--nosuch"),
        (["preview", "a", "b"], "b"),
        (["preview", "--format", "xml"], "xml"),
        (["harnesses", "--format", "xml"], "xml"),
        (["serve", "--port", "5"], "--port"),
        (["-x"], "-x"),
        ([""], "''"),
        (["previw"], "did you mean “promptls preview”?"),
        (["api/apps.py"], "/api/app.py?"),
        (["preview", "api/apps.py"], "/api/app.py?"),
        (["preview", "gone/app.py"], "check the path"),
        (["preview", "--harnes-s", "x"], "did you mean --harness?"),
        (["preview", "--harness", "opencod"], "did you mean opencode?"),
        (["preview", "--harness", "claud"], "did you mean claude?"),
        (["preview", "--sysroot", "gone"], "gone"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_does_not_exist_is_refused_in_one_sentence(refusal: Run, args: list[str], part: str) -> None:
    assert part in refusal(*args)


def test_a_current_directory_that_is_gone(refusal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "current directory" in refusal("preview")
    assert "current directory" in refusal("preview", "x.py")
    assert "current directory" in refusal("harnesses")


def test_a_current_directory_that_is_gone_does_not_matter_to_absolute_paths(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert shown(run, f"{folder}/api/app.py")["session"]["cwd"] == str(folder)


@pytest.mark.parametrize("command", ["preview", "harnesses", "serve"])
def test_help(capsysbinary: pytest.CaptureFixture[bytes], command: str) -> None:
    assert main([command, "--help"]) == 0
    out, err = capsysbinary.readouterr()
    assert out.startswith(f"usage: promptls {command}".encode())
    assert err == b""


def test_help_and_version_of_all(run: Run) -> None:
    assert run("--help") == run("help") == run("-h")
    assert re.fullmatch(r"promptls \d+\.\d+\.\d+\S*\n", run("--version"))


def test_the_harnesses(run: Run, folder: Path) -> None:
    known = {each["name"]: each for each in json.loads(run("harnesses", "--format", "json"))["harnesses"]}
    assert known["etcode"]["found"]
    assert known["etcode"]["evidence"] == [f"{folder}/etcode.json"]
    assert not known["opencode"]["found"]
    assert all(f"{name}  " in run("harnesses", "--all") for name in known)
    # In short: those in use, and the others in one line.
    text = run("harnesses")
    assert all(name in text for name in known)
    assert "set up here: etcode.json" in text


NAMES = {
    "not UTF-8": b"caf\xe9",
    "a newline": b"a\nb",
    "quotes": b'it\'s "it"',
    "spaces": b"  a b  ",
    "an emoji": "😀".encode(),
    "an option": b"--format",
    "Markdown": b"`a` *b* [c](d) # e",
    "an escape": b"\x1b[31mred",
    "a long name": b"n" * 255,
    "a percent sign": b"%d%s%00",
    "a tilde": b"~",
    "a colon": b"a:1:2",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
@pytest.mark.parametrize("harness", ["etcode", "opencode"])
def test_names_of_files_and_directories(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harness: str, name: bytes
) -> None:
    odd = os.fsdecode(name)
    top = lay_out(tmp_path / odd, {"AGENTS.md": "rules\n", "etcode.json": "{}", f"{odd}/AGENTS.md": "nested\n"})
    (top / odd / odd).write_text("x\n", encoding="utf-8")
    monkeypatch.chdir(top)
    path = f"./{odd}/{odd}"
    found = shown(run, path, f"--harness={harness}")
    assert found["session"]["cwd"] == str(top), "also what is not UTF-8 comes back from JSON"
    assert [p for p in files(found) if p.endswith("AGENTS.md")] == [f"{top}/AGENTS.md", f"{top}/{odd}/AGENTS.md"]
    for style in ("text", "markdown"):
        assert "\nnested\n" in run("preview", path, f"--harness={harness}", "--format", style)
    assert "etcode" in run("harnesses")
    assert json.loads(run("harnesses", "--format", "json"))["harnesses"][0]["evidence"] == [f"{top}/etcode.json"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("odd", [None, "", "relative", "/nonexistent", "/dev/null"])
@pytest.mark.parametrize("harness", ["etcode", "opencode"])
def test_odd_homes(run: Run, monkeypatch: pytest.MonkeyPatch, harness: str, odd: str | None) -> None:
    if odd is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", odd)
    found = shown(run, "api/app.py", "--harness", harness)
    assert all(os.path.isabs(candidate["path"]) for candidate in found["candidates"])


def test_a_user_without_a_home_has_none_in_the_folder(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: object) -> None:
        raise KeyError("no such user")

    lay_out(folder, {"~/.config/etcode/AGENTS.md": "a stranger's"}, git=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert f"{folder}/~/.config/etcode/AGENTS.md" not in files(shown(run, "api/app.py", "--harness", "etcode"))


def test_the_prompt_at_a_revision(folder: Path, run: Run, refusal: Run) -> None:
    commit(folder)
    (folder / "AGENTS.md").write_text("other rules\n")
    (folder / "api/AGENTS.md").unlink()
    (folder / "api/app.py").unlink()
    (folder / "api/ETCODE.md").write_text("not committed\n")
    now = run("preview", "etcode.json", "--harness", "etcode", "--format", "markdown")
    then = run("preview", "api/app.py", "--harness", "etcode", "--format", "markdown", "--rev", "HEAD")
    assert "other rules" in now
    assert "# Effective prompt of app.py at HEAD" in then
    assert "root rules" in then
    assert "api rules" in then
    assert "other rules" not in then
    assert "not committed" not in then
    new = run("preview", "api/new.py", "--harness", "etcode", "--rev", "HEAD")
    assert "api rules" in new
    assert refusal("preview", "api/app.py", "--rev", "nowhere").startswith("git has no revision nowhere in ")
