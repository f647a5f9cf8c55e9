"""Passwords: requirements, stored form and comparison.

A stored password contains its own parameters, so that stronger ones can be chosen later. One hash takes 32 MiB and 0.1
seconds on purpose; at most two are computed at a time in the whole process.

Source: RFC 7914 (scrypt); OWASP Password Storage Cheat Sheet for n = 2^15, r = 8.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import threading
import unicodedata
from dataclasses import dataclass, field

from botleague.errors import UsageError

MIN_LENGTH = 10
MAX_LENGTH = 200

SALT_BYTES = 16
KEY_BYTES = 32
MAX_MEMORY_BYTES = 64 * 1024 * 1024

CONCURRENT_HASHES = 2

_COMMON = """
1234567890 12345678910 0123456789 0987654321 9876543210 1q2w3e4r5t 1qaz2wsx3edc q1w2e3r4t5 qwertyuiop
qwertyuiop1 qwerty1234 qwerty12345 qwerty123456 qwertzuiop qwertz1234 azertyuiop asdfghjkl1 1234qwerasdf
password12 password123 password1234 password12345 passwort123 passwort1234 motdepasse1 contraseña1
p@ssw0rd123 passw0rd123 letmein123 letmein1234 iloveyou12 iloveyou123 welcome123 welcome1234 admin12345
administrator sunshine123 princess123 football123 baseball123 superman123 starwars123 whatever123
trustno1trustno1 abcdefghij abcd123456 abc1234567 changeme123 secret1234 geheim1234 botleague1 botleague123
"""
COMMON = frozenset(_COMMON.split())
"""Common passwords that are long enough to be accepted otherwise."""


def check_password(text: str, handle: str) -> str:
    """Return ``text`` if it is acceptable as the password of ``handle``.

    Raises:
        UsageError: the text is too short, too long or too common.
    """
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        raise UsageError(
            f"A password has at least {MIN_LENGTH} characters, and at most {MAX_LENGTH}. Several unrelated words are "
            "easy to remember."
        )
    small = _normal(text).lower()
    is_own = len(handle) > 2 and handle.lower() in small and len(small) < len(handle) + MIN_LENGTH
    if small in COMMON or len(set(small)) < 4 or is_own:
        raise UsageError("This password is too common. Choose another, for example several unrelated words.")
    return text


@dataclass(eq=False)
class Passwords:
    """Hashes and compares passwords. Several threads may share it.

    Attributes:
        cost: n of scrypt, a power of two; 2^15 takes 32 MiB and 0.1 seconds.
    """

    cost: int = 2**15
    _computing: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(CONCURRENT_HASHES))

    def stored(self, text: str) -> str:
        """Return the stored form of a password: parameters, salt and key."""
        salt = os.urandom(SALT_BYTES)
        key = self._key(text, salt, self.cost, 8, 1)
        return f"scrypt$n={self.cost},r=8,p=1${_text(salt)}${_text(key)}"

    def are_same(self, text: str, stored: str) -> bool:
        """Return whether ``text`` is the password of the hash ``stored``.

        Without a stored password it takes as long, so that its duration reveals nothing.
        """
        if not stored:
            self._key(text, bytes(SALT_BYTES), self.cost, 8, 1)
            return False
        _, numbers, salt, key = stored.split("$")
        n, r, p = (int(part.partition("=")[2]) for part in numbers.split(","))
        return hmac.compare_digest(self._key(text, _bytes(salt), n, r, p), _bytes(key))

    def _key(self, text: str, salt: bytes, n: int, r: int, p: int) -> bytes:
        password = _normal(text).encode("utf-8", "surrogatepass")
        with self._computing:
            return hashlib.scrypt(
                password, salt=salt, n=n, r=r, p=p, maxmem=MAX_MEMORY_BYTES, dklen=KEY_BYTES
            )


def _normal(text: str) -> str:
    # Equal for every keyboard. One extra character stays, so that a password never equals a longer one.
    return unicodedata.normalize("NFKC", text[: MAX_LENGTH + 1])


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
