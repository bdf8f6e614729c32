"""A disk on which anything may change between any two looks: a host answers as one disk would, and nothing raises."""

from __future__ import annotations

import itertools
import os
import random
import stat

import pytest

from promptls import harnesses
from promptls.checks import prompt_problems
from promptls.checks.folder import reported_problems
from promptls.checks.tree import Tree
from promptls.core import text_view
from promptls.core.files import Contents, DirectoryEntry, Info
from promptls.core.host import Host
from promptls.core.model import Session, reading
from promptls.core.settings import DEFAULT
from promptls.sessions import of_folder as sessions
from promptls.sessions.detect import detect
from promptls.workspace.settings_file import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.files import State

FILES = {
    "/p/.git/HEAD": b"ref: refs/heads/main\n",
    "/p/.github/copilot-instructions.md": b"copilot [a](a/AGENTS.md)\n",
    "/p/.github/instructions/py.instructions.md": b'---\napplyTo: "**/*.py"\n---\npython\n',
    "/p/.claude/settings.json": b'{"env": {"A": "b"}}',
    "/p/.claude/rules/py.md": b'---\npaths: ["**/*.py"]\n---\npython\n',
    "/p/.claude/agents/x.md": b"---\nname: x\ndescription: x\n---\nx\n",
    "/p/.codex/config.toml": b'model = "x"\n',
    "/p/.cursor/rules/x.mdc": b"---\nalwaysApply: true\n---\nx\n",
    "/p/.gemini/settings.json": b'{"context": {"fileName": ["GEMINI.md", "AGENTS.md"]}}',
    "/p/.opencode/agent/x.md": b"---\nmode: all\n---\nx\n",
    "/p/AGENTS.md": b"rules @docs/a.md\n",
    "/p/AGENTS.override.md": b"over\n",
    "/p/CLAUDE.md": b"@AGENTS.md @docs/a.md\n",
    "/p/ETCODE.md": b"etcode\n",
    "/p/GEMINI.md": b"@./docs/a.md\n",
    "/p/MEMORY.md": b"memory\n",
    "/p/SOUL.md": b"soul\n",
    "/p/SYSTEM_PROMPT.md": b"system\n",
    "/p/a/AGENTS.md": b"nested\n",
    "/p/a/CLAUDE.md": b"@../docs/a.md\n",
    "/p/a/GEMINI.md": b"nested\n",
    "/p/a/b.py": b"1\n",
    "/p/config/environments/dev.yaml": b"a: b\n",
    "/p/docs/a.md": b"@b.md\n",
    "/p/docs/b.md": b"b\n",
    "/p/etcode.json": b'{"instructions": ["docs/*.md"]}',
    "/p/opencode.json": b'{"instructions": ["docs/*.md", "{file:docs/a.md}"]}',
    "/h/.claude/CLAUDE.md": b"home\n",
    "/h/.claude/settings.json": b"{}",
    "/h/.codex/AGENTS.md": b"home\n",
    "/h/.codex/config.toml": b'[projects."/p"]\ntrust_level = "trusted"\n',
    "/h/.config/opencode/AGENTS.md": b"home\n",
    "/h/.gemini/GEMINI.md": b"home\n",
}
DIRECTORIES = {os.path.dirname(path)[:end] for path in FILES for end in range(2, len(path))}
MODES = {"file": stat.S_IFREG, "directory": stat.S_IFDIR, "special": stat.S_IFIFO}
AGREES = {
    "file": {"file", "unreadable"},
    "directory": {"directory"},
    "special": {"special"},
    None: {"missing", "broken-link", "unreadable"},
}


class Changing:
    """A disk of which each look finds another state: mostly that of ``FILES``, or anything else."""

    def __init__(self, seed: int, change: float) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a test that can be repeated
        self._change = change

    def _at(self, path: str) -> str | None:
        if self._random.random() < self._change:
            return self._random.choice((None, "file", "directory", "special"))
        return "file" if path in FILES else "directory" if path in DIRECTORIES else None

    def stat_of(self, path: str) -> Info | None:
        kind = self._at(path)
        return Info((MODES[kind] | 0o644, len(path), 0, 0, 0, 0)) if kind else None

    def read(self, path: str, *, info: Info | None = None) -> Contents:
        del info  # it is another disk by now
        kind = self._at(path)
        if kind == "file":
            data = FILES.get(path, b"other\n")
            return Contents("file", data, len(data))
        states: tuple[State, ...] = ("missing", "broken-link", "unreadable")
        return Contents("directory" if kind == "directory" else "special" if kind else self._random.choice(states))

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        head = path.rstrip("/") + "/"
        names = {each[len(head) :].partition("/")[0] for each in FILES if each.startswith(head)}
        kinds = {name: self._at(head + name) for name in [*sorted(names), "AGENTS.md", "x.md"]}
        is_link = self._random.random() < self._change
        return tuple(
            DirectoryEntry(name, is_directory=kind == "directory" and not is_link, is_link=is_link)
            for name, kind in kinds.items()
            if kind
        )

    def realpath(self, path: str) -> str:
        return path if self._random.random() > self._change else "/p/docs/a.md"


@pytest.mark.parametrize("order", list(itertools.permutations(("kind", "read", "entries"))), ids=" ".join)
def test_all_looks_at_a_path_agree(order: tuple[str, ...]) -> None:
    for seed in range(200):
        host = Host(home="/h", env={}, disk=Changing(seed, 0.5))
        for path in ("/p/AGENTS.md", "/p/a", "/p/gone"):
            answers = {look: getattr(host, look)(path) for look in order}
            assert answers["read"].state in AGREES[answers["kind"]]
            assert answers["kind"] == "directory" or not answers["entries"]
            assert answers == {look: getattr(host, look)(path) for look in order}, "and so it stays"


@pytest.mark.parametrize("harness", harnesses.names())
@pytest.mark.parametrize("change", [0.05, 0.3])
def test_no_harness_raises(harness: str, change: float) -> None:
    for seed in range(25):
        host = Host(home="/h", env={"HOME": "/h"}, disk=Changing(seed, change))
        prompt = harnesses.preview(Session(harness, "/p/a", turns=reading(("/p/a/b.py",))), host)
        assert list(text_view.to_text(prompt, prompt_problems(prompt)))
        for message in prompt.messages:
            assert "".join(segment.text for segment in message.segments) == message.text


def test_no_check_raises() -> None:
    inside = [path for path in FILES if path.startswith("/p/") and "/.git/" not in path]
    for seed in range(10):
        host = Host(home="/h", env={"HOME": "/h"}, disk=Changing(seed, 0.1))
        assert detect(host, "/p/a", "/p") is not None
        assert find(host, "/p/a", "/p").faults is not None
        places = sessions.places("/p", inside)
        sessions.look_ahead(host, places, harnesses.names())
        prompts = [each for name in harnesses.names() for each in sessions.prompts(host, places, name, DEFAULT)]
        assert prompts
        assert reported_problems(Tree("/p", tuple(inside), tuple(prompts), host, "/p"), DEFAULT, ("", ())) is not None
