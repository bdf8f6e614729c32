"""Changes the logic at random and asks whether a test notices: make mutations (COUNT=200 SEED=1 ONLY=harnesses/codex).

A comparison is turned, a condition negated, a constant raised, a result lost. Only the tests that run the changed line
are asked. All tests are collected once; each change of a function is made in a fork of that process, and any other
change (a constant of a module) in a copy of the package. At last the tests that noticed something run without a change,
and have to pass.

Which tests run a line is kept in build/mutations. What is new there is measured first; --again measures everything.

A change that survives is either a gap in the tests or does not matter. The latter are in
tools/mutations-that-do-not-matter.txt, a line each: the change as it is printed, without the number of its line, then
" # " and the reason.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import functools
import gc
import importlib
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from coverage import CoverageData
from logic_changes import ROOT, Change, changes

PACKAGES = ("core", "harnesses", "checks")
SUITES = (
    *("wire", "surfaces", "cases", "harnesses", "checks", "core", "cli", "test_harnesses.py"),
    *("records", "page", "hostile/test_odd_names.py", "hostile/test_patterns.py"),
)
LEFT_OUT = (
    # They start processes of their own, which a change in this one does not reach.
    *("cli/test_process.py", "cli/test_completion.py", "cli/test_pager.py"),
    *("harnesses/test_one_folder.py", "harnesses/test_third_party.py"),
    # They run all cases again.
    *("cases/test_windows.py", "wire/test_windows.py"),
)
# They read the rows of versions without running a line of the package.
READ_ROWS = "tests/harnesses/test_rows.py::test_each_number"
ARGUMENTS = ("-q", "-x", "--tb=no", *(f"-pno:{name}" for name in ("randomly", "cacheprovider", "pytest_cov")))
MEASURED = ROOT / "build" / "mutations"
TESTS = "tests.txt"
MANY = 1000  # tests that are measured without being named
REASONS = Path(__file__).parent / "mutations-that-do-not-matter.txt"
LIMIT = 60  # seconds for one test; one that takes longer is noticed, as it never ends
MEMORY = 4 << 30  # bytes
CANNOT_PATCH = 77  # exit code of a fork
CACHED = type(functools.lru_cache(lambda: None))
WANTED = 0.95


def measure(tests: list[str]) -> None:
    """Run tests, and keep which lines each of them runs, beside a copy of these lines."""
    place = MEASURED / str(len(list(MEASURED.glob("*"))))
    shutil.copytree(ROOT / "server", place / "server", ignore=shutil.ignore_patterns("__pycache__"))
    (place / TESTS).write_text("\n".join(tests), encoding="utf-8")
    asked = _suites() if len(tests) > MANY else [f"@{place / TESTS}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--cov=promptls", "--cov-context=test"]
    environment = os.environ | {"COVERAGE_FILE": str(place / "coverage")}
    subprocess.run([*command, "--cov-report=", *asked], cwd=ROOT, env=environment, check=False)


def _suites() -> list[str]:
    return [*(f"tests/{suite}" for suite in SUITES), *(f"--ignore=tests/{name}" for name in LEFT_OUT)]


class Measured:
    """The tests that run each line; those that run little come first.

    A line that has moved since is known by its text. A line or a test that has changed since may not be known: that
    can only make a change survive.
    """

    def __init__(self, place: Path) -> None:
        self.top = place / "server" / "promptls"
        self.coverage = CoverageData(str(place / "coverage"))
        self.coverage.read()
        with contextlib.closing(sqlite3.connect(place / "coverage")) as base:
            sizes = base.execute(
                "select context, sum(length(numbits)) from line_bits join context on id = context_id group by id"
            )
            self.sizes: dict[str, int] = dict(sizes.fetchall())

    @functools.cache  # noqa: B019 - there are few
    def lines(self, name: str) -> dict[int, list[str]]:
        """The tests of each line of a file below the package."""
        path = ROOT / "server" / "promptls" / name
        contexts = self.coverage.contexts_by_lineno(str(path))
        tests = {
            line: list(dict.fromkeys(_test(each) for each in sorted(filter(None, found), key=self.sizes.__getitem__)))
            for line, found in contexts.items()
        }
        old, new = (
            each.read_text(encoding="utf-8").splitlines() if each.exists() else [] for each in (self.top / name, path)
        )
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        moved = [(b + at, tests.get(a + at, [])) for a, b, size in blocks for at in range(1, size + 1)]
        return {line: found for line, found in moved if found}


def known_tests() -> set[str]:
    """Every test that was measured."""
    return {test for path in MEASURED.glob(f"*/{TESTS}") for test in path.read_text(encoding="utf-8").splitlines()}


def _test(context: str) -> str:
    return context.rpartition("|")[0]


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
        self.measured: list[Measured] = []
        self.failed: list[str] = []
        self.pipe = os.pipe()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Leave the loop to the fork; this process goes through it without a test."""
        items = {item.nodeid: item for item in session.items}
        session.items = []
        if new := [test for test in items if test not in known_tests()]:
            measure(new)
        self.measured = [Measured(place) for place in sorted(MEASURED.glob("*"))]
        _alive()
        gc.freeze()
        for change in (*self.tried, None):  # at last nothing is changed: what failed must pass
            asked = self.tests_of(change) if change else self.failed
            asked = [test for test in dict.fromkeys(asked) if test in items]
            code = CANNOT_PATCH if change and change.constant else self.in_fork(change)
            if code is None:
                session.items = [items[test] for test in asked]
                break
            if change is None:
                self.report.is_known = code == 0
            elif not asked:
                self.report(change, None)
            elif code == CANNOT_PATCH:
                self.report(change, is_noticed_in_copy(change, asked))
            else:
                self.report(change, code != 0)
        try:
            return (yield)
        finally:
            if self.is_fork:  # nobody reads its summary
                os._exit(session.testsfailed != 0)

    def in_fork(self, change: Change | None) -> int | None:
        """The exit code of a fork in which a change is made; in the fork itself None."""
        if pid := os.fork():
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            if code == 1:
                self.failed.append(os.read(self.pipe[0], 1 << 16).decode())
            return code
        self.is_fork = True
        _limit()
        try:
            if change:
                patch(change)
        except ValueError:
            os._exit(CANNOT_PATCH)
        return None

    def lines(self, name: str) -> dict[int, list[str]]:
        """The tests of each line of a file, in whichever run they were measured."""
        found: dict[int, list[str]] = {}
        for each in self.measured:
            for line, tests in each.lines(name).items():
                found[line] = [*found.get(line, ()), *tests]
        return found

    def tests_of(self, change: Change) -> Iterator[str]:
        """The tests that run what is changed; of a constant, those that run a line with its name."""
        if not change.constant:
            lines = self.lines(change.file)
            own = range(change.line, change.last_line + 1)
            # What is kept in a cache was run by one test, or while they were collected; each may need it.
            around = lines if len({test for at in own for test in lines.get(at, ())}) <= 1 else []
            yield from (test for at in (*own, *around) for test in lines.get(at, ()))
            return
        yield from sorted(test for test in known_tests() if test.startswith(READ_ROWS))
        is_named = re.compile(rf"\b(?:{change.constant})\b").search
        package = ROOT / "server" / "promptls"
        for path in sorted(path for part in PACKAGES for path in (package / part).rglob("*.py")):
            source = path.read_text(encoding="utf-8").splitlines()
            named = [at for at, line in enumerate(source, 1) if is_named(line)]
            lines = self.lines(path.relative_to(package).as_posix()) if named else {}
            yield from (test for at in named for test in lines.get(at, ()))
        # A row is asked for its fields all over its folder.
        folder = Path(change.file).parent
        for path in sorted((package / folder).glob("*.py")) if folder.parent.name else ():
            lines = self.lines(path.relative_to(package).as_posix())
            yield from (test for found in lines.values() for test in found)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell which test noticed."""
        if self.is_fork and report.failed:
            os.write(self.pipe[1], report.nodeid.encode())

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
        self.is_known = False

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
    parser.add_argument("--again", action="store_true", help="measure again which lines each test runs")
    options = parser.parse_args()
    os.chdir(ROOT)
    if options.again:
        shutil.rmtree(MEASURED, ignore_errors=True)
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
    pytest.main([*ARGUMENTS, *_suites()], plugins=[trials])
    if not report.is_known:
        report.say(f"Nothing is known: a trial went wrong, or some of these fail without a change: {trials.failed}")
        return 1
    report.say(f"{report.noticed} of {len(tried)} changes were noticed")
    return 0 if report.survived <= len(tried) * (1 - WANTED) else 1


if __name__ == "__main__":
    raise SystemExit(main())
