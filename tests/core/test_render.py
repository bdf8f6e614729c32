"""A prompt with one of everything, as text, Markdown and JSON: what people read, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.core import render
from promptls.core.blocks import blocks, parts
from promptls.core.model import (
    COMPUTED,
    Call,
    Candidate,
    Cut,
    Elided,
    FetchResult,
    Limit,
    Message,
    OpenFile,
    Origin,
    Problem,
    Prompt,
    Range,
    Segment,
    Session,
    Tool,
    Turn,
    VerifiedHere,
    reading,
)
from promptls.core.phrases import cut_says, limit_text, summary, verified_text
from promptls.core.prompt_json import to_json
from promptls.core.render import Line, SourceLine, message_title, nearest, size_lines, source_line, to_markdown
from promptls.core.sizes import Size
from promptls.core.text_view import to_text
from promptls.core.totals import loaded_files

pytestmark = pytest.mark.same_everywhere
AGENTS = Origin("file", "/w/AGENTS.md", range=Range(2, 0, 4, 0))
SETTING = Origin("config", "/w/settings.json", range=Range(6, 2, 6, 9), name="limit")
RULES = Origin("url", url="https://rules.example/x", name="urls")


def prompt(**changed: Any) -> Prompt:
    system = Message(
        "system",
        (
            Segment("provider", "preface", "[preface]", COMPUTED, "it is built in", "static", elided=Elided("p", 40)),
            Segment("runtime", "frame", "<rules>\n", COMPUTED, "a frame", frame="head"),
            Segment("instructions", "/w/AGENTS.md", "One.\nTwo.\n", AGENTS, "it is at the root", cut=CUT),
            Segment("instructions", "/w/AGENTS.md", "Three.\n", AGENTS, "it is at the root", cut=CUT),
            Segment("runtime", "frame", "</rules>", COMPUTED, "a frame", frame="tail"),
        ),
        0,
        cached=True,
    )
    tool = Message(
        "tool",
        (
            Segment("runtime", "/w/a.py", "1: ```", Origin("file", "/w/a.py"), "the session reads it", "turn"),
            Segment("instructions", "*rules*", "Be *kind*.", RULES, "it is named", "turn"),
            Segment("environment", "limit", "5", SETTING, "it is set"),
        ),
        1,
        at="read:/w/a.py",
    )
    candidates = (
        Candidate("loaded", "it is at the root", COMPUTED, "/w/AGENTS.md"),
        Candidate("cut", "it is long", SETTING, "/w/LONG.md", cut=CUT, at="read:/w/a.py"),
        Candidate("shadowed", "another wins", COMPUTED, "/w/CLAUDE.md", other="/w/AGENTS.md"),
        Candidate("failed", "no answer", RULES, url="https://rules.example/y", fetched=TIMEOUT),
        Candidate("missing", "it may be here", COMPUTED, "/w/local.md", use="config"),
        Candidate("missing", "it may be here too", COMPUTED, "/w/local.md"),
    )
    session = Session("stub", "/w", "1.2", reading(("/w/a.py",)), args=("--fast",), hints=("a hint",))
    whole: dict[str, Any] = {"session": session, "messages": (system, tool), "candidates": candidates}
    return Prompt(**whole | {"model": "m-1", "agent": "plan", "notes": ("A note.",), "verified": True} | changed)


CUT = Cut(1200, 3400, "bytes", "its limit", SETTING)
TIMEOUT = FetchResult("https://rules.example/y", "timeout", headers_seconds=0.5, total_seconds=5.0)
PROBLEM = Problem("/w/AGENTS.md", Range(3, 4, 3, 6), "some-code", "warning", "Change `it`.")
TOOLS = (Tool("read", True, "it is on", 0), Tool("bash", False, "it is off"))


def lines(found: Any) -> list[str]:
    return [line.text for line in found]


def test_text() -> None:
    assert "\n".join(lines(to_text(prompt(tools=TOOLS), [PROBLEM]))) == TEXT


def test_markdown() -> None:
    assert "\n".join(lines(to_markdown(prompt(tools=TOOLS), [PROBLEM], "A *title*"))) == MARKDOWN


def test_nothing_is_listed_that_is_not_there() -> None:
    bare = prompt(candidates=(), model=None, agent=None, notes=(), session=Session("stub", "/w", "1.2"))
    found = lines(to_text(bare))
    assert found[1] == "cwd /w"
    assert [text for text in found if text.startswith("━━")] == [
        "━━ 1 · system · at start · cache mark ━━",
        "━━ 2 · tool · on reading a.py ━━",
    ]


def test_a_file_that_is_read_again_is_named_once() -> None:
    session = Session("stub", "/w", "1.2", turns=reading(("/w/a.py",) * 1000))
    assert lines(to_text(prompt(session=session, model=None, agent=None)))[1] == "cwd /w · reads a.py"
    many = tuple(f"/w/{number}.py" for number in range(20))
    said = lines(to_text(prompt(session=Session("stub", "/w", "1.2", turns=reading(many)), model=None, agent=None)))[1]
    assert said.endswith(" · reads 0.py, 1.py, 2.py, 3.py, 4.py, 5.py, 6.py, 7.py, 8.py, 9.py, 10.py, 11.py and 8 more")


def test_what_sends_nothing_says_why() -> None:
    found = lines(to_text(prompt(messages=(), candidates=(), stopped="There is no directory.")))
    assert found == [
        "stub 1.2 · 0 files · ~0 tokens (estimate ±30 %)",
        "cwd /w · model m-1 · agent plan · reads a.py · args --fast",
        "",
        "Nothing is sent: There is no directory.",
        "A note.",
    ]


def test_the_summary_says_what_is_not_known() -> None:
    unknown = Segment("provider", "preface", "[preface]", COMPUTED, "it is built in", elided=Elided("p"))
    (first, *rest) = prompt().messages
    assert summary(prompt()) == "stub 1.2 · 3 files · ~31 tokens (estimate ±30 %)"
    assert summary(prompt(window=1000)) == "stub 1.2 · 3 files · ~31 tokens (estimate ±30 %), 3.1% of 1,000"
    more = prompt(messages=(Message("system", (unknown, *first.segments), 0), *rest), verified=False)
    assert summary(more) == "stub 1.2 (not verified on the wire) · 3 files · at least ~31 tokens (estimate ±30 %)"
    assert to_json(more)["totals"]["at_least"] is True


def test_limits_say_what_is_left() -> None:
    room, over = Limit("rules", 30, 100, "bytes"), Limit("memory", 1250, 200, "lines", SETTING)
    text = "\n".join(lines(to_text(prompt(limits=(room, over)))))
    assert "70 of 100 bytes left for rules\n1,050 lines over the limit of 200 for memory\n" in text
    setting = to_json(prompt())["candidates"][1]["cut"]["setting"]
    assert to_json(prompt(limits=(over,)))["limits"] == [
        {"name": "memory", "used": 1250, "most": 200, "left": 0, "unit": "lines", "setting": setting}
    ]


def test_json() -> None:
    found = to_json(prompt(), [PROBLEM], [{"name": "stub"}])
    assert found["harness"] == {"name": "stub", "version": "1.2", "verified": True, "tier": None}
    assert found["session"]["reads"] == ["/w/a.py"]
    assert found["session"]["hints"] == ["a hint"]
    assert found["tools"] is None
    assert found["found"] == [{"name": "stub"}]
    assert found["totals"] == {
        "characters": 59,
        "bytes": 59,
        "tokens": 31,
        "token_method": "estimate",
        "token_error": 30,
        "reported": None,
        "files": 3,
        "elided": 1,
        "at_least": False,
        "window": None,
    }
    assert to_json(prompt(tools=TOOLS))["tools"][1] == {
        "name": "bash",
        "enabled": False,
        "why": "it is off",
        "size": None,
        "origin": {"kind": "computed"},
    }


def test_json_of_segments() -> None:
    system, tool = to_json(prompt())["messages"]
    places = [(each["start"], each["end"]) for each in system["segments"]]
    assert places == [(0, 9), (9, 17), (17, 27), (27, 34), (34, 42)]
    assert system["segments"][0]["elided"] == {"name": "p", "size": 40}
    assert system["segments"][0]["cut"] is None
    assert system["segments"][2]["elided"] is None
    assert system["segments"][2]["origin"] == {
        "kind": "file",
        "path": "/w/AGENTS.md",
        "range": {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 0}},
    }
    assert tool["segments"][1]["origin"] == {"kind": "url", "url": "https://rules.example/x", "name": "urls"}
    cut = system["segments"][2]["cut"]
    assert (cut["kept"], cut["total"], cut["setting"]["name"]) == (1200, 3400, "limit")
    assert (system["cached"], tool["cached"], tool["at"], tool["index"]) == (True, False, "read:/w/a.py", 1)


def test_json_of_candidates() -> None:
    loaded, cut, shadowed, failed, *_ = to_json(prompt())["candidates"]
    assert loaded == {
        "path": "/w/AGENTS.md",
        "outcome": "loaded",
        "why": "it is at the root",
        "rule": "it is at the root",
        "reason": "",
        "origin": {"kind": "computed"},
        "use": "instruction",
        "at": "start",
    }
    assert (cut["cut"]["kept"], cut["at"]) == (1200, "read:/w/a.py")
    assert shadowed["other"] == "/w/AGENTS.md"
    assert failed["url"] == "https://rules.example/y"
    assert failed["fetched"] == {
        "state": "timeout",
        "status": None,
        "final_url": None,
        "headers_seconds": 0.5,
        "total_seconds": 5.0,
        "from_cache": False,
    }


def test_what_is_named_again_is_no_path_of_its_own() -> None:
    again = Segment("instructions", "x", "x", Origin("file", "/w/x.md", again=True), "why")
    (message,) = to_json(prompt(messages=(Message("user", (again,), 0),)))["messages"]
    assert message["segments"][0]["origin"] == {"kind": "file", "again": "/w/x.md"}


def test_a_frame_belongs_to_the_text_inside_of_it() -> None:
    system = prompt().messages[0]
    assert [(block.text, block.start) for block in blocks(system)] == [
        ("[preface]", 0),
        ("<rules>\nOne.\nTwo.\n", 8),
        ("Three.\n</rules>", 0),
    ]
    assert [len(part) for part in parts(system)] == [1, 2]
    head, tail = system.segments[1], system.segments[4]
    assert [block.text for block in blocks(Message("user", (tail,), 0))] == ["</rules>"]
    assert [block.text for block in blocks(Message("user", (system.segments[2], head, tail), 0))] == [
        "One.\nTwo.\n",
        "<rules>\n</rules>",
    ]


def test_a_line_knows_its_place_in_the_file() -> None:
    found = list(to_markdown(prompt(), [PROBLEM]))
    spots = {line.text: source_line(line) for line in found}
    assert spots["One."] == SourceLine("/w/AGENTS.md", 2)
    assert spots["Two."] == SourceLine("/w/AGENTS.md", 3)
    assert spots["Three."] == SourceLine("/w/AGENTS.md", 4)
    assert spots["1: ```"] == SourceLine("/w/a.py", 0)
    assert spots["Be *kind*."] is None
    (problem,) = [line for line in found if "some\\-code" in line.text or "some-code" in line.text]
    assert source_line(problem) == SourceLine("/w/AGENTS.md", 3)
    assert source_line(Line("x", origin=AGENTS)) == SourceLine("/w/AGENTS.md", 2)
    assert source_line(Line("x", origin=AGENTS, number=9)) == SourceLine("/w/AGENTS.md", 4)


def test_a_text_in_two_pieces_goes_on_where_it_stopped() -> None:
    origin = Origin("file", "/w/x.md")
    pieces = [Segment("instructions", "x", text, origin, "why") for text in ("a\nb ", "c\nd\n")]
    found = to_markdown(prompt(messages=(Message("user", tuple(pieces), 0),)))
    shown = [(line.text, line.number) for line in found if line.style == "text" and line.segment]
    assert shown == [("a", 0), ("b c", 1), ("d", 2)]


@pytest.mark.parametrize(
    ("text", "line"), [("a\nb\nc", 1), ("b\nx\nc", 0), ("x\ny\nb", 2), ("b\nx\nb", 2), ("x\r\ny\rz", 1), ("b", 0)]
)
def test_the_nearest_line_that_reads_so(text: str, line: int) -> None:
    assert nearest(SourceLine("/w/x.md", 1), " b ", text, near=1) == SourceLine("/w/x.md", line)


def test_a_line_further_away_is_another_one() -> None:
    assert nearest(SourceLine("/w/x.md", 3), "b", "b\n\n\n\n", near=2) == SourceLine("/w/x.md", 3)


def test_files_are_counted_once() -> None:
    assert loaded_files(prompt()) == ["/w/AGENTS.md", "https://rules.example/x", "/w/settings.json"]


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    text = Segment("instructions", "x", "````\n```", COMPUTED, "why")
    assert "`````markdown" in lines(to_markdown(prompt(messages=(Message("user", (text,), 0),))))


TEXT = """\
stub 1.2 · 3 files · ~31 tokens (estimate ±30 %)
cwd /w · model m-1 · agent plan · reads a.py · args --fast
A note.

typed and read (1)            9  ██████████████████████████████
AGENTS.md                     8  ███████████████████████████
https://rules.example/x       4  █████████████
settings.json                 2  ███████
stub itself                   8  ███████████████████████████

━━ Problems
   warning some-code · AGENTS.md:4:5 · Change `it`.

━━ 1 · system · at start · cache mark ━━
── preface · provider · not reproduced · the same in every session
   it is built in
[preface]
── AGENTS.md · instructions · ~8 tokens (estimate ±30 %) · cut: 1,200 of 3,400 bytes
   it is at the root
<rules>
One.
Two.
Three.
</rules>

━━ 2 · tool · on reading a.py ━━
── a.py · runtime · ~3 tokens (estimate ±30 %) · rebuilt for each request
   the session reads it
1: ```
── *rules* · from https://rules.example/x · instructions · ~4 tokens (estimate ±30 %) · rebuilt for each request
   it is named
Be *kind*.
── limit · from settings.json:7 · environment · ~2 tokens (estimate ±30 %)
   it is set
5

━━ Tools
   read · offered · it is on
   bash · not offered · it is off

━━ Not loaded
   shadowed · CLAUDE.md · another wins
   failed · https://rules.example/y · no answer

━━ Looked for, not there
   local.md"""
MARKDOWN = """\
# A \\*title\\*

stub 1.2 · 3 files · ~31 tokens (estimate ±30 %)
cwd /w · model m-1 · agent plan · reads a.py · args --fast
A note.

```text
typed and read (1)            9  ████████
AGENTS.md                     8  ███████
https://rules.example/x       4  ████
settings.json                 2  ██
stub itself                   8  ███████
```

## 1. system · at start · cache mark

### preface · provider · not reproduced · the same in every session

*it is built in*

```markdown
[preface]
```

### AGENTS.md · instructions · ~8 tokens (estimate ±30 %) · cut: 1,200 of 3,400 bytes

*it is at the root*

```markdown
<rules>
One.
Two.
Three.
</rules>
```

## 2. tool · on reading a.py

### a.py · runtime · ~3 tokens (estimate ±30 %) · rebuilt for each request

*the session reads it*

````markdown
1: ```
````

### \\*rules\\* · from https://rules.example/x · instructions · ~4 tokens (estimate ±30 %) · rebuilt for each request

*it is named*

```markdown
Be *kind*.
```

### limit · from settings.json:7 · environment · ~2 tokens (estimate ±30 %)

*it is set*

```markdown
5
```

## Tools
- read · offered · it is on
- bash · not offered · it is off

## Problems
- warning some-code · AGENTS.md:4:5 · Change \\`it\\`.

## Not loaded
- shadowed · CLAUDE.md · another wins
- failed · https://rules.example/y · no answer

## Looked for, not there
- local.md"""


def test_each_size_is_a_bar_in_proportion_to_the_largest() -> None:
    rows = [
        Size("/w/docs/a.md", "file", 2000),
        Size("skills", "skills", 1000, files=2, is_at_least=True),
        Size("harness", "harness", 40),
        Size("one-name-that-is-too-long.md", "url", 0),
    ]
    found = list(size_lines(Prompt(Session("a", "/w"), (), ()), rows, 14, 10))
    assert [line.text for line in found] == [
        "docs/a.md        2,000  ██████████",
        "skills (2)       1,000+ █████",
        "harness itself      40  ▏",
        "…s-too-long.md       0",
    ]
    assert [line.origin and line.origin.path for line in found] == ["/w/docs/a.md", None, None, None]


@pytest.mark.parametrize(("name", "is_whole"), [("a" * 24, True), ("a" * 25, False)])
def test_a_name_has_room_beside_another_editor(name: str, is_whole: bool) -> None:
    text = Segment("instructions", name, "One.\n", Origin("file", f"/w/{name}"), "it is at the root")
    shown = lines(to_markdown(prompt(messages=(Message("system", (text,), 0),)), [], "Prompt"))
    table = shown[shown.index("```text") + 1 : shown.index("```")]
    assert any(row.startswith(f"{name} ") for row in table) == is_whole


def test_without_any_size_there_is_no_bar() -> None:
    (line,) = size_lines(Prompt(Session("a", "/w"), (), ()), [Size("a", "url", 0)], 14, 10)
    assert line.text == "a       0"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (Size("a", "file", 1), "a       1  ████"),
        (Size("typed and read", "typed", 1), "typed and read       1  ████"),
        (Size("https://a.example", "url", 1, 1), "https://a.example       1  ████"),
    ],
)
def test_a_row_of_sizes(size: Size, shown: str) -> None:
    assert [line.text for line in size_lines(Prompt(Session("a", "/w"), (), ()), [size], 30, 4)] == [shown]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("a\r\nb\rc", ["a", "b", "c"]), ("\n", [""])],
)
def test_the_lines_of_a_text(text: str, expected: list[str]) -> None:
    assert render.lines(text) == expected


@pytest.mark.parametrize(
    ("origin", "says"),
    [
        (
            Origin("file", "/w/a.md", range=Range(2, 0, 3, 0)),
            "── words · from a.md · instructions",
        ),
        (Origin("config", "/w/a.json", range=Range(2, 0, 2, 9)), "── words · from a.json:3 · instructions"),
        (Origin("config", "/w/a.json"), "── words · from a.json · instructions"),
        (Origin("url", url="https://a.example/x"), "── words · from https://a.example/x · instructions"),
        (COMPUTED, "── words · instructions"),
    ],
)
def test_the_title_of_a_part_says_where_it_comes_from(origin: Origin, says: str) -> None:
    segment = Segment("instructions", "words", "four", origin, "why")
    shown = Prompt(Session("a", "/w"), (Message("user", (segment,), 0),), ())
    [title] = [line.text for line in to_text(shown) if line.style == "segment"]
    assert title == f"{says} · ~1 token (estimate ±30 %)"


def test_markdown_shows_a_name_literally_behind_its_bullet() -> None:
    missing = Candidate("missing", "why", COMPUTED, "/w/*a*.md")
    found = [line.text for line in to_markdown(Prompt(Session("a", "/w"), (), (missing,)))]
    assert found[-1] == r"- \*a\*.md"


def test_what_was_captured_says_when() -> None:
    segment = Segment("provider", "own", "x", COMPUTED, "why", captured="2026-01-02")
    shown = to_json(Prompt(Session("a", "/w"), (Message("system", (segment,), 0),), ()))
    assert shown["messages"][0]["segments"][0]["captured"] == "2026-01-02"


@pytest.mark.parametrize(
    ("used", "says"),
    [
        (4, "6 of 10 bytes left for files"),
        (10, "0 of 10 bytes left for files"),
        (11, "1 bytes over the limit of 10 for files"),
    ],
)
def test_how_much_of_a_limit_is_left(used: int, says: str) -> None:
    assert limit_text(Limit("files", used, 10, "bytes")) == says


OFF = ", without what the folder or you let it run"


@pytest.mark.parametrize(
    ("has_all", "unknown", "says"),
    [
        (True, 0, ""),
        (False, 0, OFF),
        (True, 1, ", apart from 1 thing that the preview does not know"),
        (False, 2, f", apart from 2 things that the preview does not know{OFF}"),
    ],
)
def test_what_was_verified_here_is_told(has_all: bool, unknown: int, says: str) -> None:
    here = VerifiedHere("1.2", "2026-01-02", has_all, unknown)
    said = f"Verified here on 2026-01-02: the installed pi 1.2 sends this prompt{says}."
    assert verified_text("pi", here) == said
    shown = to_json(Prompt(Session("pi", "/w"), (), (), verified_here=here))
    known = {"whole": not says, "all": has_all, "unknown": unknown}
    assert shown["verified_here"] == {"version": "1.2", "date": "2026-01-02", **known}


def test_turns_in_json_have_no_secrets() -> None:
    steps = ((Call("/w/a.py"), Call(tool="Bash", input='{"token": "ab"}')),)
    opened = (OpenFile("/w/b.py", Range(1, 2, 3, 4)), OpenFile("/w/c.py"))
    turn = Turn("token: ab", stdin="token: cd", attached=("/w/d.py",), open=opened, steps=steps)
    shown = to_json(Prompt(Session("a", "/w", turns=(turn, Turn())), (), ()))
    assert shown["session"]["turns"] == [
        {
            "prompt": "token: **",
            "stdin": "token: **",
            "attached": ["/w/d.py"],
            "open": [{"path": "/w/b.py", "selection": [1, 2, 3, 4]}, {"path": "/w/c.py", "selection": None}],
            "steps": [[{"read": "/w/a.py"}, {"tool": "Bash", "input": '{"token": "**"}'}]],
        },
        {"prompt": None, "stdin": None, "attached": [], "open": [], "steps": []},
    ]
    assert [call.at for call in steps[0]] == ["read:/w/a.py", 'tool:Bash {"token": "ab"}']


def test_sizes_and_problems_in_json() -> None:
    problem = Problem("/w/a.md", Range(1, 0, 1, 2), "some-code", "warning", "Change it.")
    own = Segment("instructions", "a", "four", Origin("file", "/w/a.md"), "why")
    shown = to_json(Prompt(Session("a", "/w"), (Message("user", (own,), 0),), ()), [problem])
    assert shown["sizes"] == [{"name": "/w/a.md", "kind": "file", "tokens": 1, "files": 1, "at_least": False}]
    assert shown["problems"] == [
        {
            "path": "/w/a.md",
            "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 2}},
            "code": "some-code",
            "severity": "warning",
            "message": "Change it.",
        }
    ]


@pytest.mark.parametrize(("count", "says"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_a_summary_counts_the_files(count: int, says: str) -> None:
    own = tuple(Segment("instructions", "x", "x", Origin("file", f"/w/{n}"), "why") for n in range(count))
    messages = (Message("user", own, 0),) if own else ()
    assert f" · {says} · " in summary(Prompt(Session("a", "/w", "1"), messages, ()))


@pytest.mark.parametrize(
    ("at", "when"),
    [
        ("start", "at start"),
        ("read:/w/src/a.py", "on reading src/a.py"),
        ("tool:Bash make", "on Bash make"),
        ("turn:2", "at turn 2"),
    ],
)
def test_the_title_of_a_message_says_when_it_came(at: str, when: str) -> None:
    assert message_title(Message("user", (), 0, at=at), prompt()) == f"user · {when}"


@pytest.mark.parametrize(
    ("limit", "name", "said"),
    [
        ("at most 5 bytes", "max", "5 of 9 bytes are kept: at most 5 bytes; max raises it"),
        ("at most max bytes", "max", "5 of 9 bytes are kept: at most max bytes"),
        ("at most 5 bytes", None, "5 of 9 bytes are kept: at most 5 bytes"),
    ],
)
def test_a_limit_says_what_raises_it(limit: str, name: str | None, said: str) -> None:
    assert cut_says(Cut(5, 9, "bytes", limit, Origin("config", name=name))) == said
