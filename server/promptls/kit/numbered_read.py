"""A read tool that numbers lines and answers in a frame of tags, and what a read attaches to its answer."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Cut, Origin, Segment
from promptls.core.secrets import is_config, spans
from promptls.core.spec import ending
from promptls.core.text import decode, is_binary
from promptls.core.values import dataclass, field, replace
from promptls.kit import collation
from promptls.kit.candidates import Rule, our_cut
from promptls.kit.draft import look_for_text
from promptls.kit.paths import join, native, parent
from promptls.kit.segments import elided, head, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

# Read whole by other means: as an attachment, not as text.
MEDIA = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif", ".pdf")

WHY = "the session reads this file"
WHY_NESTED = "reading a file attaches the first of these names in each directory from the file's up to below the cwd"
NESTED = Origin("computed", name=WHY_NESTED)
WHY_MEDIA = "a picture or a PDF is read, which has no text to attach it to; now it counts as sent"
# The frame of what a read attaches; a folder's check has thousands of it.
OPENING, BETWEEN, CLOSING = head("\n\n<system-reminder>\n"), tail("\n\n"), tail("\n</system-reminder>")
_LINE_END = regex(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ReadTool:
    """The tool of a ``harness``, and what it answers at most: lines, characters of one, and bytes in all.

    ``binary`` are ends of names of files that it refuses, with ``refusal`` characters and the path. Where it
    ``takes_media_in_full``, reading a picture attaches no instruction files, and they count as sent.
    """

    harness: str
    lines: int
    line: int
    bytes: int
    binary: frozenset[str] = frozenset()
    refusal: int = 0
    takes_media_in_full: bool = False

    def refuses(self, path: str) -> bool:
        """Whether it refuses a file for its name."""
        return ending(path) in self.binary


@dataclass(slots=True)
class Nested:
    """What reads add to the file.

    ``sent``: the paths that are in the prompt already; ``added``: those that reads have added, in order. ``firsts``: by
    directory, the first of ``names`` there.
    """

    draft: Draft
    host: Host
    cwd: str
    names: tuple[str, ...]
    sent: set[str]
    tool: ReadTool
    added: list[str] = field(default_factory=list)
    firsts: dict[str, str | None] = field(default_factory=dict)

    def reminder(self, read: str, at: str) -> list[Segment]:
        """The reminder for one read: nearest directory first, the first existing name in each, once a session."""
        if self.host.kind(read) != "file" or self.tool.refuses(read):
            return []
        blocks: list[Segment] = []
        rule = Rule(WHY_NESTED, NESTED, at=at)
        is_media = self.tool.takes_media_in_full and read.lower().endswith(MEDIA)
        for path in self._nearest(read, rule):
            if path == read or path in self.sent:
                reason = "it is the file that is read" if path == read else "it was sent already"
                self.draft.candidates.append(rule.duplicate(path, reason, of=path))
            elif is_media:
                self.sent.add(path)
                self.draft.candidates.append(rule.dropped(path, WHY_MEDIA))
            else:
                found = look_for_text(self.host, path, why=WHY_NESTED, origin=NESTED, keep_bom=False, at=at)
                self.draft.candidates.append(found.candidate)
                if found.text:
                    self.sent.add(path)
                    self.added.append(path)
                    block = Segment("instructions", path, found.text, found.origin, WHY_NESTED, cut=found.cut)
                    if blocks:
                        blocks.append(BETWEEN)
                    blocks += [head(f"Instructions from: {native(path)}\n", path=path), block]
        return [OPENING, *blocks, CLOSING] if blocks else []

    def _nearest(self, read: str, rule: Rule) -> Iterator[str]:
        """The first of the names in each directory from the file's up to below the working directory."""
        directory = parent(read)
        # A bare string prefix, so packages/foo-extra counts as below packages/foo (wire: nested-read-prefix-sibling).
        while directory.startswith(self.cwd) and directory != self.cwd:
            if directory not in self.firsts:
                self.firsts[directory] = self._first(directory, rule)
            path = self.firsts[directory]
            if path is not None:
                yield path
            above = parent(directory)
            if above == directory:
                return
            directory = above

    def _first(self, directory: str, rule: Rule) -> str | None:
        """The first of the names in a directory; where there is none, that is told once, and not at each read."""
        for name in self.names:
            path = join(directory, name)
            if self.host.kind(path) is not None:
                return path
        self.draft.candidates += [rule.missing(join(directory, name)) for name in self.names]
        return None


def read_result(tool: ReadTool, host: Host, path: str, nested: list[Segment]) -> list[Segment]:
    """The result of reading ``path``, followed by what is attached to it."""
    if host.kind(path) == "directory":
        return _directory(tool, host, path)
    contents = host.read(path)
    if contents.state == "file" and tool.refuses(path):
        why = "the session reads a file that is binary by the end of its name"
        says = elided("runtime", tool.harness, f"refusal to read {path}", why=why, size=tool.refusal)
        return [says, tail(native(path), "runtime")]
    if contents.state != "file" or path.lower().endswith(MEDIA) or is_binary(contents.data):
        title = f"result of reading {path}"
        return [elided("runtime", tool.harness, title, why=WHY), *nested]
    text = decode(contents.data, keep_bom=False)
    lines, end, cut = _numbered(tool, text)
    closing = [tail(f"\n\n({end})\n</content>", "runtime")]
    if contents.is_cut and not end.startswith("Output capped"):
        # How many lines the whole file has is not known.
        remark = elided("runtime", tool.harness, "closing remark", why="promptls read only the beginning of the file")
        closing = [tail("\n\n", "runtime"), replace(remark, frame="tail"), tail("\n</content>", "runtime")]
    cut = our_cut(contents) or cut
    body = Segment("runtime", path, "\n".join(lines), Origin("file", path=path), WHY, cache="turn", cut=cut)
    return [
        head(f"<path>{native(path)}</path>\n<type>file</type>\n<content>\n", "runtime"),
        *without_secrets(body, list(_secrets(path, text, lines, tool.line))),
        *closing,
        *nested,
    ]


def _secrets(path: str, text: str, shown: Sequence[str], longest: int) -> Iterator[tuple[int, int]]:
    """Where secrets are in the numbered lines. A table or a text of several lines is only seen without the numbers."""
    found = spans(text) if is_config(path) else []
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    at = 0
    for number, (start, line) in enumerate(zip(starts, shown, strict=False), 1):
        own = len(f"{number}: ")
        end = start + min(len(line) - own, longest)
        while found and found[0][1] <= start:
            found = found[1:]
        for first, last in found:
            if first >= end:
                break
            yield at + own + max(first, start) - start, at + own + min(last, end) - start
        at += len(line) + 1


def _directory(tool: ReadTool, host: Host, path: str) -> list[Segment]:
    """The result of reading a directory: its entries."""
    entries = host.entries(path)
    names = sorted(
        (each.name + "/" if host.kind(join(path, each.name)) == "directory" else each.name for each in entries),
        key=collation.key,
    )
    shown = names[: tool.lines]
    closing: list[Segment] = [tail(f"({len(names)} entries)\n</entries>", "runtime")]
    if len(shown) < len(names):
        remark = elided("runtime", tool.harness, "closing remark", why=f"only {len(shown)} entries are shown")
        closing = [replace(remark, frame="tail"), tail("\n</entries>", "runtime")]
    return [
        head(f"<path>{native(path)}</path>\n<type>directory</type>\n<entries>\n", "runtime"),
        Segment("runtime", path, "".join(f"{each}\n" for each in shown), Origin("file", path=path), WHY, cache="turn"),
        tail("\n", "runtime"),
        *closing,
    ]


def read_label(path: str, why: str) -> Segment:
    """What comes before the result of a file that is put into the user's message."""
    import json  # noqa: PLC0415 - only where a file is attached

    call = json.dumps({"filePath": native(path)}, ensure_ascii=False, separators=(",", ":"))
    says = f"Called the Read tool with the following input: {call}"
    return Segment("runtime", "attached file", says, COMPUTED, why, cache="turn")


def _numbered(tool: ReadTool, text: str) -> tuple[list[str], str, Cut | None]:
    """The numbered lines, the closing remark, and what the tool's limits removed."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    shown: list[str] = []
    size, most, longest = 0, tool.lines, tool.line
    for number, line in enumerate(lines[:most], 1):
        kept = line if len(line) <= longest else f"{line[:longest]}... (line truncated to {longest} chars)"
        size += len(kept.encode("utf-8", "replace")) + bool(shown)
        if size > tool.bytes:
            limit = f"{tool.bytes // 1024} KB"
            end = f"Output capped at {limit}. Showing lines 1-{number - 1}. Use offset={number} to continue."
            return (
                shown,
                end,
                Cut(number - 1, len(lines), "lines", f"{tool.harness}'s read tool answers {limit} at most"),
            )
        shown.append(f"{number}: {kept}")
    if len(lines) > most:
        end = f"Showing lines 1-{most} of {len(lines)}. Use offset={most + 1} to continue."
        return (
            shown,
            end,
            Cut(most, len(lines), "lines", f"{tool.harness}'s read tool answers {most} lines at most"),
        )
    return shown, f"End of file - total {len(lines)} lines", None
