"""Addresses of people and of this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine for its own programs."""


def reach_note(url: str) -> str:
    """Return a sentence about a link that only programs on this machine can open, "" for other links."""
    if urlsplit(url).hostname not in LOOPBACK:
        return ""
    return "Only a browser on this machine can open this link; for others, set `public_url`."


def network_of(address: str) -> str:
    """Return the part of an address that identifies one customer of a provider.

    That is an IPv4 address, or the first 64 bits of an IPv6 address.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    # A server that listens on both protocols receives IPv4 addresses inside IPv6 ones, all of one network.
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))
