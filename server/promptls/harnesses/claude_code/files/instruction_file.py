"""One instruction file of Claude Code: what of its text is sent, what it imports, and under which label.

Sections named here are those of the harness specification for Claude Code.
"""

from __future__ import annotations

from promptls.core.formats.patterns import alternatives, path_matcher
from promptls.core.model import START, Origin, Segment
from promptls.core.text import BOM, decode, lines_of
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.instruction_text import GLUED, recognised, sent, unrecognised
from promptls.harnesses.claude_code.files.rules import denied, rule_files, scope_of
from promptls.harnesses.claude_code.spec import IMPORTS
from promptls.kit.candidates import Rule, our_cut, own
from promptls.kit.imports import Mention, follow
from promptls.kit.javascript import SPACE, trim_end
from promptls.kit.paths import from_windows, home_or, is_below, is_windows, native, parent, resolve
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from promptls.core.files import Contents
    from promptls.core.model import Candidate, Cut, ImportState, Layer
    from promptls.harnesses.claude_code.files.rules import RuleFile, Scope
    from promptls.harnesses.claude_code.settings import Setting
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft
    from promptls.kit.imports import Branch

    Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file whose text is sent. ``path`` is what the label shows, ``source`` where the text is.

    ``kept`` are the stretches of ``text`` that are sent, in order; ``note`` is what the program adds after them, and
    ``mark`` the byte order mark before them (wire: byte-order-marks).
    """

    path: str
    source: Origin
    kind: str
    text: str
    spans: Spans
    why: str
    cut: Cut | None = None
    note: tuple[Segment, ...] = ()
    mark: tuple[Segment, ...] = ()

    @property
    def has_text(self) -> bool:
        """Whether it says anything."""
        return _has_text(self.text, self.spans)

    @property
    def is_whole(self) -> bool:
        """Whether all of the file is sent, but for white space at its ends."""
        sent = "".join(self.text[slice(*span)] for span in self.spans)
        return self.cut is None and sent.strip(SPACE) == self.text.strip(SPACE)

    def trimmed(self) -> SentFile:
        """Without white space at both ends, as files are sent at start (2, text processing)."""
        kept = list(self.spans)
        while kept and not self.text[slice(*kept[0])].strip(SPACE):
            kept.pop(0)
        while kept and not self.text[slice(*kept[-1])].strip(SPACE):
            kept.pop()
        if kept:
            start, end = kept[0]
            kept[0] = end - len(self.text[start:end].lstrip(SPACE)), end
            start, end = kept[-1]
            kept[-1] = start, start + len(trim_end(self.text[start:end]))
        return replace(self, spans=tuple(kept), mark=())

    def segments(self) -> list[Segment]:
        """The text as segments, each with the range that it is at."""
        index = lines_of(self.text)
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
            for start, end in self.spans
        ]
        return [*self.mark, *found, *self.note]

    def with_label(self, labels: Mapping[str, str]) -> list[Segment]:
        """The entry of the start-up block."""
        label = labels[self.kind]
        opening = head(f"Contents of {native(self.path)} ({label}):\n\n", path=self.source.path)
        return [opening, *self.trimmed().segments()]

    def in_reminder(self) -> list[Segment]:
        """The entry that a read adds (5): the text is not trimmed."""
        opening = head(f"<system-reminder>\nContents of {native(self.path)}:\n\n", path=self.source.path)
        return [opening, *self.segments(), tail("\n</system-reminder>")]

    def bare(self) -> list[Segment]:
        """The same without tags."""
        return [head(f"Contents of {native(self.path)}:\n\n", path=self.source.path), *self.segments()]


@dataclass(frozen=True, slots=True)
class LazyRule:
    """A rule that waits for a file that its globs mean. ``base`` is where the globs start."""

    entry: SentFile
    scope: Scope
    base: str


@dataclass(slots=True)
class Loader:
    """Loads instruction files of one session: each file once, every place that is looked at is a candidate."""

    draft: Draft
    setup: Setup
    seen: set[str] = field(default_factory=set)
    texts: dict[str, str | None] = field(default_factory=dict)

    def file(self, path: str, kind: str, why: str, *, at: str = START, with_imports: bool = True) -> list[SentFile]:
        """The file at ``path`` and what it imports, depth first; [] if nothing of it is sent."""
        entries = self._loaded(path, kind, why, at=at, with_imports=with_imports)
        return [entry for entry in entries if not isinstance(entry, LazyRule)]

    def rules(
        self, directory: str, kind: str, why: str, *, base: str, at: str = START
    ) -> tuple[list[SentFile], list[LazyRule]]:
        """The rules below ``directory``: those that always hold with all imports, and those that wait (4)."""
        always: list[SentFile] = []
        lazy: list[LazyRule] = []
        places = list(rule_files(self.setup.host, directory))
        if len(places) > 1:
            self.draft.note(NOTE_ORDER)
        for place in places:
            if reason := self._refused_link(place, kind):
                self.draft.candidates.append(own(why, at=at).outside(place.path, reason))
                continue
            for entry in self._loaded(place.path, kind, why, at=at, base=base):
                if isinstance(entry, LazyRule):
                    lazy.append(entry)
                else:
                    always.append(entry)
        return always, lazy

    def off(self, kind: str, paths: Iterable[str], why: str, *, at: str = START) -> bool:
        """Whether a switch turns this kind off; what is at ``paths`` is then named."""
        origin = self.setup.off.get(kind)
        if origin is None:
            return False
        for path in paths:
            if self.setup.host.kind(path) is not None:
                rule = Rule(why, origin, at=at)
                self.draft.candidates.append(rule.disabled(path, f"{origin.name} switches it off"))
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
    ) -> Iterator[SentFile | LazyRule]:
        """``base`` is set for a rule, whose ``paths`` count; its imports are loaded at once all the same (3)."""
        host = self.setup.host
        rule = own(why, at=at)
        if not self._may_load(path, kind, rule):
            return
        real = host.realpath(path)
        if real in self.seen:
            self.draft.candidates.append(rule.duplicate(path, WHY_AGAIN, of=real))
            return
        text = self.text(path)
        scope = scope_of(text) if base is not None and text is not None else None
        if scope is not None and scope.flaw is not None:
            rule = replace(rule, why=f"{why}; {WHY_ALWAYS}")
        root = follow(
            path,
            self.mentions if with_imports else lambda _: (),
            max_depth=self.setup.facts.import_hops,
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
                if entry := self._entry(path, kind, rule, quiet=True):
                    yield LazyRule(entry, scope, base or "")
            elif entry := self._entry(path, kind, rule):
                yield entry

    def _may_load(self, path: str, kind: str, rule: Rule) -> bool:
        contents = self.setup.host.read(path)
        if contents.state != "file":
            self.draft.candidates.append(rule.unread(path, contents.state))
            return False
        if kind != "memory" and any("\0" in mention.path for mention in self.mentions(path)):
            # (captured: nul-in-import)
            reason = "an import in it has a NUL character, so Claude Code cannot load the file"
            self.draft.candidates.append(rule.failed(path, reason))
            return False
        denies = denied(self.setup, path) if kind in ("project", "local") else None
        if denies is not None:
            self.draft.candidates.append(replace(rule, origin=denies).excluded(path, "permissions keep it unread"))
            return False
        excluded = self.excluded_by(path, kind)
        if excluded is not None:
            pattern = replace(rule, origin=excluded)
            self.draft.candidates.append(pattern.excluded(path, "claudeMdExcludes leaves it out"))
        return excluded is None

    def _entry(self, path: str, kind: str, rule: Rule, *, quiet: bool = False) -> SentFile | None:
        """The entry of a file that exists; None if it has no text. ``quiet``: it is named elsewhere."""
        contents = self.setup.host.read(path)
        text, kept = self._sent(path)
        if not _has_text(text, kept):
            self.draft.candidates.append(rule.empty(path, "it has no text"))
            return None
        if not quiet:
            self.draft.candidates.append(rule.read(path, contents))
        source = Origin("file", path=self.setup.host.realpath(path))
        mark = (tail(BOM),) if _is_marked(contents) and kept[0][0] == 0 else ()
        return SentFile(path, source, kind, text, kept, rule.why, our_cut(contents), mark=mark)

    def _sent(self, path: str) -> tuple[str, Spans]:
        is_marked = _is_marked(self.setup.host.read(path))
        drops = self.setup.facts.drops_link_definitions
        return sent(self.text(path) or "", is_marked=is_marked, drops_definitions=drops)

    def hides_agents(self, path: str) -> bool:
        """Whether a CLAUDE.md keeps AGENTS.md out: not if it is excluded, or nothing of its text would be sent.

        (wire: agents-md-claude-excluded, agents-md-claude-without-text, agents-md-local-not-read)
        """
        is_read = self.excluded_by(path, "project") is None and denied(self.setup, path) is None
        return is_read and _has_text(*self._sent(path))

    # -- what it imports (3) -----------------------------------------------------------------------------------

    def mentions(self, path: str) -> list[Mention]:
        """The imports in a file, in order."""
        text = self.text(path)
        if text is None or "@" not in text:
            return []
        found = []
        for start, end, target in recognised(text, is_marked=_is_marked(self.setup.host.read(path))):
            where = home_or(self.setup.home, target) or resolve(parent(path), target)
            found.append(Mention(start, end, where))
        return found

    def _imported(self, branch: Branch, kind: str, at: str) -> Iterator[SentFile]:
        mention, importer = branch.mention, branch.importer or ""
        assert mention is not None  # noqa: S101 - only the root has none
        text = self.text(importer) or ""
        where = Origin(
            "file",
            path=self.setup.host.realpath(importer),
            range=lines_of(text).range(mention.start, mention.end),
            name=text[mention.start : mention.end],
        )
        rule = Rule(f"{importer} imports it", where, at=at)
        if branch.fate != "followed":
            self.draft.candidates.append(_ended(rule, branch, self.setup.facts.import_hops))
        elif self._is_sentence_end(branch.path):
            reason = f"the {branch.path[-1]!r} after it is read as part of the name"
            self.draft.candidates.append(rule.missing(branch.path, reason, state="missing"))
        elif self._may_load(branch.path, kind, rule) and (entry := self._entry(branch.path, kind, rule)):
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
        for start, end, target, reason in unrecognised(text, is_marked=_is_marked(self.setup.host.read(path))):
            where = home_or(self.setup.home, target) or resolve(parent(path), target)
            if IMPORTS.takes(where) and self.setup.host.kind(where) == "file":
                place = lines_of(text).range(start, end)
                origin = Origin("file", path=self.setup.host.realpath(path), range=place, name=text[start:end])
                rule = Rule(f"{path} does not import it", origin, at=at)
                # What is in code or in HTML is most likely meant so.
                state: ImportState | None = "unrecognised" if reason == GLUED else None
                self.draft.candidates.append(rule.excluded(where, reason, state=state))

    def _refused(self, _importer: str, mention: Mention, kind: str) -> str | None:
        """Why an import is not followed: it lies outside of the cwd, or its ending is none that counts (3)."""
        if not IMPORTS.takes(mention.path) and self.setup.host.kind(mention.path) == "file":
            return WHY_ENDING
        return None if self._is_inside(mention.path, kind) else WHY_OUTSIDE

    def _refused_link(self, place: RuleFile, kind: str) -> str | None:
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
WHY_ENDING = "only files with certain extensions are imported, and this one has another"
WHY_ALWAYS = "its front matter cannot be read, so it is always loaded"
WHY_OUTSIDE = "it lies outside of the working directory, and imports from there are not approved for this project"
WHY_LINK_OUTSIDE = "it is reached by a link out of the working directory, which is not approved"
WHY_AGAIN = "it is already included, from an earlier place"


def _is_marked(contents: Contents) -> bool:
    return contents.data.startswith(BOM.encode())


def _has_text(text: str, kept: Spans) -> bool:
    return bool("".join(text[start:end] for start, end in kept).strip(SPACE))


def _ended(rule: Rule, branch: Branch, hops: int) -> Candidate:
    """What came of an import that is not followed."""
    path = branch.path
    if branch.fate == "cycle":
        reason = "it is already being imported (a cycle), and each file is sent once"
        return rule.duplicate(path, reason, of=path, state="cycle")
    if branch.fate == "duplicate":
        return rule.duplicate(path, WHY_AGAIN, of=path)
    if branch.fate == "too-deep":
        return rule.dropped(path, f"imports are followed for {hops} hops only", state="too-deep")
    if branch.reason == WHY_ENDING:
        return rule.excluded(path, branch.reason, state="ending")
    return rule.outside(path, branch.reason)


def _patterns(setting: Setting) -> Iterator[tuple[str, Origin]]:
    for item in setting.value.items:
        if isinstance(item.data, str):
            yield item.data, setting.part(item, item.data)


def _matches(pattern: str, path: str) -> bool:
    pattern = from_windows(pattern) if is_windows(path) else pattern
    if pattern == path:
        return True
    return any(path_matcher(each, dot=True, groups=True)(path) for each in alternatives(pattern) or ())
