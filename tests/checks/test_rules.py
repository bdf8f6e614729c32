"""Marker files for checks, as in tests/cases: one text file is one folder. ``--update-cases`` writes what is found.

-- check --
harness: opencode      (may stand several times; left out: every harness whose own files are there)
env: NAME=${HOME}/x    hint: a hint    budget: 1000    window: 10    slow: 1000    git: . (as in tests/cases)
own: api own 100       (a directory, what counts in it, and its budget; a fourth word is the harness that it is for)
on: token-budget       (a rule that is off)
args: --agent x        (of the harness)
trusted: yes           (where nothing says whether the user trusts the folder)
touched: Grep a.py     (a recorded session that made this call and no other; several lines are several calls)
servers: {"docs": {"tools": [{"name": "search"}]}}     (what MCP servers answer, as for preview --servers)
url: https://rules.example/x.md ok 0.1 the text       (state, seconds, text; "-> url" at the end of a redirect)
-- AGENTS.md --
A file of the folder.
-- expect --
A problem is three lines or more: severity, code, place (lines and columns from 1, where ${FOLDER} is nine characters
long) and harnesses; the message; what it is related to; its fixes, "(safe)" where they are.

cases/CODE/fires-*.txt show the code, cases/CODE/silent-*.txt are near misses. Nothing is found in healthy/*.txt.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from promptls import checks, harnesses
from promptls.checks.arrivals import arrival_problems
from promptls.checks.folder import reported_problems
from promptls.checks.names import kind_of
from promptls.checks.rules.catalogue import RULES
from promptls.checks.tree import Tree
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import FetchResult, Problem, Prompt, Range, Session, Timeouts, reading
from promptls.core.paths import resolve
from promptls.core.settings import Budget, Settings
from promptls.kit.recording import Recorded, Touched
from promptls.sessions.arrivals import arrivals
from promptls.workspace.servers_file import parse
from tests.cases.test_cases import Scenario, column, lay_out, read
from tests.disk import Drive

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*/*.txt"))
HEALTHY = sorted((HERE / "healthy").glob("*.txt"))


@pytest.fixture(autouse=True)
def _a_family_that_is_left_out_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    concerned = checks.concerned

    def and_no_others(prompt: Prompt, settings: Settings) -> list[str]:
        found = concerned(prompt, settings)
        others = [name for name in checks.FAMILIES if name not in found]
        assert not [each for name in others for each in checks.check_of(name)(prompt, settings)]
        return found

    monkeypatch.setattr(checks, "concerned", and_no_others)


def check(scenario: Scenario, folder: Path, home: Path, drive: str = "") -> list[Problem]:
    """Every problem of a folder, from the sessions that users would start there; on a ``drive`` of Windows, if any."""
    known = given(scenario)
    top, own = drive + str(folder), drive + str(home)
    env = dict(line.replace("${HOME}", own).split("=", 1) for line in known.get("env", []))
    system: Any = {"platform": "win32", "disk": Drive()} if drive else {}

    def fetch(urls: Sequence[str], _timeouts: Timeouts) -> list[FetchResult]:
        return [_fetched(url, known.get("url", [])) for url in urls]

    answers = parse(known.get("servers", ["{}"])[0].encode(), "The servers")
    system["servers"] = answers

    def host() -> Host:
        return Host(home=own, env=env, clock=lambda: datetime(2026, 11, 21, 12, tzinfo=UTC), fetch=fetch, **system)

    found_files = (path for path in folder.rglob("*") if ".git" not in path.parts and not path.is_dir())
    files = tuple(sorted(drive + str(path) for path in found_files))
    names = known.get("harness") or _in_use(files, top)
    prompts = [harnesses.preview(session, host()) for session in _sessions(names, files, top, known)]
    if "touched" in known:
        return _of_record(names[0], top, known["touched"], host)
    tree = Tree(top, files, tuple(prompts), host())
    budget, share = (int(known[key][0]) if key in known else None for key in ("budget", "window"))
    slow = int(known.get("slow", ["1000"])[0])
    on = tuple((code, "warning") for code in known.get("on", []))
    budgets = tuple(_budget(top, *line.split(" ")) for line in known.get("own", []))
    settings = Settings(slow_ms=slow, token_budget=budget, window_budget=share, budgets=budgets, rules=on)
    found = reported_problems(tree, settings)
    return [each for each in found if tree.holds(each.path)]


def _budget(top: str, directory: str, of: str, most: str, harness: str | None = None) -> Budget:
    return Budget(resolve(top, directory), of, int(most), harness)


def _of_record(harness: str, cwd: str, calls: Sequence[str], host: Callable[[], Host]) -> list[Problem]:
    touched = [Touched(tool, target) for tool, _, target in (call.partition(" ") for call in calls)]
    recorded = Recorded(harness, "record", cwd=cwd, touched=touched)
    came = arrivals(recorded, recorded.session(), host)
    return list(arrival_problems(harness, ((each.path, each.why) for each in came if each.outcome == "never")))


def given(scenario: Scenario) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in scenario.sections.get("check", "").splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key, []).append(value.strip())
    return found


def _in_use(files: Sequence[str], root: str) -> list[str]:
    below = {path[len(root) :] for path in files}
    return [
        spec.name
        for spec in specs.every()
        if any(path.endswith(f"/{entry}") or f"/{entry}/" in path for entry in spec.evidence for path in below)
    ] or [harnesses.fallback()]


def _sessions(names: Sequence[str], files: Sequence[str], root: str, known: dict[str, list[str]]) -> Iterator[Session]:
    reads = tuple(path for path in files if kind_of(path[len(root) + 1 :]) is None and "/." not in path[len(root) :])
    starts = dict.fromkeys((root, *(os.path.dirname(p) for p in files if kind_of(p[len(root) + 1 :]))))
    args = tuple(shlex.split(known.get("args", [""])[0]))
    is_trusted = "trusted" in known
    for full in names:
        name, version = harnesses.split(full)
        configs = {each for config in specs.of(name).config_files for each in config.names if config.entries}
        own = (os.path.dirname(path) for path in files if os.path.basename(path) in configs)
        for cwd in dict.fromkeys((*starts, *own)):
            yield Session(name, cwd, version, args=args, hints=tuple(known.get("hint", ())), is_trusted=is_trusted)
        for file in reads:
            yield Session(name, root, version, turns=reading((file,)), args=args)


def _fetched(url: str, lines: Sequence[str]) -> FetchResult:
    for line in lines:
        own, state, seconds, *rest = line.split(" ", 3)
        if own == url:
            text, _, final = (rest[0] if rest else "").partition(" -> ")
            count = re.fullmatch(r"(\w) x (\d+)", text)
            text = count[1] * int(count[2]) if count else text
            status = 404 if state == "status" else None
            return FetchResult(url, state, text, status, final or None, total_seconds=float(seconds))  # type: ignore[arg-type] # the file names a state
    return FetchResult(url, "disabled")


def shown(found: Sequence[Problem], folder: Path, home: Path) -> str:
    def short(text: str) -> str:
        return text.replace(f"{folder}/", "").replace(str(folder), ".").replace(f"{home}/", "~/")

    def place(path: str, where: Range) -> str:
        last = "" if where.end_line == where.start_line else f"{where.end_line + 1}:"
        start = column(folder, path, where.start_line, where.start_character)
        return (
            f"{path}:{where.start_line + 1}:{start}-{last}{column(folder, path, where.end_line, where.end_character)}"
        )

    lines = []
    for each in found:
        names = ", ".join(each.harnesses)
        # The folder's own path is in the prompt.
        message = re.sub(r"(takes|has) [\d,]+ (of|tokens)", r"\1 … \2", each.message)
        lines += [f"{each.severity} {each.code} {place(each.path, each.range)} ({names})", f"  {message}"]
        lines += [f"  see {place(other.path, other.range)}: {other.message}" for other in each.related]
        for fix in each.fixes:
            safe = " (safe)" if fix.is_safe else ""
            edits = [f"rename {e.rename}" if e.rename else f"{place(e.path, e.range)} {e.text!r}" for e in fix.edits]
            lines.append(f"  fix{safe}: {fix.title}: {'; '.join(edits)}")
    return "".join(f"{short(line)}\n" for line in lines)


@pytest.mark.parametrize("path", [*CASES, *HEALTHY], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_a_check_finds(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    scenario = read(path)
    folder, home = lay_out_check(scenario, tmp_path)
    found = shown(check(scenario, folder, home), folder, home)
    if request.config.getoption("--update-cases"):
        text = path.read_text(encoding="utf-8")
        updated = f"{text.partition('-- expect --')[0]}-- expect --\n{found}"
        # Other processes read the files that are right already.
        if updated != text:
            path.write_text(updated, encoding="utf-8")
    else:
        assert "expect" in scenario.sections, f"{path} expects nothing yet: run this with --update-cases, and read it"
        assert found == scenario.sections["expect"]


def lay_out_check(scenario: Scenario, tmp_path: Path) -> tuple[Path, Path]:
    lines = scenario.sections.get("check", "").splitlines()
    session = "\n".join(line for line in lines if line.startswith("git:"))
    return lay_out(Scenario(scenario.path, scenario.about, {"session": session, **scenario.sections}), tmp_path)


def _codes(path: Path) -> set[str]:
    return set(re.findall(r"^(?:error|warning|information|hint) (\S+) ", _expected(path), re.MULTILINE))


def _expected(path: Path) -> str:
    """What a case expects: nothing, before --update-cases has written it."""
    return read(path).sections.get("expect", "")


@pytest.mark.parametrize("code", RULES)
def test_each_code_fires_and_has_a_near_miss(code: str) -> None:
    mine = [path for path in CASES if path.parent.name == code]
    fires = [path for path in mine if path.stem.startswith("fires")]
    silent = [path for path in mine if path.stem.startswith("silent")]
    assert fires, f"tests/checks/cases/{code} needs a file fires-*.txt"
    assert silent, f"tests/checks/cases/{code} needs a file silent-*.txt"
    never = [path.name for path in fires if code not in _codes(path)]
    assert not never, f"{code} is not expected in {never}: run this with --update-cases, and once more without it"
    assert [path.name for path in silent if code in _codes(path)] == []


def test_cases_are_of_codes_that_exist() -> None:
    assert {path.parent.name for path in CASES} <= set(RULES)


def test_twenty_healthy_folders_are_silent() -> None:
    assert len(HEALTHY) >= 20
    assert [path.name for path in HEALTHY if _expected(path)] == []


def test_a_safe_fix_is_the_only_safe_one_of_its_problem(tmp_path: Path) -> None:
    for number, path in enumerate(CASES):
        top = tmp_path / str(number)
        top.mkdir()
        scenario = read(path)
        for problem in check(scenario, *lay_out_check(scenario, top)):
            assert sum(fix.is_safe for fix in problem.fixes) <= 1


def test_a_rule_that_tells_only_of_places_in_texts_is_one_of_texts() -> None:
    in_texts: dict[str, set[bool]] = {}
    for path in CASES:
        expected = _expected(path)
        for code, place in re.findall(r"^[a-z]+ (\S+) (\S+) \(", expected, re.MULTILINE):
            file, _, where = place.partition(":")
            in_texts.setdefault(code, set()).add(file.endswith((".md", ".mdc")) and where != "1:1-1")
    only = {code for code, found in in_texts.items() if found == {True}}
    # A byte order mark is at the beginning; a harness cuts a text, and a comment belongs to it, by the name it is read.
    are, should_be = {code for code, rule in RULES.items() if rule.of_text}, only - {"cut", "suppression-unused"}
    assert should_be - are == set(), "set of_text=True in the rows of these"
    assert are - should_be == {"encoding"}, "these have cases elsewhere, too: take of_text=True off their rows"


def test_a_rule_of_places_tells_of_no_place_in_a_file() -> None:
    of_place = {code for code, rule in RULES.items() if rule.of_place}
    assert of_place == {
        *("case-mismatch", "left-out", "never-loaded", "never-arrived", "shadowed", "outside-root", "prompt-unused"),
        *("nested-elsewhere", "link-elsewhere", "trust-elsewhere"),
    }
    for path in CASES:
        for code, place in re.findall(r"^[a-z]+ (\S+) (\S+) \(", _expected(path), re.MULTILINE):
            # An entry or import in another spelling is reported where it is.
            is_fine = code not in of_place - {"case-mismatch"} or place.endswith(":1:1-1")
            assert is_fine, f"{code} has a place in a file: take of_place=True off its row"
