"""Advice with the whole folder in view: no other harness loses anything, and neighbours show how it is done."""

from __future__ import annotations

from posixpath import basename, commonpath

from promptls.checks.hidden import AGENTS, COPIED, importers, points_to, put_beside, shared
from promptls.checks.loading import ONE_OF_THEM, UNLESS
from promptls.core import specs
from promptls.core.model import USED
from promptls.core.paths import join, parent, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.checks.tree import Tree
    from promptls.core.model import Problem


class Advice:
    """All that is known of a folder, to say what to do in it."""

    def __init__(self, tree: Tree) -> None:
        """What is known is looked up when it is first asked for."""
        self._tree = tree
        # By harness: files that are links to AGENTS.md beside them, and those that import it.
        self._neighbours: dict[str, tuple[list[str], list[str]]] = {}
        self._found: set[tuple[str, str | None]] = set()

    def on(self, problem: Problem) -> str:
        """The message of the problem, with the advice that fits here."""
        said = problem.message
        if problem.code == "shadowed":
            for harness in problem.harnesses:
                if specs.of(harness).reads_for_agents and said.endswith(advice := put_beside(harness)):
                    return said.removesuffix(advice) + self._as_neighbours(harness, problem.path)
            return self._as_copy(self._into_a_link(said, problem), problem)
        if said.endswith(UNLESS):
            return said.removesuffix(UNLESS) + self._on_import(problem)
        if said.endswith(ONE_OF_THEM):
            return said.removesuffix(ONE_OF_THEM) + self._on_copy(problem)
        return said

    def _into_a_link(self, said: str, problem: Problem) -> str:
        """The advice to write an import into a file, unless that is a link: then the line would land in its target."""
        for harness in problem.harnesses:
            for beside in importers(harness, problem.path):
                line = f"@{relative(problem.path, parent(beside))}"
                target = self._tree.host.realpath(beside)
                if said.endswith(f"Write {line} into {beside}.") and self._is_link(beside):
                    both = f"{line} and @{relative(target, parent(beside))}"
                    return (
                        f"{said.removesuffix(f'Write {line} into {beside}.')}{beside} is a link to {target}: "
                        f"put a file with the lines {both} in its place."
                    )
        return said

    def _as_copy(self, said: str, problem: Problem) -> str:
        """The advice to add one file to another, unless that has most of its lines: then they would be sent twice."""
        for harness in problem.harnesses:
            for beside in importers(harness, problem.path):
                advice = f"Write @{relative(problem.path, parent(beside))} into {beside}."
                share = shared(self._tree.text(problem.path) or "", self._tree.text(beside) or "")
                if said.endswith(advice) and share > COPIED:
                    says = (
                        f"{share:.0%} of its lines are in {beside} already: make one of the files a link to the other"
                    )
                    return f"{said.removesuffix(advice)}{says}, or keep in {beside} only what differs, below @{AGENTS}."
        return said

    def _is_link(self, path: str) -> bool:
        return self._tree.host.realpath(path) != join(self._tree.host.realpath(parent(path)), basename(path))

    def _as_neighbours(self, harness: str, path: str) -> str:
        """How the nearest directory has its AGENTS.md loaded by a harness of another name: by a link or an import."""
        own = specs.of(harness).reads_for_agents[0]
        if harness not in self._neighbours:
            files = [each for each in self._tree.prose() if basename(each) == own]
            self._neighbours[harness] = (
                [each for each in files if self._leads_to(each, join(parent(each), AGENTS))],
                [each for each in files if self._brings(harness, each, join(parent(each), AGENTS))],
            )
        links, imports = self._neighbours[harness]
        found = links or imports
        if not found:
            return put_beside(harness)
        nearest = max(found, key=lambda each: (len(commonpath((each, path))), each.count("/")))
        which = self._tree.relative(nearest) if parent(nearest) != self._tree.root else f"the root's {own}"
        if links:
            return f"Make {own} beside it a link to it, as {which} is one."
        return f"Put {own} beside it with the line @{AGENTS}, as {which} has one."

    def _brings(self, name: str, path: str, other: str) -> bool:
        return any(
            (each.origin.kind, each.origin.path, each.path, each.outcome) == ("file", path, other, "loaded")
            for harness, each in self._tree.candidates()
            if harness == name
        )

    def _leads_to(self, path: str, other: str) -> bool:
        return self._tree.host.realpath(path) == self._tree.host.realpath(other) != path

    def _on_import(self, problem: Problem) -> str:
        """An import that another harness needs stays."""
        file = problem.related[0].path
        needed = [
            name
            for name, each in self._tree.candidates()
            if name not in problem.harnesses
            and each.outcome in USED
            and (each.origin.path, each.origin.range) == (problem.path, problem.range)
            and not self._loads(name, file)
        ]
        if not needed:
            return "Remove the import."
        if points_to(self._tree.text(problem.path) or "", file) and all(
            specs.of(name).sends_links_once for name in problem.harnesses
        ):
            return f"Make this file a link to {file}: then it is sent once, and {needed[0]} gets it as well."
        return f"Leave it if you use {needed[0]}, which gets the text by this import alone."

    def _on_copy(self, problem: Problem) -> str:
        """Of two copies, those that other harnesses need stay."""
        other = problem.related[0].path
        prompts = (each.session.harness for each in self._tree.prompts if each.candidates)
        names = dict.fromkeys(each for each in prompts if each not in problem.harnesses)
        this = next((name for name in names if self._loads(name, problem.path) and not self._loads(name, other)), None)
        that = next((name for name in names if self._loads(name, other) and not self._loads(name, problem.path)), None)
        if this and that:
            return f"Keep both: {this} loads only this one, and {that} only the other."
        if this:
            return f"Keep this one, which {this} needs, and remove the other."
        return f"Remove this one: {that} needs the other." if that else "Keep one of them."

    def _loads(self, name: str, path: str) -> bool:
        """Whether a harness finds the file by itself, in any session."""
        self._found = self._found or {
            (harness, each.path)
            for harness, each in self._tree.candidates()
            if each.outcome in USED and each.origin.kind == "computed"
        }
        return (name, path) in self._found
