"""Acme, an agent that does not exist: it loads ACME.md of every directory, and files that these import."""

from __future__ import annotations

import re

from promptls.harness_api import (
    START,
    Draft,
    Harness,
    Host,
    InstructionFile,
    LineIndex,
    Origin,
    Prompt,
    Rule,
    Segment,
    Session,
    Spec,
    Version,
    elided,
    git_root,
    head,
    is_below,
    join,
    look_for_text,
    parent,
    resolve,
    send_plain,
    tail,
    upwards,
)

NAME = "ACME.md"
MAX_DEPTH = 3
IMPORT = re.compile(r"^@(\S+)$", re.MULTILINE)

WHY_START = "Acme loads ACME.md from the root of the repository down to the working directory"
WHY_READ = "reading a file adds the ACME.md of the directories below the working directory"
WHY_IMPORT = "a line that has only @ and a path is replaced by that file"


def preview(session: Session, host: Host) -> Prompt:
    """What Acme sends: a system message, what the user types, and the results of reading files."""
    draft = Draft(session)
    top = git_root(host, session.cwd) or session.cwd
    base = elided("provider", "acme", "base prompt", why="Acme's own text comes first")
    files = [_block(draft, host, place, WHY_START, START) for place in reversed([*upwards(session.cwd, top)])]
    draft.add_message("system", [base, *(segment for file in files for segment in file)], index=0)

    def read(path: str) -> list[list[Segment]]:
        result = elided("runtime", "acme", f"result of reading {path}", why="the session reads this file")
        below = [each for each in reversed([*upwards(parent(path))]) if is_below(each, session.cwd)]
        nested = [_block(draft, host, each, WHY_READ, f"read:{path}") for each in below if each != session.cwd]
        return [[result], *(each for each in nested if each)]

    send_plain(draft, "acme", index=1, why="Acme adds nothing to what is typed", read=read)
    return draft.prompt(model=session.model)


def _block(draft: Draft, host: Host, directory: str, why: str, at: str) -> list[Segment]:
    """The file of a directory between the labels that Acme writes; nothing if there is no text to send."""
    path = join(directory, NAME)
    text = _text(draft, host, path, Rule(why, Origin("computed", name=why), at=at), (path,))
    return [head(f"<rules dir={directory}>\n", path=path), *text, tail("</rules>\n")] if text else []


def _text(draft: Draft, host: Host, path: str, rule: Rule, chain: tuple[str, ...]) -> list[Segment]:
    """The text of a file with its imports. ``chain`` are the files that lead to this one, and this one."""
    found = look_for_text(host, path, why=rule.why, origin=rule.origin, keep_bom=False, at=rule.at)
    draft.candidates.append(found.candidate)
    if not found.text:
        return []
    lines, segments, sent = LineIndex(found.text), [], 0

    def add(end: int) -> None:
        where = Origin("file", path=path, range=lines.range(sent, end), again=sent > 0)
        segments.append(Segment("instructions", path, found.text[sent:end], where, rule.why, cut=found.cut))

    for line in IMPORT.finditer(found.text):
        target = resolve(parent(path), line[1])
        entry = Origin("file", path=path, range=lines.range(line.start(), line.end()), name=line[0])
        imported = Rule(WHY_IMPORT, entry, at=rule.at)
        if target in chain:
            draft.candidates.append(imported.duplicate(target, "it imports itself", of=target, state="cycle"))
        elif len(chain) > MAX_DEPTH:
            draft.candidates.append(imported.excluded(target, f"Acme follows {MAX_DEPTH} levels", state="too-deep"))
        elif text := _text(draft, host, target, imported, (*chain, target)):
            add(line.start())
            segments += text
            sent = line.end()
    add(len(found.text))
    return segments


HARNESS = Harness(
    "acme",
    "Acme",
    (Version("1"),),
    evidence=(NAME,),
    preview=preview,
    loads=("ACME.md from the root of the repository down to the working directory, then on a read, with imports",),
    spec=Spec(
        "acme",
        "Acme",
        evidence=(NAME,),
        nested=(NAME,),
        instruction_files=(InstructionFile(r"(?:^|/)ACME\.md$", NAME),),
    ),
)
