"""A check of twice as many rules, each for files of its own, takes twice the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.checks import merged_problems
from promptls.checks.fixes import with_fixes
from promptls.checks.tree import Tree
from promptls.core.glob_index import Paths, Rules
from promptls.core.host import Host
from promptls.core.settings import DEFAULT
from promptls.sessions import of_folder as sessions
from tests.folder import lay_out
from tests.harnesses.shown import Files
from tests.hostile.test_linear import MOST, steps
from tests.limits import at_most

pytestmark = pytest.mark.same_everywhere
# Where each harness has its rules, and the key of their patterns.
FORMS = {
    "claude-code": (".claude/rules/{}.md", "paths"),
    "copilot-cli": (".github/instructions/{}.instructions.md", "applyTo"),
    "copilot-vscode": (".github/instructions/{}.instructions.md", "applyTo"),
    "cursor": (".cursor/rules/{}.mdc", "globs"),
    "qwen-code": (".qwen/rules/{}.md", "paths"),
    "kimi-cli": (".kimi/rules/{}.md", "paths"),
}
# Patterns, some of which have no name of their own, and some of which match nothing.
PATTERNS = ("src/p{}/**/*.ts", "src/**/*p{}.ts", "**/*.ts", "nowhere{}/**", "src/{{p,q}}{}/*.{{ts,tsx}}")
# What matches a pattern is told by each harness; what a check does of it is the same for all.
CASES = [
    *(("claude-code", each) for each in PATTERNS),
    *((harness, each) for harness in FORMS for each in (PATTERNS[0], PATTERNS[-1]) if harness != "claude-code"),
]
FEW = 30


@pytest.mark.parametrize(("harness", "pattern"), CASES)
def test_twice_the_rules_take_twice_the_steps(tmp_path: Path, harness: str, pattern: str) -> None:
    place, key = FORMS[harness]

    def cost(count: int) -> int:
        files: Files = {place.format(n): f'---\n{key}: "{pattern.format(n)}"\n---\nRule {n}.\n' for n in range(count)}
        files |= {f"src/p{n}/ap{n}.ts": "" for n in range(count)}
        top = lay_out(tmp_path / str(count), files)
        host = Host(home=str(tmp_path), env={})
        paths = sorted(f"{top}/{each}" for each in files)

        def check(_: str) -> None:
            made = tuple(sessions.prompts(host, sessions.places(str(top), paths), harness, DEFAULT))
            with_fixes(merged_problems(Tree(str(top), tuple(paths), made, host)), host, paths)

        return steps(check, "")

    with at_most(120):
        cost(3)
        one, two = cost(FEW), cost(2 * FEW)
    assert two <= MOST * one


def test_rules_are_found_by_the_rarest_name_of_each_pattern() -> None:
    patterns = [["src/a/*.ts"], ["src/b/*.ts", "lib/**"], ["**/*.md"], ["{src/a,x}/y"], ["!src/a"], ["Src/A/**"], []]
    rules = Rules(patterns)
    assert rules.near("/p/src/a/x.ts") == [0, 4, 5]
    assert rules.near("/p/lib/x") == [1, 4]
    assert rules.near("/p/src/a/x.md") == [0, 2, 4, 5]
    assert rules.near("/p/src/a/y") == [0, 3, 4, 5]
    # A long s is an S in another case.
    assert rules.near("/é/ſrc/A/x.ts") == [0, 2, 4, 5]
    assert rules.near("/é/x.ts") == [4]


def test_paths_are_found_by_what_a_pattern_spells_out() -> None:
    paths = Paths(["/p/src/a/x.ts", "/p/src/b/x.ts", "/p/é/x.ts", "/é/ſrc/a/x.ts"])
    # A long s is an s in another case; an é is no letter of ASCII in any.
    assert paths.near("src/A/*") == ["/p/src/a/x.ts", "/é/ſrc/a/x.ts"]
    assert paths.near("src/b/*.ts", "src/{no,where}/**") == ["/p/src/b/x.ts", "/é/ſrc/a/x.ts"]
    assert paths.near("**/src/[ab]/?.ts") == ["/p/src/a/x.ts", "/p/src/b/x.ts", "/é/ſrc/a/x.ts"]
    assert paths.near("**/[a-z]*.ts") == paths.near("**/*.ts", "**") == paths.paths


def test_what_is_around_a_group_is_spelled_out() -> None:
    paths = Paths(["/p/app/(shop)/x.ts", "/p/app/shop/x.ts", "/p/lib/(shop)/x.ts", "/p/lib/x.ts"])
    assert paths.near("app/(shop)/**") == paths.paths[:2]
    # A group may mean nothing, several letters, or what it says.
    assert paths.near("lib/(shop)?/*", "lib/(sh|x)*/**") == paths.paths[2:]
    assert paths.near("li(b|c)/+(shop)/x.ts") == paths.paths
