"""What a session says of its later life: read, shown again, left out with a sentence where it is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.later import UNKNOWN, says_later
from promptls.core.model import Call, Prompt, Session
from promptls.core.prompt_json import to_json
from promptls.core.settings import DEFAULT
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.sessions.later import compacted, delegating
from promptls.sessions.start import Overrides, Place, session_of
from promptls.workspace.session_file import parse

pytestmark = pytest.mark.same_everywhere
READ = {"read": "/w/a.py"}
INNER = {"tool": "task", "input": {"agent": "b"}, "steps": [[READ]]}
OUTER = {"tool": "task", "input": {"agent": "a"}, "namespace": "group", "steps": [[INNER]]}
TURNS: list[dict[str, Any]] = [
    {"prompt": "one", "steps": [[READ], [{"compact": "auto"}], [OUTER]]},
    {"prompt": "/compact the api", "compact": "the api", "summary": "all was well"},
    {"prompt": "two", "agent": "plan", "open": [{"path": "/w/a.py", "selection": [0, 0, 0, 1], "text": "x"}]},
]
LATER: dict[str, Any] = {"interactive": True, "mode": "plan", "request": "summary", "turns": TURNS}


def _session(harness: str = "aider", cwd: str = "/w", **said: Any) -> Session:
    asked = parse(json.dumps({"harness": harness, "cwd": cwd, **said}))
    return Session(
        harness=harness,
        version="",
        cwd=cwd,
        turns=asked.turns or (),
        interactive=asked.interactive,
        mode=asked.mode,
        request=asked.request,
    )


def _prompt(session: Session, tmp_path: Path) -> Prompt:
    return harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))


def test_every_key_is_read() -> None:
    session = _session(**LATER)
    one, compact, two = session.turns
    assert one.steps[1] == (Call(compact="auto"),)
    assert one.steps[2][0].namespace == "group"
    assert one.steps[2][0].steps == ((Call(tool="task", input='{"agent": "b"}', steps=((Call(read="/w/a.py"),),)),),)
    assert one.steps[2][0].depth == len("ab")
    assert (compact.compact, compact.summary) == ("the api", "all was well")
    assert (two.agent, two.open[0].text) == ("plan", "x")
    assert (session.interactive, session.mode, session.request) == (True, "plan", "summary")


def test_true_is_a_compaction_for_which_nothing_was_typed() -> None:
    turns = _session(turns=[{"compact": True}, {"compact": False}]).turns
    assert [turn.compact for turn in turns] == ["", None]


def test_what_a_session_says_is_in_its_json(tmp_path: Path) -> None:
    shown = to_json(_prompt(_session(**LATER, cwd=str(tmp_path)), tmp_path))["session"]
    assert {name: shown[name] for name in ("interactive", "mode", "request")} == {
        name: LATER[name] for name in ("interactive", "mode", "request")
    }
    again = parse(json.dumps({"harness": "aider", "cwd": "/w", "turns": _as_given(shown["turns"])}))
    assert again.turns == _session(**LATER).turns


def _as_given(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns of the JSON as a session has them, where the input of a call is an object."""

    def call(each: dict[str, Any]) -> dict[str, Any]:
        given = dict(each)
        if "input" in each:
            given["input"] = json.loads(each["input"])
        if "steps" in each:
            given["steps"] = [[call(inner) for inner in step] for step in each["steps"]]
        return given

    return [turn | {"steps": [[call(each) for each in step] for step in turn["steps"]]} for turn in turns]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"turns": [{"steps": [[{}]]}]}, "a call has one of read, tool and compact"),
        ({"turns": [{"steps": [[{"read": "a", "steps": []}]]}]}, "only a call of a tool has steps"),
        ({"turns": [{"summary": "x"}]}, "a turn has a summary only with compact"),
        ({"request": "more"}, "request"),
    ],
)
def test_what_makes_no_sense_is_refused(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        _session(**said)


def test_a_sub_agent_inside_of_itself_without_end_is_refused() -> None:
    call: dict[str, Any] = {"tool": "task", "steps": []}
    for _ in range(20):
        call = {"tool": "task", "steps": [[call]]}
    with pytest.raises(UsageError, match="more than 16 sub-agents inside of one another"):
        _session(turns=[{"steps": [[call]]}])


@pytest.mark.parametrize("harness", catalogue.FOLDERS)
def test_a_harness_says_what_it_does_not_know(harness: str, tmp_path: Path) -> None:
    session = _session(harness, cwd=str(tmp_path), **LATER)
    spec = specs.of(harness)
    prompt = _prompt(session, tmp_path)
    said = says_later(session)
    assert said == ("interactive", "mode", "request", "compact", "subagent", "agent")
    for each in said:
        sentence = UNKNOWN[each].format(title=spec.title, mode="plan", request="summary")
        assert (sentence in prompt.notes) == (each not in spec.later)


DELEGATING = [each for each in catalogue.FOLDERS if specs.of(each).delegation is not None]


@pytest.mark.parametrize("harness", DELEGATING)
def test_steps_of_a_call_that_starts_nothing_are_said_to_be_left_out(harness: str, tmp_path: Path) -> None:
    spec = specs.of(harness)
    assert spec.delegation is not None
    call = {"tool": "write_agent", "input": {}, "steps": [[READ], [{"tool": "shell", "input": {}, "steps": []}]]}
    starts = [{"tool": each, "input": {}, "steps": []} for each in (spec.delegation.tool, *spec.delegation.with_steps)]
    turns = [{"prompt": "one", "steps": [*([each] for each in starts), [call], [READ]]}]
    notes = _prompt(_session(harness, cwd=str(tmp_path), turns=turns), tmp_path).notes
    assert [each for each in notes if "starts no sub-agent in" in each] == [
        f"A call of {tool} starts no sub-agent in {spec.title}: its steps are left out."
        for tool in ("write_agent", "shell")
    ]


def test_after_a_compaction_the_last_turn_goes_on() -> None:
    assert [turn.compact for turn in compacted(())] == [None, "", None]
    turns = _session(turns=[{"prompt": "one"}, {"prompt": "two"}]).turns
    assert [turn.prompt for turn in compacted(turns)] == ["one", None, "two"]


@pytest.mark.parametrize("harness", DELEGATING)
def test_a_sub_agent_is_started_by_the_last_call(harness: str) -> None:
    (turn,) = delegating(harness, (), "reviewer: look at it")
    how = specs.of(harness).delegation
    assert how is not None
    given = json.loads(turn.steps[-1][0].input)
    assert (given[how.agent], given[how.task], turn.steps[-1][0].steps) == ("reviewer", "look at it", ())


def test_who_starts_no_sub_agents_says_so() -> None:
    with pytest.raises(UsageError, match="does not know how Aider starts a sub-agent"):
        delegating("aider", (), "reviewer")
    with pytest.raises(UsageError, match="has to name an agent"):
        delegating("claude-code", (), " : look")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"b": 1, "a": "ü"}, '{"a": "ü", "b": 1}'),
        ('{"b": 1, "a": "ü"}', '{"a": "ü", "b": 1}'),
        ("*** Begin Patch", '"*** Begin Patch"'),
        ("{not json", '"{not json"'),
        ("{" * 9, json.dumps("{" * 9)),
        (None, "{}"),
    ],
)
def test_what_a_call_is_given_may_be_what_a_preview_has_written(given: object, read: str) -> None:
    turn = {"steps": [[{"tool": "Agent", "input": given}]]}
    asked = parse(json.dumps({"harness": "claude-code", "cwd": "/w", "turns": [turn]}))
    assert asked.turns is not None
    assert asked.turns[0].calls[0].input == read


@pytest.mark.parametrize("depth", [40, 300, 100_000])
def test_however_deep_sub_agents_are_a_plain_sentence_says_so(depth: int) -> None:
    opens, closes = '{"tool": "Agent", "steps": [[', "]]}"
    call = f'{{"cwd": "/w", "turns": [{{"steps": [[{opens * depth}{closes * depth}]]}}]}}'
    with pytest.raises(UsageError, match=r"^The session (has more than 16 sub-agents|is nested too deeply)"):
        parse(call, harness="claude-code")


@pytest.mark.parametrize(
    ("agent", "args", "says"),
    [
        ("general-purpose", (), True),
        ("Explore", (), False),
        ("reader", (), False),
        ("writer", (), True),
        (None, (), True),
        (None, ("--disallowedTools", "Bash"), False),
        (None, ("--disallowedTools", "Edit", "Write"), False),
        (None, ("--disallowedTools", "Edit"), True),
    ],
)
def test_claude_code_says_what_bypass_means_to_who_runs_commands_and_changes_files(
    agent: str | None, args: tuple[str, ...], says: bool, tmp_path: Path
) -> None:
    for name, tools in (("reader", "Read, Bash"), ("writer", "Read, Bash, Write")):
        path = tmp_path / f"w/.claude/agents/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {name}\ndescription: d\ntools: {tools}\n---\nbody\n", "utf-8")
    (tmp_path / "w/a.py").write_text("1\n", "utf-8")
    given = {"description": "d", "prompt": "t", "subagent_type": agent, "run_in_background": False}
    call = {"tool": "Agent", "input": given, "steps": [[{"read": str(tmp_path / "w/a.py")}]]}
    turns = [{"prompt": "one", "steps": [[call]] if agent else []}]
    session = _session("claude-code", str(tmp_path / "w"), mode="bypassPermissions", turns=turns, interactive=False)
    found = harnesses.preview(replace(session, args=args), Host(home=str(tmp_path), env={}))
    assert any("⟪mode bypassPermissions" in message.text for message in found.messages) is says


@pytest.mark.parametrize(
    ("harness", "mode", "interactive", "becomes"),
    [
        ("codex", "plan", None, True),
        ("codex", "plan", False, False),
        ("codex", "review", None, None),
        ("codex", None, None, None),
        ("claude-code", "plan", None, None),
    ],
)
def test_a_mode_that_only_the_screen_has_is_one_of_the_screen(
    harness: str, mode: str | None, interactive: bool | None, becomes: bool | None
) -> None:
    """Or the answer would call it ``exec``, and ``verify`` would run that (seen by verify)."""
    asked = Overrides(harness=harness, mode=mode, interactive=interactive)
    assert session_of(Place("/w", "/w", "/w"), DEFAULT, (), asked).interactive is becomes
