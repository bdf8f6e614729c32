"""What one prompt says and the others take back: only a look at all of them shows it."""

from __future__ import annotations

from promptls.checks.tree import USED
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Prompt, Range

    Place = tuple[str | None, Range | None]

# Codes of an entry or import that brings nothing.
DEAD = ("instruction-missing", "glob-empty", "import-missing", "import-outside", "link-dead", "duplicate-source")
# Nobody has seen what these send for two names of one file.
UNSEEN = ("copilot-vscode", "cursor")
# What stands in a text, and not in the place or the name of its file.
OF_TEXT = (
    *("import-missing", "import-cycle", "import-depth", "import-outside", "import-unrecognised", "import-accidental"),
    *("front-matter-invalid", "front-matter-key", "front-matter-type", "scope-invalid", "scope-ignored"),
    *("encoding", "link-dead", "path-dead", "command-missing", "hidden-characters", "secret"),
)


class Doubts:
    """All that is known of a folder, to doubt a problem of one prompt with."""

    def __init__(self, tree: Tree, of_tree: Iterable[Problem], of_prompts: Iterable[Problem]) -> None:
        """``of_tree`` and ``of_prompts``: every problem so far."""
        self._tree = tree
        # An entry that brings something in one session is not dead because it brings nothing in another.
        self._alive: set[Place] = {
            (candidate.origin.path, candidate.origin.range)
            for _, candidate in tree.candidates()
            if candidate.outcome in USED and candidate.origin.range is not None
        }
        self._alive.update((each.path, each.range) for each in of_tree if each.code == "case-mismatch")
        # What does not exist is not also said to lie outside of another session's directory.
        self._gone = {(each.path, each.range) for each in of_prompts if each.code == "import-missing"}
        self._sent: set[tuple[str, str]] | None = None
        self._brings: set[tuple[str | None, str | None]] | None = None

    def takes_back(self, problem: Problem, prompt: Prompt) -> bool:
        """Whether a problem of one prompt is none of the folder."""
        place = problem.path, problem.range
        if problem.code == "shadowed":
            return self._is_sent(problem, prompt.session.harness)
        if problem.code == "duplicate-text":
            return prompt.session.harness in UNSEEN and self._is_one_file(problem)
        if problem.code == "config-invalid":
            # That a harness stops for a reason of the user's, such as trust, is no problem of the folder.
            return problem.path == prompt.session.cwd
        is_lost = problem.code == "import-outside" and place in self._gone
        return is_lost or (problem.code in DEAD and place in self._alive)

    def at_the_file(self, problem: Problem) -> Problem:
        """A fault in a text stands in the file, by whatever link it was read."""
        if problem.code not in OF_TEXT:
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

    def _is_sent(self, problem: Problem, harness: str) -> bool:
        """Whether another session, an import or a link brings the file, or it only imports the one in its place."""
        if self._sent is None or self._brings is None:
            candidates = list(self._tree.candidates())
            self._sent = {
                (name, self._tree.host.realpath(each.path))
                for name, each in candidates
                if each.path is not None and each.use == "instruction" and each.outcome in USED
            }
            self._brings = {
                (each.origin.path, each.path)
                for _, each in candidates
                if each.origin.kind == "file" and each.outcome in (*USED, "duplicate")
            }
        is_import = any((problem.path, each.path) in self._brings for each in problem.related)
        return is_import or (harness, self._tree.host.realpath(problem.path)) in self._sent

    def _is_one_file(self, problem: Problem) -> bool:
        """Whether the same text is the same file, under the names of several programs."""
        real = self._tree.host.realpath(problem.path)
        return any(self._tree.host.realpath(each.path) == real for each in problem.related)
