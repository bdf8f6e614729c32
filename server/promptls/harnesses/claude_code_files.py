"""One instruction file of Claude Code: what of its text is sent, what it imports, and under which label.

Sections named here are those of the harness specification for Claude Code.
"""

from __future__ import annotations

from promptls.core.model import START, Candidate, Origin, Segment
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.base import OUR_LIMIT, STATE_SAYS, head, our_cut, tail
from promptls.harnesses.claude_code_rules import rule_files, scope_of
from promptls.harnesses.claude_code_text import GLUED, recognised, sent_parts, unrecognised
from promptls.harnesses.imports import Mention, follow
from promptls.harnesses.paths import home_or, is_below, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.model import Cut, Layer, Outcome
    from promptls.harnesses.base import Draft
    from promptls.harnesses.claude_code_rules import Place, Scope
    from promptls.harnesses.claude_code_setup import Setting, Setup
    from promptls.harnesses.imports import Branch

MAX_HOPS = 4  # wire: imports-depth
# Not seen whole: images are not imported (wire: imports-syntax), other binary files are taken for the same.
NOT_TEXT = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".svg", ".tiff", ".avif", ".pdf", ".zip", ".gz"),
    *(".tar", ".7z", ".rar", ".mp3", ".mp4", ".mov", ".avi", ".wav", ".exe", ".dll", ".so", ".dylib", ".bin"),
    *(".woff", ".woff2", ".ttf", ".otf", ".docx", ".xlsx", ".pptx", ".sqlite", ".db", ".class", ".jar", ".wasm"),
)

# The kinds of file and the labels that announce them (2).
LABELS = {
    "managed": "organization-managed policy instructions",
    "user": "user's private global instructions for all projects",
    "project": "project instructions, checked into the codebase",
    "local": "user's private project instructions, not checked in",
    "memory": "user's auto-memory, persists across conversations",
}


def label_of(kind: str, number: int) -> str:
    """The label of a kind; 2.1.85 calls managed files the user's (wire: base-order-all-layers-v2185)."""
    return LABELS["user" if kind == "managed" and number < 197 else kind]  # noqa: PLR2004 - 2.1.197


@dataclass(frozen=True, slots=True)
class Entry:
    """A file whose text is sent. ``path`` is what the label shows, ``source`` where the text stands.

    ``kept`` are the stretches of ``text`` that are sent, in order; ``note`` is what the program adds behind them.
    """

    path: str
    source: Origin
    kind: str
    text: str
    kept: tuple[tuple[int, int], ...]
    why: str
    cut: Cut | None = None
    note: tuple[Segment, ...] = ()

    def trimmed(self) -> Entry:
        """Without white space at both ends, as files are sent at start (2, text processing)."""
        kept = list(self.kept)
        while kept and not self.text[slice(*kept[0])].strip():
            kept.pop(0)
        while kept and not self.text[slice(*kept[-1])].strip():
            kept.pop()
        if kept:
            start, end = kept[0]
            kept[0] = end - len(self.text[start:end].lstrip()), end
            start, end = kept[-1]
            kept[-1] = start, start + len(self.text[start:end].rstrip())
        return replace(self, kept=tuple(kept))

    def segments(self) -> list[Segment]:
        """The text as segments, each with the range that it stands at."""
        index = LineIndex(self.text)
        layer: Layer = "memory" if self.kind == "memory" else "instructions"
        found = [
            Segment(
                layer,
                self.path,
                self.text[start:end],
                replace(self.source, range=index.range(start, end)) if self.source.range is None else self.source,
                self.why,
                cut=self.cut,
            )
            for start, end in self.kept
        ]
        return [*found, *self.note]

    def with_label(self, number: int) -> list[Segment]:
        """The entry of the start-up block."""
        label = label_of(self.kind, number)
        return [head(f"Contents of {self.path} ({label}):\n\n", path=self.path), *self.trimmed().segments()]

    def in_reminder(self) -> list[Segment]:
        """The entry that a read brings (5): the text is not trimmed."""
        opening = head(f"<system-reminder>\nContents of {self.path}:\n\n", path=self.path)
        return [opening, *self.segments(), tail("\n</system-reminder>")]

    def bare(self) -> list[Segment]:
        """The same without tags."""
        return [head(f"Contents of {self.path}:\n\n", path=self.path), *self.segments()]


@dataclass(frozen=True, slots=True)
class LazyRule:
    """A rule that waits for a file that its globs mean. ``base`` is where the globs start."""

    entry: Entry
    scope: Scope
    base: str


@dataclass(slots=True)
class Loader:
    """Loads instruction files of one session: each file once, every place that is looked at is a candidate."""

    draft: Draft
    setup: Setup
    seen: set[str] = field(default_factory=set)
    texts: dict[str, str | None] = field(default_factory=dict)

    def file(self, path: str, kind: str, why: str, *, at: str = START, with_imports: bool = True) -> list[Entry]:
        """The file at ``path`` and what it imports, depth first; [] if nothing of it is sent."""
        entries = self._loaded(path, kind, why, at=at, with_imports=with_imports)
        return [entry for entry in entries if not isinstance(entry, LazyRule)]

    def rules(
        self, directory: str, kind: str, why: str, *, base: str, at: str = START
    ) -> tuple[list[Entry], list[LazyRule]]:
        """The rules below ``directory``: those that always hold with all imports, and those that wait (4)."""
        always: list[Entry] = []
        lazy: list[LazyRule] = []
        places = list(rule_files(self.setup.host, directory))
        if len(places) > 1 and NOTE_ORDER not in self.draft.notes:
            self.draft.notes.append(NOTE_ORDER)
        for place in places:
            if reason := self._refused_link(place, kind):
                found = Origin("computed", name=why)
                self.draft.candidates.append(Candidate("outside", f"{why}: {reason}", found, path=place.path, at=at))
                continue
            for entry in self._loaded(place.path, kind, why, at=at, base=base):
                if isinstance(entry, LazyRule):
                    lazy.append(entry)
                else:
                    always.append(entry)
        return always, lazy

    def off(self, kind: str, paths: Iterable[str], why: str, *, at: str = START) -> bool:
        """Whether a switch turns this kind off; what stands at ``paths`` is then named."""
        origin = self.setup.off.get(kind)
        if origin is None:
            return False
        for path in paths:
            if self.setup.host.kind(path) is not None:
                says = f"{why}: {origin.name} switches it off"
                self.draft.candidates.append(Candidate("disabled", says, origin, path=path, at=at))
        return True

    # -- one file ----------------------------------------------------------------------------------------------

    def text(self, path: str) -> str | None:
        """The decoded text of a file; None if there is none to read."""
        if path not in self.texts:
            contents = self.setup.host.read(path)
            self.texts[path] = decode(contents.data, keep_bom=False) if contents.state == "file" else None
        return self.texts[path]

    def _loaded(
        self, path: str, kind: str, why: str, *, at: str, base: str | None = None, with_imports: bool = True
    ) -> Iterator[Entry | LazyRule]:
        """``base`` is set for a rule, whose ``paths`` count; its imports are loaded at once all the same (3)."""
        host = self.setup.host
        found = Origin("computed", name=why)
        if not self._may_load(path, kind, why, found, at):
            return
        real = host.realpath(path)
        if real in self.seen:
            says = f"{why}: it is there already, and the first place counts"
            self.draft.candidates.append(Candidate("duplicate", says, found, path=path, at=at, other=real))
            return
        text = self.text(path)
        scope = scope_of(text) if base is not None and text is not None else None
        if scope is not None and scope.flaw is not None:
            where = Origin("file", path=real, range=scope.flaw, name="paths")
            says = f"{why}: its front matter is not valid YAML, so the rule is never loaded"
            self.draft.candidates.append(Candidate("failed", says, where, path=path, at=at))
            return
        root = follow(
            path,
            self.mentions if with_imports else lambda _: (),
            max_depth=MAX_HOPS,
            seen=self.seen,
            refuse=lambda importer, mention: self._refused(importer, mention, kind),
            identity=host.realpath,
        )
        for branch in root.flat():
            if with_imports and branch.fate == "followed":
                self._name_unrecognised(branch.path, at)
            if branch.mention is not None:
                yield from self._imported(branch, kind, at)
            elif scope is not None and scope.patterns:
                if entry := self._entry(path, kind, why, found, at, quiet=True):
                    yield LazyRule(entry, scope, base or "")
            elif entry := self._entry(path, kind, why, found, at):
                yield entry

    def _may_load(self, path: str, kind: str, why: str, found: Origin, at: str) -> bool:
        host = self.setup.host
        contents = host.read(path)
        if contents.state != "file":
            missing = contents.state in ("missing", "broken-link")
            says = f"{why}: {STATE_SAYS[contents.state]}"
            outcome: Outcome = "missing" if missing else "failed"
            self.draft.candidates.append(Candidate(outcome, says, found, path=path, at=at, state=contents.state))
            return False
        excluded = self.excluded_by(path, kind)
        if excluded is not None:
            says = f"{why}: claudeMdExcludes leaves it out"
            self.draft.candidates.append(Candidate("excluded", says, excluded, path=path, at=at))
        return excluded is None

    def _entry(self, path: str, kind: str, why: str, found: Origin, at: str, *, quiet: bool = False) -> Entry | None:
        """The entry of a file that exists; None if it has no text. ``quiet``: it is named elsewhere."""
        text = self.text(path) or ""
        kept = tuple(sent_parts(text))
        if not "".join(text[start:end] for start, end in kept).strip():
            self.draft.candidates.append(Candidate("empty", f"{why}: it has no text", found, path=path, at=at))
            return None
        cut = our_cut(self.setup.host.read(path))
        if not quiet:
            says = f"{why}: {OUR_LIMIT}" if cut else why
            self.draft.candidates.append(Candidate("cut" if cut else "loaded", says, found, path=path, at=at))
        source = Origin("file", path=self.setup.host.realpath(path))
        return Entry(path, source, kind, text, kept, why, cut)

    # -- what it imports (3) -----------------------------------------------------------------------------------

    def mentions(self, path: str) -> list[Mention]:
        """The imports in a file, in order."""
        text = self.text(path)
        if text is None or "@" not in text:
            return []
        found = []
        for start, end, target in recognised(text):
            where = home_or(self.setup.home, target) or resolve(parent(path), target)
            found.append(Mention(start, end, where))
        return found

    def _imported(self, branch: Branch, kind: str, at: str) -> Iterator[Entry]:
        mention, importer = branch.mention, branch.importer or ""
        assert mention is not None  # noqa: S101 - only the root has none
        text = self.text(importer) or ""
        where = Origin(
            "file",
            path=self.setup.host.realpath(importer),
            range=LineIndex(text).range(mention.start, mention.end),
            name=text[mention.start : mention.end],
        )
        why = f"{importer} imports it"
        if branch.fate != "followed":
            outcome, reason = _ENDED.get(branch.fate, ("outside", ""))
            if branch.reason == WHY_NOT_TEXT:
                outcome = "excluded"
            says = f"{why}: {branch.reason or reason}"
            other = branch.path if outcome == "duplicate" else None
            state = branch.fate if branch.fate in ("cycle", "too-deep") else None
            self.draft.candidates.append(
                Candidate(outcome, says, where, path=branch.path, at=at, other=other, state=state)
            )
        elif self._is_sentence_end(branch.path):
            says = f"{why}: the {branch.path[-1]!r} behind it is taken for a part of the name"
            self.draft.candidates.append(Candidate("missing", says, where, path=branch.path, at=at, state="missing"))
        elif self._may_load(branch.path, kind, why, where, at) and (
            entry := self._entry(branch.path, kind, why, where, at)
        ):
            yield entry

    def _is_sentence_end(self, path: str) -> bool:
        """Whether only a full stop or the like keeps this from being a file (wire: imports-syntax)."""
        host, short = self.setup.host, path.rstrip(".,;:!?)\"'")
        return short != path and host.kind(path) is None and host.kind(short) == "file"

    def _name_unrecognised(self, path: str, at: str) -> None:
        """What looks like an import and names a file, but is none."""
        text = self.text(path)
        if text is None or "@" not in text:
            return
        for start, end, target, reason in unrecognised(text):
            where = home_or(self.setup.home, target) or resolve(parent(path), target)
            if self.setup.host.kind(where) == "file":
                index = LineIndex(text)
                place = index.range(start, end)
                origin = Origin("file", path=self.setup.host.realpath(path), range=place, name=text[start:end])
                why = f"{path} does not import it: {reason}"
                state = "unrecognised" if reason == GLUED else None
                self.draft.candidates.append(Candidate("excluded", why, origin, path=where, at=at, state=state))

    def _refused(self, _importer: str, mention: Mention, kind: str) -> str | None:
        """Why an import is not followed: it lies outside of the cwd, or is no text (3)."""
        if mention.path.lower().endswith(NOT_TEXT):
            return WHY_NOT_TEXT
        return None if self._is_inside(mention.path, kind) else WHY_OUTSIDE

    def _refused_link(self, place: Place, kind: str) -> str | None:
        return WHY_LINK_OUTSIDE if place.is_link and not self._is_inside(place.path, kind) else None

    def _is_inside(self, path: str, kind: str) -> bool:
        return kind == "user" or self.setup.externals_approved or is_below(path, self.setup.cwd)

    # -- claudeMdExcludes (9) ----------------------------------------------------------------------------------

    def excluded_by(self, path: str, kind: str) -> Origin | None:
        """The pattern that leaves ``path`` out: globs on absolute paths, never for managed files or memory."""
        if kind in ("managed", "memory"):
            return None
        for setting in self.setup.settings.every("claudeMdExcludes"):
            for pattern, origin in _patterns(setting):
                if _matches(pattern, path):
                    return origin
        return None


NOTE_ORDER = "Rules are sent in the order in which the disk lists them, which another machine need not share."
WHY_NOT_TEXT = "a file of this kind is not imported"
WHY_OUTSIDE = "it lies outside of the working directory, and imports from there are not approved for this project"
WHY_LINK_OUTSIDE = "it is reached by a link that leads out of the working directory, which is not approved"
_ENDED: dict[str, tuple[Outcome, str]] = {
    "cycle": ("duplicate", "it is one of its own importers, and each file is sent once"),
    "duplicate": ("duplicate", "it is there already, and the first place counts"),
    "too-deep": ("dropped", f"imports are followed for {MAX_HOPS} hops only"),
}


def _patterns(setting: Setting) -> Iterator[tuple[str, Origin]]:
    for item in setting.value.items:
        if isinstance(item.data, str):
            yield item.data, setting.part(item, item.data)


def _matches(pattern: str, path: str) -> bool:
    if pattern == path:
        return True
    from wcmatch import glob  # noqa: PLC0415 - few settings have such patterns

    flags = glob.GLOBSTAR | glob.BRACE | glob.EXTGLOB | glob.DOTGLOB | glob.CASE | glob.FORCEUNIX
    return bool(glob.globmatch(path, pattern, flags=flags))
