"""Captured sessions as files: run again with the installed program.

A case is JSON: ``harness``, ``version``, ``name``, ``note``, ``files`` (path to text, or to {"base64"}; a path that
ends in "/" is a directory), ``symlinks``, ``git`` (directories that are repositories), ``http``, ``session`` and
``expect``.
``${WORKSPACE}`` and ``${HOME}`` stand for the two folders, ``${SLUG}`` for the name that the program makes of the
folder that holds both, ``⟪…⟫`` for prose of the program's own.
"""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
import time

from promptls import harnesses
from promptls.core import files
from promptls.core.host import Host
from promptls.core.lazy import regex
from promptls.core.model import Call, Session, Turn
from promptls.core.paths import is_below, join, resolve
from promptls.core.values import dataclass
from promptls.errors import PromptlsError, UsageError
from promptls.kit.versions import current
from promptls.wire.capture import capture
from promptls.wire.find_program import program_of
from promptls.wire.sides import is_same
from promptls.workspace.request import Sources
from promptls.workspace.session_file import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from promptls.core.host import Git
    from promptls.core.model import Prompt

ELIDED = "⟪…⟫"
# Older cases have the second form.
FREE = regex(r"⟪[^⟫]*⟫|\[\.\.\.(?: [^\]\n]* \.\.\.)?\]")
# What only the tests of promptls can lay out, and why it is not run here.
NEEDS = {"${HTTP}": "it needs a web server"}
ETC = "etc/"
# Nanoseconds between the changes of two files, one after the other as a case names them.
APART = 10_000_000
# Keys of a session that says more than what is typed and called.
OF_PROGRAM = ("interactive", "editor", "mode", "request")
LATER = ("turns", *OF_PROGRAM)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case. ``state``: ``holds``, ``moved`` or ``not-run``; ``says`` has a line for each reason.

    ``version`` is that of the program that was run.
    """

    name: str
    state: str
    says: tuple[str, ...] = ()
    version: str = ""


def find(place: str, harness: str) -> list[str]:
    """The files of the cases of a harness: ``place`` is one, holds them, or holds a folder of this name with them.

    Raises:
        UsageError: there are none.
    """
    if os.path.isfile(place):
        return [place]
    folder = next((each for each in (join(place, harness), place) if os.path.isdir(each)), place)
    found = [join(folder, entry.name) for entry in files.entries(folder) if entry.name.endswith(".json")]
    if not found:
        raise UsageError(f"There are no cases of {harness} in {place}; name the folder that has them.")
    return sorted(found)


def run(path: str, git: Git) -> Outcome:
    """Lay a case out, start the installed program for it, and compare what it sends with what the case expects."""
    name = path.rpartition("/")[2].removesuffix(".json")
    text = files.read(path).data.decode("utf-8", "replace")
    needed = next((why for mark, why in NEEDS.items() if mark in text), None)
    if needed is not None:
        return Outcome(name, "not-run", (needed,))
    try:
        case = json.loads(text)
        with tempfile.TemporaryDirectory(prefix="promptls-case-") as directory:
            return _run(case, name, os.path.realpath(directory), git)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Outcome(name, "not-run", ("it is not a case: a field is missing or of another type",))
    except (PromptlsError, OSError) as error:
        return Outcome(name, "not-run", (str(error),))


def _run(case: dict[str, Any], name: str, top: str, git: Git) -> Outcome:
    layout = Layout(case, top)
    session = layout.session()
    host = layout.host(git)
    prompt = harnesses.preview(session, host)
    if case["version"] not in (*current(harnesses.get(session.harness).versions), prompt.session.version):
        return Outcome(name, "not-run", (f"it is one of {case['version']}",))
    found = capture(session, prompt, host, layout.workspace, runs=False, is_case=True, etc=layout.etc)
    if found.left_out and not is_same(prompt, found.prompt):
        named = ", ".join(f"{what} of {layout.back(path)}" if path else what for what, path in found.left_out[:3])
        return Outcome(name, "not-run", (f"nothing that runs is given to the program: {named}",), found.version)
    texts = [(each.role, layout.back(each.text)) for each in found.blocks]
    texts += [("tools", layout.back(each.description)) for each in found.offered]
    says = tuple(_differences(case, texts, prompt, layout))
    return Outcome(name, "moved" if says else "holds", says, found.version)


def _differences(
    case: dict[str, Any], texts: Sequence[tuple[str, str]], prompt: Prompt, layout: Layout
) -> Iterator[str]:
    expect = case["expect"]
    passing = [each.text for each in program_of(case["harness"]).passing if each.text]
    is_unordered = bool(expect.get("unordered"))
    for part in expect["parts"]:
        role, differs = part["role"], [each for each in passing if re.search(each, part["text"])]
        text = _lasting(part["text"], differs)
        sent = [_lasting(each, differs) for said, each in texts if role in (None, said)]
        if not any(_holds(each, text, is_unordered=is_unordered) for each in sent):
            yield f"a {role} part was not sent like this: {_shortened(text)}{_rules(part, expect, prompt, layout)}"
    loaded = "\n".join(part["text"] for part in expect["parts"])
    for path in expect["not_loaded"]:
        name = path.replace("${WORKSPACE}/", "workspace/", 1).replace("${HOME}/", "home/", 1).removeprefix("/")
        own = case["files"].get(name)
        lines = [line for line in own.splitlines() if line.startswith("MARK")] if isinstance(own, str) else []
        if any(line not in loaded and line in sent for line in lines for role, sent in texts if role != "tool"):
            yield f"{path} was sent, which the case does not expect"


def _lasting(text: str, passing: Sequence[str]) -> str:
    for each in passing:
        text = re.sub(each, "", text)
    return text


def _holds(sent: str, wanted: str, *, is_unordered: bool) -> bool:
    """Whether a text has all pieces of ``wanted`` that are not the program's own, in order."""
    runs = FREE.split(wanted)
    pieces = [each for run in runs for each in re.split("(?=Contents of )", run)] if is_unordered else runs
    at = 0
    for piece in (each.strip("\n ") if is_unordered else each.strip("\n") for each in pieces if each.strip()):
        found = sent.find(piece, 0 if is_unordered else at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _rules(part: dict[str, Any], expect: dict[str, Any], prompt: Prompt, layout: Layout) -> str:
    """The rules of the preview for the files of a part: those that it names, else all that its role carries."""
    sources = [source["path"] for source in expect["sources"] if source["role"] == part["role"]]
    paths = [path for path in sources if path in part["text"]] or sources
    rules = {each.rule for each in prompt.candidates if each.path and layout.back(each.path) in paths}
    return f" (rule: {'; '.join(sorted(rules))})" if rules else ""


def _shortened(text: str) -> str:
    most = 200
    plain = text.replace("\n", "⏎")
    return plain if len(plain) <= most else f"{plain[:most]}…"


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, dict):
        return {key: _filled(each, fill) for key, each in value.items()}
    return [_filled(each, fill) for each in value] if isinstance(value, list) else value


class Layout:
    """A case on disk below ``top``."""

    def __init__(self, case: dict[str, Any], top: str) -> None:
        self.case = case
        self.workspace, self.home = join(top, "workspace"), join(top, "home")
        self.etc = join(top, ETC) if any(name.startswith(ETC) for name in case["files"]) else ""
        program = program_of(case["harness"])
        self._slug = program.slug(top) if program.slug is not None else ""
        self._captured_with = program.captured_with
        self._top = top
        for directory in (self.workspace, self.home):
            os.makedirs(directory)
        began = time.time_ns()
        for number, (name, content) in enumerate(case["files"].items()):
            path = self._inside(top, name)
            if name.endswith("/"):
                os.makedirs(path, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            data = base64.b64decode(content["base64"]) if isinstance(content, dict) else self.fill(content).encode()
            with open(path, "wb") as file:
                file.write(data)
            # A program that goes by the time of a change has to see which one is the later.
            changed = began + (number - len(case["files"])) * APART
            os.utime(path, ns=(changed, changed))
        for name, target in case["symlinks"].items():
            path = self._inside(top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(self.fill(target), path)
        for name in case["git"]:
            git = join(self._inside(top, name), ".git")
            for directory in ("objects", "refs/heads"):
                os.makedirs(join(git, directory), exist_ok=True)
            with open(join(git, "HEAD"), "w", encoding="utf-8") as file:
                file.write("ref: refs/heads/main\n")

    def _inside(self, top: str, name: str) -> str:
        path = resolve(top, self.fill(name))
        if not is_below(os.path.realpath(os.path.dirname(path)), top):
            raise UsageError(f"The case has the file {name}, which is outside of its folder.")
        return path

    def fill(self, text: str) -> str:
        """``text`` with real paths."""
        filled = text.replace("${WORKSPACE}", self.workspace).replace("${HOME}", self.home)
        return filled.replace("${SLUG}", self._slug)

    def back(self, text: str) -> str:
        """``text`` as the case has it."""
        found = text.replace(self.workspace, "${WORKSPACE}").replace(self.home, "${HOME}")
        found = found.replace(f"{self._top}/", "${WORKSPACE}/../")
        return found.replace(self._slug, "${SLUG}") if self._slug else found

    def session(self) -> Session:
        """How the program is started."""
        said = self.case["session"]
        cwd = resolve(self.workspace, self.fill(said["cwd"]) or ".")
        os.makedirs(cwd, exist_ok=True)
        if any(said.get(each) is not None for each in LATER):
            return self._later(cwd)
        steps = tuple(tuple(self._call(call, cwd) for call in step) for step in said["steps"])
        turn = Turn(said.get("prompt"), steps=steps)
        args = tuple(map(self.fill, said["args"]))
        return Session(self.case["harness"], cwd, "", (turn,), said.get("model"), said.get("agent"), args)

    def _later(self, cwd: str) -> Session:
        """One that says more than what is typed and called: it is written as that of ``promptls preview --session``."""
        said = self.case["session"]
        turn = {"prompt": said.get("prompt"), "steps": said.get("steps") or []}
        options = {key: said.get(key) for key in ("model", "agent", *OF_PROGRAM)}
        options |= {
            "harness": self.case["harness"],
            "cwd": cwd,
            "args": said["args"],
            "turns": said.get("turns") or [turn],
        }
        asked = parse(json.dumps(_filled(options, self.fill)))
        screen = program_of(self.case["harness"]).on_screen
        return Session(
            self.case["harness"],
            cwd,
            turns=asked.turns or (),
            model=asked.model,
            agent=asked.agent,
            args=asked.args or (),
            interactive=asked.interactive,
            editor=asked.editor,
            mode=asked.mode,
            request=asked.request,
            # There it is asked, and told so.
            is_trusted=bool(asked.interactive and screen is not None and screen.dialogs),
        )

    def _call(self, call: dict[str, Any], cwd: str) -> Call:
        if "read" in call:
            return Call(read=resolve(cwd, self.fill(call["read"])))
        return Call(tool=call["tool"], input=self.fill(json.dumps(call["input"])))

    def host(self, git: Git) -> Host:
        """What the program can see: the user's own machine, with the home and the variables of the case."""
        own = Sources(git=git, with_known_texts=False).host()
        said = self.case["session"]
        env = {name: self.fill(value) for name, value in said["env"].items()}
        unset = said.get("unset", ())
        always = {name: value for name, value in self._captured_with.items() if name not in unset}
        kept = {name: value for name, value in own.env.items() if name in ("PATH", "LANG", "SHELL", "TZ", "USER")}
        return Host(
            home=self.home,
            env={**kept, "HOME": self.home, **always, **env},
            platform=own.platform,
            git=git,
            sysroot=self._top if self.etc else "",
        )
