"""Texts of untrusted users in names of bots, output, details of faults and reasons.

Every page and the player show all of them as the texts they are.
"""

from __future__ import annotations

__all__ = ["NASTY_NAMES", "NASTY_TEXTS"]

NASTY_TEXTS: tuple[str, ...] = (
    "<script>window.harmed = true</script>",
    "</script><script>window.harmed = true</script>",
    "<!--<script>",
    "]]></script><img src=x onerror='window.harmed = true'>",
    '"><svg onload="window.harmed = true">',
    "' onmouseover='window.harmed = true",
    "javascript:window.harmed = true",
    "https://elsewhere.example/?a=1&b=2#c",
    "&lt;b&gt;&amp;amp;&#x3c;",
    "${window.harmed = true}{{7*7}}{% for x in y %}",
    "'; DROP TABLE bots; --",
    "../../etc/passwd",
    "\u202egnp.eman\u202c \u2066inner\u2069",
    "a\u2028b\u2029c",
    "Z\u0351\u036b\u0343\u0489\u0488" + "\u0316\u0317\u0334\u0335" * 12,
    "👩‍👩‍👧‍👦🏳️‍🌈👍🏿" * 4,
    "Ｗ" * 64,
    "﷽﷽﷽﷽",
    "אבגד ABC اختبار",
    "{seat 0} and {seat 99} and {seat -1}",
    "\x00\x07\x1b[31mred\x1b[0m\r\n",
    "",
    " ",
    "constructor",
    "__proto__",
)

NASTY_NAMES: tuple[str, ...] = tuple(text[:64] for text in NASTY_TEXTS)
"""As long as a name may be."""
