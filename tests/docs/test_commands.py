"""Every command that the documentation shows is one: promptls takes its options, make has its target."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import parser_of

from promptls import __version__, harnesses
from promptls.cli import COMMANDS, main
from promptls.errors import PromptlsError
from tests.docs.pages import PAGES, ROOT, code, name

SPAN = re.compile(r"(?<!`)`(promptls [^`\n]+|make [a-z-]+)`(?!`)")
# What stands for something else, or is not typed in a shell.
NOT_TYPED = re.compile(r"promptls (COMMAND|PATH)\b|promptls \d|promptls (contributors|uses)")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
SHOWN = [path for path in PAGES if path.name != "CHANGELOG.md" and "transcripts" not in path.parts]
EXAMPLE = ROOT / "examples" / "shop"
# The harness of docs/harness-example.
OF_OTHERS = "acme"


def commands(path: Path) -> Iterator[str]:
    """Each command of a page, without the remark behind it."""
    text = path.read_text(encoding="utf-8")
    for line in [*code(text), *SPAN.findall(text)]:
        command = re.split(r" {2,}|\t|\s#\s| >|\s\|", line.removeprefix("$ "))[0].strip()
        if re.match(r"(promptls|make)( |$)", command) and not NOT_TYPED.match(command):
            yield command


@pytest.mark.parametrize("path", SHOWN, ids=map(name, SHOWN))
def test_every_command_is_one(path: Path) -> None:
    for command in commands(path):
        program, *words = shlex.split(command.partition(" -- ")[0])
        if program == "make":
            assert {word for word in words if "=" not in word} <= TARGETS, command
        elif len(words) == 1 and words[0] in COMMANDS:
            continue  # the name of a command, in a sentence or in a list
        elif words and words[0] in COMMANDS and words != ["config", "schema"]:
            options = parsed(words[0], words[1:], command)
            for each in named(options):
                harnesses.get(harnesses.split(each)[0])
        elif words not in (["--version"], ["config", "schema"]):
            parsed("", words, command)


def parsed(name: str, words: list[str], command: str) -> object:
    try:
        return parser_of(name).parse_args(words)
    except (PromptlsError, SystemExit) as error:
        pytest.fail(f"{command}: {error}")


def named(options: object) -> list[str]:
    """The harnesses that a command names, but for the letters that stand for one."""
    values = (getattr(options, key, None) or () for key in ("harness", "use"))
    texts = (text for value in values for text in ([value] if isinstance(value, str) else value))
    return [each for text in texts for each in text.split(",") if each.islower() and each != OF_OTHERS]


def test_what_is_installed_has_the_name_that_is_built() -> None:
    for path in SHOWN:
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"promptls-(\d[\w.]*?)(?:-py3|\.vsix|\.tar)", text)) <= {__version__}, path


def test_nothing_says_to_install_by_the_bare_name() -> None:
    # promptls is not on a package index: its name would install what somebody else has put there.
    bare = re.compile(r"(?:pip|pipx|uv tool|uvx?) (?:install|--from) ['\"]?promptls(?!-\d)")
    places = ("docs/editors/**/*.*", "server/promptls/**/*.py", "vscode-extension/src/*.ts", "tools/*.sh", "*.y*ml")
    others = {path for place in places for path in ROOT.glob(place) if path.suffix != ".png"}
    for path in {*SHOWN, *others}:
        assert not bare.search(path.read_text(encoding="utf-8")), path


def test_the_commands_of_the_example_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "shop"))
    monkeypatch.chdir(folder)
    said = []
    for command in commands(EXAMPLE / "README.md"):
        assert main(shlex.split(command)[1:]) in (0, 1)
        found = capsys.readouterr()
        # A check says there which sessions it is about.
        assert found.err == "" or (" · started in " in found.err and " check " in f" {command} "), command
        said.append(found.out)
    claude, etcode, check = said
    assert "Prices are integers" in claude
    assert "An order is never deleted" not in claude
    assert "An order is never deleted" in etcode
    assert "import-missing" in check
