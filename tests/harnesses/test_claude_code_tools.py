"""The tools of every kind of session of Claude Code, and what a condition changes of them: names, sizes, the list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Call, Prompt, Turn
from tests.harnesses.shown import Files, preview
from tests.path_sizes import without_memory

pytestmark = pytest.mark.same_everywhere
# By kind: the model, the size of each definition that was sent, the tools that were named only, and the sizes of the
# system array.
KINDS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "claude_code_tools.json").read_text(encoding="utf-8")
)
OWN = "---\nname: own\ndescription: d\n{}\n---\nMARK-agentbody\n"
BACKGROUND = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"
FORK = "CLAUDE_CODE_FORK_SUBAGENT"
EFFORT = "CLAUDE_CODE_EFFORT_LEVEL"
TEAMS = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"
SEARCH = "ENABLE_TOOL_SEARCH"
S_MODEL = ("--model", "claude-sonnet-4-5")

# The one of which the sizes below are.
VERSION = "2.1.330"


def _starts(name: str, **more: object) -> tuple[Turn, ...]:
    """A session whose last call starts a sub-agent."""
    given = json.dumps({"subagent_type": name, "prompt": "look", **more})
    return (Turn("hi", steps=((Call(tool="Agent", input=given),),)),)


def _waits(name: str) -> tuple[Turn, ...]:
    return _starts(name, run_in_background=False)


def _own(front: str) -> Files:
    return {".claude/agents/own.md": OWN.format(front)}


def _session(kind: str) -> tuple[Files, dict[str, Any]]:
    """The files and the session of a kind, by the words of its name."""
    what = kind.removeprefix("interactive ").removeprefix("forked ").removeprefix("sub ")
    if kind.startswith("main"):
        return {}, {"args": _args(kind), "env": _env(kind)}
    if what.startswith("own"):
        front = what.removeprefix("own").removeprefix(", no tools list").removeprefix(", background").strip()
        turns = _starts("own") if "background" in kind or "interactive" in kind else _waits("own")
        return _own(front), {"turns": turns}
    if what == "skill":
        files: Files = {".claude/skills/f/SKILL.md": "---\ndescription: d\ncontext: fork\n---\nx"}
        return files, {"turns": (Turn("/f"),)}
    name, *more = what.split()
    turns = _starts(name) if "background" in more or "interactive" in kind else _waits(name)
    args = ("--permission-mode", "bypassPermissions") if "bypass" in more else ()
    model = next((f"claude-{word}" for word in more if word[-1].isdigit()), None)
    return {}, {"turns": turns, "args": args, "model": model, "env": _env(kind)}


def _args(kind: str) -> tuple[str, ...]:
    words = kind.replace("''", "").split()
    options = [word for word in words if word.startswith("--")]
    if options:
        return (*options, *(words[words.index(options[0]) + 1 :] or ([""] if options == ["--tools"] else [])))
    model = [word for word in words if word[-1].isdigit()]
    mode = [word for word in words[2:] if word not in model]
    return (*(("--model", f"claude-{model[0]}") if model else ()), *(("--permission-mode", *mode) if mode else ()))


def _env(kind: str) -> dict[str, str]:
    return dict(word.split("=") for word in kind.split() if "=" in word)


def _preview(top: Path, files: Files, **session: Any) -> Prompt:
    session.setdefault("turns", (Turn("hi"),))
    return preview(top, "claude-code", files, version=VERSION, **session)


def _sent(prompt: Prompt) -> dict[str, int | None]:
    return {tool.name: tool.size for tool in prompt.tools or () if tool.enabled and tool.size != 0}


def _named(prompt: Prompt) -> list[str]:
    """The names in the list of deferred tools."""
    header = "how to find tools"
    for message in prompt.messages:
        titles = [segment.title for segment in message.segments]
        if header in titles:
            after = message.segments[titles.index(header) + 1 :]
            rest = "".join(each.text for each in after).partition("\n\n")[0].partition("\n</system-reminder>")[0]
            return rest.split()
    return []


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_session_has_the_tools_that_were_sent(kind: str, tmp_path: Path) -> None:
    files, session = _session(kind)
    if kind.startswith("interactive"):
        # They were captured in this mode.
        session["args"] = ("--permission-mode", "default")
    expected = KINDS[kind]
    if kind.startswith("interactive "):
        # As these were captured; the mode of the screen is another one.
        session = {**session, "args": ("--permission-mode", "default", *session.get("args", ()))}
    prompt = _preview(tmp_path, files, interactive="interactive" in kind or None, **session)
    assert prompt.model == expected["model"]
    assert _sent(prompt) == expected["sent"]
    assert _named(prompt) == expected["deferred"]


BUILT_IN = (
    "sub general-purpose",
    "sub claude",
    "sub Explore",
    "sub Plan",
    "sub statusline-setup",
    "sub Explore opus-4-8",
)


@pytest.mark.parametrize("kind", BUILT_IN)
def test_the_system_array_of_a_built_in_sub_agent_has_the_size_that_was_sent(kind: str, tmp_path: Path) -> None:
    files, session = _session(kind)
    messages = _preview(tmp_path, files, **session).messages[:3]
    assert [sum(each.characters for each in message.segments) for message in messages] == KINDS[kind]["system"]


PLAIN = KINDS["main -p default"]
S_PLAIN = KINDS["main -p sonnet-4-5"]
FINDERS = {"Glob": 731, "Grep": 3224}
TASKS = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]
NO_GIT: Files = {".claude/settings.json": {"includeGitInstructions": False}}
VERIFY: Files = {".claude/commands/verify.md": "x"}
SECRET_VERIFY: Files = {".claude/skills/verify/SKILL.md": "---\ndescription: d\ndisable-model-invocation: true\n---\nx"}


def _changes(prompt: Prompt, plain: dict[str, Any]) -> dict[str, int | str | None]:
    """What is sent otherwise than in a plain session; ``-`` where it is not sent at all."""
    sent, usual = _sent(prompt), plain["sent"]
    changed = {name: size for name, size in sent.items() if usual.get(name) != size}
    return changed | dict.fromkeys((name for name in usual if name not in sent), "-")


@pytest.mark.parametrize(
    ("args", "files", "expected"),
    [
        # One of the two is enough, with or without a pattern; the settings are not (captured).
        (("--allowedTools", "Grep"), {}, {"Bash": 3908, **FINDERS}),
        (("--allowedTools", "Glob(src/*)"), {}, {"Bash": 3908, **FINDERS}),
        (("--allowed-tools", "Read,Grep"), {}, {"Bash": 3908, **FINDERS}),
        (("--allowedTools", "Bash Read WebFetch"), {}, {}),
        ((), {".claude/settings.json": {"permissions": {"allow": ["Grep"]}}}, {}),
        (("--allowedTools", "Grep", "--disallowedTools", "Grep"), {}, {"Bash": 3908, "Glob": 731}),
        (("--disallowedTools", "Bash,Grep"), {}, {"Bash": "-", "Glob": 731}),
        (("--disallowedTools", "Bash(rm:*)"), {}, {}),
        ((), {".claude/settings.json": {"permissions": {"deny": ["Bash"]}}}, {"Bash": "-", **FINDERS}),
        (("--disallowedTools", "SendMessage"), {}, {"Agent": 5194, "ListAgents": 1397}),
        (("--disallowedTools", "Skill"), {}, {"Skill": "-", "Workflow": 22_737}),
        (("--disable-slash-commands",), {}, {"Skill": "-", "Workflow": 22_737}),
        (("--permission-mode", "plan", "--allowedTools", "Grep"), {}, {"Bash": 3581, **FINDERS}),
        (("--permission-mode", "plan"), VERIFY, {"Bash": 3666}),
        ((), VERIFY, {"Bash": 3977}),
        ((), SECRET_VERIFY, {}),
        (("--disallowedTools", "Skill"), VERIFY, {"Skill": "-", "Workflow": 22_737}),
        ((), {**NO_GIT, **VERIFY}, {"Bash": 3041}),
        (("--allowedTools", "Grep"), NO_GIT, {"Bash": 3057, **FINDERS}),
        (
            ("--json-schema", '{"type": "object", "properties": {"a": {"type": "string"}}}'),
            {},
            {"StructuredOutput": 292},
        ),
        (("--json-schema", "{"), {}, {}),
        (("--permission-prompt-tool", "x"), {}, {"AskUserQuestion": 4498}),
        ((), {".claude/settings.json": {"permissions": {"deny": ["Bash(*)"]}}}, {"Bash": "-", **FINDERS}),
        ((), {".claude/settings.json": {"permissions": {"deny": ["Task"]}}}, {"Agent": "-"}),
        ((), {".claude/settings.json": {"disableWorkflows": True}}, {"Workflow": "-"}),
        ((), {**VERIFY, ".claude/settings.json": {"skillOverrides": {"verify": "off"}}}, {}),
        ((), {**VERIFY, ".claude/settings.json": {"skillOverrides": {"verify": "name-only"}}}, {"Bash": 3977}),
    ],
)
def test_what_options_and_files_change(
    args: tuple[str, ...], files: Files, expected: dict[str, Any], tmp_path: Path
) -> None:
    assert _changes(_preview(tmp_path, files, args=args), PLAIN) == expected


@pytest.mark.parametrize(
    ("env", "agent", "bash"),
    [
        ({EFFORT: "low"}, 4812, 3892),
        ({EFFORT: ""}, 5244, 3892),
        ({TEAMS: "1"}, 5770, 3892),
        ({FORK: "1"}, 4723, 3892),
        ({FORK: "0"}, 4848, 3892),
        ({BACKGROUND: "1"}, 4496, 3288),
        ({EFFORT: "low", TEAMS: "1"}, 5338, 3892),
        ({EFFORT: "low", FORK: "1"}, 4291, 3892),
        ({EFFORT: "low", BACKGROUND: "1"}, 4064, 3288),
        ({TEAMS: "1", FORK: "1"}, 5249, 3892),
        ({TEAMS: "1", BACKGROUND: "1"}, 5022, 3288),
        ({FORK: "1", BACKGROUND: "1"}, 4766, 3288),
        ({FORK: "0", BACKGROUND: "1"}, 4100, 3288),
        ({FORK: "1", BACKGROUND: "1", EFFORT: "low", TEAMS: "1"}, 4860, 3288),
    ],
)
def test_what_variables_change(env: dict[str, str], agent: int, bash: int, tmp_path: Path) -> None:
    """Those of the settings, too (captured)."""
    settings: Files = {".claude/settings.json": {"env": env}}
    for sent in (_sent(_preview(tmp_path / "1", {}, env=env)), _sent(_preview(tmp_path / "2", settings))):
        assert (sent["Agent"], sent["Bash"]) == (agent, bash)


@pytest.mark.parametrize(
    ("env", "args", "expected"),
    [
        ({EFFORT: "low"}, (), {"Agent": 9915}),
        ({TEAMS: "1"}, (), {"Agent": 10_873}),
        ({FORK: "1"}, (), {"Agent": 8848}),
        ({FORK: "0"}, (), {"Agent": 8945}),
        ({BACKGROUND: "1"}, (), {"Agent": 8938, "Bash": 11_479}),
        ({FORK: "1", BACKGROUND: "1"}, (), {"Agent": 8909, "Bash": 11_479}),
        ({FORK: "0", BACKGROUND: "1"}, (), {"Agent": 6790, "Bash": 11_479}),
        ({}, ("--permission-mode", "plan"), {}),
        ({}, ("--allowedTools", "Grep"), {"Bash": 12_455, "Glob": 981, "Grep": 3638}),
        ({}, ("--disallowedTools", "SendMessage"), {"Agent": 10_266, "ListAgents": 1397}),
    ],
)
def test_what_changes_for_an_older_model(
    env: dict[str, str], args: tuple[str, ...], expected: dict[str, Any], tmp_path: Path
) -> None:
    assert _changes(_preview(tmp_path, {}, env=env, args=(*S_MODEL, *args)), S_PLAIN) == expected


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-4-8"])
@pytest.mark.parametrize("mode", ["plan", "auto", "bypassPermissions"])
def test_what_a_mode_changes_for_other_models(model: str, mode: str, tmp_path: Path) -> None:
    """The size of Bash is that of every mode, with Grep, too; only plan mode is spoken of (captured)."""
    args = ("--model", model, "--permission-mode", mode)
    prompt = _preview(tmp_path / "1", {}, args=args)
    assert _sent(prompt)["Bash"] == 3892
    assert _sent(_preview(tmp_path / "2", {}, args=(*args, "--allowedTools", "Grep")))["Bash"] == 3908
    says = [each.title for m in prompt.messages for each in m.segments if each.title.startswith("mode ")]
    assert says == (["mode plan"] if mode == "plan" else [])


@pytest.mark.parametrize(
    ("env", "args", "expected"),
    [
        ({}, (), {}),
        ({}, ("--permission-mode", "plan", "--allowedTools", "Grep"), {"Bash": 12_455, "Glob": 981, "Grep": 3638}),
        ({EFFORT: "low"}, (), {"Agent": 9915}),
        ({TEAMS: "1"}, (), {"Agent": 10_873}),
        ({FORK: "1"}, (), {"Agent": 8848}),
        ({BACKGROUND: "1"}, (), {"Agent": 8938, "Bash": 11_479}),
    ],
)
def test_a_model_with_tagged_sections_has_the_older_definitions(
    env: dict[str, str], args: tuple[str, ...], expected: dict[str, Any], tmp_path: Path
) -> None:
    """Those of the older models, in the list of the newer ones (captured)."""
    prompt = _preview(tmp_path, {}, env=env, args=("--model", "claude-sonnet-5", *args))
    assert _changes(prompt, S_PLAIN) == expected
    assert _named(prompt) == PLAIN["deferred"]


@pytest.mark.parametrize("model", ["claude-sonnet-5", "claude-opus-4-7", "claude-opus-4-6", "claude-sonnet-4-6"])
def test_some_models_are_told_of_auto_mode_and_not_of_bypass(model: str, tmp_path: Path) -> None:
    for mode, says in (("auto", [("mode auto", 948)]), ("bypassPermissions", []), ("plan", [("mode plan", None)])):
        prompt = _preview(tmp_path / mode, {}, args=("--model", model, "--permission-mode", mode))
        found = [each for m in prompt.messages for each in m.segments if each.title.startswith("mode ")]
        assert [(each.title, each.elided and each.elided.size) for each in found] == says


@pytest.mark.parametrize(
    ("variable", "setting", "bash"), [("1", True, 3041), ("0", False, 3892), ("", False, 3041), ("", True, 3892)]
)
def test_a_variable_on_git_comes_before_the_setting(variable: str, setting: bool, bash: int, tmp_path: Path) -> None:
    files: Files = {".claude/settings.json": {"includeGitInstructions": setting}}
    prompt = _preview(tmp_path, files, env={"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": variable})
    assert _sent(prompt)["Bash"] == bash


def test_variables_that_take_tools_away(tmp_path: Path) -> None:
    prompt = _preview(tmp_path, {}, env={"CLAUDE_CODE_DISABLE_CRON": "1", "CLAUDE_CODE_DISABLE_WORKFLOWS": "1"})
    assert _changes(prompt, PLAIN) == {"Workflow": "-"}
    assert not any(name.startswith("Cron") for name in _named(prompt))


PLACE = "DeferredToolPlaceholder"


@pytest.mark.parametrize(
    ("args", "sent", "named"),
    [
        ("default,Grep", {"Grep", PLACE}, []),
        ("Read default", {"Read", PLACE}, []),
        ("Bash,Grep", {"Bash", "Grep", PLACE}, []),
        ("Read,TaskCreate,AskUserQuestion,Monitor", {"Read", "TaskCreate", "Monitor", PLACE}, []),
        ("Read,Task", {"Read", "Agent", PLACE}, []),
        ("Read,ToolSearch,Monitor,TodoWrite", {"Read", "ToolSearch", PLACE}, ["Monitor"]),
        # Older names (captured).
        ("KillShell,Read", {"Read", "TaskStop", PLACE}, []),
        ("ListPeers,Read", {"ListAgents", "Read", PLACE}, []),
    ],
)
def test_what_a_list_of_tools_offers(args: str, sent: set[str], named: list[str], tmp_path: Path) -> None:
    prompt = _preview(tmp_path, {}, args=("--tools", args))
    assert ({*_sent(prompt)}, _named(prompt)) == (sent, named)


@pytest.mark.parametrize("name", ["TodoWrite", "TaskList"])
def test_one_task_tool_that_is_allowed_brings_all(name: str, tmp_path: Path) -> None:
    prompt = _preview(tmp_path, {}, args=("--allowedTools", name))
    assert _named(prompt) == sorted([*PLAIN["deferred"], *TASKS])


@pytest.mark.parametrize(
    ("front", "of_session", "of_sub_agent"),
    [
        ("tools: Read, Grep, Glob", {"Read", "Grep", "Glob", PLACE}, {"Read", "Grep", "Glob"}),
        ("tools: Bash, Grep", {"Bash", PLACE}, {"Bash"}),
        ("tools: Read, WebFetch", {"Read", "WebFetch", PLACE}, {"Read", "WebFetch"}),
        ("tools: Read, ToolSearch, WebFetch", {"Read", "ToolSearch", PLACE}, {"Read", "ToolSearch", PLACE}),
        ("tools: Read, TaskCreate, TodoWrite", {"Read", PLACE}, {"Read"}),
        ("tools: Read, ScheduleWakeup, Workflow", {"Read", "ScheduleWakeup", "Workflow", PLACE}, {"Read"}),
        ("tools: Read, mcp__x__y", {"Read", PLACE}, {"Read", PLACE}),
        ("tools: Read\nmemory: user", {"Read", "Write", "Edit", PLACE}, {"Read", "Write", "Edit"}),
        ("tools: Read, Task", {"Read", "Agent", PLACE}, {"Read", "Agent"}),
        ("tools: Read, KillBash", {"Read", "TaskStop", PLACE}, {"Read", "TaskStop"}),
        ("tools: KillShell, BashOutput, Read", {"Read", "TaskStop", PLACE}, {"Read", "TaskStop"}),
        ("tools: Read, ListPeers", {"Read", "ListAgents", PLACE}, {"Read", "ListAgents"}),
        ("tools: Nonsense", set(), set()),
    ],
)
def test_what_the_list_of_an_agent_offers(
    front: str, of_session: set[str], of_sub_agent: set[str], tmp_path: Path
) -> None:
    main = _preview(tmp_path / "1", _own(front), agent="own")
    sub = _preview(tmp_path / "2", _own(front), turns=_waits("own"))
    assert ({*_sent(main)}, {*_sent(sub)}) == (of_session, of_sub_agent)


def test_older_names_are_denied(tmp_path: Path) -> None:
    """(captured)"""
    prompt = _preview(tmp_path, {}, args=("--disallowedTools", "KillShell,ListPeers"))
    assert _changes(prompt, PLAIN) == {"ListAgents": "-"}
    assert "TaskStop" not in _named(prompt)


def test_an_agent_without_bash_has_no_monitor_and_nothing_instead(tmp_path: Path) -> None:
    prompt = _preview(tmp_path, _own("disallowedTools: Bash"), agent="own")
    assert _changes(prompt, PLAIN) == {"Bash": "-"}
    assert "Monitor" not in _named(prompt)


def test_the_tools_of_a_sub_agent_are_those_of_the_command_line_and_not_of_the_sessions_agent(tmp_path: Path) -> None:
    few = _preview(tmp_path / "1", {}, args=("--tools", "Bash,Read,Agent,WebFetch"), turns=_waits("general-purpose"))
    assert _sent(few) == {"Agent": 5194, "Bash": 3892, "Read": 1919, "WebFetch": 1080, PLACE: 204}
    files = _own("tools: Agent(general-purpose), Read")
    all_of_them = _preview(tmp_path / "2", files, agent="own", turns=_waits("general-purpose"))
    assert _sent(all_of_them) == {**KINDS["sub general-purpose"]["sent"], "Agent": 4998}


def test_a_sub_agent_in_the_background(tmp_path: Path) -> None:
    """Also where its file says so, whatever the call says; never where a variable forbids it (captured)."""
    front = "tools: Read, CronCreate, ListAgents, SendMessage, Agent\nbackground: true"
    own = _preview(tmp_path / "1", _own(front), turns=_waits("own"))
    assert _sent(own).keys() == {"Read", "SendMessage", "Agent"}
    off = _preview(tmp_path / "2", {}, turns=_starts("general-purpose"), env={BACKGROUND: "1"})
    assert _sent(off) == {**KINDS["sub general-purpose"]["sent"], "Agent": 4496, "Bash": 3288}


EVERYTHING = KINDS["main -p ENABLE_TOOL_SEARCH=false"]["sent"]


@pytest.mark.parametrize(
    ("env", "sent", "named"),
    [
        ({SEARCH: "auto"}, EVERYTHING, PLAIN["deferred"]),
        ({SEARCH: "auto:x"}, EVERYTHING, PLAIN["deferred"]),
        ({SEARCH: "auto:5"}, EVERYTHING, PLAIN["deferred"]),
        ({SEARCH: "auto:0"}, PLAIN["sent"], PLAIN["deferred"]),
        ({SEARCH: "auto:100"}, EVERYTHING, []),
        ({SEARCH: "off"}, EVERYTHING, []),
        ({SEARCH: "junk"}, PLAIN["sent"], PLAIN["deferred"]),
        ({"CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1", SEARCH: "true"}, EVERYTHING, []),
        ({"CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "0"}, PLAIN["sent"], PLAIN["deferred"]),
    ],
)
def test_what_is_only_named(env: dict[str, str], sent: dict[str, int], named: list[str], tmp_path: Path) -> None:
    prompt = _preview(tmp_path, {}, env=env)
    assert (_sent(prompt), _named(prompt)) == (sent, named)


def test_a_tool_that_was_found_is_sent(tmp_path: Path) -> None:
    call = Call(tool="ToolSearch", input='{"query": "select:SendMessage, Read"}')
    prompt = _preview(tmp_path, {}, turns=(Turn("hi", steps=((call,),)),))
    assert _changes(prompt, PLAIN) == {"SendMessage": 6200}
    assert _named(prompt) == PLAIN["deferred"]


# -- the environment -------------------------------------------------------------------------------------------

TELEMETRY, TRAFFIC = "DISABLE_TELEMETRY", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"


@pytest.mark.parametrize(
    ("env", "sizes", "online"),
    [
        # Any value is one (captured).
        ({TELEMETRY: "0", TRAFFIC: ""}, [7015], "in the list"),
        ({TELEMETRY: "", TRAFFIC: "0"}, [7015], "not there"),
        # Without either a server decides.
        ({TELEMETRY: "", TRAFFIC: ""}, [5793, None], "not known"),
    ],
)
def test_what_the_program_may_ask_its_makers_servers(
    env: dict[str, str], sizes: list[int | None], online: str, tmp_path: Path
) -> None:
    prompt = _preview(tmp_path, {}, env=env)
    own = [each for each in prompt.messages[2].segments if each.elided]
    first, *rest = [each.elided for each in own if each.elided]
    assert [(without_memory(prompt, first) or 0) + 1, *(each.size for each in rest)] == sizes
    tool = next((each for each in prompt.tools or () if each.name == "DesignSync"), None)
    shown = {True: "in the list", False: "not known" if tool is not None else "not there"}
    assert shown["DesignSync" in _named(prompt)] == online


@pytest.mark.parametrize(
    ("env", "more", "inline"),
    [
        ({"BASH_DEFAULT_TIMEOUT_MS": "5"}, -5, -5 + 21),
        ({"BASH_DEFAULT_TIMEOUT_MS": "90000"}, -1, -1 + 2),
        ({"BASH_DEFAULT_TIMEOUT_MS": "never"}, 0, 0),
        ({"BASH_DEFAULT_TIMEOUT_MS": "700000"}, None, None),
        ({"BASH_MAX_TIMEOUT_MS": "7000000"}, 2, 2 + 16),
        ({"BASH_MAX_TIMEOUT_MS": "1000"}, 0, 0),
    ],
)
def test_how_long_a_command_may_run(tmp_path: Path, env: dict[str, str], more: int | None, inline: int | None) -> None:
    """Seen by verify: both times are named, to models with inline reminders also in minutes."""
    for args, added in ((), more), (("--model", "claude-sonnet-4-5"), inline):
        folder = tmp_path / str(len(args))
        usual = _sent(_preview(folder / "usual", {}, args=args))["Bash"]
        assert _sent(_preview(folder / "own", {}, env=env, args=args))["Bash"] == (
            None if added is None or usual is None else usual + added
        )


def test_a_tool_of_which_no_size_is_known(tmp_path: Path) -> None:
    prompt = _preview(tmp_path, {}, env={TRAFFIC: "", SEARCH: "false"})
    assert _sent(prompt) == {**EVERYTHING, "DesignSync": None}


def test_a_sub_agent_without_an_answer_of_a_server(tmp_path: Path) -> None:
    prompt = _preview(tmp_path, {}, env={TELEMETRY: "", TRAFFIC: ""}, turns=_waits("Explore"))
    assert sum(each.characters for each in prompt.messages[2].segments) == 3639 - 427
    assert any(each.elided and each.elided.size is None for each in prompt.messages[2].segments)
