"""A package of a harness to begin with, filled with what a probe has seen: files, order, frame and role.

It is the form of docs/writing-a-harness.md. What one session cannot show is said in a comment.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from promptls.core.paths import is_below, join, name, parent, relative, upwards
from promptls.core.values import dataclass
from promptls.wire.sent_lines import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from promptls.wire.probe import BlockWithFiles, Probe, Probed
    from promptls.wire.sent_lines import Stood

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}-harness"
version = "0.1"
description = "Shows in promptls what {title} sends."
requires-python = ">=3.11"
dependencies = ["promptls>=0.1,<0.2"]

[project.entry-points."promptls.harnesses"]
{name} = "{module}:HARNESS"

[tool.hatch.build.targets.wheel]
include = ["{module}.py"]
"""
MODULE = '''\
"""{title}: what one session of {version} showed, by promptls probe. Read each value before you keep it."""

from __future__ import annotations

from promptls.harness_api import (
    Chain,
    Frame,
    Host,
    InstructionFile,
    Prompt,
{reading}    Session,
    Spec,
    Version,
    Writer,
    dataclass,
    described,
    {imports},
    row,
)

SPEC = Spec(
    {name!r},
    {title!r},
    # What shows that a folder is meant for it: a guess.
    evidence={evidence!r},
    nested={nested!r},
    instruction_files=(
{files}    ),
{command})
{chains}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a version. ``own``: the characters of its own text before the files."""

    version: Version
    own: int | None


ROWS = (Facts(Version({version!r}), own={own}),)


def preview(session: Session, host: Host) -> Prompt:
    """What {title} sends: messages, what the user types, and the results of reading files."""
    writer = Writer(SPEC, session, host)
    facts = row(ROWS, session.version)
{body}
    writer.chat(index={index}, why="nothing else was seen beside what is typed")
    return writer.prompt()


HARNESS = described(SPEC, ROWS, preview=preview, loads=({loads!r},))
'''
CHAIN = """\
{remark}
{chain} = Chain(
    names=({names}),
    why={why!r},
    where={where},{reading}
)
{frame} = Frame(
    label={label!r},
    end={end!r},
    between={between!r},
)
"""
ONCE = "Seen from the root of the folder alone: start it with --cwd in a folder below to learn where it looks."
CHAINED = "Seen in several directories, from the root down to the working directory."
TOP = "Seen in the root only, from a folder below it."
BELOW = "Seen in the working directory only, and not in the root above it."
FIRST = "Whether one name hides another, only a folder with all of them shows."


@dataclass(frozen=True, slots=True)
class Framed:
    """What stands around the files of a block, with the fields of ``Frame``.

    ``is_stripped``: the white space at the end of a file was not sent.
    """

    label: str = ""
    end: str = ""
    between: str = ""
    is_stripped: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    """The files of a block that are of a chain, with their names in their directories."""

    said: BlockWithFiles
    stood: tuple[Stood, ...]
    names: tuple[str, ...]
    places: tuple[str, ...]


def new_harness(called: str, wanted: Probe, found: Probed) -> dict[str, str]:
    """The files of the package, by their paths in its folder."""
    module = f"{called.replace('-', '_')}_harness"
    title = called.replace("-", " ").capitalize()
    version = found.package.version or "0"
    groups = _groups(wanted, found)
    names = tuple(dict.fromkeys(each for group in groups for each in group.names))
    where = tuple(dict.fromkeys(_directories(wanted, group)[0] for group in groups)) or ("only_cwd",)
    chains = "\n".join(_chain(number, group, wanted, found, title) for number, group in enumerate(groups))
    values = {
        "name": called,
        "module": module,
        "title": title,
        "version": version,
        "imports": ",\n    ".join((*where, *(["without_space"] if "without_space" in chains else []))),
        "reading": "    Reading,\n" if "without_space" in chains else "",
        "evidence": tuple(each for each in names if each not in COMMON) or (f".{called}",),
        "nested": tuple(each for each in names if "/" not in each),
        "files": "".join(f'        InstructionFile(r"(?:^|/){_escaped(each)}$", {name(each)!r}),\n' for each in names),
        "command": _command(wanted),
        "chains": chains,
        "own": _before(groups[0], wanted, found) if groups else "None",
        "body": _body(groups),
        "index": max([1, *(group.said.block.index + 1 for group in groups)]),
        "loads": ", ".join(names) or "no file of the folder",
    }
    return {"pyproject.toml": PROJECT.format(**values), f"{module}.py": MODULE.format(**values)}


# What starts other programs: its name is none of a harness.
STARTERS = r"(?:node|bun|deno|npx|bunx|uvx?|pipx|python[\d.]*|pypy[\d.]*|ruby|perl|java|env|bash|sh)(?:\.exe)?"


def _command(wanted: Probe) -> str:
    """The field with the command of the program, by which previews say how to find out more."""
    called = name(wanted.command[0].replace("\\", "/"))
    return "" if re.fullmatch(STARTERS, called) else f"    command={called!r},\n"


# Files that no harness alone has.
COMMON = ("AGENTS.md", "README.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules")


def _groups(wanted: Probe, found: Probed) -> list[_Group]:
    """The files of each block of the agent's first request, but for those that another one of them names."""
    directories = [*upwards(wanted.cwd, wanted.workspace)]
    groups: list[_Group] = []
    for said in found.main.said if found.main is not None else ():
        kept: list[tuple[Stood, str, str]] = []
        for stood in said.stood:
            place = next((each for each in directories if is_below(stood.path, each)), None)
            if place is None:
                continue
            written = relative(stood.path, place)
            texts = (said.block.text[each.start : each.end] for each, _, _ in kept)
            # What an earlier file names was imported.
            if not ("/" in written and any(written in text for text in texts)):
                kept.append((stood, written, place))
        if kept:
            names = tuple(dict.fromkeys(written for _, written, _ in kept))
            groups.append(_Group(said, tuple(each for each, _, _ in kept), names, tuple(place for _, _, place in kept)))
    return groups


def _directories(wanted: Probe, group: _Group) -> tuple[str, str]:
    """The function that names the directories, and what is not known of that."""
    places = set(group.places)
    if wanted.cwd == wanted.workspace:
        return "only_cwd", ONCE
    if places == {wanted.workspace}:
        return "only_git_root", TOP
    return ("only_cwd", BELOW) if places == {wanted.cwd} else ("from_git_root", CHAINED)


def _chain(number: int, group: _Group, wanted: Probe, found: Probed, title: str) -> str:
    where, remark = _directories(wanted, group)
    framed = frame_of(group.said.block.text, group.stood, wanted.cwd, found.given)
    suffix = "" if number == 0 else f"_{number + 1}"
    return CHAIN.format(
        remark=f"# {remark}\n# {FIRST}" if len(group.names) > 1 else f"# {remark}",
        chain=f"CHAIN{suffix}",
        frame=f"FRAME{suffix}",
        names="".join(f"{each!r}, " for each in group.names).rstrip(),
        why=f"{title} was seen to send it",
        where=where,
        reading="\n    reading=Reading(parts=without_space)," if framed.is_stripped else "",
        label=framed.label,
        end=framed.end,
        between=framed.between,
    )


def _before(group: _Group, wanted: Probe, found: Probed) -> int:
    """The characters before the label of the first file."""
    first = group.stood[0]
    label = frame_of(group.said.block.text, group.stood, wanted.cwd, found.given).label
    filled = label.format(
        path=first.path, relative=relative(first.path, wanted.cwd), directory=parent(first.path), name=name(first.path)
    )
    return first.start - len(filled)


def _body(groups: Sequence[_Group]) -> str:
    lines: list[str] = []
    has_system = False
    for number, group in enumerate(groups):
        suffix = "" if number == 0 else f"_{number + 1}"
        around = f"FRAME{suffix}.around(writer.find(CHAIN{suffix}), base=writer.cwd)"
        block = group.said.block
        if block.role == "system":
            has_system = True
            own = 'writer.own("base prompt", why="its own text comes first", size=facts.own)' if number == 0 else ""
            parts = ", ".join(filter(None, (own, f"*{around}")))
            lines.append(f"    writer.system({parts}, index={block.index}, block={block.block})")
        else:
            lines.append(
                f"    writer.draft.add_message({block.role!r}, {around}, index={block.index}, block={block.block})"
            )
    if not has_system:
        lines.insert(0, '    writer.system(writer.own("base prompt", why="its own text comes first", size=facts.own))')
    return "\n".join(lines)


def frame_of(text: str, stood: Sequence[Stood], cwd: str, given: Mapping[str, bytes]) -> Framed:
    """What stands around files that follow each other in a text; ``given``: the files as the program got them."""
    first, last = stood[0], stood[-1]
    # What a file has of white space at its end is its own, if all of it was sent.
    ends = {each.path: _space_after(given.get(each.path, b"")) for each in stood}
    has_ends = all(text[each.end :].startswith(ends[each.path]) for each in stood if not each.is_cut)
    after = {each.path: each.end + (len(ends[each.path]) if has_ends else 0) for each in stood}
    # What follows a file that was cut is a note of that, and no frame.
    whole = ((one, other) for one, other in pairwise(stood) if not one.is_cut)
    gaps = [_label(text[after[one.path] : other.start], other.path, cwd) for one, other in whole]
    ahead = _label(first.before, first.path, cwd)
    behind = "" if last.is_cut else text[after[last.path] : last.end + len(last.after)]
    if not gaps or len(set(gaps)) > 1:
        return Framed(label=_lines_before(ahead), end=_lines_after(behind), is_stripped=not has_ends)
    gap = gaps[0]
    common = _common_end(ahead, gap)
    label = common.lstrip("\n") or common
    rest = gap[: len(gap) - len(label)]
    end = rest[: shared(rest, behind.replace("{", "{{").replace("}", "}}"))]
    # A frame has no placeholders but in its label.
    return Framed(label=label, end=_plain(end), between=_plain(rest[len(end) :]), is_stripped=not has_ends)


def _space_after(data: bytes) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return text[len(text.rstrip()) :]


def _label(text: str, path: str, cwd: str) -> str:
    """A text in which the name of a file that stands last is a placeholder."""
    found = text.replace("{", "{{").replace("}", "}}")
    values = {path: "{path}", relative(path, cwd): "{relative}", parent(path): "{directory}", name(path): "{name}"}
    # The last one, and of those that end at the same place the longest.
    at, value = max(((found.rfind(each) + len(each), each) for each in values if each in found), default=(0, ""))
    ends = [each for each in values if each in found and found.rfind(each) + len(each) == at]
    value = max(ends, key=len, default=value)
    head, _, tail = found.rpartition(value) if value else (found, "", "")
    return f"{head}{values[value]}{tail}" if value else found


def _plain(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def _lines_before(text: str) -> str:
    """The last line before a file that is not blank, with what follows it, if it is a label."""
    lines = text.splitlines(keepends=True)
    blank = [*takewhile(lambda line: not line.strip(), reversed(lines))]
    at = len(lines) - len(blank) - 1
    line = lines[at] if at >= 0 else ""
    is_label = bool(line.strip()) and ("{" in line or not line.strip()[0].isalnum())
    return "".join(lines[at:]) if is_label else ""


def _lines_after(text: str) -> str:
    """The first line after a file, if it is no prose."""
    lines = text.splitlines(keepends=True)
    at = next((at for at, each in enumerate(lines) if each.strip()), None)
    if at is None or lines[at].strip()[0].isalnum():
        return ""
    return "".join(lines[: at + 1])


def _common_end(one: str, other: str) -> str:
    return one[len(one) - shared(one[::-1], other[::-1]) :]


def _escaped(text: str) -> str:
    return text.replace(".", r"\.")


def folder_of(directory: str, called: str) -> str:
    """Where the package is written."""
    return join(directory, f"{called}-harness")
