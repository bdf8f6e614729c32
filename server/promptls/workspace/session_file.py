"""A session as JSON, as ``preview --session`` and ``prompt/preview`` take it.

Always imported late: pydantic costs more than a whole preview.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from promptls.core.model import Call, OpenFile, Range, Turn
from promptls.core.phrases import and_list
from promptls.errors import UsageError
from promptls.kit.recording import parsed
from promptls.sessions.start import Overrides
from promptls.workspace.invalid import first_sentence, sentence

# A session that is longer than this is no session (bytes).
MOST = 16 * 1024 * 1024
# Sub-agents inside of one another: no harness starts more.
DEEPEST = 16
HELP = "see “promptls preview --help”"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CallOptions(_Part):
    """A call of a tool: `read` a file, or `tool` with its `input`; or a compaction between two steps."""

    read: str | None = Field(None, description="A file that the tool for reading reads.")
    tool: str | None = Field(None, description="The tool, as the harness names it.")
    input: dict[str, Any] | str | None = Field(
        None, description="The arguments of the tool, also as JSON; a text where the tool takes one."
    )
    namespace: str | None = Field(None, description="The group that the tool is in, where the harness has groups.")
    steps: list[list[CallOptions]] | None = Field(
        None, description="The call starts a sub-agent: what this does then, step by step; an empty list, its start."
    )
    compact: Literal["auto"] | None = Field(None, description="No call: the harness compacts the session here.")
    summary: str | None = Field(None, description="With `compact`: what the model made of the history.")

    @model_validator(mode="after")
    def _either(self) -> CallOptions:
        if sum(each is not None for each in (self.read, self.tool, self.compact)) != 1:
            raise ValueError("a call has one of read, tool and compact")
        if self.steps is not None and self.tool is None:
            raise ValueError("only a call of a tool has steps")
        if self.summary is not None and self.compact is None:
            raise ValueError("a call has a summary only with compact")
        return self


class OpenOptions(_Part):
    """A file that is open in the editor."""

    path: str
    selection: list[int] | None = Field(
        None, min_length=4, max_length=4, description="Line, character, line, character, from 0."
    )
    text: str | None = Field(None, description="The selected text, where it is known.")


class TurnOptions(_Part):
    """What the user sends at once, and what the model calls then."""

    prompt: str | None = Field(None, description="What the user typed.")
    stdin: str | None = Field(None, description="What was piped to the program with the prompt.")
    attached: list[str] = Field(default_factory=list, description="Attached files.")
    open: list[OpenOptions] = Field(default_factory=list, description="Files that are open in the editor.")
    steps: list[list[CallOptions]] = Field(
        default_factory=list, description="The steps of the model; the calls of one step are parallel."
    )
    resume: bool = Field(False, description="A new process took the session up and sent this, as with `--continue`.")
    args: list[str] | None = Field(
        None, description="With `resume`, the command line of that process, where it is not that of the session."
    )

    compact: bool | str = Field(
        False, description="The history was compacted here: true, or what was typed for the summary."
    )
    summary: str | None = Field(None, description="With `compact`: what the model made of the history.")
    agent: str | None = Field(None, description="The agent from this turn on.")

    @model_validator(mode="after")
    def _of_a_process(self) -> TurnOptions:
        if self.args is not None and not self.resume:
            raise ValueError("a turn has args only with resume")
        if self.summary is not None and self.compact is False:
            raise ValueError("a turn has a summary only with compact")
        return self


class SessionOptions(_Part):
    """A session; the preview shows its last request."""

    harness: str = Field(description="The harness, with `@` and a version if another than the newest one is meant.")
    cwd: str = Field(description="Where the harness is started.")
    folders: list[str] = Field(default_factory=list, description="The folders of a workspace that has several.")
    model: str | None = Field(None, description="The model, as the harness names it.")
    agent: str | None = Field(None, description="The agent, as the harness names it.")
    args: list[str] = Field(default_factory=list, description="The command line of the harness.")
    hints: list[str] = Field(default_factory=list, description="Runtime hints, for some harnesses.")
    turns: list[TurnOptions] = Field(default_factory=list, description="What has been said and done.")
    interactive: bool | None = Field(
        None, description="true: the program on the screen; false: the one that prints an answer."
    )
    editor: bool | None = Field(None, description="true: an editor runs the program, and shows it in a panel.")
    mode: str | None = Field(None, description="The mode, such as `plan`, where the command line does not say it.")
    request: Literal["summary", "title"] | None = Field(
        None, description="Another request of the last turn: the one for a summary, or for a title."
    )


OWN: tuple[str, type[_Part]] = ("the session", SessionOptions)
# What a value is, by the last name in its place.
PARTS: Mapping[str, tuple[str, type[_Part]]] = {
    "turns": ("a turn", TurnOptions),
    "steps": ("a call", CallOptions),
    "open": ("an open file", OpenOptions),
}


def parse(
    text: str | bytes, name: str = "The session", *, harness: str | None = None, cwd: str | None = None
) -> Overrides:
    """What the session asks for that is in ``text``; ``name`` begins the sentence about an error.

    ``harness`` and ``cwd``: those of a session that does not name its own.

    Raises:
        UsageError: it is not JSON, a key is unknown, or a value has the wrong type.
    """
    if len(text) > MOST:
        raise UsageError(f"{name} is larger than {MOST // 1024 // 1024} MiB.")
    try:
        said = json.loads(text)
        known = {"harness": harness, "cwd": cwd} if isinstance(said, dict) else {}
        for key, value in known.items():
            if value is not None:
                said.setdefault(key, value)
        return given(SessionOptions.model_validate(said), name)
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply; {HELP}.") from None
    except ValidationError as error:
        faults = error.errors()
        if faults[0]["type"].startswith("recursion"):
            raise UsageError(f"{name} is nested too deeply; {HELP}.") from None
        says = f"{first_sentence(faults)}{_expected(dict(faults[0]))}"
        raise UsageError(f"{name} is not valid: {says}; {HELP}.") from None
    except ValueError as error:
        raise UsageError(f"{name} is not valid JSON: {error}; {HELP}.") from None


def _expected(fault: Mapping[str, Any]) -> str:
    """What has to be there instead of a key that is not known, or of a value that has no keys; "" of other faults."""
    loc, is_key = fault["loc"], fault["type"] == "extra_forbidden"
    if not is_key and fault["type"] != "model_type":
        return ""
    names = [each for each in (loc[:-1] if is_key else loc) if isinstance(each, str)]
    title, part = PARTS.get(names[-1], OWN) if names else OWN
    others = [each for each, other in (OWN, *PARTS.values()) if is_key and loc[-1] in other.model_fields]
    return (
        f"; it is a key of {and_list(others)}" if others else f"; the keys of {title} are {and_list(part.model_fields)}"
    )


def opened_files(text: str) -> tuple[OpenFile, ...]:
    """The open files that are in ``text``, as JSON.

    Raises:
        UsageError: they are not valid.
    """
    try:
        return tuple(map(_open, TypeAdapter(list[OpenOptions]).validate_json(text)))
    except ValidationError as error:
        raise UsageError(f"The open files are not valid: {sentence(dict(error.errors()[0]))}.") from None


def given(options: SessionOptions, name: str = "The session") -> Overrides:
    """The same, already validated.

    Raises:
        UsageError: more sub-agents are inside of one another than any harness starts.
    """
    turns = tuple(map(_turn, options.turns))
    if any(call.depth > DEEPEST for turn in turns for call in turn.calls):
        raise UsageError(f"{name} has more than {DEEPEST} sub-agents inside of one another; {HELP}.")
    return Overrides(
        cwd=options.cwd,
        harness=options.harness,
        turns=turns,
        model=options.model,
        agent=options.agent,
        args=tuple(options.args),
        hints=tuple(options.hints),
        folders=tuple(options.folders),
        is_trusted=None,
        interactive=options.interactive,
        editor=options.editor,
        mode=options.mode,
        request=options.request,
    )


def _turn(options: TurnOptions) -> Turn:
    return Turn(
        prompt=options.prompt,
        attached=tuple(options.attached),
        open=tuple(map(_open, options.open)),
        steps=tuple(tuple(map(_call, step)) for step in options.steps),
        stdin=options.stdin,
        resumes=options.resume,
        args=tuple(options.args) if options.args is not None else None,
        compact=options.compact if isinstance(options.compact, str) else "" if options.compact else None,
        summary=options.summary,
        agent=options.agent,
    )


def _open(options: OpenOptions) -> OpenFile:
    return OpenFile(options.path, Range(*options.selection) if options.selection else None, options.text)


def _call(options: CallOptions) -> Call:
    if options.compact is not None:
        return Call(compact=options.compact, summary=options.summary)
    if options.read is not None:
        return Call(read=options.read)
    return Call(
        tool=options.tool or "",
        input=_input(options.input),
        namespace=options.namespace or "",
        steps=None if options.steps is None else tuple(tuple(map(_call, step)) for step in options.steps),
    )


def _input(given: Mapping[str, Any] | str | None) -> str:
    """The arguments of a call as JSON; a text of an object is what a preview has written, any other one a text."""
    known = parsed(given) if isinstance(given, str) and given.startswith("{") else None
    return json.dumps(known if isinstance(known, dict) else given or {}, ensure_ascii=False, sort_keys=True)
