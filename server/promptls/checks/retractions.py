"""Retracts problems of one prompt that the folder's other prompts disprove."""

from __future__ import annotations

from promptls.checks.rules import rule_of
from promptls.core import specs
from promptls.core.model import USED
from promptls.core.paths import is_below, is_hidden, join, parent
from promptls.core.values import replace

# A text that says little more than where the rest is, is not longer than this.
SHORT = 1000
# What the model or the user chooses by its name.
OFFERED = ("skill", "command", "agent")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from promptls.checks.rules.rule import Retraction
    from promptls.checks.tree import Tree
    from promptls.core.host import Host
    from promptls.core.model import Candidate, Problem, Prompt, Range

    Place = tuple[str | None, Range | None]


class Retractions:
    """All that is known of a folder, to retract a problem of one prompt with."""

    def __init__(self, tree: Tree, of_tree: Iterable[Problem], of_prompts: Iterable[Problem]) -> None:
        """``of_tree`` and ``of_prompts``: every problem so far."""
        self._tree = tree
        # An entry that has an effect in one session is not dead because it has none in another.
        self._alive: set[Place] = {
            (candidate.origin.path, candidate.origin.range)
            for _, candidate in tree.candidates()
            if candidate.outcome in USED and candidate.origin.range is not None
        }
        self._alive.update((each.path, each.range) for each in of_tree if each.code == "case-mismatch")
        # An instruction file that an entry misses by its spelling: that is told there.
        self._misspelt = {
            (name, other.path)
            for each in of_tree
            if each.code == "case-mismatch"
            for name in each.harnesses
            for other in each.related
        }
        # What does not exist is not also reported to be outside another session's directory.
        self._missing = {(each.path, each.range) for each in of_prompts if each.code == "import-missing"}
        self._targets: dict[Place, list[Candidate]] = {}
        for _, each in tree.candidates():
            if each.path is not None and each.origin.range is not None:
                self._targets.setdefault((each.origin.path, each.origin.range), []).append(each)
        self._offered: set[str | None] | None = None
        self._sent: set[tuple[str, str]] | None = None
        self.reasons: dict[Retraction, Callable[[Problem, Prompt], bool]] = {
            "sent-elsewhere": self._is_sent_elsewhere,
            "offered-elsewhere": self._is_offered_elsewhere,
            "one-file": self._is_one_file,
            "personal": self._is_personal,
            "no-file": self._is_of_no_file,
            "missing-elsewhere": lambda problem, _: (problem.path, problem.range) in self._missing,
            "usual-start": self._is_of_another_start,
            "used-elsewhere": lambda problem, _: (problem.path, problem.range) in self._alive,
        }

    def hold(self, problem: Problem, prompt: Prompt) -> bool:
        """Whether a problem of one prompt is none of the folder: its rule says for which reasons."""
        if self._is_in_template(prompt.session.cwd):
            return True
        reasons = rule_of(problem.code).retracted_if
        return any(self.reasons[each](problem, prompt) for each in reasons)

    def _is_in_template(self, directory: str) -> bool:
        """Whether nobody starts a harness there: it holds what others are made of."""
        if directory == self._tree.root:
            return False
        from promptls.checks.names import is_template  # noqa: PLC0415 - most are started at the root

        return any(map(is_template, self._tree.relative(directory).split("/")))

    def at_the_file(self, problem: Problem) -> Problem:
        """A fault in a text is reported for the file itself, by whatever link it was read."""
        if not rule_of(problem.code).of_text:
            return problem
        real = self._tree.host.realpath(problem.path)
        if real == problem.path or not self._tree.holds(real):
            return problem
        fixes = tuple(
            replace(
                fix,
                edits=tuple(replace(edit, path=real) if edit.path == problem.path else edit for edit in fix.edits),
            )
            for fix in problem.fixes
        )
        return replace(problem, path=real, fixes=fixes)

    def _is_of_no_file(self, problem: Problem, prompt: Prompt) -> bool:
        """Whether no file is the reason: a harness may stop for one of the user's, such as trust."""
        return problem.path == prompt.session.cwd

    def _is_personal(self, problem: Problem, _prompt: Prompt) -> bool:
        """Whether an entry or import means the user's own file: in the home directory, or imported and git-ignored.

        That an entry of the folder's own configuration does so is told, as information.
        """
        targets = self._targets.get((problem.path, problem.range), [])
        return bool(targets) and all(
            (
                (each.origin.name or "").lstrip("@").startswith("~/")
                and not (each.origin.kind == "config" and self._tree.holds(each.origin.path or ""))
            )
            or (each.origin.kind == "file" and self._tree.is_ignored(each.path or ""))
            for each in targets
        )

    def _is_sent_elsewhere(self, problem: Problem, prompt: Prompt) -> bool:
        """Whether a shadowed file need not be reported, or another session, harness or import adds it."""
        from promptls.checks.hidden import is_no_loss  # noqa: PLC0415 - only for what others may load

        is_loss = not is_no_loss(problem, self._tree.host, self._tree.root)
        harness = prompt.session.harness
        is_told = (harness, problem.path) in self._misspelt
        return (
            not is_loss
            or is_told
            or self._is_anothers(problem)
            or self._is_sent(problem, harness)
            or self._points_elsewhere(problem, harness)
        )

    def _points_elsewhere(self, problem: Problem, harness: str) -> bool:
        """Whether a short text sends its reader to a rule that the harness has by itself."""
        text = self._tree.text(problem.path) or ""
        return len(text) <= SHORT and any(
            name == harness
            and each.use == "instruction"
            and each.outcome in (*USED, "unscoped")
            and each.path is not None
            and self._tree.relative(each.path) in text
            and any(place.search(self._tree.relative(each.path)) for place in specs.rule_places())
            for name, each in self._tree.candidates()
        )

    def _is_anothers(self, problem: Problem) -> bool:
        """Whether the file is meant for one harness in use, which loads it: that others do not is no news."""
        from promptls.checks.names import kind_of  # noqa: PLC0415 - only for what others may load

        kind = kind_of(problem.path)
        return kind is not None and any(
            name in kind.harnesses and each.path == problem.path and each.outcome in USED
            for name, each in self._tree.candidates()
        )

    def _is_sent(self, problem: Problem, harness: str) -> bool:
        """Whether another session, an import or a link adds the file."""
        if self._sent is None:
            self._sent = {
                (name, self._tree.host.realpath(each.path))
                for name, each in self._tree.candidates()
                if each.path is not None and each.use == "instruction" and each.outcome in USED
            }
        return (harness, self._tree.host.realpath(problem.path)) in self._sent

    def _is_of_another_start(self, problem: Problem, prompt: Prompt) -> bool:
        """Whether a start further up in the same repository gets the file: that is where people start."""
        host = self._tree.host
        real = host.realpath(problem.path)
        repository = _repository(host, prompt.session.cwd)
        return any(
            other.session.harness == prompt.session.harness
            and is_below(prompt.session.cwd, other.session.cwd)
            and _repository(host, other.session.cwd) == repository
            and any(each.outcome in USED and host.realpath(each.path) == real for each in other.candidates if each.path)
            for other in self._tree.prompts
        )

    def _is_offered_elsewhere(self, problem: Problem, _prompt: Prompt) -> bool:
        """Whether another harness or session offers the file, or the one in its place has the same text."""
        if self._offered is None:
            self._offered = {
                each.path for _, each in self._tree.candidates() if each.use in OFFERED and each.outcome in USED
            }
        text = self._tree.text(problem.path)
        return problem.path in self._offered or any(self._tree.text(each.path) == text for each in problem.related)

    def _is_one_file(self, problem: Problem, prompt: Prompt) -> bool:
        """Whether the same text is the same file under two names, for a harness that may send it once."""
        real = self._tree.host.realpath(problem.path)
        # In a folder of some program's nobody reads a file, so that the second name never comes in.
        is_apart = any(map(is_hidden, self._tree.relative(problem.path).split("/")[:-1]))
        if not (specs.of(prompt.session.harness).links_unseen or is_apart):
            return False
        return any(self._tree.host.realpath(each.path) == real for each in problem.related)


def _repository(host: Host, directory: str) -> str:
    """The nearest directory at or above ``directory`` with a .git, "/" where there is none."""
    while directory != parent(directory) and host.kind(join(directory, ".git")) is None:
        directory = parent(directory)
    return directory
