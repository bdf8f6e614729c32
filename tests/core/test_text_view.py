"""A prompt as text: what of it is shown."""

from __future__ import annotations

import pytest

from promptls.core.model import (
    COMPUTED,
    Candidate,
    Elided,
    Message,
    Origin,
    Problem,
    Prompt,
    Range,
    Segment,
    Session,
    Tool,
)
from promptls.core.render import to_markdown
from promptls.core.sizes import sizes
from promptls.core.text_view import Shown, has_part, part_names, to_text
from promptls.core.totals import counter_of
from promptls.core.values import replace

pytestmark = pytest.mark.same_everywhere
SKILL = "/w/.claude/skills/x/SKILL.md"


def own(name: str, size: int | None) -> Segment:
    return Segment("provider", name, f"⟪{name}⟫", Origin("builtin", name=name), "why", elided=Elided(name, size))


def file(path: str, text: str, layer: str = "instructions") -> Segment:
    return Segment(layer, path, text, Origin("file", path=path), "why")  # type: ignore[arg-type]


PROMPT = Prompt(
    Session("a", "/w", "1"),
    (
        Message("system", (own("preface", 400),), 0),
        Message("user", (own("tips", 40), file("/w/AGENTS.md", "Use tabs.\n"), file(SKILL, "x: makes x\n")), 1),
        Message("tool", (file("/w/a.py", "print()\n", "runtime"),), 2),
    ),
    (
        Candidate("loaded", "why", COMPUTED, SKILL, use="skill"),
        Candidate("missing", "why", COMPUTED, "/w/CLAUDE.md"),
        Candidate("missing", "why again", COMPUTED, "/w/CLAUDE.md"),
    ),
    tools=(Tool("read", True, "why", 45),),
)
PROBLEM = Problem("/w/AGENTS.md", Range(), "some-code", "warning", "Change it.")
DEFAULT = Shown(has_own=False, has_missing=False)


def shown(view: Shown, prompt: Prompt = PROMPT) -> list[str]:
    return [line.text for line in to_text(prompt, [PROBLEM], view)]


def test_the_own_text_follows_the_summary_and_the_problems() -> None:
    found = shown(DEFAULT)
    heads = [line.partition(" · ")[0] for line in found if line.startswith(("━━", "──"))]
    assert heads == [
        "━━ Problems",
        "━━ 2",
        "── AGENTS.md",
        f"── {SKILL[3:]}",
        "━━ 3",
        "── a.py",
        "━━ a itself, with its tools",
    ]
    assert found[-1] == "1 more place was looked at, and nothing is there; --looked-for lists it."
    assert "~100 tokens (estimate ±30 %)" in next(line for line in found if "itself, with its tools" in line)


def test_all_and_looked_for_unfold_the_rest() -> None:
    found = shown(Shown())
    assert "⟪preface⟫" in found
    assert "   read · ~10 tokens · offered · why" in found
    assert found[-2:] == ["━━ Looked for, not there", "   CLAUDE.md"]


def test_what_is_not_there_is_not_mentioned() -> None:
    bare = Prompt(Session("a", "/w", "1"), (Message("user", (file("/w/AGENTS.md", "x"),), 0),), ())
    found = shown(DEFAULT, bare)
    assert not [line for line in found if "itself" in line or "looked" in line]


def test_the_size_of_what_is_folded_may_be_a_minimum() -> None:
    unknown = Prompt(PROMPT.session, (Message("system", (own("preface", None),), 0),), ())
    assert "━━ a itself · not known · --all shows it ━━" in shown(DEFAULT, unknown)


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ("AGENTS.md", ["Use tabs."]),
        ("./AGENTS.md", ["Use tabs."]),
        ("/w/AGENTS.md", ["Use tabs."]),
        ("x/SKILL.md", ["x: makes x"]),
        ("skills", ["x: makes x"]),
        ("typed", ["print()"]),
        ("tool", ["print()"]),
        ("harness", ["⟪preface⟫", "⟪tips⟫"]),
        ("own", ["⟪preface⟫", "⟪tips⟫"]),
        ("user", ["⟪tips⟫", "Use tabs.", "x: makes x"]),
        ("tools", ["   read · ~10 tokens · offered · why"]),
        ("problems", ["   warning some-code · AGENTS.md:1:1 · Change it."]),
    ],
)
def test_only_a_part(only: str, expected: list[str]) -> None:
    assert has_part(PROMPT, only)
    found = shown(Shown(only=(only,)))
    assert [line for line in found if line and not line.startswith(("━━", "──", "   why"))] == expected


def test_only_the_summary_and_several_parts() -> None:
    found = shown(Shown(only=("summary", "AGENTS.md")))
    assert found[0].startswith("a 1 ")
    assert "Use tabs." in found
    assert "x: makes x" not in found


@pytest.mark.parametrize("name", ["GENTS.md", "gone.md", "hooks", "", "mcp"])
def test_there_is_no_such_part(name: str) -> None:
    assert not has_part(PROMPT, name)


def test_the_words_for_parts() -> None:
    words = ["summary", "problems", "system", "user", "tool", "harness", "file", "skills", "typed", "tools"]
    assert part_names(PROMPT) == words


def test_a_control_character_of_a_name_is_a_picture_and_that_of_a_text_stays() -> None:
    prompt = Prompt(PROMPT.session, (Message("user", (file("/w/a\x1bb.md", "c\x1bd\n"),), 0),), ())
    for found in ([*to_text(prompt)], [*to_markdown(prompt)]):
        assert all("\x1b" not in line.text for line in found if line.segment is None)
        assert [line.text for line in found if line.segment is not None] == ["c\x1bd"]


def test_sentences_name_files_as_the_lines_above_them_do() -> None:
    segment = Segment("instructions", "AGENTS.md", "x", Origin("file", path="/w/AGENTS.md"), "imported by /w/b.md")
    left_out = Candidate("shadowed", "/w/b.md is read instead of it, as /w2/c.md says", COMPUTED, "/w/c.md")
    prompt = Prompt(Session("a", "/w", "1"), (Message("user", (segment,), 0),), (left_out,))
    problem = Problem("/w/AGENTS.md", Range(), "some-code", "warning", "Write it into /w/b.md.")
    for found in (
        [line.text for line in each] for each in (to_text(prompt, [problem]), to_markdown(prompt, [problem]))
    ):
        text = "\n".join(found)
        assert "Write it into b.md." in text
        assert "imported by b.md" in text
        assert "· b.md is read instead of it, as /w2/c.md says" in text


def test_each_place_where_nothing_is_counts_once() -> None:
    candidates = [Candidate("missing", "why", COMPUTED, path) for path in ("/w/a.md", "/w/b.md", "/w/a.md")]
    candidates.append(Candidate("missing", "why", COMPUTED, url="https://rules.example/x"))
    found = shown(DEFAULT, Prompt(PROMPT.session, (), tuple(candidates)))
    assert found[-1] == "3 more places were looked at, and nothing is there; --looked-for lists them."


def test_the_heading_of_a_file_has_the_size_that_the_table_has() -> None:
    text = file("/w/AGENTS.md", "Use tabs.\n")
    frame = Segment("instructions", "frame", "Contents of AGENTS.md, which you always follow:\n\n", text.origin, "why")
    head, tail = replace(frame, frame="head"), replace(frame, text="\n</of-one-file>", frame="tail")
    closing = Segment("instructions", "frame", "\n</all-of-them-together>", COMPUTED, "why", frame="tail")
    prompt = replace(PROMPT, messages=(Message("user", (head, text, tail, closing), 0),), tools=None)
    (size,) = [each.tokens for each in sizes(prompt) if each.name == "/w/AGENTS.md"]
    assert any(line.startswith(f"── AGENTS.md · instructions · ~{size} tokens") for line in shown(DEFAULT, prompt))
    assert size > counter_of(prompt)(text.text)
