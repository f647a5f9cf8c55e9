"""Secrets that we make: long ones for programs, short ones for people to type. Only their digests are stored.

None can be guessed, so a quick hash of them is enough, unlike of passwords, which people make.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

LETTERS = "abcdefghjkmnpqrstvwxyz0123456789"
"""What can be read aloud and written down: no i, l, o, u, as in Crockford's base 32."""

CODE_LENGTH = 16
"""Letters of a code: 80 bits. It is tried online only, and for some days."""

GROUP = 4

SECRET_BYTES = 32


def new_secret() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_code() -> str:
    """Return 80 random bits as people type them: "7k2m-9xqd-wj4t-0bnr"."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    return "-".join(letters[start : start + GROUP] for start in range(0, CODE_LENGTH, GROUP))


def plain_code(text: str) -> str:
    """Return a code as it was made, whatever its capitals, blanks and hyphens; "" for what cannot be one."""
    letters = "".join(letter for letter in text.strip().lower() if letter not in "- ")
    letters = letters.replace("o", "0").replace("i", "1").replace("l", "1")
    if len(letters) != CODE_LENGTH or any(letter not in LETTERS for letter in letters):
        return ""
    return "-".join(letters[start : start + GROUP] for start in range(0, CODE_LENGTH, GROUP))


def digest(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def keyed_digest(key: str, text: str) -> str:
    """Return what is stored of something that can be guessed, as an address can: a hash that needs the key."""
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
