"""Where a URL leads: resolves names to addresses, once, and decides which of them may be contacted."""

from __future__ import annotations

import asyncio
import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    Address = IPv4Address | IPv6Address
    # The addresses of a host and port, best first; OSError if there are none.
    Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
    # How near an address is: nearer ones are trusted more, and only one as near may redirect there.
    Place = Literal["public", "private", "loopback", "refused"]

NEARNESS: tuple[Place, ...] = ("public", "private", "loopback")

# Addresses at which clouds hand out credentials, and addresses of nobody.
REFUSED = tuple(
    ip_network(each)
    for each in (
        *("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"),
        *("100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"),
        *("::/128", "fe80::/10", "fec0::/10", "ff00::/8", "fd00:ec2::/32", "fd20:ce::254/128"),
    )
)
REFUSED_NAMES = regex(
    r"metadata(?:\.google\.internal|\.goog|\.azure\.(?:com|internal)|\.tencentyun\.com|\.platformequinix\.com)?"
    r"|instance-data(?:\.ec2\.internal)?"
)
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
PRIVATE = tuple(
    ip_network(each)
    for each in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15"),
        "fc00::/7",
    )
)
# IPv6 networks whose addresses contain an IPv4 address, and the number of bits after it.
_HOLDERS = tuple(
    (ip_network(network), shift)
    for network, shift in (
        *(("::ffff:0:0/96", 0), ("::/96", 0), ("::ffff:0:0:0/96", 0)),  # mapped, compatible, translated
        *(("64:ff9b::/96", 0), ("64:ff9b:1::/48", 0), ("2002::/16", 80)),  # NAT64, 6to4
    )
)
# The middle of an address that ends with an IPv4 address, except for one bit.
_ISATAP = 0x5EFE
# As browsers and the C library read them: decimal, octal and hexadecimal, in one to four parts.
_NUMBERS = regex(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}\.?", re.IGNORECASE)


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, as this machine finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def literal(host: str) -> str | None:
    """The address that ``host`` is, in whatever form; None if it is a name."""
    try:
        return str(ip_address(host.partition("%")[0]))
    except ValueError:
        pass
    if _NUMBERS.fullmatch(host):
        try:
            return socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))
        except OSError:
            return None
    return None


def place(host: str, addresses: Sequence[str], allowed: Sequence[str] = ()) -> Place:
    """How near ``host`` is, by its ``addresses``: a refused one refuses all, otherwise the nearest counts.

    ``allowed``: hosts, addresses and networks that the user has named; they count as private ones at least.
    """
    name = host.lower().rstrip(".")
    places = [_place(ip_address(each.partition("%")[0]), name, allowed) for each in addresses]
    if "refused" in places or is_refused_name(host, allowed):
        return "refused"
    return max(places, key=NEARNESS.index)


def is_refused_name(host: str, allowed: Sequence[str] = ()) -> bool:
    """Whether ``host`` is a cloud's metadata name, wherever it leads."""
    name = host.lower().rstrip(".")
    return REFUSED_NAMES.fullmatch(name) is not None and name not in map(str.lower, allowed)


def _place(address: Address, name: str, allowed: Sequence[str]) -> Place:
    held = [address, *_held(address)]
    if any(each in network for each in held for network in REFUSED):
        return "private" if _is_allowed(address, name, allowed) else "refused"
    if any(each in network for each in held for network in LOOPBACK):
        return "loopback"
    return "private" if any(each in network for each in held for network in PRIVATE) else "public"


def _held(address: Address) -> list[IPv4Address]:
    """The IPv4 addresses inside an IPv6 address."""
    if isinstance(address, IPv4Address) or address in LOOPBACK[1] or int(address) == 0:
        return []
    held = [IPv4Address(int(address) >> shift & 0xFFFFFFFF) for network, shift in _HOLDERS if address in network]
    if address.teredo is not None:
        held.extend(address.teredo)
    if int(address) >> 32 & 0xFDFFFFFF == _ISATAP:
        held.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return held


def _is_allowed(address: Address, name: str, allowed: Sequence[str]) -> bool:
    for each in allowed:
        if each.lower().rstrip(".") == name:
            return True
        try:
            if address in ip_network(each, strict=False):
                return True
        except ValueError:
            continue
    return False
