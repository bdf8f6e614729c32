"""Acme, an agent that does not exist: it loads ACME.md of every directory, and files that these import."""

from __future__ import annotations

import re

from promptls.harness_api import (
    Chain,
    Frame,
    Host,
    Includes,
    InstructionFile,
    OnRead,
    Options,
    Prompt,
    Reading,
    Session,
    Spec,
    Unread,
    Version,
    Writer,
    dataclass,
    described,
    from_git_root,
    replace,
    row,
)

NAME = "ACME.md"
SPEC = Spec(
    "acme",
    "Acme",
    evidence=(NAME,),
    nested=(NAME,),
    instruction_files=(InstructionFile(r"(?:^|/)ACME\.md$", NAME),),
)
OPTIONS = Options(cwd=("--dir",), model=("--model",), switches=("--quiet",), not_modelled=("--plugin",))

# Which files, in which directories, and how they are read.
CHAIN = Chain(
    names=(NAME,),
    why="Acme loads ACME.md from the root of the repository down to the working directory",
    where=from_git_root,
    reading=Reading(
        keeps_bom=False,
        includes=Includes(
            re.compile(r"^@(\S+)$", re.MULTILINE),
            depth=3,
            why="a line that has only @ and a path is replaced by that file",
        ),
    ),
)
# What Acme writes around each file, and what comes with a file that is read.
FRAME = Frame(label="<rules dir={directory}>\n", end="</rules>\n")
ON_READ = OnRead(
    replace(CHAIN, why="reading a file adds the ACME.md of the directories below the working directory"),
    FRAME,
    place="user",
)
# What looks as if Acme read it.
UNREAD = Unread(
    names=("AGENTS.md", "CLAUDE.md"),
    why="Acme does not read a file of this name; put it into ACME.md",
    above="Acme does not look above the root of the repository",
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a version. ``base``: the characters of Acme's own text."""

    version: Version
    base: int | None


ROWS = (Facts(Version("1.1"), base=812), Facts(Version("1.0"), base=None))


def preview(session: Session, host: Host) -> Prompt:
    """What Acme sends: a system message, what the user types, and the results of reading files."""
    writer = Writer(SPEC, session, host, OPTIONS)
    facts = row(ROWS, session.version)
    files = writer.find(CHAIN)
    writer.system(writer.own("base prompt", why="Acme's own text comes first", size=facts.base), *FRAME.around(files))
    writer.chat(index=1, why="Acme adds nothing to what is typed", on_read=ON_READ)
    writer.name_unread(UNREAD, CHAIN)
    return writer.prompt()


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=("ACME.md from the root of the repository down to the working directory, then on a read, with imports",),
)
