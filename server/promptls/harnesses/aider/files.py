"""The files that are sent for reference, in one message.

Sections named here are those of the harness specification for Aider; [source] is the package of that version.
"""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.text import LineIndex, decode, is_binary, newlines
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import Rule, our_cut
from promptls.kit.globs import match
from promptls.kit.paths import home_or, is_absolute, join, name, native, relative, resolve, upwards
from promptls.kit.segments import elided, head, tail
from promptls.kit.unread_files import name_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Cut
    from promptls.harnesses.aider.config import Config, Entry
    from promptls.kit.draft import Draft

# To the letter (section "Placement").
PREFIX = "Here are some READ ONLY files, provided for your reference.\nDo not edit these files!\n"
# The first that begins no line of the files [source].
TAGS = ("source", "code", "pre", "codeblock", "sourcecode")
FENCES = (("```", "```"), ("````", "````"), *((f"<{each}>", f"</{each}>") for each in TAGS))
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tiff", ".webp", ".pdf")

WHY_ENTRY = "Aider sends the files that read names, relative to the working directory"
WHY_NAME = "Aider loads no file by its name; name it under read in .aider.conf.yml, or with --read"
WHY_REPLACED = "lists of read are not joined, and the nearest one counts"
WHY_IMAGE = "Aider sends an image in a message of its own"
NOTE_ORDER = "Aider sends these files in an order that changes from start to start; they are shown by name."
NAMES = ("AGENTS.md", "CLAUDE.md", "CONVENTIONS.md", "AIDER.md", ".aider/CONVENTIONS.md")


@dataclass(frozen=True, slots=True)
class File:
    """A file that is sent, and its text as Python reads it."""

    path: str
    text: str
    origin: Origin
    cut: Cut | None


def read_only(draft: Draft, host: Host, cwd: str, root: str, config: Config) -> list[Segment]:
    """The parts of the message, if there is a file (wire: conf-read-string)."""
    for source in config.sources[1:]:
        _name_replaced(draft, host, cwd, source.entries, config.sources[0].title)
    files: dict[str, File] = {}
    entries = config.sources[0].entries if config.sources else ()
    for entry in entries:
        for file in _of_entry(draft, host, cwd, entry, files):
            files[host.realpath(file.path)] = file
    _name_unread(draft, host, cwd, root)
    ordered = sorted(files.values(), key=lambda each: (name(each.path), each.path))
    if len(ordered) > 1:
        draft.notes.append(NOTE_ORDER)
    opening, closing = fence([file.text for file in ordered])
    parts: list[Segment] = [head(PREFIX)] if ordered else []
    for file in ordered:
        if name(file.path).lower().endswith(IMAGES):
            parts.append(elided("runtime", "aider", f"image {file.path}", why=WHY_IMAGE))
            continue
        shown = native(relative(host.realpath(file.path), root), root)
        parts += [
            head(f"\n{shown}\n{opening}\n", path=file.path),
            Segment("instructions", file.path, file.text, file.origin, WHY_ENTRY, cut=file.cut),
            tail(f"{closing}\n"),
        ]
    return parts


def _resolved(host: Host, cwd: str, written: str) -> str:
    return home_or(host.home, written) or resolve(cwd, written)


def _of_entry(draft: Draft, host: Host, cwd: str, entry: Entry, files: dict[str, File]) -> Iterator[File]:
    """The files of an entry: of a directory, all that are in it (captured: read-directory; wire: read-missing)."""
    path, rule = _resolved(host, cwd, entry.written), Rule(WHY_ENTRY, entry.origin)
    if host.kind(path) == "directory":
        found = match(host, "**/*", path, dot=True, steps=draft.steps).paths
        if not found:
            draft.candidates.append(rule.empty(path, "the directory has no files"))
        for each in found:
            yield from _of_file(draft, host, each, rule, files)
        return
    yield from _of_file(draft, host, path, rule, files)
    beside = _beside(host, entry, path, cwd)
    if beside is not None:
        # (wire: conf-from-subdir, conf-from-subdir-missing)
        reason = f"not {beside}, which is beside the configuration: entries are relative to the working directory"
        draft.candidates[-1] = replace(draft.candidates[-1], state="from-cwd", other=beside, reason=reason)


def _beside(host: Host, entry: Entry, path: str, cwd: str) -> str | None:
    """The file beside the configuration that the entry does not lead to, although it looks like that."""
    is_relative = not is_absolute(entry.written, cwd) and not entry.written.startswith("~")
    beside = entry.beside if is_relative else None
    return beside if beside is not None and host.kind(beside) == "file" and not host.is_same(beside, path) else None


def _of_file(draft: Draft, host: Host, path: str, rule: Rule, files: dict[str, File]) -> Iterator[File]:
    """One file, once, by whatever link; an empty one too (wire: conf-read-list; captured: empty-file)."""
    contents, real = host.read(path), host.realpath(path)
    is_image = name(path).lower().endswith(IMAGES)
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
    elif real in files:
        draft.candidates.append(rule.duplicate(path, "it is the same file", of=files[real].path))
    elif is_binary(contents.data) and not is_image:
        draft.candidates.append(rule.failed(path, "it is not text, and Aider leaves it out"))
    else:
        draft.candidates.append(rule.read(path, contents))
        text = "" if is_image else decode(contents.data, keep_bom=True)
        where = Origin("file", path=path, range=LineIndex(text).range(0, len(text)))
        yield File(path, newlines(text), where, our_cut(contents))


def fence(texts: list[str]) -> tuple[str, str]:
    """What encloses each file."""
    lines = [line for text in texts for line in text.splitlines()]
    free = (each for each in FENCES if not any(line.startswith(each) for line in lines))
    return next(free, FENCES[0])


def _name_replaced(draft: Draft, host: Host, cwd: str, entries: tuple[Entry, ...], winner: str) -> None:
    """What a list that does not count would have sent (wire: cli-plus-conf; captured: conf-three-levels)."""
    for entry in entries:
        path = _resolved(host, cwd, entry.written)
        if host.kind(path) is not None:
            reason = f"{winner} names files, too, and takes the place of the whole list"
            draft.candidates.append(Rule(WHY_REPLACED, entry.origin).shadowed(path, reason))


def _name_unread(draft: Draft, host: Host, cwd: str, root: str) -> None:
    """What other programs read, and what Aider's users write for it (wire: root-names)."""
    paths = [join(each, last) for each in upwards(cwd, root) for last in NAMES]
    name_unread(draft, host, WHY_NAME, [*paths, *(join(host.home, each) for each in ("CONVENTIONS.md", "AGENTS.md"))])
