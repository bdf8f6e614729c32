import pytest

from promptls.core.formats import markdown

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


def test_dashes_on_the_first_line_are_no_front_matter() -> None:
    assert found("text", "---\n@a: b\n---\n@c\n")[-1] == "@c"


@pytest.mark.parametrize("text", ["", "`", "```\n", "\ud800@a `b`", "~" * 100_000, "[" * 3000, "> " * 300 + "x"])
def test_nothing_raises_and_spans_lie_in_the_text(text: str) -> None:
    assert all(0 <= span.start <= span.end <= len(text) for span in markdown.parse(text))
