from promptls.core.text import LineIndex


def test_only_three_line_ends_break_a_line() -> None:
    index = LineIndex("a\fb\u2028c\r\nd\re")
    assert index.position(index.text.index("d")) == (1, 0)
    assert index.position(index.text.index("e")) == (2, 0)
