"""Several processes run the tests of a session: ``pytest --processes auto``.

The tests are collected once. Then this process is forked, and each process takes file after file; this one shows what
they report. One for each worker to start and to collect, and six messages for each test, took a minute of processors.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

import pytest

MOST = 8
# Of these, one may keep a process busy for longer than all the rest, were it the last: they are taken first.
LONG = (
    "tests/capture/test_capture.py",
    "tests/capture/test_learn.py",
    "tests/harnesses/test_learning_sessions.py",
    "tests/harnesses/test_one_folder.py",
    "tests/hostile/test_harnesses.py",
    "tests/hostile/test_linear.py",
    "tests/hostile/test_memory.py",
)
# An index of a file, as it waits in the pipe from which all take.
WIDTH = 2


def count(asked: str) -> int:
    """How many processes: a number, or ``auto``, one for each processor."""
    return min(os.cpu_count() or 1, MOST) if asked == "auto" else int(asked)


def run(session: pytest.Session, processes: int) -> bool | None:
    """Run all tests, each file in one process; None leaves it to pytest. Returns in each of the processes."""
    files = _files(session.items)
    processes = min(processes, len(files))
    if processes < 2 or session.config.option.collectonly or session.testsfailed or not hasattr(os, "fork"):
        return None
    to_take, filled = os.pipe()
    with open(filled, "wb") as all_of_them:
        all_of_them.write(b"".join(index.to_bytes(WIDTH, "big") for index in range(len(files))))
    workers: dict[Connection, int] = {}
    for _ in range(processes):
        receiving, sending = Pipe(duplex=False)
        pid = os.fork()
        if pid == 0:
            _work(session, files, to_take, sending)
            return True
        sending.close()
        workers[receiving] = pid
    os.close(to_take)
    _show(session, workers)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    return True


def _files(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(_file(item), []).append(item)
    return [files[name] for name in sorted(files, key=lambda name: name not in LONG)]


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _show(session: pytest.Session, workers: dict[Connection, int]) -> None:
    """Until all have ended. One that dies, or ends with an error of its own, fails the session."""
    busy_with = dict.fromkeys(workers, "no file yet")
    while workers:
        for worker in wait(list(workers)):
            assert isinstance(worker, Connection)
            try:
                busy_with[worker], reports = worker.recv()
            except EOFError:
                code = os.waitstatus_to_exitcode(os.waitpid(workers.pop(worker), 0)[1])
                if code or busy_with[worker]:
                    session.shouldfail = f"A process ended with {code}, in {busy_with[worker] or 'none of the files'}."
                continue
            for report in reports:
                session.config.hook.pytest_runtest_logreport(report=report)


class _Reports:
    """What a worker tells of a file."""

    def __init__(self) -> None:
        self.waiting: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self.waiting.append(report)


def _capture_apart(capture: Any) -> None:
    """What is printed goes to files of this process. The old ones are not closed: some have kept ``sys.stderr``."""
    capture.suspend_global_capture(in_=True)
    for stream in (capture._global_capturing.out, capture._global_capturing.err):
        with tempfile.TemporaryFile() as own:
            os.dup2(own.fileno(), stream.tmpfile.fileno(), inheritable=False)
    capture.resume_global_capture()


def _work(session: pytest.Session, files: list[list[pytest.Item]], to_take: int, sending: Connection) -> None:
    plugins = session.config.pluginmanager
    if session.config.option.capture == "fd":
        _capture_apart(plugins.getplugin("capturemanager"))
    plugins.unregister(name="terminalreporter")
    reports = _Reports()
    plugins.register(reports)

    def taken() -> Iterator[pytest.Item]:
        while index := os.read(to_take, WIDTH):
            yield from files[int.from_bytes(index, "big")]

    items, file = taken(), ""
    item = next(items, None)
    while item is not None and not session.shouldfail:
        if _file(item) != file:
            file = _file(item)
            sending.send((file, ()))
        following = next(items, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if following is None or _file(following) != file:
            sending.send((file, reports.waiting))
            reports.waiting = []
        item = following
    sending.send(("", reports.waiting))
    sending.close()
    session.testsfailed = 0  # they are told; what else fails ends this process with an error
