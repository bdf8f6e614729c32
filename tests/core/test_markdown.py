import pytest

from promptls.core.formats import markdown

pytestmark = pytest.mark.same_everywhere
TEXT = """\
é @a `@b` **@c** [@d](@e)
- item
  <!-- nested -->

```
@f
```

    @g

<!-- one --> tail
text <!-- two -->

> ~~~
> @h
> ~~~
"""


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    """Each test reads its text anew, so that it is known which lines it needs."""
    markdown.parse.cache_clear()


def found(kind: str, text: str = TEXT) -> list[str]:
    return [text[span.start : span.end].strip() for span in markdown.parse(text) if span.kind == kind]


def test_code_is_found_by_exact_offsets() -> None:
    assert found("code") == ["`@b`"]
    assert [piece.split("\n")[0] for piece in found("fence")] == ["```", "~~~"]
    assert found("indented") == ["@g"]
    assert [span.kind for span in markdown.code(TEXT)] == ["code", "fence", "indented", "fence"]


def test_html_blocks_know_whether_they_are_nested() -> None:
    blocks = [span for span in markdown.parse(TEXT) if span.kind == "html"]
    assert [(TEXT[span.start : span.end].strip(), span.is_nested) for span in blocks] == [
        ("<!-- nested -->", True),
        ("<!-- one --> tail", False),
    ]
    assert found("tag") == ["<!-- two -->"]


def test_plain_text_ends_at_every_mark() -> None:
    assert found("text")[:5] == ["é @a", "", "@c", "", "@d"]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("`a` b", [("code", 0, 3), ("text", 3, 5)]),
        ("a `b`", [("text", 0, 2), ("code", 2, 5)]),
        ("`a`*b*", [("code", 0, 3), ("text", 4, 5)]),
    ],
)
def test_no_text_is_empty(text: str, spans: list[tuple[str, int, int]]) -> None:
    assert [(span.kind, span.start, span.end) for span in markdown.parse(text)] == spans


def test_dashes_on_the_first_line_are_no_front_matter() -> None:
    assert found("text", "---\n@a: b\n---\n@c\n")[-1] == "@c"


@pytest.mark.parametrize("text", ["", "`", "```\n", "\ud800@a `b`", "~" * 100_000, "[" * 3000, "> " * 300 + "x"])
def test_nothing_raises_and_spans_lie_in_the_text(text: str) -> None:
    assert all(0 <= span.start <= span.end <= len(text) for span in markdown.parse(text))


@pytest.mark.parametrize("run", ["~" * 600, "*" * 600, "*a " * 600])
def test_marks_without_a_meaning_keep_their_places(run: str) -> None:
    assert found("code", f"{run} `code` and\nmore `text`\n") == ["`code`", "`text`"]


def test_a_section_ends_where_the_next_of_its_level_begins() -> None:
    text = "# A #\n## B\n### C\n```\n# no\n```\n## D ##\r\n#no\n    # no\n   # E\n####### no"
    found = [(each.title, each.level, text[each.start : each.end].count("\n")) for each in markdown.headings(text)]
    assert found == [("A", 1, 9), ("B", 2, 5), ("C", 3, 4), ("D", 2, 3), ("E", 1, 1)]
    assert markdown.headings("none") == []


def test_links_stand_in_no_code() -> None:
    text = "[a](b.md) `[c](d.md)` [e](<f g.md>) \\[h\\](i) [j](k(1).md) ![l](m.png) [n]( o.md 'p')"
    assert [(each.target, text[each.start : each.end]) for each in markdown.links(text)] == [
        (each, each) for each in ("b.md", "f g.md", "k(1).md", "m.png", "o.md")
    ]


def test_what_holds_an_offset() -> None:
    inside = markdown.Inside(markdown.code("a `b` c `d`"))
    assert [inside.at(offset) is not None for offset in (0, 1, 2, 4, 5, 7, 8, 10, 11)] == [
        *(False, False, True, True, False, False, True, True, False)
    ]


@pytest.mark.parametrize("text", ["See @x\0", "See @x\0\n", "\0", "a\0\n\nSee @x"])
def test_a_nul_is_a_letter(text: str) -> None:
    same = [(span.kind, span.start, span.end) for span in markdown.parse(text.replace("\0", "n"))]
    assert [(span.kind, span.start, span.end) for span in markdown.parse(text)] == same
