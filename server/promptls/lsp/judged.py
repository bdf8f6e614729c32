"""What each harness does with a file, and the verdicts for its reader, kept until something changes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.lsp.context import Context
    from promptls.lsp.previews import Previews
    from promptls.sessions.explanation import Explanation
    from promptls.sessions.verdict import Verdict


class Judged:
    """The answers of ``Previews.explain``, by path: hovers and code actions ask for the same one again and again."""

    def __init__(self, context: Context, previews: Previews) -> None:
        """Nothing is known yet."""
        self._context = context
        self._previews = previews
        self._judged: dict[str, tuple[Sequence[Explanation], Sequence[Verdict]]] = {}
        events = context.events

        def forget(_: object) -> None:
            self._judged = {}

        events.document_changed.listen(forget)
        events.files_changed.listen(forget)
        for event in (events.time_passed, events.settings_changed, events.folders_changed):
            event.listen(forget)

    def top(self, path: str) -> str | None:
        """The folder that is open and holds the file."""
        folder = self._context.folder_of(path)
        return folder.path if folder else None

    async def of(self, path: str) -> tuple[Sequence[Explanation], Sequence[Verdict]]:
        """What is said of the file at ``path``."""
        known = self._judged  # a change in the meantime makes a new one
        if path not in known:
            found = await self._previews.explain(path, self.top(path))
            known[path] = found.about, found.verdicts
        return known[path]
