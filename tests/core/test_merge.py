from __future__ import annotations

import pytest

from promptls.core.merge import blocks, is_title_of, merged


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# A\n\n- one\n  two\n\n      code\n- three\n\n1. x\n2. y\n",
        "```sh\n# no heading\n\n- no item\n```\nafter\n",
        "<!-- a\n\nb --> c\n\n| a | b |\n| - | - |\n",
        "no end\n```\nopen\n",
    ],
)
def test_blocks_are_the_text(text: str) -> None:
    assert "".join(each.text for each in blocks(text)) == text


def test_a_block_is_known_below_the_same_heading_only() -> None:
    first = "# Rules\n\nBe brief.\n\n## Tests\n\n- Run them.\n- Twice.\n"
    other = "Be brief.\n\n## Tests\n- Run them.\n- Fix them.\n\n## Style\n\n- Run them.\n"
    assert merged([("A.md", first), ("B.md", other)]) == (
        f"{first}\n## Tests\n\n- Fix them.\n\n## Style\n\n- Run them.\n"
    )


def test_the_first_text_stays_as_it_is() -> None:
    first = "odd  \n\n\n   spaces"
    assert merged([("A.md", first), ("B.md", "odd\n")]) == first
    assert merged([("A.md", first), ("B.md", "new\n")]) == f"{first}\n\nnew\n"


def test_as_often_as_a_text_says_it() -> None:
    assert merged([("A.md", "- a\n"), ("B.md", "- a\n- a\n")]) == "- a\n\n- a\n"


def test_the_title_with_the_name_of_the_file_goes() -> None:
    assert merged([("AGENTS.md", "Be brief.\n"), ("CLAUDE.md", "# CLAUDE.md\n\nBe kind.\n")]) == (
        "Be brief.\n\nBe kind.\n"
    )
    assert is_title_of("# `claude.md`", "CLAUDE.md")
    assert not is_title_of("## CLAUDE.md", "CLAUDE.md")


def test_a_heading_that_is_new_stays_without_text() -> None:
    assert merged([("A.md", "x\n"), ("B.md", "# One\n\n## Two\n")]) == "x\n\n# One\n\n## Two\n"


def test_a_fence_without_its_language_is_said_by_one_that_names_it() -> None:
    one, bare = "Run:\n\n```txt\nmake test\n```\n", "Run:\n\n```\nmake test\n```\n"
    assert merged([("A.md", one), ("B.md", bare)]) == one
    # The other way round, what the language is would be lost.
    assert merged([("A.md", bare), ("B.md", one)]) == f"{bare}\nRun:\n\n```txt\nmake test\n```\n"


def test_what_a_line_leads_up_to_stays_below_it() -> None:
    first = "Run it:\n\n```\nmake\n```\n"
    assert merged([("A.md", first), ("B.md", "Before all else:\n\n```\nmake\n```\n")]) == (
        f"{first}\nBefore all else:\n\n```\nmake\n```\n"
    )


@pytest.mark.parametrize(
    ("first", "other", "added"),
    [
        # A line that leads up to a list is a place as a heading is.
        (
            "## Errors & tests\n\n- Be early.\n",
            "Errors and Tests:\n\n- Be early.\n- Log.\n",
            "Errors and Tests:\n\n- Log.\n",
        ),
        ("## Style guidelines\n\n- Be brief.\n", "## Style and structure\n\n- Be brief.\n", "## Style and structure\n"),
        # The other way round, it would be said of less.
        ("## Style & structure\n\n- Be brief.\n", "## Style\n\n- Be brief.\n", "## Style\n\n- Be brief.\n"),
        ("## Rules\n\n- Be brief.\n", "## Standards\n\n- Be brief.\n", "## Standards\n\n- Be brief.\n"),
        ("## C\n\n- Be brief.\n", "## C++\n\n- Be brief.\n", "## C++\n\n- Be brief.\n"),
        ("- Be brief.\n", "## C\n\n- Be brief.\n", "## C\n\n- Be brief.\n"),
        # Of another level, a heading is another line.
        ("# A\n\n## Rules\n\n- One.\n", "# Rules\n\n## Rules\n\n- One.\n", "# Rules\n"),
        # A line that would lead up to nothing keeps what it leads up to.
        ("## Setup\n\n```\nmake\n```\n", "**Setup:**\n```\nmake\n```\n", "**Setup:**\n\n```\nmake\n```\n"),
        ("## Rules\n\n- One.\n- Two.\n", "Rules:\n- One.\n- Two.\n\nEnd.\n", "Rules:\n\n- One.\n- Two.\n\nEnd.\n"),
        # A line that is known leads up to what is new as well.
        ("Before a commit:\n- Run it.\n", "Before a commit:\n- Run it.\n- Sign.\n", "Before a commit:\n\n- Sign.\n"),
    ],
)
def test_in_which_place_a_block_is_known(first: str, other: str, added: str) -> None:
    assert merged([("A.md", first), ("B.md", other)]) == f"{first}\n{added}"
