"""What touching a file adds in Claude Code: files beside it and rules about it (specification, 5 and 7).

touches.py says which calls touch a file, steps.py where in the request it comes.
"""

from __future__ import annotations

from promptls.core.model import START, Origin
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.at_start import (
    AGENTS,
    BOTH,
    CLAUDE,
    CLAUDE_ONLY,
    DOT_CLAUDE,
    LOCAL,
    MANAGED_ONLY,
    RULES,
    WHY_AGENTS,
)
from promptls.harnesses.claude_code.files.rules import applies
from promptls.kit.candidates import Rule, own
from promptls.kit.paths import is_below, join, parent, upwards
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator

    from promptls.core.glob_index import Rules
    from promptls.harnesses.claude_code.files.at_start import LoadedAtStart
    from promptls.harnesses.claude_code.files.instruction_file import LazyRule, Loader, SentFile
    from promptls.harnesses.claude_code.message_blocks import Block

WHY_NESTED = (
    "reading, editing or writing a file adds the instruction files between the working directory and the file, "
    "top first"
)
# Only the Read tool does (wire: agents-md-nested-mixed).
WHY_NESTED_AGENTS = "reading a file adds AGENTS.md of these directories where no CLAUDE.md counts"

WHY_KNOWN = "the model has read the file itself, so it is not added"


@dataclass(slots=True)
class Reads:
    """What the session brought so far by touching files: each file is sent once a session."""

    loader: Loader
    started: LoadedAtStart
    sent: set[str] = field(default_factory=set)
    # AGENTS.md, which the running process has sent.
    sent_agents: set[str] = field(default_factory=set)
    # Those that any process of the session has sent, with what they import.
    agents_before: dict[str, list[SentFile]] = field(default_factory=dict)
    # Directories that were looked at, with their rules that wait.
    visited: dict[str, list[LazyRule]] = field(default_factory=dict)
    # Lists of rules that were asked, and which of them to ask; a list is kept, so that its identity stays its own.
    _asked: dict[int, tuple[list[LazyRule], Rules]] = field(default_factory=dict)
    # Files that the model has read itself: it has their text (captured: ruleself, nested-read-itself).
    known: set[str] = field(default_factory=set)
    # Files of which the running process has the whole text: a mention brings none of them (seen by verify).
    held: set[str] = field(default_factory=set)
    # What each directory has brought, in order.
    of_directory: dict[str, list[str]] = field(default_factory=dict)
    # Of what was sent: what a compaction has sent again as a file that was read.
    restored: set[str] = field(default_factory=set)
    # What stays of the history with the last step that a compaction keeps.
    kept: set[str] = field(default_factory=set)
    # Files that the start has loaded, links resolved.
    seen_at_start: frozenset[str] = frozenset()

    def about(self, path: str) -> list[str]:
        """Everything that touching ``path`` has brought or would have, had it not been there."""
        if not self._counts(path):
            return []
        between = self._between(path)
        found = [each for directory in between for each in self.of_directory.get(directory, ())]
        started = self.started
        lists = (*(self.visited.get(directory, []) for directory in between), started.project_rules)
        rules = [rule for rules in (started.managed_rules, started.user_rules, *lists) for rule in rules]
        sent = (rule for rule in rules if rule.entry.path in self.sent)
        return found + [rule.entry.path for rule in sent if applies(rule.scope.patterns, rule.base, path)]

    def starts(self) -> None:
        """A process begins: on the screen it has read the files of the start; AGENTS.md is not one of them."""
        self.held.clear()
        if self.loader.setup.is_interactive:
            self._holds(entry for entry in self.started.entries if entry.why != WHY_AGENTS)

    def _holds(self, entries: Iterable[SentFile]) -> None:
        self.held.update(entry.path for entry in entries if entry.kind != "memory" and entry.is_whole)

    def forget(self, restored: Collection[str], own: Container[str], kept: Iterable[str]) -> None:
        """A compaction leaves of all that reads have brought only what it sends again (captured: compact-*).

        ``own``: what the process has read itself; ``kept``: what came with the step that stays, as a new process sees
        (seen by verify).
        """
        self.held.clear()
        self.held.update(restored)
        self.kept = self.sent & {*kept}
        self.restored = {path for path in restored if path in own}
        self.sent &= self.restored
        self.known &= self.restored
        self.sent_agents.clear()
        self.visited.clear()
        host = self.loader.setup.host
        self.loader.seen.clear()
        self.loader.seen.update(self.seen_at_start, map(host.realpath, self.sent))

    def take_up(self) -> None:
        """A new process: of what a compaction has sent again it knows nothing.

        (captured: interactive-compact-continue-read)
        """
        self.sent_agents.clear()
        self.starts()
        if self.restored or self.kept:
            gone, host = self.restored - self.kept, self.loader.setup.host
            self.loader.seen -= {host.realpath(path) for path in gone & self.sent}
            self.loader.seen.update(map(host.realpath, self.kept))
            self.sent = (self.sent - gone) | self.kept
            self.restored, self.kept = set(), set()
            self.visited.clear()

    def nested(self, path: str, at: str) -> list[SentFile]:
        """The files that touching ``path`` brings at the event ``at``, in order.

        (wire: nested-lazy-read, rules-paths-read-src-deep; captured: rules-paths-user-and-nested)
        """
        started = self.started
        if not self._counts(path):
            return []
        found = list(self._matching(started.managed_rules, path, at))
        found += self._matching(started.user_rules, path, at)
        for directory in self._between(path):
            if directory not in self.visited:
                brought = self._directory(directory, at)
                self.of_directory.setdefault(directory, [entry.path for entry in brought])
                found += brought
            found += self._matching(self.visited[directory], path, at)
        found += self._matching(started.project_rules, path, at)
        found = self._without_known(found, at)
        self._holds(found)
        return found

    def _without_known(self, found: list[SentFile], at: str) -> list[SentFile]:
        """The files without those that the model has read itself, which counts for what they import, too."""
        gone = self.known & {entry.path for entry in found}
        candidates = self.loader.draft.candidates
        for number, each in enumerate(candidates) if gone else ():
            if each.at == at and each.path in gone and each.outcome == "loaded" and each.use == "instruction":
                candidates[number] = replace(each, outcome="duplicate", reason=WHY_KNOWN, other=each.path)
        return [entry for entry in found if entry.path not in gone]

    def near(self, mentioned: Iterable[str], at: str) -> list[SentFile]:
        """The files that mentions bring: those of the fewest directories first.

        The program looks at all of them at once, so that the order of others may differ (wire: mention-race).
        """
        in_order = sorted(mentioned, key=lambda path: path.count("/"))
        return [entry for path in in_order for entry in self.nested(path, at)]

    def _directory(self, directory: str, at: str) -> list[SentFile]:
        """CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and only then the rules of a directory, once."""
        loader = self.loader
        found: list[SentFile] = []
        self.visited[directory] = []
        files = [join(directory, CLAUDE), join(directory, DOT_CLAUDE)]
        rules, local = join(directory, RULES), join(directory, LOCAL)
        is_off = loader.off("project", (*files, rules), WHY_NESTED, at=at)
        for path in () if is_off else files:
            found += self._file(path, "project", at)
        if not loader.off("local", (local,), WHY_NESTED, at=at):
            found += self._file(local, "local", at)
        if not is_off:
            always, self.visited[directory] = loader.rules(rules, "project", WHY_NESTED, base=directory, at=at)
            found += always
        return found

    def agents(self, read: str, at: str) -> list[SentFile]:
        """The AGENTS.md that reading ``read`` adds; only the read tool does (wire: agents-md-nested-mixed)."""
        mode = self.started.agents_mode
        if not self._counts(read) or mode in (CLAUDE_ONLY, MANAGED_ONLY):
            return []
        found: list[SentFile] = []
        for directory in self._between(read):
            path = join(directory, AGENTS)
            hidden = None if mode == BOTH else self.started.agents_hidden or self._claude_in(directory)
            if self.loader.off("project", (path,), WHY_NESTED_AGENTS, at=at):
                continue
            if hidden is None:
                found += self._without_known(self._agents_file(path, at), at)
            elif self.loader.setup.host.kind(path) is not None and path not in self.sent_agents:
                hides_all = self.started.agents_hidden is not None
                reason = f"{hidden} was there at start and hides them all" if hides_all else f"{hidden} hides it"
                hides = own(WHY_NESTED_AGENTS, at=at).shadowed(path, reason, by=hidden)
                self.loader.draft.candidates.append(hides)
        return found

    def name_the_waiting(self) -> None:
        """Name the rules that wait for a file that the session has not touched."""
        started, nested = self.started, self.visited.values()
        waiting = [*started.managed_rules, *started.user_rules, *(rule for rules in nested for rule in rules)]
        for rule in (*waiting, *started.project_rules):
            if rule.entry.path not in self.sent:
                reason = f"no file was read that its paths mean ({rule.scope.text})"
                self.loader.draft.candidates.append(_by_paths(rule).unscoped(rule.entry.path, reason))

    def _counts(self, read: str) -> bool:
        """Files outside of the cwd have no effect (wire: nested-cwd-in-sub)."""
        return is_below(read, self.loader.setup.cwd)

    def _between(self, read: str) -> list[str]:
        cwd = self.loader.setup.cwd
        return [place for place in reversed(list(upwards(parent(read), cwd))) if place != cwd]

    def _file(self, path: str, kind: str, at: str) -> list[SentFile]:
        host = self.loader.setup.host
        if path in self.sent or host.kind(path) is None:
            return []
        self.sent.add(path)
        return self.loader.file(path, kind, WHY_NESTED, at=at)

    def _agents_file(self, path: str, at: str) -> list[SentFile]:
        if path in self.sent_agents or self.loader.setup.host.kind(path) is None:
            return []
        self.sent_agents.add(path)
        if path in self.agents_before:
            self.loader.draft.candidates.append(own(WHY_NESTED_AGENTS, at=at).loaded(path))
        else:
            self.agents_before[path] = self.loader.file(path, "project", WHY_NESTED_AGENTS, at=at)
        return self.agents_before[path]

    def _matching(self, rules: list[LazyRule], read: str, at: str) -> Iterator[SentFile]:
        """The rules about ``read`` that were not sent yet."""
        if not rules:
            return
        _, likely = self._asked.get(id(rules), ((), None))
        if likely is None:
            from promptls.core.glob_index import Rules  # noqa: PLC0415 - few sessions have rules that wait

            likely = Rules(rule.scope.patterns for rule in rules)
            self._asked[id(rules)] = rules, likely
        for rule in map(rules.__getitem__, likely.near(read)):
            if rule.entry.path in self.sent or not applies(rule.scope.patterns, rule.base, read):
                continue
            self.sent.add(rule.entry.path)
            reason = f"its paths ({rule.scope.text}) mean the file that is read"
            self.loader.draft.candidates.append(_by_paths(rule, at).loaded(rule.entry.path, reason))
            yield rule.entry

    def _claude_in(self, directory: str) -> str | None:
        paths = (join(directory, name) for name in (CLAUDE, DOT_CLAUDE, LOCAL))
        return next(filter(self.loader.hides_agents, paths), None)


def added(entries: list[SentFile], event: str) -> Block:
    """What the built-in plugin for AGENTS.md adds at an event of the program, all files in one text (7)."""
    joined = [piece for entry in entries for piece in (tail("\n"), *entry.bare())][1:]
    return [head(f"{event} hook additional context: "), *joined]


def _by_paths(rule: LazyRule, at: str = START) -> Rule:
    where = Origin("file", path=rule.entry.source.path, range=rule.scope.where, name=rule.scope.text)
    return Rule(rule.entry.why, where, at=at)
