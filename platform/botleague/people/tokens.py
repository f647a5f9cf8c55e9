"""Secrets of the system: long ones for programs, short ones for people. Only their digests are stored.

They are random, so a fast hash of them is safe, unlike for passwords.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

LETTERS = "abcdefghjkmnpqrstvwxyz0123456789"
"""Letters that are easy to read aloud and to write: no i, l, o, u, as in Crockford's base 32."""

CODE_LENGTH = 16
"""Letters of a code: 80 bits. Codes can be guessed online only, and are valid for some days only."""

GROUP = 4

SECRET_BYTES = 32


def new_secret() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_code() -> str:
    """Return 80 random bits in a form for people: "7k2m-9xqd-wj4t-0bnr"."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    return "-".join(letters[start : start + GROUP] for start in range(0, CODE_LENGTH, GROUP))


def plain_code(text: str) -> str:
    """Return a code in its standard form, without regard to capitals, blanks and hyphens; "" for an invalid code."""
    letters = "".join(letter for letter in text.strip().lower() if letter not in "- ")
    letters = letters.replace("o", "0").replace("i", "1").replace("l", "1")
    if len(letters) != CODE_LENGTH or any(letter not in LETTERS for letter in letters):
        return ""
    return "-".join(letters[start : start + GROUP] for start in range(0, CODE_LENGTH, GROUP))


def digest(secret: str) -> str:
    """Return the stored form of a secret: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def keyed_digest(key: str, text: str) -> str:
    """Return the stored form of a text that can be guessed, like an address: a hash that needs the key."""
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
