"""A check of twice as many rules, each for files of its own, takes twice the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.core.settings import DEFAULT
from promptls.kit.glob_index import Paths, Rules
from promptls.sessions import of_folder as sessions
from tests.folder import lay_out
from tests.harnesses.shown import Files
from tests.hostile.test_linear import MOST, steps
from tests.limits import at_most

# Where each harness has its rules, and the key of their patterns.
FORMS = {
    "claude-code": (".claude/rules/{}.md", "paths"),
    "copilot-cli": (".github/instructions/{}.instructions.md", "applyTo"),
    "copilot-vscode": (".github/instructions/{}.instructions.md", "applyTo"),
    "cursor": (".cursor/rules/{}.mdc", "globs"),
    "qwen-code": (".qwen/rules/{}.md", "paths"),
    "kimi-cli": (".kimi/rules/{}.md", "paths"),
}
FEW = 40


@pytest.mark.parametrize("harness", FORMS)
def test_twice_the_rules_take_twice_the_steps(tmp_path: Path, harness: str) -> None:
    place, key = FORMS[harness]

    def cost(count: int) -> int:
        files: Files = {place.format(n): f'---\n{key}: "src/p{n}/**/*.ts"\n---\nRule {n}.\n' for n in range(count)}
        files |= {f"src/p{n}/a.ts": "" for n in range(count)}
        top = lay_out(tmp_path / str(count), files)
        host = Host(home=str(tmp_path), env={})
        places = sessions.places(str(top), sorted(f"{top}/{each}" for each in files))
        return steps(lambda _: list(sessions.prompts(host, places, harness, DEFAULT)), "")

    with at_most(120):
        cost(3)
        one, two = cost(FEW), cost(2 * FEW)
    assert two <= MOST * one


def test_rules_are_found_by_the_rarest_name_of_each_pattern() -> None:
    patterns = [["src/a/*.ts"], ["src/b/*.ts", "lib/**"], ["**/*.md"], ["{src/a,x}/y"], ["!src/a"], ["Src/A/**"], []]
    rules = Rules(patterns)
    assert rules.near("/p/src/a/x.ts") == [0, 2, 3, 4, 5]
    assert rules.near("/p/lib/x") == [1, 2, 3, 4]
    # A long s is an S in another case.
    assert rules.near("/é/ſrc/A/x.ts") == [0, 2, 3, 4, 5]
    assert rules.near("/é/x.ts") == [2, 3, 4]


def test_paths_are_found_by_the_rarest_name_of_a_pattern() -> None:
    paths = Paths(["/p/src/a/x.ts", "/p/src/b/x.ts", "/p/é/x.ts", "/é/ſrc/a/x.ts"])
    assert paths.near("src/A/*") == ["/p/src/a/x.ts", "/é/ſrc/a/x.ts"]
    assert paths.near("**/*.ts") == paths.paths
