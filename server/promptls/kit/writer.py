"""Writes the prompt of a small harness from values: its command line, chains of files, and their frames.

A harness is a function that says in which order the parts stand:

    def preview(session, host):
        writer = Writer(SPEC, session, host, OPTIONS)
        files = writer.find(CHAIN)
        writer.system(writer.own("base prompt", why=WHY_BASE, size=facts.base), *FRAME.around(files))
        writer.chat(index=1, why=WHY_PLAIN, on_read=ON_READ)
        writer.name_unread(UNREAD, CHAIN)
        return writer.prompt()
"""

from __future__ import annotations

from promptls.core.model import START, Origin
from promptls.core.values import dataclass, replace
from promptls.kit.args import Options
from promptls.kit.candidates import Rule, argument, not_modelled
from promptls.kit.chain import Stretches
from promptls.kit.chat import result, send_chat, typed
from promptls.kit.draft import Draft
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.segments import elided, head, tail
from promptls.kit.unread_files import name_above, name_nested, name_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Call, Layer, Prompt, Role, Segment, Session, Tool
    from promptls.core.spec import Spec
    from promptls.kit.chain import Chain, FileText, Includes, OnRead, Reading
    from promptls.kit.chat import Read, Result


NO_OPTIONS = Options()
# The places of ``OnRead`` that are messages of their own.
ROLES: Mapping[str, Role] = {"user": "user", "system": "system"}


@dataclass(frozen=True, slots=True)
class Unread:
    """Names that look as if a program read them, each place with why it does not.

    ``names``: in each directory of the search; ``home``: in the home directory. ``above``: why the files of the chain
    are not read above the search; ``on_read``: why they do not come with a file that is read; "" where they are.
    """

    names: tuple[str, ...] = ()
    why: str = ""
    home: tuple[str, ...] = ()
    why_home: str = ""
    above: str = ""
    on_read: str = ""


class Writer:
    """A prompt being written. ``cwd`` is where the program works, links followed."""

    __slots__ = ("command", "cwd", "draft", "host", "options", "paths", "read_in", "session", "spec")

    def __init__(
        self, spec: Spec, session: Session, host: Host, options: Options | None = None, cwd: str | None = None
    ) -> None:
        """Read the command line of the session; without ``options`` the program has none.

        ``cwd``: where it works, if its command line does not say it and this is not where it was started.
        """
        self.spec = spec
        self.session = session
        self.host = host
        self.draft = Draft(session)
        self.options = options or NO_OPTIONS
        self.command = self.options.read(session.args if options else ())
        self.cwd = host.realpath(resolve(session.cwd, self.command.last("cwd") or cwd or "."))
        # Files that are in the prompt, and the directories (links followed) that had one.
        self.paths: list[str] = []
        self.read_in: set[str] = set()

    @property
    def model(self) -> str | None:
        """The model that is asked for."""
        return self.session.model or self.command.last("model")

    @property
    def agent(self) -> str | None:
        """The agent that is asked for, if the program can be asked for one."""
        return self.session.agent or self.command.last("agent") if self.options.agent else None

    # -- files ---------------------------------------------------------------------------------------------------------

    def find(self, chain: Chain, directories: Sequence[str] | None = None, at: str = START) -> list[FileText]:
        """The files of a chain that are sent; ``directories`` instead of those that it names. Candidates are noted."""
        found: list[FileText] = []
        for directory in chain.where(self.host, self.cwd) if directories is None else directories:
            real = self.host.realpath(directory)
            if chain.is_once and real in self.read_in:
                continue
            for file in chain.look(self.host, directory, at):
                self.draft.candidates.append(file.candidate)
                if file.ends:
                    says = f"{self.spec.title} ends with an error at {file.path}: {file.ends}. {chain.reading.advice}"
                    self.stop(says, file.path)
                elif file.is_sent:
                    found.append(self._expanded(chain.reading, self._marked(file), at, ()))
                    self.read_in.add(real)
        return found

    def _expanded(self, reading: Reading, file: FileText, at: str, chain: tuple[str, ...]) -> FileText:
        """The file with its imports in their places. ``chain`` are the files that lead to it."""
        includes = reading.includes
        if includes is None:
            return file
        stretches, sent = Stretches(file.segments), 0
        pieces: list[Segment] = []
        for found in includes.pattern.finditer(file.text):
            target = includes.target(self.host, file.path, found[1])
            if target is not None:
                where = stretches.between(found.start(), found.end())[0].origin
                rule = Rule(includes.why, replace(where, name=found[0], again=False), at=at)
                inside = self._imported(reading, includes, target, rule, (*chain, file.path))
                if inside is not None:
                    pieces += stretches.between(sent, found.start())
                    pieces += [head(includes.before.format(written=found[1]), reading.layer, path=target)]
                    pieces += [*inside.segments, tail(includes.after.format(written=found[1]), reading.layer)]
                    sent = found.end()
        return replace(file, segments=(*pieces, *stretches.between(sent, len(file.text))))

    def _imported(
        self, reading: Reading, includes: Includes, target: str, rule: Rule, chain: tuple[str, ...]
    ) -> FileText | None:
        """The text of an imported file; None where its name stays."""
        if target in chain:
            reason = "it is already being imported (a cycle)"
            self.draft.candidates.append(rule.duplicate(target, reason, of=target, state="cycle"))
        elif len(chain) > includes.depth:
            reason = f"{self.spec.title} follows imports {includes.depth} levels deep"
            self.draft.candidates.append(rule.excluded(target, reason, state="too-deep"))
        else:
            found = reading.file(self.host, target, rule)
            self.draft.candidates.append(found.candidate)
            if found.is_sent:
                return self._expanded(reading, found, rule.at, chain)
        return None

    def _marked(self, file: FileText) -> FileText:
        """A text that is sent once more, by a link, says so."""
        is_again = any(self.host.is_same(file.path, each) for each in self.paths)
        self.paths.append(file.path)
        if not is_again:
            return file
        again = (replace(each, origin=replace(each.origin, again=True)) for each in file.segments)
        return replace(file, segments=tuple(again))

    def change(self, file: FileText, changed: FileText) -> FileText:
        """``changed`` in the place of ``file``, for example a part of it, and its candidate in that of the other."""
        at = self.draft.candidates.index(file.candidate)
        self.draft.candidates[at] = changed.candidate
        return changed

    def brought(self, on_read: OnRead, call: Call, top: str | None = None) -> list[FileText]:
        """The files that come with a call that reads one; ``top`` instead of the directory that ``on_read`` names."""
        if call.read is None:
            return []
        path = self.host.realpath(call.read)
        top = on_read.top(self.host, self.cwd) if top is None else top
        if not is_below(path, top):
            return []
        known = set(self.read_in)
        places = [each for each in on_read.directories(path, top) if self.host.realpath(each) not in known]
        return self.find(on_read.chain, places, call.at)

    def name_unread(self, unread: Unread, chain: Chain) -> None:
        """Name files that look as if they were read; of a chain with ``where``."""
        places = [*chain.where(self.host, self.cwd)][::-1] or [self.cwd]
        for place in places:
            name_unread(self.draft, self.host, unread.why, [join(place, each) for each in unread.names])
        at_home = [join(self.host.home, each) for each in unread.home]
        name_unread(self.draft, self.host, unread.why_home or unread.why, at_home)
        if unread.above:
            name_above(self.draft, self.host, unread.above, places[-1], chain.every_name)
        if unread.on_read:
            name_nested(self.draft, self.host, unread.on_read, self.cwd, chain.every_name)

    # -- messages ------------------------------------------------------------------------------------------------------

    def own(self, what: str, *, why: str, size: int | None = None, layer: Layer = "provider") -> Segment:
        """A placeholder for a text of the program's own."""
        return elided(layer, self.spec.title, what, why=why, size=size)

    def system(self, *segments: Segment, index: int = 0, block: int = 0) -> None:
        """Add a system message."""
        self.draft.add_message("system", segments, index=index, block=block)

    def chat(
        self,
        *,
        index: int,
        why: str,
        read: Read | None = None,
        on_read: OnRead | None = None,
        answer: Result | None = None,
        given: str | None = None,
    ) -> None:
        """Add the turns: what is typed, to the letter, and the answers of tools.

        ``why`` nothing else comes with them. ``read`` gives the parts of the result for a path, None where it is not
        known; ``on_read`` what comes with it. ``answer`` gives the whole result of a call, instead of both. ``given``:
        what the command line types, if no option ``prompt`` does.
        """

        def answered(call: Call) -> list[list[Segment]]:
            parts = (read(call.read) if read is not None and call.read is not None else None) or [
                [result(self.spec.title, call, why)]
            ]
            if on_read is None or on_read.place in ROLES:
                return parts
            files = on_read.frame.around(self.brought(on_read, call), base=self.cwd)
            if on_read.place == "instead":
                return [files] if files else parts
            first, last = (files, []) if on_read.place == "before" else ([], files)
            parts[0] = [*first, *parts[0]]
            parts[-1] = [*parts[-1], *last]
            return parts

        def after(call: Call) -> tuple[Role, list[Segment]] | None:
            role: Role | None = None if on_read is None else ROLES.get(on_read.place)
            if on_read is None or role is None:
                return None
            return role, on_read.frame.around(self.brought(on_read, call), base=self.cwd)

        send_chat(
            self.draft,
            index=index,
            prompt=lambda turn: [[typed(self.spec.title, turn, why)]],
            answer=answer or answered,
            given=given if given is not None else self.command.last("prompt"),
            after=after,
        )

    # -- the end -------------------------------------------------------------------------------------------------------

    def stop(self, says: str, path: str | None = None, *, option: str = "") -> None:
        """The program ends before a request because of a file or an option; the first reason counts."""
        self.draft.stop(says, Origin("argument", name=option) if option else Origin("file", path=path))

    def prompt(
        self,
        *,
        verified: bool = True,
        model: str | None = None,
        agent: str | None = None,
        tools: tuple[Tool, ...] | None = None,
    ) -> Prompt:
        """The finished prompt. ``model`` and ``agent`` are those of configurations, if nothing else says one.

        ``verified``: whether the row of the version says so; False where no session like this one was captured.
        """
        if self.options is NO_OPTIONS:
            self.draft.candidates += [argument(each, f"{self.spec.title} has no options") for each in self.session.args]
        self.draft.candidates += self.options.candidates(self.session, self.command, self.spec)
        self.draft.candidates += [not_modelled(each) for each in self.options.variables if self.host.env.get(each)]
        return self.draft.prompt(
            model=self.model or model,
            agent=self.agent or agent,
            verified=verified,
            tools=tools,
        )
