"""Marker files: one text file is one scenario. ``pytest tests/cases --update-cases`` writes what they show now.

Free text that says what the scenario is about.

-- session --
harness: opencode
cwd: packages/foo          (relative to the folder; "." if left out)
prompt: look at @a.py      (what is typed; may stand several times, each is a turn)
attach: a.py               (attached to the prompt; may stand several times)
open: a.py 0,0,1,4         (open in the editor, and what is selected in it, if anything; the last one is active)
read: packages/foo/a.py    (may stand several times)
call: Bash {"command": "cat a.py"}   (another call of a tool; each is a step; ${FOLDER} is the folder)
model: stub/gpt-5
args: --agent plan
hint: a line\\nand another   (may stand several times)
env: XDG_CONFIG_HOME=${HOME}/xdg   (beside those that were set in all captured sessions of the harness)
git: .                     (a repository; may stand several times; "none": no repository)
-- packages/foo/AGENTS.md --
A file of the folder. A name that begins with ~/ is in the home directory; "link: target" alone is a link,
"bytes: ff fe" are bytes, and "escaped: text" has Python's escapes for what one cannot see.
-- expect --
What the preview shows: a line a segment (role, when, what), then what was named or found and not loaded, and
the problems with their places (lines and columns from 1, where ${FOLDER} is nine characters long).
-- reasons --
Why: a line a segment (number and block of its message, layer, how long it is cached, what, where it comes from, why),
then every place that was looked at, the tools, the notes, and what stopped it.
-- text --
What is sent, message by message, where a scenario asks for it: then it needs none of the others.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.how import Ways, of_sizes
from promptls.core.model import START, Call, Cut, Elided, OpenFile, Origin, Prompt, Range, Session, Turn
from promptls.core.sizes import sizes
from promptls.core.values import replace
from promptls.harnesses.claude_code.files.at_start import slug
from tests.disk import Drive
from tests.path_sizes import size_of, without_path_sizes
from tests.roots import in_order
from tests.wire.case import CAPTURED

HERE = Path(__file__).parent
SECTION = re.compile(r"^-- (.+) --\n", re.MULTILINE)
PLACES = {"": "{folder}", "~": "{home}"}
SHOWN = ("expect", "reasons", "text")
KEYS = {*("harness", "cwd", "prompt", "attach", "open", "read", "call", "model", "agent", "args", "hint", "env", "git")}
OUTPUT = re.compile(r"^-- (?:expect|reasons|text) --\n", re.MULTILINE)


@dataclass(frozen=True)
class Scenario:
    path: Path
    about: str
    sections: dict[str, str]

    @property
    def session(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in self.sections["session"].splitlines():
            key, _, value = line.partition(":")
            assert key in KEYS, f"{self.path.name}: {key!r} is no key of a session; they are {', '.join(sorted(KEYS))}"
            found.setdefault(key, []).append(value.strip())
        return found


def read(path: Path) -> Scenario:
    about, *rest = SECTION.split(path.read_text(encoding="utf-8"))
    return Scenario(path, about, dict(zip(rest[::2], rest[1::2], strict=True)))


def lay_out(scenario: Scenario, top: Path) -> tuple[Path, Path]:
    """The folder and the home directory."""
    folder, home = top / "folder", top / "home"
    for directory in (folder, home):
        directory.mkdir()
    for name, text in scenario.sections.items():
        if name in ("session", "check", *SHOWN):
            continue
        path = home / name[2:] if name.startswith("~/") else folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("link: "):
            path.symlink_to(text.removeprefix("link: ").strip())
        elif text.startswith("bytes: "):
            path.write_bytes(bytes.fromhex(text.removeprefix("bytes: ")))
        elif text.startswith("escaped: "):
            path.write_text(text.removeprefix("escaped: ").encode().decode("unicode_escape"), encoding="utf-8")
        else:
            path.write_text(text.replace("${FOLDER}", str(folder)), encoding="utf-8")
    for place in scenario.session.get("git", ["."]):
        if place != "none":
            (folder / place / ".git" / "objects").mkdir(parents=True)
            (folder / place / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return folder, home


def preview(scenario: Scenario, folder: Path, home: Path, drive: str = "", disk: Drive | None = None) -> Prompt:
    """The prompt of a scenario; on a ``drive`` of Windows, if any, or on another ``disk``."""
    given = scenario.session
    name, version = harnesses.split(given["harness"][0])
    own = dict(line.replace("${HOME}", drive + str(home)).split("=", 1) for line in given.get("env", []))
    env = CAPTURED.get(name, {}) | own
    system: Any = {"platform": "win32", "disk": Drive()} if drive else {"disk": disk or Drive("")}
    host = Host(home=drive + str(home), env=env, clock=lambda: datetime(2026, 11, 21, 12, tzinfo=UTC), **system)
    cwd = folder / given.get("cwd", ["."])[0]
    return harnesses.preview(
        Session(
            harness=name,
            version=version,
            cwd=drive + str(cwd),
            turns=tuple(turns(scenario, drive + str(folder))),
            model=given.get("model", [None])[0],
            agent=given.get("agent", [None])[0],
            args=tuple(shlex.split(given.get("args", [""])[0])),
            hints=tuple(hint.replace("\\n", "\n") for hint in given.get("hint", [])),
        ),
        host,
    )


def turns(scenario: Scenario, folder: str) -> Iterator[Turn]:
    turn = Turn()
    for line in scenario.sections["session"].splitlines():
        key, _, value = line.partition(": ")
        if key == "prompt":
            if turn != Turn():
                yield turn
            turn = Turn(value)
        elif key == "attach":
            turn = replace(turn, attached=(*turn.attached, f"{folder}/{value}"))
        elif key == "open":
            path, _, selected = value.partition(" ")
            selection = Range(*map(int, selected.split(","))) if selected else None
            turn = replace(turn, open=(*turn.open, OpenFile(f"{folder}/{path}", selection)))
        elif key == "read":
            turn = replace(turn, steps=(*turn.steps, (Call(read=f"{folder}/{value}"),)))
        elif key == "call":
            tool, _, given = value.replace("${FOLDER}", folder).partition(" ")
            turn = replace(turn, steps=(*turn.steps, (Call(tool=tool, input=given),)))
    if turn != Turn():
        yield turn


def shown(prompt: Prompt, folder: Path, home: Path) -> str:
    """What a preview shows, a line each."""

    def short(text: str) -> str:
        return without_places(text, folder, home)

    lines = [f"nothing is sent: {short(prompt.stopped)}"] if prompt.stopped else []
    for message in prompt.messages:
        for segment in message.segments:
            if not segment.frame:
                mark = " (not reproduced)" if segment.elided else " (cut)" if segment.cut else ""
                lines.append(short(f"{message.role} {message.at}: {segment.title}{mark}"))
    for candidate in prompt.candidates:
        named = candidate.origin.kind in ("config", "argument")
        if candidate.outcome != "loaded" and (named or candidate.outcome != "missing"):
            place = candidate.path or candidate.url or candidate.origin.name or ""
            lines.append(short(f"{candidate.outcome}: {place}{_named(candidate.origin)}"))
    for problem in prompt_problems(prompt):
        where = problem.range
        start = column(folder, problem.path, where.start_line, where.start_character)
        columns = f"{where.start_line + 1}:{start}-{column(folder, problem.path, where.end_line, where.end_character)}"
        lines.append(short(f"{problem.severity} {problem.code} {problem.path}:{columns}"))
    return "".join(f"{line}\n" for line in lines)


def reasons(prompt: Prompt, folder: Path, home: Path) -> str:
    """Why a preview shows what it shows, a line each."""
    lines = []
    for message in prompt.messages:
        place = f"{message.index}.{message.block}{' cached' if message.cached else ''}"
        for each in message.segments:
            if not each.frame:
                line = f"{place} {each.layer} {each.cache}: {each.title}{_from(each.origin, folder)}: {each.why}"
                lines.append(f"{line}{_limits(each.cut, folder)}{_size(prompt, each.elided)}")
    for candidate in prompt.candidates:
        what = candidate.path or candidate.url or candidate.origin.name or ""
        if what.startswith("/") and not what.startswith((str(folder), str(home), "/etc/")):
            continue  # it is above the folder, wherever that is
        when = "" if candidate.at == START else f" {candidate.at}"
        line = f"{candidate.outcome} {candidate.use}{when}: {what}{_from(candidate.origin, folder)}"
        # The rule is the same for all that is looked for; that of one that is found says enough.
        why = candidate.reason if candidate.outcome == "missing" else candidate.why
        other = f", see {candidate.other}" if candidate.other else ""
        lines.append(f"{line}{why and f': {why}'}{other}{_limits(candidate.cut, folder)}")
    lines += [
        f"tool {each.name}{'' if each.enabled else ' (off)'}{_from(each.origin, folder)}: {each.why}"
        for each in prompt.tools or ()
    ]
    lines += [f"note: {each}" for each in prompt.notes]
    lines += [f"stopped{_from(prompt.stopped_by, folder)}"] if prompt.stopped_by else []
    return "".join(f"{without_places(line, folder, home)}\n" for line in lines)


def texts(prompt: Prompt, folder: Path, home: Path) -> str:
    """What is sent, a line with role and time before each message."""
    sent = [f"[{each.role} {each.at}]\n{''.join(part.text for part in each.segments)}\n" for each in prompt.messages]
    return without_path_sizes(without_places("".join(sent), folder, home))


def without_places(text: str, folder: Path, home: Path) -> str:
    # Claude Code's name of a folder.
    # Of a long path the name ends with a hash.
    text = text.replace(slug(str(folder)), "-FOLDER").replace(re.sub(r"[^A-Za-z0-9]", "-", str(folder)), "-FOLDER")
    return text.replace(f"{folder}/", "").replace(str(folder), ".").replace(f"{home}/", "~/")


def _from(origin: Origin, folder: Path) -> str:
    path, where = origin.path or origin.url or "", origin.range
    if where is not None and path:
        start = column(folder, path, where.start_line, where.start_character)
        end = column(folder, path, where.end_line, where.end_character)
        path = f"{path}:{where.start_line + 1}:{start}-{where.end_line + 1}:{end}"
    named = f" {origin.name!r}" if origin.name else ""
    return f" from {origin.kind}{path and f' {path}'}{named}" if origin.kind not in ("computed", "builtin") else ""


def _limits(cut: Cut | None, folder: Path) -> str:
    setting = _from(cut.setting, folder) if cut and cut.setting else ""
    return f"; {cut.kept} of {cut.total} {cut.unit}: {cut.limit}{setting}" if cut else ""


def _size(prompt: Prompt, elided: Elided | None) -> str:
    return f"; {elided.name} {size_of(prompt, elided)}".rstrip() if elided else ""


def column(folder: Path, path: str, line: int, character: int) -> int:
    """A column from 1, as if the path of the folder were as long as "${FOLDER}"."""
    lines = Path(path).read_text("utf-8", "replace").split("\n") if os.path.isfile(path) else []
    longer = len(str(folder)) - len("${FOLDER}")
    return character + 1 - longer * "".join(lines[line : line + 1])[:character].count(str(folder))


def _named(origin: Origin) -> str:
    return f" (named {origin.name!r})" if origin.kind == "config" else ""


def unanswered(prompt: Prompt) -> list[str]:
    """What a preview does not know, and names no command for: what a model, a person or the moment decides is apart."""
    if not specs.of(prompt.session.harness).command and not specs.of(prompt.session.harness).is_started:
        return []  # nobody can start it
    ways = Ways(prompt)
    parts = (each for message in prompt.messages for each in message.segments if each.elided is not None)
    waits = [each for each in parts if each.layer != "runtime" or each.origin.kind == "config"]
    own = [each.title for each in waits if each.title != "secret" and ways.of_segment(each) is None]
    tools = [each for each in prompt.tools or () if each.enabled and each.size is None]
    missing = not of_sizes(prompt) and any(each.is_unknown and each.kind != "typed" for each in sizes(prompt))
    return [*own, *(each.name for each in tools if ways.of_tool(each) is None), *(["a size"] if missing else [])]


@pytest.mark.parametrize("path", sorted(HERE.glob("*/*.txt")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    scenario = read(path)
    # A path in a text ends where there is a blank.
    names_itself = any("${FOLDER}" in text for name, text in scenario.sections.items() if name not in SHOWN)
    folder, home = lay_out(scenario, request.getfixturevalue("unquoted_path") if names_itself else tmp_path)
    prompt = preview(scenario, folder, home)
    wanted = {name: in_order(text, folder, home) for name, text in scenario.sections.items() if name in SHOWN}
    views = {"expect": shown, "reasons": reasons, "text": texts}
    found = {name: views[name](prompt, folder, home) for name in wanted or SHOWN[:2]}
    if request.config.getoption("--update-cases"):
        before = OUTPUT.split(path.read_text(encoding="utf-8"), maxsplit=1)[0]
        after = "".join(f"-- {name} --\n{text}" for name, text in found.items())
        path.write_text(before + after, encoding="utf-8")
    else:
        assert found == wanted
        assert unanswered(prompt) == []
