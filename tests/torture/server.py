"""The server against a cold one: after each random step both give the same previews, diagnostics and features."""

from __future__ import annotations

import asyncio
import random
import tempfile
from itertools import zip_longest
from pathlib import Path
from typing import Any

from promptls.lsp.main import create
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import LIMIT, Client, ReplyError
from tests.torture import pools

CAPABILITIES: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "diagnostics": {"refreshSupport": True},
        "configuration": True,
        "textDocumentContent": {},
    },
}
FEATURES = ("documentLink", "codeLens", "documentSymbol", "foldingRange", "diagnostic")
AT_A_PLACE = ("hover", "definition", "completion")
# What is different by its nature: how often a value was made, and whether it was made just now.
OWN = ("version", "cacheHit", "cacheKey")
QUIET = ("workspace/diagnostic/refresh", "workspace/codeLens/refresh", "workspace/inlayHint/refresh")


class Trial:
    """A folder, the documents that are open in it, and the settings; a server lives through all its steps."""

    def __init__(self, top: Path, chance: random.Random) -> None:
        self.top = lay_out(top, {"AGENTS.md": "root\n", "app.py": "x\n", "api/app.py": "x\n", "docs/style.md": "s\n"})
        self.chance = chance
        self.open: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self.warm = Client(create())

    async def start(self, client: Client) -> None:
        """Start a client; a cold one is given what the warm one has learned."""
        client.settings = self.settings
        for method in QUIET:
            client.answers[method] = lambda _: None
        await client.start(CAPABILITIES, folders=[str(self.top)])
        for uri, text in self.open.items():
            await client.open(uri, text)

    async def step(self) -> None:
        """One random change, reported as an editor reports it."""
        change = self.chance.choices(
            (self._edit, self._open, self._close, self._write, self._rename, self._configure), (8, 2, 1, 6, 1, 1)
        )[0]
        await change()

    async def _edit(self) -> None:
        if not self.open:
            return
        uri = self.chance.choice(list(self.open))
        text = self.open[uri]
        start = self.chance.randrange(len(text) + 1)
        end = min(len(text), start + self.chance.randrange(12))
        new = self.chance.choice(pools.PIECES).replace("\r", "").replace("\ud800", "")
        changed = text[:start] + new + text[end:]
        if self.chance.random() < 0.3:
            await self.warm.change(uri, changed)
        else:
            where = {"start": _position(text, start), "end": _position(text, end)}
            await self.warm.change(uri, {"range": where, "text": new})
        self.open[uri] = changed

    async def _open(self) -> None:
        path = self.top / pools.name(self.chance)
        uri = uri_of(str(path))
        if uri in self.open:
            return
        try:
            text = path.read_text(encoding="utf-8", errors="replace").replace("\r", "")
        except (OSError, ValueError):
            text = pools.text(self.chance).replace("\r", "").replace("\ud800", "")
        self.open[uri] = text
        await self.warm.open(uri, text)

    async def _close(self) -> None:
        if self.open:
            uri = self.chance.choice(list(self.open))
            del self.open[uri]
            await self.warm.close_document(uri)

    async def _write(self) -> None:
        path = self.top / pools.name(self.chance)
        if self.chance.random() < 0.25:
            pools.remove(path)
        else:
            pools.put(self.chance, path)
        await self._say_changed(path)

    async def _rename(self) -> None:
        old, new = (self.top / pools.name(self.chance) for _ in range(2))
        if old.exists() and not new.exists() and new.parent.is_dir() and old not in new.parents:
            old.rename(new)
            await self._say_changed(old, new)

    async def _say_changed(self, *paths: Path) -> None:
        changes = [{"uri": uri_of(str(path)), "type": 2} for path in paths]
        await self.warm.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    async def _configure(self) -> None:
        options: list[dict[str, Any]] = [{}, {"harness": self.chance.choice(pools.HARNESSES)}]
        options += [{"harness": "opencode", "agent": "plan"}, {"cwd": "api"}, {"model": "gpt-5"}, {"harness": 5}]
        self.settings = self.chance.choice(options)
        self.warm.settings = self.settings
        asked = asyncio.Event()

        def answer(params: dict[str, Any]) -> list[dict[str, Any]]:
            asked.set()
            return [self.settings for _ in params["items"]]

        self.warm.answers["workspace/configuration"] = answer
        await self.warm.notify("workspace/didChangeConfiguration", {"settings": None})
        await asyncio.wait_for(asked.wait(), LIMIT)

    async def compare(self) -> None:
        """Ask both the same; a cold server is made for it."""
        cold = Client(create())
        await self.start(cold)
        try:
            for method, params in self._questions():
                old, new = await _answer(self.warm, method, params), await _answer(cold, method, params)
                assert old == new, f"{method} {params}: {_first_difference(old, new)}"
        finally:
            await _end(cold)

    def _questions(self) -> list[tuple[str, dict[str, Any]]]:
        document = {"textDocument": {"uri": uri_of(str(self.top / self.chance.choice(pools.SOURCES)))}}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("prompt/preview", document),
            ("prompt/preview", {**document, "harness": self.chance.choice(pools.HARNESSES)}),
        ]
        for uri in self.chance.sample(list(self.open), min(2, len(self.open))):
            own = {"textDocument": {"uri": uri}}
            at = {**own, "position": _position(self.open[uri], self.chance.randrange(len(self.open[uri]) + 1))}
            asked += [(f"textDocument/{name}", own) for name in FEATURES]
            asked += [(f"textDocument/{name}", at) for name in AT_A_PLACE]
        return asked


def _position(text: str, offset: int) -> dict[str, int]:
    lines = text[:offset].split("\n")
    return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2}


async def _answer(client: Client, method: str, params: dict[str, Any]) -> Any:
    try:
        found = await client.request(method, params)
    except ReplyError as error:
        return str(error)
    if isinstance(found, dict):
        return {key: value for key, value in found.items() if key not in (*OWN, "resultId")}
    return found


def _first_difference(old: Any, new: Any, place: str = "") -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                return _first_difference(old.get(key), new.get(key), f"{place}.{key}")
    if isinstance(old, list) and isinstance(new, list):
        for at, (one, other) in enumerate(zip_longest(old, new)):
            if one != other:
                return _first_difference(one, other, f"{place}[{at}]")
    return f"{place}: warm {old!r:.300} cold {new!r:.300}"


async def _end(client: Client) -> None:
    await client.stop()
    client.inbox.clear()


async def trial(top: Path, seed: int, steps: int, every: int) -> None:
    """``steps`` random steps in a folder at ``top``, with a comparison after ``every`` of them."""
    run_of = Trial(top, random.Random(seed))  # noqa: S311 - a trial that can be repeated
    await run_of.start(run_of.warm)
    try:
        for at in range(1, steps + 1):
            try:
                await run_of.step()
                if at % every == 0:
                    await run_of.compare()
            except (AssertionError, TimeoutError) as error:
                raise AssertionError(f"seed {seed}, step {at}: {error!r}") from error
            run_of.warm.inbox.clear()
    finally:
        await _end(run_of.warm)


def run(seed: int, count: int) -> None:
    """``count`` steps in folders of 100 each, compared after every second one."""
    for part in range(0, count, 100):
        with tempfile.TemporaryDirectory() as place:
            asyncio.run(trial(Path(place).resolve() / "project", seed + part, min(100, count - part), 2))
