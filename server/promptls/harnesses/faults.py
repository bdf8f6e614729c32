"""A harness that raises: a fault of promptls or of the package that adds it; the others are shown all the same."""

from __future__ import annotations

from promptls.core.model import Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from promptls.core.model import Session

    # Gets the sentence for the user, and what was raised.
    Listener = Callable[[str, Exception], None]

FAULT = "This is a fault of"
PACKAGE = "promptls"
_listeners: list[Listener] = []


def tell(listener: Listener) -> None:
    """Have ``listener`` called with each fault from now on, for a log; it may raise what it is listener."""
    _listeners[:] = [listener]


def faulty(session: Session, title: str, error: Exception, module: str = PACKAGE) -> Prompt:
    """In the place of the prompt that could not be made: it says so, and is not one of which nothing is sent.

    ``module``: the one that the harness is in.
    """
    return Prompt(session, (), (), stopped=sentence_of(f"the prompt of {title}", error, module), is_fault=True)


def sentence_of(what: str, error: Exception, module: str = PACKAGE) -> str:
    """The sentence for the user: no text of the error, which may be of a file."""
    place, package = _place(error.__traceback__, module.partition(".")[0])
    whom = "" if package == PACKAGE else " to its authors"
    fault = f"{FAULT} {package} ({type(error).__name__}{place})"
    how = f"please report it{whom}, with the lines that PROMPTLS_TRACEBACK=1 adds."
    sentence = f"promptls cannot show {what} here. {fault}: {how}"
    for listener in _listeners:
        listener(sentence, error)
    return sentence


def _place(trace: TracebackType | None, other: str) -> tuple[str, str]:
    """The last place in promptls or in the ``other`` package at which it was raised, and whose it is."""
    place, package = "", PACKAGE
    while trace is not None:
        of = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if of in (PACKAGE, other):
            path = trace.tb_frame.f_code.co_filename.replace("\\", "/")
            inside = path.rpartition(f"/{of}/")[2] if f"/{of}/" in path else path.rpartition("/")[2]
            place, package = f" in {inside}, line {trace.tb_lineno}", of
        trace = trace.tb_next
    return place, package
