"""What only some sessions of a version have otherwise: with one model, or on the screen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli.learn import _deviations
from promptls.core import specs
from promptls.core.host import LEARNED, Host
from promptls.core.model import COMPUTED, Elided, Message, Prompt, Segment, Session, Tool
from promptls.core.values import replace
from promptls.harnesses.codex.versions import NEWEST
from promptls.harnesses.deviations import OWN, Deviation, from_json, model_of, of_session, with_deviations
from promptls.harnesses.learned import FORMAT, digest
from promptls.wire.align import compare
from promptls.wire.capture import Capture
from promptls.wire.deviating import Compared, deviations
from promptls.wire.offers import offers
from promptls.wire.request_formats import Offered, RequestBlock
from tests.disk import MemoryDisk

TOOLS = (Tool("read", True, "a tool", 100), Tool("edit", True, "a tool", 200), Tool("off", False, "it is off"))
SPEC = specs.of("codex")
PROSE = 500


def _compared(model: str, sent: dict[str, int], *, screen: bool = False, prose: int = PROSE) -> Compared:
    session = Session("codex", "/w", model=model, interactive=screen)
    elided = Segment("provider", "prose", "⟪prose⟫", COMPUTED, "why", elided=Elided("own prompt", PROSE))
    message = Message("system", (elided, Segment("provider", "end", "\n# The end of it", COMPUTED, "why")), 0)
    prompt = Prompt(session, (message,), (), tools=TOOLS)
    offered = tuple(Offered(name, "", size - 2) for name, size in sent.items())
    both = compare([message], [RequestBlock("system", f"{'p' * prose}\n# The end of it", 0)])
    both = replace(both, tools=offers(TOOLS, offered, [], ""))
    found = Capture("codex", "9", model, (), offered, (), prompt, None)  # type: ignore[arg-type]
    return Compared(prompt, found, both, of_session(prompt, SPEC, {"one", "two"}, {"explorer"}))


SAME = {"read": 100, "edit": 200}


@pytest.mark.same_everywhere
@pytest.mark.parametrize(
    ("sent", "kind", "name", "was", "now"),
    [
        ({"read": 103, "edit": 200}, "size", "read", 100, 103),
        ({"edit": 200}, "gone", "read", 100, 0),
        ({**SAME, "new": 50}, "more", "new", None, 50),
        ({**SAME, "off": 60}, "more", "off", None, 60),
    ],
)
def test_tools_of_one_model(sent: dict[str, int], kind: Any, name: str, was: int | None, now: int) -> None:
    sessions = [_compared("one", SAME), _compared("two", sent), _compared("two", sent, screen=True)]
    [found] = deviations(sessions)
    assert found == Deviation(kind, name, was, now, (("model", "two"),))
    assert from_json(json.loads(json.dumps(found.as_json()))) == found
    made = with_deviations(sessions[1].prompt, [found])
    assert {each.name: each.size for each in made.tools or () if each.enabled} == sent
    assert [found.counts(each.known) for each in sessions] == [False, True, True]


@pytest.mark.same_everywhere
def test_a_text_of_one_model() -> None:
    sessions = [_compared("one", SAME), _compared("two", SAME, prose=700)]
    [found] = deviations(sessions)
    assert found == Deviation("text", "own prompt", PROSE, 700, (("model", "two"),))
    segment = with_deviations(sessions[1].prompt, [found]).messages[0].segments[0]
    assert (segment.elided, segment.why) == (Elided("own prompt", 700), "why; its size was learned with two")


@pytest.mark.same_everywhere
def test_what_sessions_have_in_common() -> None:
    other = {**SAME, "read": 150}
    on_screen = [_compared("one", SAME), _compared("two", SAME), _compared("one", other, screen=True)]
    assert [each.when for each in deviations(on_screen)] == [(("screen", "the screen"),)]
    both = [_compared("one", SAME), _compared("two", SAME, screen=True), _compared("one", other, screen=True)]
    assert [each.when for each in deviations(both)] == [(("model", "one"), ("screen", "the screen"))]
    everywhere = [_compared("one", other), _compared("two", other)]
    assert [each.when for each in deviations(everywhere)] == [()]


@pytest.mark.same_everywhere
def test_nothing_is_guessed_where_sessions_that_are_alike_differ() -> None:
    assert deviations([_compared("one", SAME), _compared("one", {**SAME, "read": 150})]) == []
    assert deviations([_compared("one", {**SAME, "read": 140}), _compared("one", {**SAME, "read": 150})]) == []


@pytest.mark.same_everywhere
@pytest.mark.parametrize("model", [*OWN, None])
def test_a_model_of_nobody_stands_for_those_that_none_was_run_with(model: str | None) -> None:
    of_nobody = Prompt(Session("codex", "/w", model=model), (), ())
    assert model_of(of_nobody) == of_session(of_nobody, SPEC, {"one"}, ())["model"] == ""
    assert of_session(replace(of_nobody, model="new"), SPEC, {"one"}, ())["model"] == ""
    assert of_session(replace(of_nobody, model="one"), SPEC, {"one"}, ())["model"] == "one"


@pytest.mark.same_everywhere
@pytest.mark.parametrize(
    ("agent", "says"), [("explorer", "agent explorer"), ("mine", "an agent of your own"), (None, "no")]
)
def test_an_agent_of_the_users_is_like_any_other(agent: str | None, says: str) -> None:
    prompt = Prompt(Session("codex", "/w", agent=agent), (), ())
    assert of_session(prompt, SPEC, (), {"explorer"})["agent"] == says


def _kept(**more: Any) -> bytes:
    none: dict[str, Any] = {"changes": [], "unseen": [], "tools": {}, "rules": {"holds": [], "moved": {}}}
    sessions = {"run": 1, "planned": 1, "not_run": {}, "open": {}}
    base = {"format": FORMAT, "harness": "codex", "base": NEWEST.version.name, "row": digest(NEWEST)}
    whole = {**base, "version": "0.999.0", "date": "2026-11-27", "sessions": sessions, **none, **more}
    return json.dumps(whole).encode()


def _tools(kept: bytes, model: str) -> dict[str, Tool]:
    disk = MemoryDisk()
    disk.add(f"/kept/{LEARNED}/codex@0.999.0.json", kept)
    host = Host(home="/home/me", env={}, disk=disk, known_texts="/kept")
    found = harnesses.preview(Session("codex", "/w", "0.999.0", model=model), host)
    return {each.name: each for each in found.tools or () if each.enabled}


@pytest.mark.same_everywhere
def test_a_preview_has_what_differs_in_its_session() -> None:
    plain = _tools(_kept(), "gpt-5.5")
    size = plain["apply_patch"].size
    deviation = {"kind": "size", "name": "apply_patch", "was": size, "now": 9000, "when": {"model": "gpt-5.5"}}
    kept = _kept(deviations=[deviation], models=["gpt-5.5", "gpt-5.6-sol"])
    found = _tools(kept, "gpt-5.5")
    assert found["apply_patch"].size == 9000
    assert found["apply_patch"].why.startswith(f"{plain['apply_patch'].why.partition(';')[0]}; its size was learned")
    assert {**found, "apply_patch": plain["apply_patch"]} == plain
    assert _tools(kept, "gpt-5.6-sol") == _tools(_kept(), "gpt-5.6-sol")
    # One that was written otherwise counts for nothing.
    broken = _tools(_kept(deviations=[{**deviation, "kind": "other"}]), "gpt-5.5")
    assert broken["apply_patch"].size == size


@pytest.mark.same_everywhere
def test_what_is_alike_in_several_sessions_is_one_row() -> None:
    models = [Deviation("text", "own prompt", 5, 7000, (("model", model),)) for model in ("one", "two")]
    more = Deviation("more", "new", None, 50, (("model", "one"), ("screen", "the screen")))
    gone = Deviation("gone", "old", 9, 0)
    assert _deviations([*models, more, gone]) == [
        "the text own prompt: 7,000 characters with one, two",
        "the tool new: sent with one and the screen",
        "the tool old: not sent",
    ]
