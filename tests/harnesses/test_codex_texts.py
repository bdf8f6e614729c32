"""What Codex makes of rules files, of the front matter of skills, and of values of the wrong type."""

from __future__ import annotations

import pytest

from promptls.core.formats import parse_toml
from promptls.core.model import Range
from promptls.harnesses.codex.messages.command_rules import parse
from promptls.harnesses.codex.skills.header import read_header
from promptls.harnesses.codex.start.types import type_fault

pytestmark = pytest.mark.same_everywhere


def columns(where: Range | None) -> str:
    """``2:1-2:4``: lines and columns from 1."""
    if where is None:
        return ""
    return f"{where.start_line + 1}:{where.start_character + 1}-{where.end_line + 1}:{where.end_character + 1}"


@pytest.mark.parametrize(
    ("text", "prefixes"),
    [
        ('prefix_rule(pattern=["a"])', "a"),
        ('prefix_rule(pattern=["a", ["b", "c"], "d"], decision="allow")', "a [b|c] d"),
        ('prefix_rule(pattern=[["a", "b"], "c"])', "a c, b c"),
        ('prefix_rule(pattern=[["a"], ["b"], []],)', "a b "),
        ("""prefix_rule(pattern=['a\\n\\'', "b\\q"], justification=None)""", "a\n' bq"),
        ('prefix_rule(pattern=["a"], decision="forbidden")', None),
        ('prefix_rule(pattern=["a"], decision=prompt)', None),
        ('prefix_rule(pattern="a")', None),
        ("prefix_rule(pattern=[])", None),
        ("prefix_rule(pattern=[1])", None),
        ("prefix_rule()", None),
        ("prefix_rule", None),
        ('# prefix_rule(pattern=["a"])', None),
    ],
)
def test_a_rule_allows(text: str, prefixes: str | None) -> None:
    rules, flaw = parse(text)
    found = [", ".join(" ".join(words) for words in each) for _, _, each in rules]
    assert (found, flaw) == ([] if prefixes is None else [prefixes], None)


@pytest.mark.parametrize(
    "broken",
    [
        *('prefix_rule(pattern=["a"]', 'prefix_rule(pattern=["a")', 'prefix_rule("a")', "prefix_rule(pattern="),
        *("prefix_rule(a", "prefix_rule(pattern", "prefix_rule(", 'prefix_rule(pattern=("a"))', "prefix_rule(a b)"),
    ],
)
def test_a_rule_that_cannot_be_read_loses_itself_alone(broken: str) -> None:
    good = 'prefix_rule(pattern=["b"])'
    assert parse(broken) == ([], 0)
    assert parse(f"{good} {broken}") == ([(0, len(good), [("b",)])], len(good) + 1)
    ((_, _, words),), flaw = parse(f"{broken} prefix_rule {good}")
    assert (words, flaw) == ([("b",)], 0)


def test_a_rule_may_begin_where_another_one_cannot_be_read() -> None:
    good = 'prefix_rule(pattern=["b"])'
    assert parse(f"prefix_rule({good}") == ([(12, 12 + len(good), [("b",)])], 0)


@pytest.mark.parametrize(
    ("inside", "description", "where"),
    [
        ("name: a\ndescription: b", "b", "3:14-3:15"),
        ("description: a: b", "a: b", "2:14-2:18"),
        ("\ndescription: a: b", "a: b", "3:14-3:18"),
        ("description:   a: b   ", "a: b", "2:16-2:20"),
        ("description: 'a' # c: d", "a", "2:14-2:17"),
        ("description: a: b # c", "a: b", "2:14-2:22"),
        ("description: |\n  a: b\n  c", "a: b c", "2:14-5:1"),
        ("description: >- # c\n  a: b\nname: x: y", "a: b", "2:14-2:20"),
        ("description: |\n  a: b: c\n\n  d: e: f\nname: x: y", "a: b: c d: e: f", "2:14-2:15"),
        ("description: a: b   # c", "a: b", "2:14-2:24"),
        ("description: true", "true", "2:14-2:18"),
        ("description: 12", "12", "2:14-2:16"),
        ("description: a:", "a:", "2:14-2:16"),
        ("description: [a", "[a", "2:14-2:16"),
        ("description: {a: b}", "{a: b}", "2:14-2:20"),
        ("description: a\n  b", "a b", "2:14-3:4"),
        ("description: it's a: b", "it's a: b", "2:14-2:23"),
        ("description: @x", "@x", "2:14-2:16"),
        ("description: `x` it's: so", "`x` it's: so", "2:14-2:26"),
        ("description: one # comment", "one", "2:14-2:17"),
        ("description: 1.50", "1.50", "2:14-2:18"),
        ("other:\n  - a: b: c\ndescription: d", "d", "4:14-4:15"),
    ],
)
def test_the_description_of_a_skill(inside: str, description: str, where: str) -> None:
    found = read_header(f"---\n{inside}\n---\nbody")
    assert (found.description, columns(found.where), found.reason) == (description, where, "")


def test_the_dashes_of_a_skill() -> None:
    for opening, closing in ((" --- ", " ---"), ("---", "---\r"), ("---\r", "---")):
        assert read_header(f"{opening}\ndescription: a\n{closing}\n").description == "a"
    for text in ("---\n---\n", "---\ndescription: b", "description: b\n---\n", "--- x\ndescription: b\n---"):
        assert read_header(text).reason == "it has no front matter between two lines ---"


@pytest.mark.parametrize(
    ("inside", "reason", "where"),
    [
        ("", "its front matter has no description", "1:1-2:1"),
        ("name: a", "its front matter has no description", "1:1-2:1"),
        ("description: null", "its front matter has no description", "1:1-2:1"),
        ("words", "its front matter is no mapping", "2:1-2:6"),
        ("description: [a]", "the description is no text", "2:14-2:17"),
        ("- a", "its front matter is no mapping", "2:1-3:1"),
        ("name: a\nname: b", "the key name is there twice", "3:1-3:5"),
        ("description: *a", "the description begins with *, which YAML reserves", "2:14-2:16"),
        ("description: a\n  b: c", "this is not valid YAML", "2:1-3:4"),
        ('description: "a: b', "this is not valid YAML", "2:1-2:19"),
    ],
)
def test_a_skill_without_a_description(inside: str, reason: str, where: str) -> None:
    found = read_header(f"---\n{inside}\n---\nbody")
    assert (found.reason, [columns(each.range) for each in found.faults]) == (reason, [where])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mcp_servers.a = 1", "1:17-1:18 this must be an object"),
        ('mcp_servers.a.command = "c"', ""),
        ('mcp_servers.a.url = "u"', ""),
        ("model = 1", "1:9-1:10 this must be a string"),
        ('approval_policy = "never"', ""),
        ('approval_policy = "x"', '1:19-1:22 this must be "on-failure" or "on-request" or "never"'),
        ("approval_policy.granular = {}", ""),
        ("history.persistence = {}", '1:23-1:25 this must be "save-all" or "none"'),
        ("features.a = true", ""),
        ("features.a = false", ""),
        ("features.a = {}", ""),
        ("features.a = 1", "1:14-1:15 this must be a boolean"),
        ("tui.notifications = []", ""),
        ("tui.notifications = {}", "1:21-1:23 this must be a boolean"),
        ("project_doc_max_bytes = 0", ""),
        ("project_doc_max_bytes = 1.0", "1:25-1:28 this must be a whole number, 0 or more"),
        ("project_doc_max_bytes = -1", "1:25-1:27 this must be a whole number, 0 or more"),
        ("model_context_window = -1", ""),
        ("model_context_window = 1.5", "1:24-1:27 this must be a whole number"),
        ('mcp_servers.a = {url = "u", startup_timeout_sec = 1.5}', ""),
        ('notify = "x"', "1:10-1:13 this must be an array"),
        ("notify = [1]", "1:11-1:12 this must be a string"),
        ("profiles.a = 1", "1:14-1:15 this must be an object"),
        ("unknown = 1", ""),
        ("model_verbosity = 1\nmodel = 1", '1:19-1:20 this must be "low" or "medium" or "high"'),
        ("model = 1\nmodel_verbosity = 1", "1:9-1:10 this must be a string"),
    ],
)
def test_a_value_of_the_wrong_type(text: str, says: str) -> None:
    fault = type_fault(parse_toml(text))
    assert (f"{columns(fault.range)} {fault.message}" if fault else "") == says
