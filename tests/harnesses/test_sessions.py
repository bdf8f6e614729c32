from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import START, Candidate, Prompt, Segment, Session, reading
from promptls.core.settings import DEFAULT, Settings
from promptls.core.spec import Spec
from promptls.core.values import replace
from promptls.sessions import of_folder as sessions
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
Files = dict[str, str | bytes | dict[str, object]]


def host_of(folder: Path) -> Host:
    return Host(home=f"{folder}-home", env={})


def places_of(folder: Path) -> sessions.Places:
    files = sorted(str(path) for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path))
    return sessions.places(str(folder), files)


def others(but: str) -> list[str]:
    return [each for each in harnesses.read_agents() if each != but]


def used(folder: Path, *named: str) -> list[str]:
    return list(sessions.in_use(host_of(folder), places_of(folder), str(folder), named).names)


@pytest.mark.parametrize(
    ("files", "named", "expected"),
    [
        ({"a.py": ""}, (), []),
        ({"AGENTS.md": "x"}, (), [*harnesses.read_agents()]),
        ({"a/AGENTS.md": "x", "CLAUDE.md": "x"}, (), ["claude-code", *others("claude-code")]),
        ({"AGENTS.md": "x", ".cursor/rules/x.mdc": ""}, (), ["cursor", *others("cursor")]),
        ({"CONTEXT.md": "x"}, (), ["opencode"]),
        ({"a/b/CLAUDE.md": "x"}, (), ["claude-code"]),
        ({"AGENTS.md": "x"}, ("codex",), ["codex"]),
        ({"AGENTS.md": "x", "a/b/etcode.json": "{}"}, (), ["etcode"]),
        ({"a/.cursor/rules/x.mdc": "", "a/GEMINI.md": ""}, ("codex",), ["codex", "gemini-cli", "cursor"]),
        ({".github/workflows/ci.yml": ""}, (), []),
        ({".github/instructions/a.instructions.md": ""}, (), ["copilot-cli", "copilot-vscode"]),
        ({"x/instructions/a.md": "", "notetcode.json": ""}, (), []),
    ],
)
def test_a_harness_is_in_use_if_it_is_named_or_has_files_of_its_own(
    tmp_path: Path, files: Files, named: tuple[str, ...], expected: list[str]
) -> None:
    assert used(lay_out(tmp_path, files), *named) == expected


@pytest.mark.parametrize(
    ("directory", "root", "is_one"),
    [
        ("/w/.claude", "/w", True),
        ("/w/.claude/rules", "/w", True),
        ("/w/a/.x/b", "/w", True),
        ("/.x", "/", True),
        ("/w", "/w", False),
        ("/w/a.b", "/w", False),
        ("/.w", "/.w", False),
        ("/.w/a", "/.w", False),
        ("/v/.x", "/w", False),
        ("C:/.w/.x", "c:/.w", True),
        ("C:/.w/a", "c:/.w", False),
        ("D:/.x", "C:/w", False),
    ],
)
def test_nobody_starts_in_a_folder_of_a_program(directory: str, root: str, *, is_one: bool) -> None:
    assert sessions.is_of_a_program(directory, root) is is_one


@pytest.mark.parametrize("spec", [each for each in specs.every() if each.evidence], ids=lambda spec: spec.name)
def test_who_has_agents_md_for_its_own_file_has_it_alone(tmp_path: Path, spec: Spec) -> None:
    evidence = spec.evidence[0]
    names = used(lay_out(tmp_path, {"AGENTS.md": "x", evidence if "." in evidence[1:] else f"{evidence}/x.md": "x"}))
    assert spec.name in names
    # What the others say of it is what their previews do: test_specs.py.
    is_owner = spec.name in ("codex", "opencode") if spec.counts_for_agents else spec.owns_agents
    assert (len(names) == 1) is is_owner


def test_what_stands_above_the_folder_counts(tmp_path: Path) -> None:
    lay_out(tmp_path, {"etcode.json": "{}", "lib/a.py": ""})
    lib = tmp_path / "lib"
    assert sessions.in_use(host_of(tmp_path), places_of(lib), str(tmp_path)).names == ("etcode",)
    assert sessions.in_use(host_of(tmp_path), places_of(lib), str(lib)).names == ()


def test_those_that_are_chosen_are_all(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "x", "CLAUDE.md": "x", ".cursor/rules/x.mdc": ""})
    found = sessions.in_use(host_of(folder), places_of(folder), str(folder), ("cursor",), ("codex",))
    assert (found.names, found.by_agents) == (("codex", "cursor"), frozenset())


# A read brings files into the message that begins the session.
INTO_THE_SYSTEM_MESSAGE = ("goose",)
TREE: Files = {
    "AGENTS.md": "root",
    "a/AGENTS.md": "a",
    "a/x.py": "1",
    "a/b/AGENTS.md": "b",
    "a/b/y.py": "1",
    "c/AGENTS.md": "the same",
    "c/z.py": "1",
    "d/AGENTS.md": "the same",
    "d/deep/er/w.py": "1",
    "e/AGENTS.md": "nothing beside it",
    "f/g.py": "no instructions",
}


def made(folder: Path, harness: str, settings: Settings = DEFAULT) -> list[Session]:
    found = sessions.prompts(host_of(folder), places_of(folder), harness, settings)
    return [prompt.session for prompt in found]


def described(folder: Path, found: list[Session]) -> Iterator[tuple[str, ...]]:
    for session in found:
        yield tuple(str(Path(each).relative_to(folder)) for each in (session.cwd, *session.reads))


def test_reads_bring_what_is_nested_and_what_they_do_not_is_started_in(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, TREE)
    # A read below a/b passes a; beside e/AGENTS.md is nothing to read.
    assert list(described(folder, made(folder, "opencode"))) == [
        (".",),
        (".", "a/b/y.py", "c/z.py", "d/deep/er/w.py"),
        ("e",),
    ]


def test_where_reads_bring_nothing_it_is_started_in_the_innermost_directories(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, TREE)
    assert sorted(described(folder, made(folder, "codex"))) == [(".",), ("a/b",), ("c",), ("d",), ("e",)]


def test_it_is_started_where_files_of_its_own_are_and_where_the_settings_say(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {**TREE, "f/opencode.json": "{}", "c/.opencode/agent/x.md": ""})
    settings = Settings(harness="opencode", model="p/m", agent="plan", cwd=str(folder / "a"))
    found = made(folder, "opencode", settings)
    assert {("a",), ("c",), ("f",)} < set(described(folder, found))
    assert {(session.model, session.agent) for session in found} == {("p/m", "plan")}
    assert {(session.model, session.agent) for session in made(folder, "etcode", settings)} == {(None, None)}


def test_names_of_a_configuration_are_instruction_files_too(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a/TEAM.md": "x", "a/b.py": ""})
    configuration = Path(f"{folder}-home", ".codex", "config.toml")
    configuration.parent.mkdir(parents=True)
    assert list(described(folder, made(folder, "codex"))) == [(".",)]
    configuration.write_text('project_doc_fallback_filenames = ["TEAM.md"]\n')
    assert list(described(folder, made(folder, "codex"))) == [(".",), ("a",)]


def test_a_name_of_a_configuration_counts_below_the_root_where_the_root_has_such_a_file_too(tmp_path: Path) -> None:
    files: Files = {"TEAM.md": "x", "a/TEAM.md": "y", "a/b.py": ""}
    folder = lay_out(tmp_path, {**files, ".gemini/settings.json": {"context": {"fileName": "TEAM.md"}}})
    assert list(described(folder, made(folder, "gemini-cli"))) == [(".",), (".", "a/b.py")]


def test_no_session_is_made_twice(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {**TREE, "a/opencode.json": "{}", "opencode.json": "{}", "c/.cursorrules": "x"})
    for harness in harnesses.names():
        found = made(folder, harness)
        assert len(set(found)) == len(found), harness


def test_no_start_beside_what_a_file_above_hides(tmp_path: Path) -> None:
    nested = {"a/AGENTS.md": "a", "a/x.py": "1", "b/AGENTS.md": "b", "b/c/CLAUDE.md": "c", "b/c/y.py": "1"}
    folder = lay_out(tmp_path, {"CLAUDE.md": "all", **nested})
    assert list(described(folder, made(folder, "claude-code"))) == [(".",), (".", "a/x.py", "b/c/y.py")]


@pytest.mark.parametrize("harness", [each.name for each in specs.every() if each.nested and each.is_nested_on_read])
def test_reads_in_one_session_are_as_reads_in_many(tmp_path: Path, harness: str) -> None:
    """Where no instruction file is above two of them, which comes with the first, and no two are the same."""
    names = specs.of(harness).nested
    nested = {f"{place}/{names[0]}": f"rules of {place}" for place in ("a/b", "c", "d")}
    folder = lay_out(tmp_path, {**nested, **{path: text for path, text in TREE.items() if "AGENTS" not in path}})
    (together,) = (
        prompt
        for prompt in sessions.prompts(host_of(folder), places_of(folder), harness, DEFAULT)
        if prompt.session.reads
    )
    assert len(together.session.reads) == 3
    for read in together.session.reads:
        alone = harnesses.preview(replace(together.session, turns=reading((read,))), host_of(folder))
        at = f"read:{read}"
        assert _brought(together, at) == _brought(alone, at)
        if harness in INTO_THE_SYSTEM_MESSAGE:
            continue
        assert _brought(together, START) == _brought(alone, START)
        assert any(message.at == at for message in alone.messages)


def _brought(prompt: Prompt, at: str) -> tuple[list[Segment], list[Candidate]]:
    """The instructions and candidates of an event; the file itself is not opened where many are read."""
    messages = [message for message in prompt.messages if message.at == at]
    segments = [each for message in messages for each in message.segments if each.layer == "instructions"]
    return segments, [candidate for candidate in prompt.candidates if candidate.at == at]


def test_a_folder_is_looked_at_as_if_it_were_trusted(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"GEMINI.md": "@missing.md\n"})
    (prompt,) = sessions.prompts(host_of(folder), places_of(folder), "gemini-cli", DEFAULT)
    assert prompt.stopped is None
    assert any(each.outcome == "missing" and each.origin.name == "@missing.md" for each in prompt.candidates)


def test_files_below_a_directory_of_a_name_are_those_of_the_directory_with_it(tmp_path: Path) -> None:
    own = ("a/.claude/rules/in/y.md", "a/.claude/rules/x.md")
    others = ("a/.claude/rules-of-others/z.md", "a/.claude/rulesets.md", "b/rules/z.md", ".claude/rules/of-the-root.md")
    folder = lay_out(tmp_path, dict.fromkeys((*own, *others), "x"))
    found = sessions.nested_files(places_of(folder), {".claude/rules/"})
    assert found == {f"{folder}/a": [f"{folder}/{each}" for each in own]}
