"""Every file that a preview looks at, broken in every way: there is always an answer, in time, that names it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.core import blocks, prompt_json, render, text_view
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, reading
from tests.hostile.breaks import NO_FILE, ODD_BYTES, ODD_JSON, ODD_TOML, Put, data, large, unreadable
from tests.limits import at_most

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

same_everywhere = pytest.mark.same_everywhere
LIMIT = 10.0
"""Seconds, for a slow machine: nothing here should take one."""
ETCODE = ("etcode@design", "etcode@d1504ac")
OPENCODE = ("opencode@1.18.33",)
CODEX = ("codex@0.169.0",)
EVERY = ETCODE + OPENCODE + CODEX


@dataclass(frozen=True)
class Role:
    """What a file is to a harness: its path, the other files that give it this role, and what is read."""

    name: str
    path: str
    harnesses: tuple[str, ...] = EVERY
    beside: tuple[tuple[str, str], ...] = ()
    read: str | None = None


CONFIGS = (
    Role("project config", "project/etcode.json", ETCODE),
    Role("global config", "home/.config/etcode/etcode.json", ETCODE),
    Role("project config", "project/opencode.json", OPENCODE),
    Role("global config", "home/.config/opencode/opencode.json", OPENCODE),
    Role("user config", "home/.codex/config.toml", CODEX),
    Role("config of a directory", "project/.opencode/opencode.jsonc", OPENCODE),
)
TEXTS = (
    Role("AGENTS.md", "project/AGENTS.md"),
    Role("entry", "project/entry.md", ETCODE, (("project/etcode.json", '{"instructions": ["entry.md"]}'),)),
    Role("entry", "project/entry.md", OPENCODE, (("project/opencode.json", '{"instructions": ["entry.md"]}'),)),
    Role("nested file", "project/api/AGENTS.md", ("etcode@design", *OPENCODE), read="project/api/app.py"),
    Role("file read", "project/api/app.py", ("etcode@design", *OPENCODE), read="project/api/app.py"),
    Role("global file", "home/.claude/CLAUDE.md", OPENCODE),
    Role("global file", "home/.codex/AGENTS.md", CODEX),
    Role("agent file", "project/.opencode/agents/reviewer.md", OPENCODE),
    Role(
        "file of a variable",
        "project/prompt.txt",
        OPENCODE,
        (("project/opencode.json", '{"agent": {"build": {"prompt": "{file:./prompt.txt}"}}}'),),
    ),
    Role(".git", "project/api/.git"),
)


def preview(top: Path, role: Role, harness: str, **env: str) -> Prompt:
    name, version = harnesses.split(harness)
    reads = (str(top / role.read),) if role.read else ()
    session = Session(name, str(top / "project"), version, turns=reading(reads))
    return harnesses.preview(session, Host(home=str(top / "home"), env=env))


def views(prompt: Prompt) -> str:
    """The prompt in every shape, each of which must be possible; returns all that they say."""
    found = prompt_problems(prompt)
    for message in prompt.messages:
        assert "".join(segment.text for segment in message.segments) == message.text
        assert "".join(block.text for block in blocks.blocks(message)) == message.text
    said = [json.dumps(prompt_json.to_json(prompt, found))]
    for lines in (text_view.to_text(prompt, found), render.to_markdown(prompt, found)):
        said += [line.text for line in lines]
    return "\n".join(said)


def lay_out(top: Path, role: Role, put: Put) -> None:
    (top / "project/.git/objects").mkdir(parents=True)
    (top / "project/.git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    beside = dict(role.beside)
    if role.read and role.read != role.path:
        beside[role.read] = "print()\n"
    for name, content in beside.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(content, encoding="utf-8")
    (top / role.path).parent.mkdir(parents=True, exist_ok=True)
    put(top / role.path)


def named(prompt: Prompt, path: str) -> list[str]:
    """The outcomes of the candidates at ``path``."""
    return [candidate.outcome for candidate in prompt.candidates if candidate.path == path]


def combinations(roles: tuple[Role, ...], breaks: dict[str, Put]) -> list[ParameterSet]:
    return [
        pytest.param(role, put, id=f"{role.harnesses[0].partition('@')[0]}: {role.name}: {what}")
        for role in roles
        for what, put in breaks.items()
    ]


@same_everywhere
@pytest.mark.parametrize(("role", "put"), combinations((*CONFIGS, *TEXTS), NO_FILE))
def test_something_else_stands_there(tmp_path: Path, role: Role, put: Put) -> None:
    lay_out(tmp_path, role, put)
    for harness in role.harnesses:
        with at_most(LIMIT):
            prompt = preview(tmp_path, role, harness)
            assert views(prompt)
        if role.name not in ("file read", ".git", "agent file", "file of a variable"):
            assert named(prompt, str(tmp_path / role.path)), "nothing is said of it"
            assert set(named(prompt, str(tmp_path / role.path))) <= {"missing", "failed"}
        if role.name == "file of a variable":
            assert prompt.stopped, "opencode ends"


@same_everywhere
@pytest.mark.parametrize(("role", "put"), combinations(TEXTS, ODD_BYTES))
def test_odd_bytes(tmp_path: Path, role: Role, put: Put) -> None:
    lay_out(tmp_path, role, put)
    for harness in role.harnesses:
        with at_most(LIMIT):
            prompt = preview(tmp_path, role, harness)
            assert views(prompt)
        if role.name not in ("file read", ".git", "file of a variable"):
            assert set(named(prompt, str(tmp_path / role.path))) <= {"loaded", "empty", "cut", "failed"}
            assert named(prompt, str(tmp_path / role.path)), "nothing is said of it"


@same_everywhere
@pytest.mark.parametrize(
    ("role", "put"), [*combinations(CONFIGS[0:4:2], ODD_JSON | ODD_BYTES), *combinations(CONFIGS[4:5], ODD_TOML)]
)
def test_odd_configurations(tmp_path: Path, role: Role, put: Put) -> None:
    lay_out(tmp_path, role, put)
    for harness in role.harnesses:
        with at_most(LIMIT):
            prompt = preview(tmp_path, role, harness)
            assert views(prompt)
        outcomes = named(prompt, str(tmp_path / role.path))
        assert outcomes
        assert set(outcomes) <= {"loaded", "empty", "cut", "failed"}
        faulty = [c for c in prompt.candidates if c.faults]
        assert bool(faulty) == ("failed" in outcomes), "what fails says where"


@pytest.mark.parametrize("role", [*CONFIGS, *TEXTS], ids=lambda role: f"{role.harnesses[0]}: {role.name}")
def test_no_permission(tmp_path: Path, role: Role, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, role, lambda path: unreadable(path, b"{}", monkeypatch))
    for harness in role.harnesses:
        prompt = preview(tmp_path, role, harness)
        assert views(prompt)
        if role.name not in ("file read", ".git", "file of a variable"):
            assert named(prompt, str(tmp_path / role.path)) == ["failed"]


@same_everywhere
@pytest.mark.parametrize("role", CONFIGS[0:4:2], ids=lambda role: role.path)
def test_every_beginning_of_a_configuration(tmp_path: Path, role: Role) -> None:
    whole = '{"instructions": ["a.md", "é/**/*.md"], "agent": {"build": {"prompt": "\\u00e9 {file:x}"}}, "n": -1.5e3}'
    lay_out(tmp_path, role, data(b""))
    for end in range(len(whole)):
        (tmp_path / role.path).write_text(whole[:end], encoding="utf-8")
        for harness in role.harnesses:
            assert views(preview(tmp_path, role, harness))


@same_everywhere
@pytest.mark.parametrize("harness", ETCODE + OPENCODE)
def test_a_large_file_is_cut_and_says_whose_limit_it_is(tmp_path: Path, harness: str) -> None:
    role = Role("AGENTS.md", "project/AGENTS.md")
    lay_out(tmp_path, role, lambda path: large(path, b"rules\n"))
    prompt = preview(tmp_path, role, harness)
    assert named(prompt, str(tmp_path / role.path)) == ["cut"]
    cuts = [segment.cut for message in prompt.messages for segment in message.segments if segment.cut]
    assert [(cut.kept, cut.total) for cut in cuts] == [(1024 * 1024, 50 * 1024 * 1024)]


@same_everywhere
@pytest.mark.parametrize("role", CONFIGS, ids=lambda role: f"{role.harnesses[0]}: {role.name}")
def test_a_large_configuration_is_left_out_and_not_called_invalid(tmp_path: Path, role: Role) -> None:
    lay_out(tmp_path, role, lambda path: large(path, b"{}"))
    for harness in role.harnesses:
        prompt = preview(tmp_path, role, harness)
        assert named(prompt, str(tmp_path / role.path)) == ["cut"]
        assert any(role.path in note for note in prompt.notes)
        assert not prompt.stopped
        assert prompt_problems(prompt) == []


@same_everywhere
def test_a_configuration_that_variables_make_large_is_left_out(tmp_path: Path) -> None:
    role = CONFIGS[2]
    lay_out(tmp_path, role, data(b'{"a": "%s"}' % (b"{file:large.txt}" * 50)))
    (tmp_path / "project/large.txt").write_text("x" * 1024 * 1024, encoding="utf-8")
    prompt = preview(tmp_path, role, "opencode")
    assert named(prompt, str(tmp_path / role.path)) == ["cut"]


@same_everywhere
def test_how_many_lines_a_cut_file_has_is_not_made_up(tmp_path: Path) -> None:
    role = Role("file read", "project/app.py", read="project/app.py")
    lay_out(tmp_path, role, data(b"x\n" * (3 * 1024 * 1024)))
    prompt = preview(tmp_path, role, "opencode")
    text = prompt.messages[-1].text
    assert "2000: x" in text
    assert "lines 1-2000 of" not in text


@same_everywhere
@pytest.mark.parametrize("what", ["fifo", "link to itself", "socket", "dangling link"])
@pytest.mark.parametrize("harness", EVERY)
def test_a_git_that_is_none_in_the_working_directory(tmp_path: Path, harness: str, what: str) -> None:
    (tmp_path / "project").mkdir()
    NO_FILE[what](tmp_path / "project/.git")
    with at_most(LIMIT):
        assert views(preview(tmp_path, Role(".git", ""), harness))


@pytest.mark.parametrize("harness", EVERY)
@pytest.mark.parametrize(
    "env",
    [
        {"XDG_CONFIG_HOME": ""},
        {"XDG_CONFIG_HOME": "relative"},
        {"XDG_CONFIG_HOME": "../.."},
        {"XDG_CONFIG_HOME": "/dev/null"},
        {"XDG_CONFIG_HOME": "~"},
        {"XDG_CONFIG_HOME": "/proc/self/fd"},
        {"ETCODE_TEST_HOME": "relative", "OPENCODE_TEST_HOME": "relative"},
        {"OPENCODE_CONFIG": "/dev/zero", "OPENCODE_CONFIG_DIR": "/dev/null"},
        {"OPENCODE_CONFIG_CONTENT": "{" * 5000},
        {"OPENCODE_CONFIG_CONTENT": '{"a": "%s"}' % ("{env:OPENCODE_CONFIG_CONTENT}" * 2000)},
        {"OPENCODE_CONFIG_CONTENT": '{"instructions": ["\udce9.md"]}'},
    ],
    ids=lambda env: (
        ", ".join(f"{name}={value[:20]}" for name, value in env.items()).encode("ascii", "replace").decode()
    ),
)
def test_odd_environments(tmp_path: Path, harness: str, env: dict[str, str]) -> None:
    (tmp_path / "project").mkdir()
    with at_most(LIMIT):
        prompt = preview(tmp_path, Role("", ""), harness, **env)
        assert views(prompt)
    assert all(os.path.isabs(candidate.path) for candidate in prompt.candidates if candidate.path)


@pytest.mark.parametrize("harness", EVERY)
@pytest.mark.parametrize("home", ["", "relative", "/nonexistent", "/dev/null", "/dev/zero/x", "\udce9", "a\0b"])
def test_odd_homes(tmp_path: Path, harness: str, home: str) -> None:
    name, version = harnesses.split(harness)
    with at_most(LIMIT):
        prompt = harnesses.preview(Session(name, str(tmp_path), version), Host(home=home, env={}))
        assert views(prompt)
    assert all(os.path.isabs(candidate.path) for candidate in prompt.candidates if candidate.path)


@pytest.mark.parametrize("harness", EVERY)
@pytest.mark.parametrize("cwd", ["/nonexistent", "/dev/null", "a\0b", "\ud800", "/" + "x" * 5000, "/caf\udce9"])
def test_odd_working_directories(harness: str, cwd: str) -> None:
    name, version = harnesses.split(harness)
    reads = (f"{cwd}/app.py", "a\0b", "\ud800")
    session = Session(
        name, cwd, version, turns=reading(reads), model="\ud800/gpt", agent="\ud800", args=("--\ud800", "\0")
    )
    with at_most(LIMIT):
        assert views(harnesses.preview(session, Host(home="/nonexistent", env={})))


@same_everywhere
def test_newlines_in_names_stay_in_their_line(tmp_path: Path) -> None:
    (tmp_path / "a\n## b").mkdir()
    (tmp_path / "a\n## b" / "AGENTS.md").write_text("rules\n", encoding="utf-8")
    session = Session("etcode", str(tmp_path / "a\n## b"))
    prompt = harnesses.preview(session, Host(home="/nonexistent", env={}))
    for lines in (text_view.to_text(prompt), render.to_markdown(prompt)):
        assert not any("\n" in line.text for line in lines)
