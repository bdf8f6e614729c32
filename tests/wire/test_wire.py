import html
from functools import cached_property
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.model import START, Prompt, Range
from promptls.core.text import LineIndex, decode, newlines
from promptls.core.values import replace
from promptls.harnesses.copilot_cli.files.imports import as_sent
from tests.parts.layout import part_cases
from tests.wire.case import Case, Layout, cases, expected_sources, in_one, missing_parts, preview, sources

pytestmark = pytest.mark.same_everywhere
ALL = cases()

# A case keeps no word of what made the difference, so that it cannot be distinguished from another one.
NO_TRUST = "the case has neither trusted_folders.toml nor --trust, with which the program was started"
IN_A_WORKTREE = "its tool makes the worktree; the preview shows the file that it is made from"
IN_A_FILE = "it names a file that has the text of an option or variable by chance, and no message says so"
SAYS_TOO_LITTLE = {
    "copilot-cli/at-mention-file": "its read represents an @file in the prompt, which adds nothing; viewing the same "
    "file with the view tool adds instructions (lazy-read-nested)",
    "continue/config-rules": "config.yaml is not among its files, and an argument with a blank in it is two there; "
    "rule-flag has both",
    "droid/append-env": IN_A_FILE,
    "droid/append-flag": IN_A_FILE,
    "droid/git-state": "it tells what git and the environment say by a file beside them",
    "droid/hooks": "it has what hooks print, and promptls runs none: a placeholder is in its place",
    "goose/mcp-instructions": "it has what an MCP server says, and promptls starts none",
    "goose/system-flag": IN_A_FILE,
    "letta-code/worktree": IN_A_WORKTREE,
    "letta-code/worktree-link": IN_A_WORKTREE,
    "grok-build/mcp-works": "it has what an MCP server says, and promptls starts none: a placeholder is in its place",
    "hermes/config-prompts": IN_A_FILE,
    "hermes/git-state": IN_A_FILE,
    "kimi-code/add-dir": IN_A_FILE,
    "kimi-code/changed": "it counts new.txt, which is no instruction file, among the sources; the preview has its "
    "text as what the call answers",
    "kimi-code/git-state": IN_A_FILE,
    "kimi-code/hooks": "it has what hooks print, and promptls runs none: a placeholder is in its place",
    "kimi-code/identity": IN_A_FILE,
    "kimi-code/utf16": "its sources are found by a mark, which UTF-16 has no longer; its part holds the text",
    "deepagents-code/makefile": "git is not asked here, and what it says stands between two parts",
    "kilo-code/config-instructions": "the global configuration, which names ~/my.md, is not among its files; "
    "config-instructions-global has it",
    "mistral-vibe/chain-beyond-git-root": f"{NO_TRUST}: a folder above the git root was trusted, as in "
    "trust-above-git-root",
    "openhands/triggered": "the case has no prompt, and the one that was typed had the trigger in it, as in "
    "triggered-prompt",
    "mistral-vibe/untrusted": f"{NO_TRUST}: nothing was trusted, as in trust-headless",
    "qwen-code/filename-list": "its settings, which name the files, are not among its files; "
    "filename-list-settings has them",
    "qwen-code/identical-content": "its sources are told by their text, which two files have; its parts hold both, as "
    "does identical-text",
}


class Previewed:
    """A case that is laid out, and its preview, which two tests look at. It is made within the first one of them."""

    def __init__(self, case: Case, directory: Path) -> None:
        self.case = case
        self._directory = directory

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.case, self._directory)

    @cached_property
    def prompt(self) -> Prompt:
        return preview(self.layout)


@pytest.fixture(scope="module")
def previewed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Previewed:
    return Previewed(request.param, tmp_path_factory.mktemp("wire") / "case")


def _marked(case: Case) -> object:
    why = SAYS_TOO_LITTLE.get(case.id)
    return pytest.param(case, id=case.id, marks=[pytest.mark.xfail(reason=why, strict=True)] if why else [])


@pytest.mark.parametrize("previewed", [_marked(case) for case in ALL], indirect=True, scope="module")
def test_the_preview_is_what_was_sent(previewed: Previewed) -> None:
    case, layout, prompt = previewed.case, previewed.layout, previewed.prompt
    found, wanted = sources(layout, prompt), expected_sources(case)
    if case.data["expect"].get("unordered"):
        assert sorted(set(found)) == sorted(set(wanted))
    else:
        assert found == wanted
    assert missing_parts(layout, prompt) == []


@pytest.mark.parametrize("case", [each for each in ALL if "requests" in each.data["expect"]], ids=lambda case: case.id)
def test_each_sub_agent_gets_what_its_own_request_had(case: Case, tmp_path: Path) -> None:
    layout = Layout(case, tmp_path / "case")
    session, host = layout.session(), layout.host()
    (turn,) = session.turns
    *before, last = turn.steps
    started = [replace(turn, steps=(*before, (replace(call, steps=()),))) for call in last]
    found = [sources(layout, harnesses.preview(replace(session, turns=(each,)), host)) for each in started]
    first, *of_sub_agents, after = (in_one(each["sources"]) for each in case.data["expect"]["requests"])
    assert sorted(found) == sorted(of_sub_agents)
    assert first == after == expected_sources(case)


@pytest.mark.parametrize("previewed", ALL, ids=lambda case: case.id, indirect=True, scope="module")
def test_segments_tile_the_text_and_files_are_sent_to_the_letter(previewed: Previewed) -> None:
    case, host = previewed.case, previewed.layout.host()
    for message in previewed.prompt.messages:
        assert message.text == "".join(segment.text for segment in message.segments)
        for segment in message.segments:
            origin = segment.origin
            if origin.kind != "file" or segment.cut is not None or segment.layer not in ("instructions", "memory"):
                continue
            assert origin.path
            assert origin.range
            text = decode(host.read(origin.path).data, keep_bom=True)
            # Copilot CLI escapes what it adds when a file is viewed.
            is_escaped = case.data["harness"] == "copilot-cli" and message.at != START
            sent = html.unescape(segment.text) if is_escaped else segment.text
            # Claude Code sends line feeds where it removes a comment.
            # Some remove bytes that are no UTF-8.
            removed = host.read(origin.path).data.decode("utf-8", "ignore")
            sources = {_stretch(each, origin.range).lstrip("\ufeff") for each in (text, newlines(text), removed)}
            # Copilot CLI leaves out letters that are not shown (wire: unseen-letters).
            sources |= {as_sent(each) for each in sources} if case.data["harness"] == "copilot-cli" else set()
            assert sent.lstrip("\ufeff") in sources


def _stretch(text: str, where: Range) -> str:
    """The text at a range. A byte order mark is not a character of the file's first line."""
    index = LineIndex(text.removeprefix("\ufeff"))
    start = index.offset(where.start_line, where.start_character)
    return index.text[start : index.offset(where.end_line, where.end_character)]


def test_verified_versions_are_those_with_cases() -> None:
    covered = {(case.data["harness"], case.data["version"]) for case in (*ALL, *part_cases())}
    known = {(harness.name, version.name) for harness in harnesses.every() for version in harness.versions}
    verified = {
        (harness.name, version.name)
        for harness in harnesses.every()
        for version in harness.versions
        if version.verified
    }
    assert covered <= known
    assert verified == covered
