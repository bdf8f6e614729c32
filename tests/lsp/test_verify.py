"""prompt/verify: the installed program is run, in a process that ends with the request."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import commanded
from promptls.lsp.uris import uri_of
from promptls.lsp.view_results import VerifyResult
from promptls.system.processes import ATTENDED
from tests.capture.conftest import place
from tests.capture.fakes import BAD, OTHER, install, is_held, newest
from tests.lsp.client import Client, ReplyError

__all__ = ["place"]

# It says that it runs, and then nothing.
HANGS = """
import time
from tests.capture.fakes import hold
hold(Path(LOG).parent / 'held')
(Path(LOG).parent / 'runs').write_text('1')
time.sleep(600)
"""
TESTS = str(Path(__file__).parents[2])
LETS = "import sys, pathlib; sys.path.append({!r}); from tests.capture import fakes; fakes.let_in(pathlib.Path({!r}))"
PROGRESS = {"window": {"workDoneProgress": True}}


@pytest.fixture(autouse=True)
def _fakes_are_let_in(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lets = LETS.format(TESTS, str(place / "bin"))
    monkeypatch.setattr(commanded, "ATTENDED", (*ATTENDED[:-1], f"{lets}; {ATTENDED[-1]}"))


def file(place: Path) -> dict[str, Any]:
    return {"textDocument": {"uri": uri_of(f"{place}/project/pkg/a.py")}, "harness": "codex"}


def hang(place: Path) -> Path:
    """Put a program in place that hangs: the pipe that it writes its id to, once it runs."""
    install(place / "bin", "codex", version=newest("codex"), instead=HANGS)
    os.mkfifo(place / "bin" / "runs")
    (place / "bin" / "runs").chmod(0o666)
    return place / "bin" / "runs"


async def running(pipe: Path) -> int:
    return int(await asyncio.wait_for(asyncio.to_thread(pipe.read_text, "utf-8"), 30))


def is_gone(place: Path, _: int) -> bool:
    return not is_held(place / "bin" / "held") and list((place / "cache").iterdir()) == []


async def test_a_preview_that_holds_says_so_from_now_on(client: Client, place: Path) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    await client.start(folders=[str(place / "project")])
    before = await client.request("prompt/preview", file(place))
    assert before["verified_here"] is None
    found = VerifyResult.model_validate(await client.request("prompt/verify", file(place)))
    assert found.same
    assert found.expected == found.sent
    assert {each.state for each in found.messages} == {"same"}
    assert await client.next("prompt/didChange") == {"uris": [before["uri"]]}
    after = await client.request("prompt/preview", file(place))
    known = {"whole": True, "all": True, "unknown": 0}
    assert after["verified_here"] == {"version": newest("codex"), "date": found.date, **known}
    assert found.whole
    assert found.tools is not None
    assert (found.tools.only_sent, found.tools.only_shown, found.tools.sizes) == ([], [], [])
    assert f"Verified here on {found.date}: the installed codex" in after["text"].replace("\\", "")


async def test_a_difference_comes_with_both_texts_and_the_rule(client: Client, place: Path) -> None:
    version = newest("codex")
    install(place / "bin", "codex", version=version, instead=OTHER.format(harness="codex", version=version))
    await client.start(folders=[str(place / "project")])
    found = VerifyResult.model_validate(await client.request("prompt/verify", file(place)))
    assert not found.same
    assert "The rules of the root.\n" in found.expected
    assert "The rules of nobody.\n" in found.sent
    [difference] = found.differences
    assert difference.path == f"{place}/project/AGENTS.md"
    assert difference.rule is not None
    assert f". Expected because {difference.rule}." in found.expected


@pytest.mark.parametrize(
    ("harness", "sentence"),
    [
        ("codex", "There is no codex on the search path; install it, or add it to PATH."),
        ("cursor", "promptls does not know how to start cursor; choose one of "),
    ],
)
async def test_what_cannot_be_run_is_said_in_one_sentence(
    harness: str, sentence: str, client: Client, place: Path
) -> None:
    await client.start(folders=[str(place / "project")])
    error = await client.refusal("prompt/verify", {**file(place), "harness": harness})
    assert str(error).startswith(sentence)
    assert "\n" not in str(error)


async def test_no_program_is_started_where_the_folder_is_not_trusted(client: Client, place: Path) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    await client.start(folders=[str(place / "project")], options={"untrustedWorkspace": True})
    error = await client.refusal("prompt/verify", file(place))
    assert str(error) == "No program is started in an untrusted folder; trust the folder to verify a preview."
    assert not (place / "bin" / "seen").exists()


async def test_only_a_file_is_verified(client: Client, place: Path) -> None:
    await client.start(folders=[str(place / "project")])
    error = await client.refusal("prompt/verify", {"textDocument": {"uri": "untitled:Untitled-1"}})
    assert str(error) == "Only saved files can be verified; save the document first."


@pytest.fixture
def interrupts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whether what is started heeds SIGINT; what a shell runs in the background does not."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "interrupts", [signal.default_int_handler, signal.SIG_IGN], ids=["heeded", "ignored"], indirect=True
)
@pytest.mark.usefixtures("interrupts")
async def test_a_request_that_is_cancelled_ends_the_program(client: Client, place: Path) -> None:
    pipe = hang(place)
    await client.start(folders=[str(place / "project")])
    number, reply = client.ask("prompt/verify", file(place))
    process = await running(pipe)
    assert (await client.request("prompt/harnesses", {}))["harnesses"], "others are answered meanwhile"
    await client.notify("$/cancelRequest", {"id": number})
    with pytest.raises(ReplyError, match="was cancelled"):
        await asyncio.wait_for(reply, 30)
    assert is_gone(place, process)


async def test_its_progress_is_shown_and_can_be_cancelled(client: Client, place: Path) -> None:
    pipe = hang(place)
    await client.start(PROGRESS, folders=[str(place / "project")])
    _, reply = client.ask("prompt/verify", {**file(place), "workDoneToken": "here"})
    begun = await client.next("$/progress")
    assert begun["value"]["title"] == "Running Codex, offline"
    assert begun["value"]["cancellable"] is True
    process = await running(pipe)
    await client.notify("window/workDoneProgress/cancel", {"token": "here"})
    with pytest.raises(ReplyError, match="was cancelled"):
        await asyncio.wait_for(reply, 30)
    assert (await client.next("$/progress"))["value"]["kind"] == "end"
    assert is_gone(place, process)


async def test_a_program_that_wants_a_login_is_told_in_one_sentence(client: Client, place: Path) -> None:
    install(place / "bin", "codex", version=newest("codex"), instead=BAD["wants a login"])
    await client.start(folders=[str(place / "project")])
    error = await client.refusal("prompt/verify", file(place))
    assert str(error).endswith("without a request to a model; it said last: Please log in with /login.")
