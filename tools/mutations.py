"""Changes the logic at random and asks whether a test notices: make mutations (COUNT=200 SEED=1 ONLY=harnesses/codex).

A comparison is turned, a condition negated, a constant raised, a result lost. Only the tests that run the changed line
are asked. All tests are collected once; each change of a function is made in a fork of that process, and any other
change (a constant of a module) in a copy of the package. At last the tests that noticed something run without a change;
one that fails there too is not asked any more, and the changes that it noticed are tried again.

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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import NoReturn

import pytest
from coverage import CoverageData
from logic_changes import ROOT, Change, changes

PACKAGES = ("core", "kit", "harnesses", "sessions", "checks")
SUITES = (
    *("wire", "parts", "cases", "harnesses", "checks", "core", "cli", "lsp", "records", "capture"),
    *("page", "hostile", "test_harnesses.py", "test_sessions_agree.py", "test_generated.py"),
)
LEFT_OUT = (
    # They start processes of their own, which a change in this one does not reach.
    *("cli/test_process.py", "cli/test_completion.py", "cli/test_pager.py", "lsp/test_process.py", "lsp/test_stdio.py"),
    *("lsp/test_checker.py", "lsp/test_git.py", "capture/test_signals.py", "capture/test_enclosure.py"),
    *("harnesses/test_one_folder.py", "harnesses/test_third_party.py"),
    # They run all cases again.
    *("cases/test_windows.py", "wire/test_windows.py"),
    # They count steps, or try at random.
    *("hostile/test_linear.py", "hostile/test_properties.py"),
)
# They read rows, specs and defaults without running a line of the package.
READ_ROWS = (
    *("tests/harnesses/test_rows.py::test_each_", "tests/harnesses/test_specs.py::test_wh"),
    *("tests/checks/test_rules.py::test_a_rule", "tests/core/test_settings.py::test_nothing_set"),
)
ARGUMENTS = ("-q", "-x", "--tb=no", *(f"-pno:{name}" for name in ("randomly", "cacheprovider", "pytest_cov")))
MEASURED = ROOT / "build" / "mutations"
TESTS = "tests.txt"
MANY = 1000  # tests that are measured without being named
REASONS = Path(__file__).parent / "mutations-that-do-not-matter.txt"
LIMIT = 60  # seconds of work for one test; one that takes longer is noticed, as it never ends
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
        contexts = self.coverage.contexts_by_lineno(str(path.relative_to(ROOT)))
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


@dataclass(frozen=True)
class Outcome:
    """What became of the tests that were asked: which one failed first."""

    can_be_made: bool = True
    failed: str = ""


class Trials:
    """A plugin of pytest: instead of running the tests, it forks for each change and asks there."""

    def __init__(self, tried: list[Change], report: Report, most: int) -> None:
        self.tried, self.report, self.most = tried, report, most
        self.items: dict[str, pytest.Item] = {}
        self.measured: list[Measured] = []
        self.has_failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every change; a change that was noticed by a test that fails without it too is tried again."""
        self.items = {item.nodeid: item for item in session.items}
        if new := [test for test in self.items if test not in known_tests()]:
            measure(new)
        self.measured = [Measured(place) for place in sorted(MEASURED.glob("*"))]
        _alive()
        gc.freeze()
        left, unfit = self.tried, set[str]()
        while left:
            noticed: dict[Change, str] = {}
            for change in left:
                outcome = self.trial(change, unfit)
                if outcome and outcome.failed:
                    noticed[change] = outcome.failed
                    self.report.tell(".")
                else:
                    self.report.survived(change, is_run=bool(outcome))
            unfit |= (found := self.fail_unchanged(list(dict.fromkeys(noticed.values()))))
            for test in sorted(found):
                self.report.say(f"Not asked any more: {test} fails without a change")
            left = [change for change, test in noticed.items() if test in found]
            self.report.noticed += len(noticed) - len(left)
        return True

    def trial(self, change: Change, unfit: set[str]) -> Outcome | None:
        """What the tests say of a change; None if no test runs it."""
        asked = [test for test in dict.fromkeys(self.tests_of(change)) if test in self.items and test not in unfit]
        if not asked:
            return None
        if len(asked) > self.most > 0:
            folder = Path(change.file).parts[-2]
            places = {"checks": "tests/checks/", "shared": "tests/harnesses/"}
            wanted = "tests/core/" if change.file.startswith("core/") else places.get(folder, folder)
            near = [test for test in asked if wanted in test.replace("-", "_")]
            asked = list(dict.fromkeys([*asked[: self.most], *near, *asked[:: len(asked) // self.most]]))
        outcome = Outcome(can_be_made=False) if change.constant else self.in_fork(change, asked)
        return outcome if outcome.can_be_made else in_copy(change, asked)

    def fail_unchanged(self, tests: list[str]) -> set[str]:
        """Those tests that fail where nothing was changed: all are asked, in a fork and in a copy."""
        found = set[str]()
        for ask in (self.in_fork, in_copy):
            while left := [test for test in tests if test not in found]:
                outcome = ask(None, left)
                if not outcome.failed:
                    break
                found.add(outcome.failed)
        return found

    def in_fork(self, change: Change | None, tests: list[str]) -> Outcome:
        """Ask in a fork in which a change is made, until one fails."""
        with tempfile.TemporaryFile() as begun:
            if not (pid := os.fork()):
                self.ask(change, [self.items[test] for test in tests], begun.fileno())
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            begun.seek(0)
            last = tests[max(len(begun.read()) - 1, 0)]
        if code == CANNOT_PATCH:
            return Outcome(can_be_made=False)
        return Outcome(failed=last if code else "")

    def ask(self, change: Change | None, items: list[pytest.Item], begun: int) -> NoReturn:
        """Run tests in a fork, and write one byte for each that begins; the exit code is 1 if one failed."""
        _limit()
        try:
            if change:
                patch(change)
        except ValueError:
            os._exit(CANNOT_PATCH)
        for item, following in zip(items, [*items[1:], None], strict=True):
            os.write(begun, b".")
            # What never ends is killed. Work is measured by the processor's clock, as the machine may be busy.
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            signal.alarm(10 * LIMIT)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.has_failed:
                os._exit(1)
        os._exit(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember that a test has failed."""
        self.has_failed = self.has_failed or report.failed

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


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Report:
    """What is told, and counted."""

    def __init__(self) -> None:
        self.out, self.progress = (os.fdopen(os.dup(each), "w", encoding="utf-8") for each in (1, 2))
        self.noticed = 0

    def survived(self, change: Change, *, is_run: bool) -> None:  # noqa: D102
        self.say(f"{change}{'' if is_run else ' (no test runs it)'}")

    def say(self, text: str) -> None:  # noqa: D102
        self.out.write(f"{text}\n")
        self.out.flush()

    def tell(self, text: str) -> None:
        """How far it is, on standard error."""
        self.progress.write(text)
        self.progress.flush()


def in_copy(change: Change | None, tests: list[str]) -> Outcome:
    """Ask in a copy of the package in which a change is made, until one fails."""
    with tempfile.TemporaryDirectory() as place:
        server = Path(place) / "server"
        shutil.copytree(ROOT / "server", server, ignore=shutil.ignore_patterns("__pycache__"))
        # Schemas and pages of rules are read from the checkout that the package is in.
        (Path(place) / "docs").symlink_to(ROOT / "docs")
        if change:
            file = server / "promptls" / change.file
            before = file.read_bytes()
            file.write_bytes(before[: change.start] + change.became.encode() + before[change.end :])
        arguments = Path(place) / TESTS
        arguments.write_text("\n".join(tests), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *ARGUMENTS, "-rfE", f"@{arguments}"]
        environment = os.environ | {"PYTHONPATH": str(server), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "10000"}
        limit = 10 * LIMIT
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, preexec_fn=_limit, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(failed=tests[0])
    if not done.returncode:
        return Outcome()
    said = [
        line.partition(" ")[2] for line in done.stdout.decode().splitlines() if line.startswith(("FAILED", "ERROR"))
    ]
    # A name may have spaces, and another may be how it begins; nothing is named where the package cannot be imported.
    named = [test for test in tests if any(f"{line} - ".startswith(f"{test} - ") for line in said)]
    return Outcome(failed=[*named, *tests][0])


def main() -> int:
    """Print what survived; the exit code is 1 if that is more than a twentieth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of the file names")
    parser.add_argument("--most", type=int, default=0, help="tests a change: quick, but what survives may be noticed")
    parser.add_argument("--again", action="store_true", help="measure again which lines each test runs")
    options = parser.parse_args()
    os.chdir(ROOT)
    if options.again:
        shutil.rmtree(MEASURED, ignore_errors=True)
    files = [file for package in PACKAGES for file in (ROOT / "server" / "promptls" / package).rglob("*.py")]
    # What is generated is compared with what it is made from.
    files = [file for file in files if "\nGenerated from" not in file.read_text(encoding="utf-8")]
    every = [change for file in sorted(files) if options.only in str(file) for change in changes(file)]
    reasons = {line.rpartition(" # ")[0] for line in REASONS.read_text(encoding="utf-8").splitlines() if line}
    random.Random(options.seed).shuffle(every)  # noqa: S311 - a sample, no secret
    tried = [change for change in every if change.key not in reasons][: options.count]
    report = Report()
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    pytest.main([*ARGUMENTS, *_suites()], plugins=[Trials(tried, report, options.most)])
    report.say(f"{report.noticed} of {len(tried)} changes were noticed")
    return 0 if report.noticed >= len(tried) * WANTED else 1


if __name__ == "__main__":
    raise SystemExit(main())
