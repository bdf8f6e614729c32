"""Files that look like instruction files by name and place, and which harnesses they are for."""

from __future__ import annotations

import re

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Prompt


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instruction file: its place relative to a folder, and whose it is; () for everybody's.

    Where a kind is some harness's own and none of these is in use, nothing is said of its files.
    """

    place: re.Pattern[str]
    harnesses: tuple[str, ...] = ()


COPILOT = ("copilot-cli", "copilot-vscode")
KINDS = (
    Kind(re.compile(r"(?:^|/)AGENTS\.md$")),
    Kind(re.compile(r"(?:^|/)AGENTS\.override\.md$"), ("codex",)),
    Kind(re.compile(r"(?:^|/)ETCODE\.md$"), ("etcode",)),
    Kind(re.compile(r"(?:^|/)GEMINI\.md$"), ("gemini-cli",)),
    Kind(re.compile(r"(?:^|/)CLAUDE(?:\.local)?\.md$"), ("claude-code",)),
    Kind(re.compile(r"(?:^|/)\.claude/rules/.+\.md$"), ("claude-code",)),
    Kind(re.compile(r"(?:^|/)\.github/copilot-instructions\.md$"), COPILOT),
    Kind(re.compile(r"(?:^|/)\.github/instructions/.+\.md$"), COPILOT),
    Kind(re.compile(r"(?:^|/)\.cursor/rules/.+\.mdc?$"), ("cursor",)),
    Kind(re.compile(r"(?:^|/)\.cursorrules$"), ("cursor",)),
    Kind(re.compile(r"(?:^|/)SOUL\.md$"), ("openclaw",)),
    Kind(re.compile(r"(?:^|/)SYSTEM_PROMPT\.md$"), ("mini-claude-code",)),
    Kind(re.compile(r"(?:^|/)\.memory/MEMORY\.md$"), ("learn-claude-code",)),
)
# What they all end in: most files of a folder do not.
ENDINGS = (".md", ".mdc", ".cursorrules")
# Names that are well known in exactly this spelling.
SPELLINGS = ("AGENTS.md", "AGENTS.override.md", "ETCODE.md", "GEMINI.md", "CLAUDE.md", "CLAUDE.local.md")


def kind_of(relative: str) -> Kind | None:
    """The kind of the file at a path relative to the checked folder."""
    if not relative.endswith(ENDINGS):
        return None
    return next((kind for kind in KINDS if kind.place.search(relative)), None)


def in_use(prompts: tuple[Prompt, ...]) -> dict[str, None]:
    """The harnesses that have a prompt, in order."""
    return dict.fromkeys(prompt.session.harness for prompt in prompts)


def is_of_others(kind: Kind, used: dict[str, None]) -> bool:
    """Whether the kind belongs to a harness that is not looked at here."""
    return bool(kind.harnesses) and not any(name in used for name in kind.harnesses)
