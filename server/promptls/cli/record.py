"""``promptls record``: what any program sends to a model, printed as it comes."""

from __future__ import annotations

import threading

from promptls.cli.arguments import Parser
from promptls.cli.output import show, write
from promptls.core.render import Line, lines
from promptls.core.secrets import masked
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.wire.recorder import Recorded

MOST_PORT = 65535
NAMES = {
    "messages": "Anthropic Messages",
    "chat": "Chat Completions",
    "responses": "Responses",
    "generate": "generateContent",
    "augment": "Augment",
}
# What to say of where a program is pointed at; each format has its own variable in most programs.
START = """\
Recording on http://127.0.0.1:{port}. Press Ctrl-C to stop. Give your program any API key and this address, for example:
  ANTHROPIC_BASE_URL=http://127.0.0.1:{port}
  OPENAI_BASE_URL=http://127.0.0.1:{port}/v1
  GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:{port}
Every request is answered with “ok”. Nothing is forwarded or kept.
"""


def run(argv: list[str]) -> int:
    """Serve until Ctrl-C, and print each request."""
    parser = Parser(
        prog="promptls record",
        description="Print what a program sends to a model. Any program will do, even one that promptls does not know.",
    )
    parser.add_argument(
        "--port", metavar="N", type=_port, default=0, help="the port on 127.0.0.1 (default: a free one)"
    )
    parser.add_argument("--tools", action="store_true", help="also print the descriptions of tools")
    options = parser.parse_args(argv)
    from promptls.wire.recorder import Recorder, serving  # noqa: PLC0415 - not for --help

    printer = _Printer(with_tools=options.tools)
    with serving(Recorder(heard=printer.print), options.port) as port:
        write(START.format(port=port))
        try:
            printer.ended.wait()
        except KeyboardInterrupt:
            write("\n")
    return 0


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= MOST_PORT:
        raise UsageError(f"{text!r} is not a port; choose a number from 1 to {MOST_PORT}.")
    return int(text)


class _Printer:
    """Prints one request after the other; ``ended`` is set when nobody reads any more."""

    def __init__(self, *, with_tools: bool) -> None:
        self.ended = threading.Event()
        self._with_tools = with_tools
        self._number = 0

    def print(self, recorded: Recorded) -> None:
        """Print a request."""
        self._number += 1
        try:
            show(_lines(recorded, self._number, with_tools=self._with_tools))
        except Exception:  # noqa: BLE001 - whatever closes the output, there is nobody to tell
            self.ended.set()


def _count(text: str) -> str:
    return f"{len(text):,} character{'' if len(text) == 1 else 's'}"


def _lines(recorded: Recorded, number: int, *, with_tools: bool) -> Iterator[Line]:
    yield Line("")
    what = f"request {number} · {recorded.method} {masked(recorded.path)}"
    if recorded.kind is None:
        yield Line(f"━━ {what} · not a request to a model ━━", "title")
        return
    said, offered = recorded.blocks, recorded.offered
    model = f" · model {masked(recorded.model)}" if recorded.model else ""
    many = f"{len(offered)} tool{'' if len(offered) == 1 else 's'}"
    tools = f" · {many}, {sum(tool.size for tool in offered):,} characters" if offered else ""
    yield Line(f"━━ {what} · {NAMES[recorded.kind]}{model}{tools} ━━", "title")
    for each in said:
        mark = " · cache mark" if each.cached else ""
        yield Line(f"── {each.role} · message {each.index}, block {each.block} · {_count(each.text)}{mark}", "message")
        yield from (Line(line, "source") for line in lines(masked(each.text)))
    for tool in offered if with_tools else ():
        yield Line(f"── tool {masked(tool.name)} · {tool.size:,} characters", "message")
        yield from (Line(line, "source") for line in lines(masked(tool.description)))
