"""The tools of a preview and those of a request."""

from __future__ import annotations

from promptls.core.model import Origin, Tool
from promptls.wire.offers import Offers, offers
from promptls.wire.request_formats import Offered, offered

LISTED = r"via ToolSearch\.\n((?:[\w-]+\n)+)"
SERVER = Origin("config", "/w/.mcp.json", name="x")


def shown(name: str, size: int | None, *, enabled: bool = True, origin: Origin | None = None) -> Tool:
    tool = Tool(name, enabled, "it is built in", size)
    return tool if origin is None else Tool(name, enabled, "configured", size, origin)


def sent(name: str, size: int) -> Offered:
    return Offered(name, "", size - 2)


def compared(tools: list[Tool] | None, *found: Offered, text: str = "", named: str = "") -> Offers:
    return offers(tools, found, [text], named)


def test_only_in_one_of_them() -> None:
    found = compared([shown("a", 100), shown("b", 100), shown("off", 100, enabled=False)], sent("b", 100), sent("c", 9))
    assert (found.only_shown, found.only_sent, len(found.differences)) == (("a",), ("c",), 2)
    assert compared([shown("b", 100)], sent("b", 100), sent("b", 100)).only_sent == ("b",)
    assert compared([shown("b", 100, enabled=False)], sent("b", 100)).only_sent == ("b",)


def test_sizes_to_one_percent() -> None:
    assert compared([shown("a", 1000)], sent("a", 1010)).differences == ()
    [size] = compared([shown("a", 1000)], sent("a", 1011)).sizes
    assert (size.name, size.shown, size.sent) == ("a", 1000, 1011)


def test_what_is_not_known_is_listed() -> None:
    assert compared(None, sent("a", 9)).unknown == ("its tools (1 of 9 characters were sent)",)
    found = compared(
        [shown("a", None), shown("x_*", None, origin=SERVER)], sent("a", 9), sent("x_1", 5), sent("x_2", 6)
    )
    assert found.differences == ()
    assert found.unknown == (
        "the size of the tool a (9 characters were sent)",
        "the tools x_* (2 of 11 characters were sent)",
    )
    tools = offers([], [sent("mcp__a_b__t", 7)], [], "", ["a b"])
    assert (tools.differences, tools.unknown) == (
        (),
        ("the tools of the MCP server a b (1 of 7 characters were sent)",),
    )


def test_of_some_tools_only_the_names_are_sent() -> None:
    named = [shown("One", 0), shown("Two", 0)]
    assert compared(named, text="look up:\nOne\nTwo\n").differences == ()
    assert compared(named, text="look up:\nOne\n").only_shown == ("Two",)
    assert compared(named, text="One\nTwo\nThree\n").only_sent == ("Three",)
    assert compared([], text="look up:\n- x: y\n", named=r"look up:\n((?:- .*\n)+)").only_sent == ("x",)
    [size] = compared([shown("One", 0)], sent("One", 50)).sizes
    assert (size.shown, size.sent) == (0, 50)


def test_a_server_of_which_nothing_was_sent() -> None:
    found = compared([shown("mcp__x", 0, origin=SERVER)])
    assert (found.differences, found.absent) == ((), (SERVER,))
    assert found.of_servers == ("no tools of x were sent: their server did not start, or has none",)


def test_a_server_of_which_some_tools_were_named_has_started() -> None:
    named = [shown("mcp__x__one", 0, origin=SERVER), shown("mcp__x__two", 0, origin=SERVER)]
    found = compared(named, text="look up:\nmcp__x__one\n")
    assert (found.only_shown, found.of_servers) == (("mcp__x__two",), ())
    silent = "no tools of x were sent: their server did not start, or has none"
    assert compared(named, text="look up:\n").of_servers == (silent,)


def test_a_server_whose_tools_are_known_and_that_sent_none() -> None:
    tools = [shown("x_1", 5, origin=SERVER), shown("x_2", 6, origin=SERVER)]
    found = compared(tools)
    assert (found.differences, found.absent) == ((), (SERVER,))
    assert found.of_servers == (f"no tools of {SERVER.name} were sent: their server did not start, or has none",)
    assert compared(tools, sent("x_1", 5)).only_shown == ("x_2",)


def test_a_namespace_is_one_tool() -> None:
    space = {"type": "namespace", "name": "n", "tools": [{"name": "a"}, {"name": "b"}]}
    tools = offered("responses", {"input": [{"type": "additional_tools", "tools": [space]}]})
    assert offers([shown("n", 67)], tools, [], "").differences == ()
    assert offers([shown("n/a", 12), shown("n/b", 12)], tools, [], "").differences == ()


def test_a_name_of_a_server_whose_tools_are_not_known_is_no_difference() -> None:
    text = "available via ToolSearch.\nread\nmcp__a_b__t\nmcp__c__t\n"
    found = offers([shown("read", 0)], [], [text], LISTED, ["a b"])
    assert [each.says for each in found.differences] == ["the tool mcp__c__t was named and is not in the preview"]


def test_a_long_name_of_a_list_is_read_whole() -> None:
    name = "mcp__docs__" + "t" * 70
    found = offers([shown("read", 0), shown(name, 0)], [], [f"via ToolSearch.\n{name}\nread\n"], LISTED)
    assert found.differences == ()
