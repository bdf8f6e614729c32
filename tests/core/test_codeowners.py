"""CODEOWNERS as GitHub's page "About code owners" describes it."""

from __future__ import annotations

import pytest

from promptls.core.formats.codeowners import owners

pytestmark = pytest.mark.same_everywhere

# The example of that page, without its comments.
EXAMPLE = """
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.py", "@global-owner1 @global-owner2"),
        ("a/b.js", "@js-owner"),
        ("b.go", "docs@example.com"),
        ("x/y.txt", "@octo-org/octocats"),
        ("build/logs/a.py", "@octocat"),  # **/logs comes later
        ("docs/a.md", "@doctocat"),
        ("docs/a/b.md", "@doctocat"),
        ("x/apps/a.py", "@octocat"),
        ("scripts/a", "@doctocat @octocat"),
        ("deeply/nested/logs/a", "@octocat"),
        ("apps/a.py", "@octocat"),
        ("apps/github/a.py", ""),
    ],
)
def test_the_example_of_the_page(path: str, expected: str) -> None:
    assert " ".join(owners(EXAMPLE, path)) == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("docs/* @a", "docs/a.md", ["@a"]),
        ("docs/* @a", "docs/a/b.md", []),
        ("docs/** @a", "docs/a/b.md", ["@a"]),
        ("/docs @a", "docs/a/b.md", ["@a"]),
        ("/docs @a", "x/docs/b.md", []),
        ("docs @a", "x/docs/b.md", ["@a"]),
        ("a\\ b/ @a", "a b/c", ["@a"]),
        ("Docs/ @a", "docs/c", []),
        # What does not work takes no effect: a negation, a class, an escaped comment, an owner that is none.
        ("* @a\n!docs/ @b\n[d]ocs/ @b\n\\#x @b\ndocs/ nobody", "docs/c", ["@a"]),
        ("# docs/ @a", "docs/c", []),
        ("docs/ @a\r\n", "docs/c", ["@a"]),
        ("docs/\t@a\t# a comment @b", "docs/c", ["@a"]),
        ("", "docs/c", []),
        ("/ @a", "docs/c", []),
    ],
)
def test_a_line(text: str, path: str, expected: list[str]) -> None:
    assert list(owners(text, path)) == expected
