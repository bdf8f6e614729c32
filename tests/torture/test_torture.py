"""A short form of each trial; `make torture` has the long one."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from tests.torture import answers, histories, kills, leaks, requests, server, trees, trimmed, unified


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home directory with nothing in it, and a quiet log: junk is reported there."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(home / "cache"))
    logging.disable(logging.CRITICAL)


@pytest.fixture(autouse=True)
def log_again() -> object:
    yield
    logging.disable(logging.NOTSET)


async def test_a_server_is_as_a_cold_one(tmp_path: Path) -> None:
    await server.trial(tmp_path / "project", seed=1, steps=40, every=4)


async def test_junk_is_answered_once(tmp_path: Path) -> None:
    await requests.trial(tmp_path / "project", seed=1, count=300)


async def test_nothing_is_kept() -> None:
    await asyncio.to_thread(leaks.run, 1, 1_000)


async def test_kills_leave_whole_files() -> None:
    await asyncio.to_thread(kills.run, 1, 3)


async def test_hostile_answers() -> None:
    await asyncio.to_thread(answers.run, 1, 4)


async def test_no_order_matters() -> None:
    await asyncio.to_thread(trees.run, 1, 6)


async def test_one_file_loses_nothing() -> None:
    await asyncio.to_thread(unified.run, 1, 30)


async def test_what_goes_is_said_elsewhere() -> None:
    await asyncio.to_thread(trimmed.run, 1, 5)


async def test_a_log_is_as_if_nothing_was_kept() -> None:
    await asyncio.to_thread(histories.run, 1, 3)
