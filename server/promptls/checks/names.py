"""Files that look like instruction files by name and place, and which harnesses they are for."""

from __future__ import annotations

import re
from posixpath import basename

from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.paths import join, parent
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.spec import InstructionFile


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instruction file: its place relative to a folder, and whose it is; () for everybody's.

    If a kind belongs to harnesses and none of them is in use, nothing is reported for its files. ``loaded_ending``:
    the only ending that is loaded from its place, if there is one.
    """

    place: re.Pattern[str]
    harnesses: tuple[str, ...] = ()
    loaded_ending: str = ""


# A scheme of links to files of a workspace, in rules; the path is relative to that.
MDC = "mdc:"
# It is written for no one program.
AGENTS = Kind(regex(r"(?:^|/)AGENTS\.md$"))
_TEMPLATE = regex(
    r"(?:^|[-_.])(?:templates?|skeletons?|scaffold(?:s|ing)?|boilerplates?|cookiecutter|fixtures?|testdata)(?:$|[-_.])"
    r"|\{[{%]|\[\[",
    re.IGNORECASE,
)


@specs.cached
def kinds() -> tuple[Kind, ...]:
    """Every kind, each with the harnesses that it belongs to."""
    found: dict[InstructionFile, list[str]] = {}
    for spec in specs.every():
        for each in spec.instruction_files:
            found.setdefault(each, []).append(spec.name)
    return AGENTS, *(Kind(re.compile(each.place), tuple(names), each.loaded_ending) for each, names in found.items())


def spellings() -> tuple[str, ...]:
    """Names that are well known in exactly this spelling."""
    return "AGENTS.md", *(each.name for spec in specs.every() for each in spec.instruction_files if each.name)


def kind_of(relative: str) -> Kind | None:
    """The kind of the file at a path relative to the checked folder."""
    if not relative.endswith(specs.endings()):
        return None
    return next((kind for kind in kinds() if kind.place.search(relative)), None)


def is_apart(path: str, host: Host, root: str) -> bool:
    """Whether a file below ``root`` is part of a skill, a template or a program's own folder.

    Such a file is there for whoever uses that, and says nothing about the directory that it is in.
    """
    place = next((found for kind in kinds() if (found := kind.place.search(path))), None)
    # Where an instruction file may well be in a folder with a dot, what counts is which one holds that.
    directory = path[: place.start()] if place else parent(path)
    while len(directory) > len(root.rstrip("/")) and directory.startswith(root):
        name = basename(directory)
        if name.startswith(".") or is_template(name) or host.kind(join(directory, "SKILL.md")) == "file":
            return True
        directory = parent(directory)
    return False


def is_template(name: str) -> bool:
    """Whether a directory holds what others are made of, by its name."""
    return _TEMPLATE.search(name) is not None


def in_use(prompts: tuple[Prompt, ...]) -> dict[str, None]:
    """The harnesses that have a prompt, in order."""
    return dict.fromkeys(prompt.session.harness for prompt in prompts)


def is_of_others(kind: Kind, used: dict[str, None]) -> bool:
    """Whether the kind belongs to a harness that is not looked at here."""
    return bool(kind.harnesses) and not any(name in used for name in kind.harnesses)
