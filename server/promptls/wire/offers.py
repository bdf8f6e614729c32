"""The tools of a preview and those of a request: which are only in one of them, and their sizes."""

from __future__ import annotations

import re

from promptls.core.model import CONFIGURED, Segment
from promptls.core.values import dataclass
from promptls.wire.difference import Difference, is_other_size, nearly
from promptls.wire.request_formats import Offered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Origin, Tool

# A name that stands for all tools of a server ends with this.
ALL = "*"
# How a line of a list of tools begins, such a line where it may be another list, and several of them.
BEGINNING = r"^(?:- )?([A-Za-z][\w-]{0,255})"
NAME = rf"{BEGINNING}(?::.*)?$"
LIST = r"(?:^(?:- )?[A-Za-z][\w-]{0,255}(?::.*)?$\n?)+"


@dataclass(frozen=True, slots=True)
class Size:
    """A tool of another size than the preview says: characters of its definition, 0 where only the name is sent."""

    name: str
    shown: int
    sent: int


@dataclass(frozen=True, slots=True)
class Offers:
    """The tools side by side. ``shown`` and ``sent`` are the characters of all; ``shown`` is None if it is not known.

    ``near`` are those of nearly the same size; ``of_servers`` the tools of a server that sent nothing, and ``absent``
    the places that configure it.
    """

    shown: int | None
    sent: int
    count: int
    only_sent: tuple[str, ...] = ()
    only_shown: tuple[str, ...] = ()
    sizes: tuple[Size, ...] = ()
    unknown: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    of_servers: tuple[str, ...] = ()
    absent: tuple[Origin, ...] = ()
    differences: tuple[Difference, ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What differs, a line for each tool: of the preview, and of the request."""
        shown = [*self.only_shown, *(f"{each.name}: {each.shown:,} characters" for each in self.sizes)]
        sent = [*self.only_sent, *(f"{each.name}: {each.sent:,} characters" for each in self.sizes)]
        return tuple(sorted(shown)), tuple(sorted(sent))


def offers(
    shown: Sequence[Tool] | None,
    offered: Sequence[Offered],
    texts: Sequence[str],
    named: str,
    servers: Sequence[str] = (),
) -> Offers:
    """Compare them. ``texts`` are the blocks of the request, ``named`` the expression for a list of mere names.

    ``servers`` are MCP servers of which the preview does not know the tools.
    """
    sent = as_in_preview(offered, shown or ())
    total = sum(each.size for each in sent)
    if shown is None:
        unknown = (f"its tools ({len(sent)} of {total:,} characters were sent)",)
        return Offers(None, total, len(sent), unknown=unknown)
    return _Comparison(shown, sent, texts, named).result(total, servers)


def as_in_preview(offered: Sequence[Offered], shown: Sequence[Tool]) -> list[Offered]:
    """The tools of a request, those of a namespace as one where the preview has them as one."""
    spaces = {each.name for each in shown}
    found: dict[str, Offered] = {}
    singles = []
    for each in offered:
        if each.namespace and each.namespace in spaces:
            found.setdefault(each.namespace, Offered(each.namespace, "", each.namespace_size - len('""')))
        else:
            singles.append(each)
    return [*found.values(), *singles]


def safe(server: str) -> str:
    """The name of a server in those of its tools."""
    return re.sub(r"[^\w-]", "_", server)


def beginning(server: str) -> str:
    """How the names of its tools begin."""
    return f"mcp__{safe(server)}__"


class _Comparison:
    def __init__(self, shown: Sequence[Tool], sent: Sequence[Offered], texts: Sequence[str], named: str) -> None:
        self.shown = shown
        self.sent = sent
        self.texts = texts
        self.named = named
        self.only_sent: list[str] = []
        self.only_shown: list[str] = []
        self.sizes: list[Size] = []
        self.unknown: list[str] = []
        self.near: list[str] = []
        self.of_servers: list[str] = []
        self.absent: list[Origin] = []
        of_servers = [
            each for each in shown if each.enabled and each.size is not None and each.origin.kind in CONFIGURED
        ]
        names = {each.name for each in sent}
        there = {
            each.origin for each in of_servers if each.name in names or (not each.size and self._is_named(each.name))
        }
        # The servers whose tools are known, and of which none was sent or named.
        self.silent = {each.origin for each in of_servers} - there
        self.differences: list[Difference] = []

    def result(self, total: int, servers: Sequence[str]) -> Offers:
        left = list(self.sent)
        for tool in self.shown:
            if tool.enabled:
                left = self._without_match(tool, left)
        for server in servers:
            left = self._of_server(server, left)
        off = {each.name: each for each in self.shown if not each.enabled}
        for each in left:
            says = f"the tool {each.name} was sent, {each.size:,} characters, and is not in the preview"
            self._differs(each.name, self.only_sent, says, off.get(each.name))
        self._of_list(servers)
        return Offers(
            sum(each.size or 0 for each in self.shown if each.enabled),
            total,
            len(self.sent),
            tuple(self.only_sent),
            tuple(self.only_shown),
            tuple(self.sizes),
            tuple(self.unknown),
            tuple(self.near),
            tuple(dict.fromkeys(self.of_servers)),
            tuple(dict.fromkeys(self.absent)),
            tuple(self.differences),
        )

    def _without_match(self, tool: Tool, left: Sequence[Offered]) -> list[Offered]:
        """Hold a tool against those that are left of the request; what is left then."""
        found = next((each for each in left if each.name == tool.name), None)
        if found is not None:
            self._sized(tool, found)
            # A second one of the same name would be one more.
            return [each for each in left if each is not found]
        is_of_server = tool.origin.kind in CONFIGURED and (tool.size is None or tool.origin in self.silent)
        inside = [each for each in left if is_of_server and _is_inside(each, tool.name)]
        if inside and tool.size is None:
            size = sum(each.size for each in inside)
            self.unknown.append(f"the tools {tool.name} ({len(inside)} of {size:,} characters were sent)")
            return [each for each in left if each not in inside]
        if tool.size == 0 and self._is_named(tool.name):
            return list(left)
        if not tool.is_certain:
            self.unknown.append(f"the tool {tool.name} (it was not sent)")
            return list(left)
        if is_of_server:
            what = tool.name if tool.size is None else f"of {tool.origin.name}"
            self.of_servers.append(f"no tools {what} were sent: their server did not start, or has none")
            self.absent.append(tool.origin)
        else:
            says = f"the tool {tool.name} is in the preview and was not {'named' if tool.size == 0 else 'sent'}"
            self._differs(tool.name, self.only_shown, says, tool)
        return list(left)

    def _of_server(self, server: str, left: Sequence[Offered]) -> list[Offered]:
        """Leave out the tools of a server; what is left then."""
        inside = [each for each in left if each.name.startswith(beginning(server))]
        size = sum(each.size for each in inside)
        if inside:
            self.unknown.append(
                f"the tools of the MCP server {server} ({len(inside)} of {size:,} characters were sent)"
            )
        return [each for each in left if each not in inside]

    def _sized(self, tool: Tool, sent: Offered) -> None:
        if tool.size is None:
            self.unknown.append(f"the size of the tool {tool.name} ({sent.size:,} characters were sent)")
        elif is_other_size(sent.size, tool.size):
            self.sizes.append(Size(tool.name, tool.size, sent.size))
            what = f"not {tool.size:,}" if tool.size else "not its name alone"
            self._differ(f"the tool {tool.name} was sent with {sent.size:,} characters, {what}", tool)
        elif sent.size != tool.size:
            self.near.append(nearly(f"the tool {tool.name}", sent.size, tool.size))

    def _is_named(self, name: str) -> bool:
        end = "" if name.endswith(ALL) else r"(?![\w-])"
        word = re.compile(rf"(?<![\w-]){re.escape(name.removesuffix(ALL))}{end}")
        return any(word.search(text) for text in self.texts)

    def _of_list(self, servers: Sequence[str]) -> None:
        """The names in the program's list of tools that the preview does not have."""
        known = [each.name.removesuffix(ALL) for each in self.shown if each.enabled]
        known += [beginning(each) for each in servers]
        for name in dict.fromkeys(name for text in self.texts for name in self._listed(text)):
            # The preview may know of a server's tools only how their names begin.
            if not any(name == each or (name.startswith(each) and each.startswith("mcp_")) for each in known):
                self._differs(name, self.only_sent, f"the tool {name} was named and is not in the preview", None)

    def _listed(self, text: str) -> Iterator[str]:
        """The names of a list that the program's expression finds, or that has one of the preview's."""
        wanted = {each.name for each in self.shown if each.enabled and each.size == 0}
        for found in re.finditer(self.named, text) if self.named else ():
            yield from re.findall(BEGINNING, found[1], re.MULTILINE)
        for found in re.finditer(LIST, text, re.MULTILINE) if wanted else ():
            names = re.findall(NAME, found[0], re.MULTILINE)
            if wanted.intersection(names):
                yield from names

    def _differs(self, name: str, names: list[str], says: str, tool: Tool | None) -> None:
        names.append(name)
        self._differ(says, tool)

    def _differ(self, says: str, tool: Tool | None) -> None:
        expected = None if tool is None else Segment("tools", tool.name, "", tool.origin, tool.why)
        self.differences.append(Difference("tool", says, 0, expected))


def _is_inside(sent: Offered, name: str) -> bool:
    """Whether a tool is one of a server: ``name*``, ``name__tool`` or one of the namespace ``name``."""
    if name.endswith(ALL):
        return sent.name.startswith(name.removesuffix(ALL))
    return sent.namespace == name or sent.name.startswith((f"{name}__", f"{name}/"))
