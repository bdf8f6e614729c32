"""One preview for the editor: made from a request, with all that is drawn from it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from promptls.core import prompt_json, render
from promptls.core.files import expand_home
from promptls.core.model import reading
from promptls.core.paths import from_home
from promptls.core.session_line import session_line, session_line_json
from promptls.core.values import replace
from promptls.core.visible import visible
from promptls.git.revision import Revision, revision
from promptls.lsp.lookup_round import Basis, LookupRound
from promptls.lsp.uris import path_of
from promptls.sessions.start import Overrides
from promptls.workspace.machine import home
from promptls.workspace.request import answered, delegated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from promptls.checks.folder import Found
    from promptls.core.host import Host
    from promptls.core.model import Problem, Prompt
    from promptls.lsp.virtual import PreviewRequest
    from promptls.sessions.arrivals import Arrival
    from promptls.workspace.recordings import Record
    from promptls.workspace.request import Answer


@dataclass(frozen=True)  # without slots, because what is drawn is cached in it
class View:
    """A preview and what was derived from it. ``version`` grows with each change of the session's prompt.

    What is drawn from it is made at the first use: to count the tokens may take most of a second.
    """

    request: PreviewRequest
    key: str
    version: int
    answer: Answer
    basis: Basis
    # The source of its files, if not the current disk.
    past: Revision | None = None
    # The recorded session that it is the prompt of, and what came of each instruction file.
    record: Record | None = None
    arrivals: tuple[Arrival, ...] = ()

    @property
    def prompt(self) -> Prompt:
        """The prompt that is shown."""
        return self.answer.prompt

    @property
    def host(self) -> Host:
        """The lookups for the prompt."""
        return self.answer.host

    @property
    def detection(self) -> Host:
        """The lookups that determined the harness."""
        return self.answer.here.host

    @cached_property
    def found(self) -> Found:
        """The prompt, and the problems that it shows by itself."""
        return self.answer.found()

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the prompt, as ``preview`` has them."""
        return self.answer.problems(self.found)

    @cached_property
    def json(self) -> Mapping[str, Any]:
        """The JSON of ``preview``."""
        evidence = [{"name": each.name, "evidence": list(each.evidence)} for each in self.answer.here.found]
        base, host = self.answer.here.place.workspace, self.answer.host
        named = session_line_json(self.answer.session_facts, base, host.home)
        json = prompt_json.to_json(self.prompt, self.problems, evidence, named)
        return json if self.record is None else {**json, "recorded": self.record.as_json(self.arrivals)}

    @property
    def text(self) -> str:
        """The text of the virtual document."""
        return self._drawn[0]

    @property
    def first_own_line(self) -> int:
        """The line of the virtual document at which the user's own text begins; 0 if there is none."""
        return self._drawn[1]

    @cached_property
    def _drawn(self) -> tuple[str, int]:
        """Both in one pass, because the lines are not kept."""
        texts: list[str] = []
        heading = 0
        first: int | None = None
        for number, line in enumerate(self._markdown()):
            texts.append(visible(line.text, keep_tabs=True))
            if first is None:
                heading = number if line.style == "segment" else heading
                first = heading if render.is_of_user(line) else None
        return "".join(f"{text}\n" for text in texts), first or 0

    @cached_property
    def lines(self) -> tuple[render.Line, ...]:
        """The lines of the virtual document; made only on demand, because there may be very many."""
        return tuple(self._markdown())

    @property
    def _session_line(self) -> str:
        return session_line(self.answer.session_facts, self.answer.here.place.workspace, self.answer.host.home)

    def _markdown(self) -> Iterator[render.Line]:
        reads = self.prompt.session.reads
        title = f"Effective prompt of {os.path.basename(reads[0])}" if reads else "Effective prompt"
        title += f" at {self.request.rev}" if self.request.rev else ""
        title += f" for the sub-agent {self.request.subagent}" if self.request.subagent else ""
        if self.record is not None:
            yield from self.record.markdown(self.arrivals, self.prompt)
        home = self.answer.host.home
        for line in render.to_markdown(self.prompt, self.problems, title, self._session_line):
            # What is sent stays as it is.
            is_far = line.segment is None and bool(home) and home in line.text
            yield replace(line, text=from_home(line.text, home)) if is_far else line

    def drawn(self) -> View:
        """The same, with its JSON and text ready."""
        _ = self.json, self.text
        return self

    def is_current(self, basis: Basis, round_: LookupRound, past: Revision | None) -> bool:
        """Whether it would still be the same."""
        is_same = self.basis == basis and self.past == past
        return is_same and round_.is_current(self.host) and round_.is_current(self.detection)

    def looked_at(self) -> frozenset[str]:
        """Every path that it depends on."""
        noted = {f"{self.past.git_directory}/HEAD"} if self.past else set()
        return self.host.looked_at() | self.detection.looked_at() | noted


def make_view(request: PreviewRequest, basis: Basis, round_: LookupRound, before: View | None) -> View:
    """The view of a request: ``before``, if it would be the same now, or a new one."""
    past = None
    if request.rev:
        path = path_of(request.uri) if request.uri else None
        past = revision(path or basis.root or home(), request.rev)
        buffers = round_.sources.buffers.outside(past.holds)
        round_ = LookupRound(replace(round_.sources, buffers=buffers, disk=past), {})
    # A record grows while its session runs.
    if before is not None and request.recorded is None and before.is_current(basis, round_, past):
        return before
    record = _record(request, basis)
    asked = _overrides(request, record)
    here = round_.here(request, asked.cwd, basis)
    if request.subagent is not None:
        asked = delegated(here, asked, request.subagent)
    host = round_.host(here.settings)
    answer = answered(here, asked, host)
    prompt = answer.prompt
    changed = before is None or before.prompt != prompt
    return View(
        request=request,
        key=hashlib.sha256(repr((prompt.session, past)).encode("utf-8", "replace")).hexdigest()[:16],
        version=(before.version if before else 0) + changed,
        answer=answer,
        basis=basis,
        past=past,
        record=record,
        arrivals=record.arrived(prompt.session, round_.sources.host) if record is not None else (),
    )


def _record(request: PreviewRequest, basis: Basis) -> Record | None:
    if request.recorded is None:
        return None
    from promptls.workspace.recordings import one  # noqa: PLC0415 - few previews are of one

    path = path_of(request.uri) if request.uri else None
    return one(request.recorded, basis.root or path or home(), request.harness)


def _overrides(request: PreviewRequest, record: Record | None) -> Overrides:
    own = record.asked() if record is not None else Overrides()
    if request.session is not None:
        from promptls.workspace.session_file import parse  # noqa: PLC0415 - few previews have one

        own = replace(parse(request.session), is_given=True)
    opened = None
    if request.open is not None:
        from promptls.workspace.session_file import opened_files  # noqa: PLC0415 - the same

        opened = opened_files(request.open)
    return replace(
        own,
        harness=request.harness or own.harness,
        cwd=request.cwd if request.cwd is not None else own.cwd,
        turns=reading(map(expand_home, request.reads)) if request.reads is not None else own.turns,
        model=request.model or own.model,
        agent=request.agent or own.agent,
        args=own.args if request.args is None else request.args,
        open=opened,
    )
