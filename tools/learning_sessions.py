"""Writes harnesses/<name>/sessions.json: the captured sessions that ``promptls learn`` runs.

    python tools/learning_sessions.py [--more] NAME ...

Of the cases in tests, as few are taken as have every rule, and every number that a size is made of. Each is run with
the installed program, which has to be of the default version: one that does not send here what the preview shows would
say of another version that it has moved, and is left out. With --more, the sessions of the file stay, and only what
none of them has is looked for.
"""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from promptls import harnesses
from promptls.core import specs
from promptls.errors import PromptlsError
from promptls.harnesses import catalogue
from promptls.harnesses.catalogue import FOLDERS
from promptls.harnesses.learned import rows, rules_of
from promptls.kit.facts import Number, traced
from promptls.kit.versions import current, given
from promptls.wire.capture import capture
from promptls.wire.cases import LATER, NEEDS, Layout
from promptls.wire.learn import session_of
from promptls.wire.sides import is_same, sides
from promptls.workspace.request import ask_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).parents[1]
KINDS = ("wire", "requests", "parts", "later")
# What a case of these may have; those with more need more than a layout.
SAID = {"cwd", "model", "agent", "env", "args", "prompt", "steps", "unset", "hints", *LATER}
MORE = "--more"
# Models that a row knows by a part of their name, and fields with the names of sub-agents.
MODELS: dict[str, list[str]] = {
    "codex": ["a-model-of-nobody"],
    "gemini-cli": ["gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
    "copilot-cli": ["claude-sonnet-4.5", "claude-opus-4.6", "gemini-3-pro-preview", "gpt-5.6"],
    "opencode": [
        *("openai/gpt-4o", "openai/gpt-5-codex", "openai/gpt-5.5", "openai/gpt-6-astra", "openai/o3"),
        *("anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro", "moonshotai/kimi-k2"),
    ],
}
# Programs that choose a model by what they find at their providers, or send nothing in a folder that is not trusted.
SAYS: dict[str, dict[str, Any]] = {
    "opencode": {"model": "anthropic/claude-sonnet-4-5"},
    "gemini-cli": {"env": {"GEMINI_CLI_TRUST_WORKSPACE": "true"}},
}
AGENTS = ("built_in_agents", "built_in_roles", "agents")
KEPT = ("files", "symlinks", "git")


def main() -> None:
    """Write the file of each harness that is named."""
    for name in [each for each in sys.argv[1:] if each != MORE]:
        path = TOP / "server" / "promptls" / "harnesses" / FOLDERS[name] / "sessions.json"
        known = json.loads(path.read_text("utf-8")) if path.exists() else {"left_out": []}
        with tempfile.TemporaryDirectory(prefix="pl") as top:
            kept = known["sessions"] if MORE in sys.argv else []
            found = _chosen(name, Path(top).resolve(), set(known["left_out"]), kept)
        if not found["sessions"]:
            sys.exit(f"{name}: no session could be run, for the reasons above; {path.name} stays as it is.")
        path.write_text(json.dumps(found, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{name}: {len(found['sessions'])} sessions, {len(found['left_out'])} left out")


def candidates(name: str, top: Path) -> dict[str, tuple[dict[str, Any], set[object]]]:
    """Every case of a harness that can be run, by its name, with what it has."""
    version = harnesses.get(name).versions[0].name
    of_it = {*current(harnesses.get(name).versions)}
    found: dict[str, tuple[dict[str, Any], set[object]]] = {}
    own = of_users(name, version)
    found[own["name"]] = own, {*_has(own, top / "own"), own["name"]}
    for number, each in enumerate(further(own, name)):
        has = _has(each, top / "further" / str(number))
        # Where a size has two numbers, each model shows one of them alone.
        found[each["name"]] = each, {*has, each["name"]} if has and each["name"].startswith("model-") else has
    for kind in KINDS:
        for path in sorted((TOP / "tests" / kind / "cases" / name).glob("*.json")):
            text = path.read_text("utf-8")
            case = json.loads(text)
            said = {key for key, value in case["session"].items() if value}
            if case["version"] not in of_it or any(mark in text for mark in NEEDS) or said - SAID:
                continue
            if case.get("setup") or case.get("git_commit") or case["name"] in found:
                continue
            has = _has(case, top / kind / path.stem)
            if has:
                found[case["name"]] = case, has
    return found


def of_users(name: str, version: str) -> dict[str, Any]:
    """A session without the variables that the captured ones had set."""
    session = {"cwd": "", "args": [], "env": {}, "steps": [], "prompt": "say ok", **SAYS.get(name, {})}
    program = catalogue.program(name)
    unset = sorted(program.captured_with) if program is not None else []
    files = {f"workspace/{each}": "MARK-root\n" for each in ("AGENTS.md", "CLAUDE.md")}
    case = {"harness": name, "version": version, "name": "as-users-have-it", "symlinks": {}, "git": ["workspace"]}
    return {**case, "files": files, "session": {**session, "unset": unset}}


def further(own: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """A session for each model, each mode and each sub-agent of the row, on the screen too, and of some together."""
    row, spec = rows(name)[0], specs.of(name)
    ok = {"prompt": "say ok"}
    screen = {"interactive": True}
    said: dict[str, dict[str, Any]] = {"compacted": {**screen, "turns": [ok, {"compact": True}, ok]}}
    agents: dict[str, dict[str, Any]] = {"": {}}
    how = spec.delegation
    for agent in _agents(row) if how is not None else ():
        assert how is not None  # noqa: S101 - said above
        asked = {how.agent: agent, how.task: "say ok", **dict(how.further)}
        call: dict[str, Any] = {"tool": how.tool, "input": asked, "namespace": how.namespace or None, "steps": []}
        agents[f"subagent-{agent}"] = {"turns": [{**ok, "steps": [[call]]}]}
    models = [each for table in ("models", "own_prompts") for each in getattr(row, table, ()) if "*" not in each]
    known = {f"model-{each}": {"model": each} for each in (*models, *MODELS.get(name, ()))}
    modes = {f"mode-{each}": {"mode": each} for each in spec.modes}
    kinds = ({"screen": screen}, modes, known)
    for parts in product(agents.items(), *({"": {}, **each}.items() for each in kinds)):
        named = [each for each, _ in parts if each]
        if named and (len(named) == 1 or name in MODELS):
            said["-".join(named)] = {key: value for _, each in parts for key, value in each.items()}
    for each, session in said.items():
        yield {**own, "name": f"{each}-as-users-have-it", "session": {**own["session"], **session}}


def _agents(row: Any) -> list[str]:
    """The names of a program's own sub-agents."""
    found = next((getattr(row, each) for each in AGENTS if getattr(row, each, None)), ())
    return [getattr(each, "name", each) for each in found]


def _has(case: dict[str, Any], top: Path) -> set[object]:
    """The rules of a case, and the numbers that its sizes are made of; nothing where nothing is sent."""
    layout = Layout(case, str(top))
    session = session_of(layout, case["version"])
    row = traced(rows(session.harness)[0])
    with given({row.version.name: row}):
        prompt = harnesses.preview(session, layout.host(ask_git))
    if prompt.stopped:
        return set()
    sizes = [each.elided.size for message in prompt.messages for each in message.segments if each.elided]
    sizes += [each.size for each in prompt.tools or () if each.enabled]
    numbers = {place for size in sizes if isinstance(size, Number) for place in size.terms}
    return {*rules_of(prompt), *numbers}


def _chosen(name: str, top: Path, left_out: set[str], sessions: list[dict[str, Any]]) -> dict[str, Any]:
    every = {each: known for each, known in candidates(name, top).items() if each not in left_out}
    missing: set[object] = set().union(*(has for _, has in every.values()))
    for number, each in enumerate(sessions):
        case = {**each, "harness": name, "version": harnesses.get(name).versions[0].name}
        missing -= {*_has(case, top / "kept" / str(number)), each["name"]}
    while missing and every:
        best = max(every, key=lambda each: len(every[each][1] & missing))
        case, has = every.pop(best)
        if not has & missing:
            break
        # Some programs name their own directories in their own text: a size is one of a short path.
        why = _is_held(case, top / str(len(every)))
        print(f"{'left out' if why else 'holds':<9} {best} {why}", flush=True)
        if why:
            left_out.add(best)
            continue
        missing -= has
        said = {key: value for key, value in case["session"].items() if value or key in ("cwd", "args", "steps", "env")}
        kept = {key: case.get(key) or ({} if key != "git" else []) for key in KEPT}
        sessions.append({"name": best, **kept, "session": said})
    return {"left_out": sorted(left_out), "sessions": sessions}


def _is_held(case: dict[str, Any], top: Path) -> str:
    """Why a case cannot be taken; "" where the installed program sends what the preview shows."""
    layout = Layout(case, str(top))
    session, host = session_of(layout, case["version"]), layout.host(ask_git)
    prompt = harnesses.preview(session, host)
    try:
        found = capture(
            session, prompt, host, layout.workspace, runs=False, is_case=True, etc=layout.etc, names_model=False
        )
    except PromptlsError as error:
        return str(error)
    if found.version != prompt.session.version:
        sys.exit(f"{name_of(case)} is for {prompt.session.version}, and {found.version} is installed.")
    if found.left_out and not is_same(prompt, found.prompt):
        return "it has what is not given to a program"
    differences = sides(prompt, found, host).differences
    return differences[0].says if differences else ""


def name_of(case: dict[str, Any]) -> str:
    """A case, for people."""
    return f"{case['harness']} {case['name']}"


if __name__ == "__main__":
    main()
