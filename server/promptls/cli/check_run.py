"""One run of a check: the requested problems of a folder, and what is said of the run."""

from __future__ import annotations

import os
import sys

from promptls.cli.arguments import Options, current_directory
from promptls.cli.output import complain
from promptls.cli.requested import requested
from promptls.cli.session_lines import first_of_each, session_lines, sessions_json
from promptls.core import specs
from promptls.core.host import NO_BUFFERS
from promptls.core.paths import is_below
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.cli.requested import Requested
    from promptls.core.host import Buffers, Host
    from promptls.core.how import Open
    from promptls.core.model import FetchResult, Problem, Prompt, Timeouts
    from promptls.core.prompt_json import Json
    from promptls.git.listing import Listing
    from promptls.net.now import Fetcher
    from promptls.workspace.folder_check import Checked

# What came of a file that is there and was looked at.
FOUND = ("loaded", "cut", "dropped", "duplicate", "empty", "shadowed", "unscoped")


@dataclass(slots=True)
class Progress:
    """One progress line on the terminal; nothing if standard error is not a terminal."""

    shown: bool = False

    def say(self, what: str) -> None:
        """Show what is being done."""
        if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self.shown = True
            print(f"\r\x1b[Kpromptls: {what}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clear the line."""
        if self.shown:
            self.shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@dataclass(slots=True)
class CheckRun:
    """A check of what is requested, as the options say; the whole ``project`` is looked at for it."""

    options: Options
    requested: Requested
    project: str
    by_agents: tuple[str, ...] = ()
    # Whether the user was told to choose harnesses.
    is_told: bool = False
    prompts: tuple[Prompt, ...] = ()
    # Which sessions the prompts are of, as JSON.
    sessions: tuple[Json, ...] = ()
    progress: Progress = field(default_factory=Progress)
    fetcher: Fetcher | None = None
    checked: Checked | None = None
    at_home: list[Problem] = field(default_factory=list)

    def again(self) -> CheckRun:
        """The same check, of what has changed since the revision by now; URLs are not requested again."""
        self.requested = requested(self.requested.paths, self.options.changed)
        return self

    def problems(self, listing: Listing, buffers: Buffers = NO_BUFFERS) -> tuple[list[Problem], Host]:
        """The requested problems, sorted by file and place, and the host that has read the files."""
        from promptls.core.settings import DEFAULT  # noqa: PLC0415 - git works meanwhile
        from promptls.workspace.folder_check import check_folder  # noqa: PLC0415 - the same
        from promptls.workspace.request import NO_URLS, sources_of  # noqa: PLC0415 - the same

        checked = check_folder(
            self.project,
            listing,
            replace(sources_of(with_habits=self.options.with_habits), fetch=self._fetch, buffers=buffers),
            settings=replace(
                NO_URLS if self.options.no_network else DEFAULT, profiles=tuple(dict.fromkeys(self.options.profile))
            ),
            only=self.options.harness,
            say=self.progress.say,
        )
        self.checked = checked
        self.by_agents, self.prompts = checked.by_agents, checked.prompts
        if checked.here is not None:
            self.sessions = tuple(sessions_json(first_of_each(checked.prompts), checked.here, self.options.harness))
        is_meant = self.requested.meant(checked.host)
        found = [each for each in checked.problems if is_meant(each)]
        self.at_home = self._at_home(checked)
        is_said = self.options.with_habits and self.options.baseline is None and self.options.format in ("text", "json")
        return [*found, *(self.at_home if is_said else ())], checked.host

    def _at_home(self, checked: Checked) -> list[Problem]:
        """The problems of the user's own files, which are of the folder on this machine only; nothing changes these."""
        home = checked.host.home
        if not home or not self.requested.is_whole() or self.requested.changed is not None:
            return []
        mine = (
            each for each in checked.problems if is_below(each.path, home) and not is_below(each.path, self.project)
        )
        return [replace(each, fixes=()) for each in mine]

    def budgets(self) -> tuple[Json, ...]:
        """What is used of the budgets, for JSON."""
        if self.options.format != "json" or self.checked is None:
            return ()
        from promptls.core.budgets import spent_json  # noqa: PLC0415 - only for JSON

        return tuple(spent_json(each, self.requested.root) for each in self.checked.budgets())

    def unknown(self) -> tuple[Open, ...]:
        """What is not known, and may have problems."""
        from promptls.core.how import OF_PROBLEMS, open_ones  # noqa: PLC0415 - git works meanwhile

        return tuple(open_ones(self.prompts, current_directory("/"), OF_PROBLEMS))

    def tell_sessions(self) -> None:
        """Say which sessions the problems are of."""
        for number, line in enumerate(session_lines(list(self.sessions), is_wrapped=False)):
            complain(f"promptls: {line.text}" if not number else f"  {line.text}")
        others = len({each.session.cwd for each in self.prompts}) - 1
        if others > 0:
            complain(f"  and starts in {others} other director{'y' if others == 1 else 'ies'}")

    def nothing_found(self) -> str:
        """What was looked at without finding a problem."""
        candidates = [each for prompt in self.prompts for each in prompt.candidates if each.outcome in FOUND]
        named = {each for each in self.requested.paths if not os.path.isdir(each)}
        number = sum(map(self.requested.holds, {each.path for each in candidates if each.path} | named))
        shown = (prompt.session.harness for prompt in self.prompts if not prompt.is_fault)
        titles = dict.fromkeys(specs.of(name).title for name in shown)
        whose = f" for {', '.join(titles)}" if titles else ", as no coding agent is set up here"
        return f"Checked {number:,} file{'' if number == 1 else 's'}{whose}: no problems."

    def may_fix(self, problem: Problem) -> bool:
        """Whether --fix fixes a requested problem: with --changed, only if it is in a changed file."""
        return self.requested.changed is None or problem.path in self.requested.changed

    def may_change(self, path: str) -> bool:
        """Whether --fix may change a file: the requested one, or those in the folder that have changed."""
        return self.requested.holds(path)

    def _fetch(self, urls: Sequence[str], timeouts: Timeouts) -> Sequence[FetchResult]:
        """Request each URL once, however often the files are read."""
        if self.fetcher is None:
            from promptls.net.now import Fetcher  # noqa: PLC0415 - only where there is a URL

            self.fetcher = Fetcher(
                allowed=self.options.allow,
                say=lambda number: self.progress.say(f"waiting for {number} URL{'' if number == 1 else 's'}"),
            )
        return self.fetcher(urls, timeouts)

    def tell_limits(self) -> None:
        """Report how many URLs were not requested, if any."""
        number = self.fetcher.unasked() if self.fetcher is not None else 0
        if number:
            from promptls.net.now import MOST, SECONDS  # noqa: PLC0415 - the same

            verb = "URL was" if number == 1 else "URLs were"
            complain(
                f"promptls: {number:,} {verb} not requested; the limit is {MOST} URLs in {SECONDS:g} s altogether."
            )
