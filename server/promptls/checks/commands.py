"""command-missing: scripts and targets that a text tells the model to run, and that nobody has.

A command that may exist is left alone: one to be filled in, one of an example, one that a condition goes before.
"""

from __future__ import annotations

import re
from posixpath import basename

from promptls.checks.hedges import is_to_fill_in, is_told_to_run
from promptls.core.lazy import regex
from promptls.core.near import near
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree

_RUN = regex(r"(?<![\w-])(npm|pnpm|yarn|bun) run (?!-)([\w:.-]*\w)(?![\w*<{\[$/%|…:.-])([^\n`]*)")
_MAKE = regex(r"(?:^|(?<=[`;&|$(>]))[ \t]*make (?![\w.]+=)([a-z][\w.-]*)(?=[ \t`;&|)]|$)", re.MULTILINE)
_TARGETS = regex(r"^([^\s:=#][^:=#\n]*)::?(?!=)", re.MULTILINE)
# Makefiles that include others, or make targets by rule or by variable: then nothing is known.
_OPEN_ENDED = regex(r"^[ \t]*-?s?include\b|^[^\t#\n%]*%[^\n:]*:|\$\(eval|^[^\t#\n:=]*\$[^\n:=]*:(?!=)", re.MULTILINE)
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
# Files that Makefiles are made of.
MADE_OF = ("CMakeLists.txt", "configure", "configure.ac", "Makefile.am", "Makefile.in", "Makefile.PL", "meson.build")
# These also run programs of packages, whose names are not known here.
RUNS_PROGRAMS = ("yarn", "bun")
# Words after "make" that are no target, and names of scripts that mean any.
PROSE = ("sure", "certain", "a", "an", "the", "it", "them", "use", "changes", "your", "this", "that", "any", "sense")
ANY = ("script", "command", "task", "x", "y", "thing", "target", "script-name", "task-name", "command-name")
# Fences of these languages show commands; others show files, and what is in them belongs to those.
SHELLS = (
    *("", "sh", "bash", "shell", "zsh", "fish", "console", "terminal", "shell-session", "shellsession", "powershell"),
    *("ps1", "pwsh", "cmd", "bat", "batch", "text", "txt", "plaintext", "make", "makefile"),
)
_FENCE = regex(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([^\s`{]*)")
# What a template has, and no list of commands.
_BLANKS = regex(r"\{\{|\{%|<[a-z][\w -]*>|\[[A-Za-z][\w ,/'-]* [\w ,/'-]*\]|^ {0,3}#{2,} |^ {0,3}- \[ \]", re.MULTILINE)


@dataclass(slots=True)
class Commands:
    """The scripts and targets of a folder; None until they are asked for. Any package's or Makefile's counts."""

    tree: Tree
    scripts: dict[str, None] | None = None
    targets: dict[str, None] | None = None

    def missing(self, text: str, start: int, end: int) -> Iterator[tuple[tuple[int, int], str, str | None]]:
        """For the commands in a stretch of code that run nothing: place, message, and the name that was meant."""
        piece = text[start:end]
        for found in _RUN.finditer(piece) if " run " in piece else ():
            names, name = self._scripts(), found[2]
            if not names or name in names:
                continue
            right = near(name, names)
            if found[1] in RUNS_PROGRAMS and right is None:
                continue
            is_any = name in ANY or is_to_fill_in(name) or "--if-present" in found[3]
            if not is_any and is_told_to_run(text, start + found.start(), start + found.end(2)):
                says = f"No package.json here has a script {name}. Name an existing one."
                yield (start + found.start(2), start + found.end(2)), says, right
        for found in _MAKE.finditer(piece) if "make " in piece else ():
            names, name = self._targets(), found[1]
            if not names or name in names or name in PROSE or name in ANY or is_to_fill_in(name):
                continue
            if is_told_to_run(text, start + found.start(), start + found.end(1)):
                says = f"No Makefile here has a target {name}. Name an existing one."
                yield (start + found.start(1), start + found.end(1)), says, near(name, names)

    def _scripts(self) -> dict[str, None]:
        """None at all where a package.json cannot be read: it might have any."""
        if self.scripts is None:
            self.scripts = {}
            for path in self.tree.files:
                if basename(path) == "package.json":
                    scripts = _scripts_of(self.tree.text(path) or "")
                    if scripts is None:
                        self.scripts = {}
                        break
                    self.scripts |= dict.fromkeys(scripts)
        return self.scripts

    def _targets(self) -> dict[str, None]:
        """None at all where a Makefile includes others or makes targets by rule: then nothing is known."""
        if self.targets is None:
            self.targets = {}
            texts = [self.tree.text(path) or "" for path in self.tree.files if basename(path) in MAKEFILES]
            is_made = any(basename(path) in MADE_OF for path in self.tree.files)
            if not is_made and not any(_OPEN_ENDED.search(text) for text in texts):
                for text in texts:
                    for found in _TARGETS.finditer(text):
                        self.targets |= dict.fromkeys(found[1].split())
        # A path of the folder is a target without a rule.
        return self.targets


def shows_commands(piece: str) -> bool:
    """Whether a span or a block of code is there to be run, and is no template of a file."""
    fence = _FENCE.match(piece)
    return fence is None or (fence[1].lower() in SHELLS and (bool(fence[1]) or not _BLANKS.search(piece)))


def _scripts_of(text: str) -> list[str] | None:
    import json  # noqa: PLC0415 - most files name no script

    try:
        scripts = json.loads(text).get("scripts")
    except (ValueError, AttributeError, RecursionError):
        return None if text.strip() else []
    return list(scripts) if isinstance(scripts, dict) else []
