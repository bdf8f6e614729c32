"""Changes the logic at random and asks whether a test notices: make mutations (COUNT=200 SEED=1 ONLY=harnesses/codex).

A comparison is turned, a condition negated, a constant raised, a result lost. Only the tests that run the changed line
are asked. All tests are collected once; each change of a function is made in a fork of that process, and any other
change (a constant of a module) in a copy of the package.

A change that survives is either a gap in the tests or does not matter. The latter are in
tools/mutations-that-do-not-matter.txt, a line each: the change as it is printed, without the number of its line, then
" # " and the reason.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from coverage import CoverageData

ROOT = Path(__file__).parent.parent
PACKAGES = ("core", "harnesses", "checks")
SUITES = (
    *("wire", "surfaces", "cases", "harnesses", "checks", "core", "cli", "test_harnesses.py"),
    *("hostile/test_odd_names.py", "hostile/test_patterns.py"),
)
# The first starts processes of its own, which a change in this one does not reach; the others run all cases again.
LEFT_OUT = ("cli/test_process.py", "cases/test_windows.py", "wire/test_windows.py")
MAPS = ROOT / "build" / "mutations"
REASONS = Path(__file__).parent / "mutations-that-do-not-matter.txt"
LIMIT = 60  # seconds for one test; one that takes longer is noticed, as it never ends
MEMORY = 4 << 30  # bytes
CANNOT_PATCH = 77  # exit code of a fork
CACHED = type(functools.lru_cache(lambda: None))
# Arguments that no result hangs on: the size of a cache, what classes are made of, and what only asserts.
UNSEEN = ("maxsize", "compare", "repr", "slots", "frozen", "kw_only", "eq", "strict")
WANTED = 0.95

TURNED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}


@dataclass(frozen=True)
class Change:
    """One change of one file: the text between two offsets becomes another."""

    file: str
    line: int
    last_line: int
    start: int
    end: int
    was: str
    became: str
    source: str
    # The constant of the module, or field of a class, whose value it changes; "" inside of a function.
    constant: str

    def __str__(self) -> str:  # noqa: D105 - its words are the format
        return self.key.replace(":", f":{self.line}:", 1)

    @property
    def key(self) -> str:
        """What a reason is given for: the change and the text of its line, wherever that is by now."""
        return f"{self.file}: {' '.join(self.was.split())} -> {' '.join(self.became.split())} in: {self.source}"


def changes(file: Path) -> Iterator[Change]:
    """Every change of a file that could mean something."""
    source = file.read_text(encoding="utf-8")
    starts, lines = [0], source.splitlines(keepends=True)
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()
    name = file.relative_to(ROOT / "server" / "promptls").as_posix()
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in dict.fromkeys(_logic(tree)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        was = data[start:end].decode()
        for became in _others(node):
            last = node.end_lineno or node.lineno
            inside = any(each.body[0].lineno <= node.lineno <= (each.end_lineno or 0) for each in functions)
            constant = "" if inside else _name_of(tree, node)
            text = lines[node.lineno - 1].strip()
            yield Change(name, node.lineno, last, start, end, was, became, text, constant)


def _name_of(tree: ast.Module, node: ast.expr) -> str:
    """What the assignment that holds ``node``, of a module or class, assigns to: a pattern of names."""
    assigned = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.lineno <= node.lineno <= (each.end_lineno or 0)
    ]
    targets = ast.unparse(assigned[-1]).partition("=")[0].partition(":")[0] if assigned else "nothing"
    return "|".join(re.findall(r"\w+", targets))


def _logic(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that decide something; types, decorators and what only type checkers read are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.keyword) and node.arg in UNSEEN:
            continue
        if isinstance(node, ast.Compare | ast.BoolOp | ast.Constant) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            yield node
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for inner in node.body:
                yield from _logic(ast.Module([inner], []))
            continue
        if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield node.value
        yield from _logic(node)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _others(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            turned = [*node.ops[:at], TURNED[type(operator)], *node.ops[at + 1 :]]
            yield f"({ast.unparse(ast.Compare(node.left, turned, node.comparators))})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int):
            yield str(node.value + 1)
    else:
        yield "None"


def tests_by_line() -> dict[str, dict[str, list[str]]]:
    """The tests that run each line, by file below the package; those that run little come first."""
    kept = MAPS / f"{_hash()}.json"
    if not kept.exists():
        shutil.rmtree(MAPS, ignore_errors=True)
        MAPS.mkdir(parents=True)
        kept.write_text(json.dumps(_measured(MAPS / "coverage")), encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def _hash() -> str:
    every = hashlib.sha256(repr(_suites()).encode())
    for top in (ROOT / "server", ROOT / "tests"):
        for path in sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                every.update(f"{path.relative_to(ROOT)} {path.stat().st_size} ".encode() + path.read_bytes())
    return every.hexdigest()[:16]


def _suites() -> list[str]:
    return [*(f"tests/{suite}" for suite in SUITES), *(f"--ignore=tests/{name}" for name in LEFT_OUT)]


def _measured(data: Path) -> dict[str, dict[str, list[str]]]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--cov=promptls", "--cov-context=test"]
    environment = os.environ | {"COVERAGE_FILE": str(data)}
    done = subprocess.run([*command, "--cov-report=", *_suites()], cwd=ROOT, env=environment, check=False)
    if done.returncode:
        raise SystemExit("The tests fail without any change; make them pass first.")
    return _by_line(data)


def _by_line(data: Path) -> dict[str, dict[str, list[str]]]:
    found = CoverageData(str(data))
    found.read()
    contexts = {
        path.partition("/server/promptls/")[2]: found.contexts_by_lineno(path) for path in found.measured_files()
    }
    runs: dict[str, int] = {}
    for lines in contexts.values():
        for tests in lines.values():
            for test in tests:
                runs[test] = runs.get(test, 0) + 1
    return {
        name: {
            str(line): list(
                dict.fromkeys(
                    test.rpartition("|")[0] for test in sorted(filter(None, tests), key=lambda each: runs[each])
                )
            )
            for line, tests in lines.items()
        }
        for name, lines in contexts.items()
    }


def patch(change: Change) -> None:
    """Make the change in the functions of this process; raises ValueError where that cannot be done."""
    path = ROOT / "server" / "promptls" / change.file
    before = path.read_bytes()
    after = before[: change.start] + change.became.encode() + before[change.end :]
    old, new = (_codes(compile(each, str(path), "exec", dont_inherit=True)) for each in (before, after))
    made = dict(zip(old, new, strict=True))
    functions, caches = _alive()
    for each in functions:
        if each.__code__.co_filename == str(path) and each.__code__ in made:
            each.__code__ = made[each.__code__]
    for cache in caches:
        cache.cache_clear()


@functools.cache
def _alive() -> tuple[list[FunctionType], list[functools._lru_cache_wrapper[object]]]:
    """The functions of the package, and the caches. Asked before a fork: a walk through all objects copies them all."""
    for package in PACKAGES:
        for file in (ROOT / "server" / "promptls" / package).rglob("*.py"):
            # Many are imported late, and would come from the disk.
            name = ".".join(file.relative_to(ROOT / "server").with_suffix("").parts)
            importlib.import_module(name.removesuffix(".__init__"))
    every = gc.get_objects()
    top = str(ROOT / "server")
    functions = [each for each in every if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(top)]
    return functions, [each for each in every if isinstance(each, CACHED)]


def _codes(code: CodeType) -> list[CodeType]:
    return [code, *(inner for each in code.co_consts if isinstance(each, CodeType) for inner in _codes(each))]


class Trials:
    """A plugin of pytest: instead of running the tests, it forks for each change and asks there."""

    def __init__(self, tried: list[Change], report: Report) -> None:
        self.tried, self.report = tried, report
        self.is_fork = False
        self.by_file = tests_by_line()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Leave the loop to the fork; this process goes through it without a test."""
        items = {item.nodeid: item for item in session.items}
        session.items = []
        _alive()
        gc.freeze()
        for change in self.tried:
            asked = [test for test in dict.fromkeys(self.tests_of(change)) if test in items]
            if not asked:
                self.report(change, None)
                continue
            pid = 0 if change.constant else os.fork()
            if not pid and not change.constant:
                self.is_fork = True
                _limit()
                try:
                    patch(change)
                except ValueError:
                    os._exit(CANNOT_PATCH)
                session.items = [items[test] for test in asked]
                break
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if pid else CANNOT_PATCH
            self.report(change, is_noticed_in_copy(change, asked) if code == CANNOT_PATCH else code != 0)
        try:
            return (yield)
        finally:
            if self.is_fork:  # nobody reads its summary
                os._exit(session.testsfailed != 0)

    def tests_of(self, change: Change) -> Iterator[str]:
        """The tests that run what is changed; of a constant, those that run a line with its name."""
        if not change.constant:
            lines = self.by_file.get(change.file, {})
            own = [str(at) for at in range(change.line, change.last_line + 1)]
            # What is kept in a cache was run by one test, or while they were collected; each may need it.
            around = lines if len({test for at in own for test in lines.get(at, ())}) <= 1 else []
            yield from (test for at in (*own, *around) for test in lines.get(at, ()))
            return
        is_named = re.compile(rf"\b(?:{change.constant})\b").search
        for file, lines in self.by_file.items():
            source = (ROOT / "server" / "promptls" / file).read_text(encoding="utf-8").splitlines()
            named = (str(at) for at, line in enumerate(source, 1) if is_named(line))
            yield from (test for at in named for test in lines.get(at, ()))

    def pytest_runtest_setup(self) -> None:
        """End what never ends."""
        signal.alarm(LIMIT)


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Report:
    """What is told, and counted."""

    def __init__(self) -> None:
        self.out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self.noticed = self.survived = 0

    def __call__(self, change: Change, is_noticed: bool | None) -> None:  # noqa: D102
        self.noticed += bool(is_noticed)
        self.survived += not is_noticed
        if not is_noticed:
            self.say(f"{change}{' (no test runs it)' if is_noticed is None else ''}")

    def say(self, text: str) -> None:  # noqa: D102
        self.out.write(f"{text}\n")
        self.out.flush()


def is_noticed_in_copy(change: Change, tests: list[str]) -> bool:
    """Whether one of the tests fails, or never ends, with the change made in a copy."""
    with tempfile.TemporaryDirectory() as place:
        server = Path(place) / "server"
        shutil.copytree(ROOT / "server", server, ignore=shutil.ignore_patterns("__pycache__"))
        file = server / "promptls" / change.file
        before = file.read_bytes()
        file.write_bytes(before[: change.start] + change.became.encode() + before[change.end :])
        arguments = Path(place) / "tests.txt"
        arguments.write_text("\n".join(tests), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider"]
        environment = os.environ | {"PYTHONPATH": str(server), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                [*command, f"@{arguments}"],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=_limit,
                timeout=10 * LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def main() -> int:
    """Print what survived; the exit code is 1 if that is more than a twentieth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of the file names")
    options = parser.parse_args()
    os.chdir(ROOT)
    files = [file for package in PACKAGES for file in (ROOT / "server" / "promptls" / package).rglob("*.py")]
    every = [change for file in sorted(files) if options.only in str(file) for change in changes(file)]
    reasons = {line.rpartition(" # ")[0] for line in REASONS.read_text(encoding="utf-8").splitlines() if line}
    random.Random(options.seed).shuffle(every)  # noqa: S311 - a sample, no secret
    tried = [change for change in every if change.key not in reasons][: options.count]
    report = Report()
    trials = Trials(tried, report)
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    arguments = ["-q", "-x", "--tb=no", "-p", "no:randomly", "-p", "no:cacheprovider", *_suites()]
    pytest.main(arguments, plugins=[trials])
    if report.noticed + report.survived != len(tried):
        report.say("The tests could not be collected, or a trial went wrong: nothing is known of all changes.")
        return 1
    report.say(f"{report.noticed} of {len(tried)} changes were noticed")
    return 0 if report.survived <= len(tried) * (1 - WANTED) else 1


if __name__ == "__main__":
    raise SystemExit(main())
