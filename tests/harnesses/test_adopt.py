"""``tools/adopt.py``: what was learned of a version, as a row of its module."""

from __future__ import annotations

import json
import re
import types
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from adopt import with_row

from promptls.core import specs
from promptls.core.values import replace
from promptls.harnesses.catalogue import FOLDERS
from promptls.harnesses.claude_code import versions as claude_code
from promptls.harnesses.codex import versions as codex
from promptls.harnesses.gemini_cli import versions as gemini_cli
from promptls.kit.base import Version
from promptls.kit.facts import GONE, LIKE, gaps, with_changes

pytestmark = pytest.mark.same_everywhere

CHANGES: dict[types.ModuleType, list[tuple[tuple[Any, ...], Any]]] = {
    codex: [
        (("models", "gpt-9"), {LIKE: "gpt-5.5"}),
        (("models", "gpt-9", "base"), 25_933),
        (("models", "gpt-10"), {LIKE: "gpt-6-sol"}),
        (("models", "gpt-5.5", "tools", "exec_command"), 1600),
        (("models", "gpt-5.5", "tools", "new_tool"), 100),
        (("models", "gpt-5.5", "tools", "view_image"), GONE),
        (("skills", "intro"), 300),
        (("max_bytes",), 40_000),
    ],
    claude_code: [
        (("built_in_skills", 3, "size"), 627),
        (("late_skills", 1), {LIKE: 0, "name": "new", "size": 7}),
        (("labels", "user"), "another label"),
        (("own_prompt",), 5658),
    ],
    gemini_cli: [
        (("systems", "gemini-3", "further", (False, "plan"), 1), 14_000),
        (("systems", "gemini-", "git", 0), 1600),
    ],
}


LEARNED = [
    import_module(f"promptls.harnesses.{FOLDERS[name]}.versions") for name in FOLDERS if specs.of(name).is_learned
]


def adopted(module: types.ModuleType, version: str, changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    """The module with a row of a version that was learned."""
    kept = {
        "version": version,
        "base": module.ROWS[0].version.name,
        "changes": [{"at": list(place), "value": value} for place, value in changes],
        "sessions": {"run": 5},
    }
    text = with_row(Path(str(module.__file__)).read_text("utf-8"), json.loads(json.dumps(kept)), module.ROWS)
    made = types.ModuleType(module.__name__)
    exec(compile(text, "versions.py", "exec"), made.__dict__)  # noqa: S102 - the rows themselves
    return made


def names(module: Any) -> list[str]:
    return [each.version.name for each in module.ROWS]


@pytest.mark.parametrize("module", CHANGES, ids=lambda each: each.__name__)
def test_the_row_has_what_was_learned(module: types.ModuleType) -> None:
    base, changes = module.ROWS[0], CHANGES[module]
    version = base.version.name + ".1"
    made = adopted(module, version, changes)
    wanted = replace(with_changes(base, changes), version=Version(version, verified=True, like=base.version.name))

    def shown(row: Any) -> str:
        text = re.sub(r"<[^>]* at 0x[0-9a-f]+>", "", repr(row))
        # Equal sets may name what they have in another order.
        return re.sub(r"(?<=frozenset\(\{)[^}]*", lambda found: ", ".join(sorted(found[0].split(", "))), text)

    assert shown(made.ROWS[0]) == shown(wanted)
    assert names(made)[1:] == names(module)


@pytest.mark.parametrize("module", LEARNED, ids=lambda each: each.__name__)
def test_the_newest_row_is_named_so(module: types.ModuleType) -> None:
    """What describes a harness asks NEWEST, and would else say what an older version does."""
    assert module.ROWS[0] is module.NEWEST
    newest = module.NEWEST.version.name
    made = adopted(module, f"{newest}.1", [])
    assert made.ROWS[0] is made.NEWEST
    assert names(made) == [f"{newest}.1", *names(module)]


def test_an_older_version_is_not_the_newest() -> None:
    made = adopted(codex, "0.1.0", [])
    assert names(made) == [*names(codex), "0.1.0"]
    assert made.ROWS[0] is made.NEWEST


def test_what_nobody_measured_of_a_row_is_that_of_another() -> None:
    """A table that has anything was measured; a tool that is not in it is not sent."""
    found = dict(gaps(replace(claude_code.NEWEST, own_prompt=None, own_prompts={}), claude_code.NEWEST))
    models = {("own_prompts", each) for each in claude_code.NEWEST.own_prompts}
    assert set(found) == {("own_prompt",), *models}
    assert found["own_prompt",] == claude_code.NEWEST.own_prompt
    less = replace(claude_code.NEWEST.tools, sent={"Bash": 1})
    assert list(gaps(replace(claude_code.NEWEST, tools=less), claude_code.NEWEST)) == []
