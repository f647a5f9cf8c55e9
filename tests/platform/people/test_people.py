"""Passwords, codes and pauses, without a database; the clock is moved by hand."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from botleague.errors import UsageError
from botleague.people import (
    OPEN,
    Attempts,
    Passwords,
    Viewer,
    check_password,
    digest,
    new_code,
    plain_code,
)

QUICK = 2**4


def test_a_stored_password_names_its_parameters_and_no_two_are_alike() -> None:
    passwords = Passwords()
    stored = passwords.stored("correct horse battery")
    assert stored.startswith("scrypt$n=32768,r=8,p=1$")
    assert len(stored) < 256
    assert passwords.are_same("correct horse battery", stored)
    assert not passwords.are_same("correct horse batterz", stored)
    weak = Passwords(QUICK)
    assert weak.stored("x") != weak.stored("x")
    # Stronger ones can be chosen later, and what is stored still opens.
    assert passwords.are_same("correct horse battery", weak.stored("correct horse battery"))


def test_a_password_is_the_same_from_every_keyboard() -> None:
    passwords = Passwords(QUICK)
    assert passwords.are_same("Stra\u00dfencafe\u0301", passwords.stored("Stra\u00dfencaf\u00e9"))
    long = "x" * 100_000
    assert not passwords.are_same(long, passwords.stored(long[:200]))


def test_missing_stored_values_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    calls = []
    real = hashlib.scrypt

    def noted(password: bytes, *, salt: bytes, **how: int) -> bytes:
        calls.append((len(password), len(salt), how))
        return real(password, salt=salt, **how)

    monkeypatch.setattr(hashlib, "scrypt", noted)
    passwords = Passwords(QUICK)
    passwords.are_same("some words", passwords.stored("other words"))
    passwords.are_same("some words", "")
    assert calls[1] == calls[2]


def test_two_passwords_are_computed_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    at_once, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2)

    def slow(*_: object, **__: object) -> bytes:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        both.wait(10)  # only ends with two inside
        with lock:
            at_once -= 1
        return bytes(32)

    monkeypatch.setattr(hashlib, "scrypt", slow)
    passwords = Passwords(QUICK)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: passwords.are_same("some words", ""), range(8)))
    assert most == 2


@pytest.mark.parametrize(
    "text", ["", "short", "1234567890", "QwertyUiop", "aaaaaaaaaaaa", "ab" * 8, "hannah12345", "x" * 201]
)
def test_common_guess_is_no_password(text: str) -> None:
    with pytest.raises(UsageError, match="everal unrelated words"):
        check_password(text, "hannah")


def test_a_good_password_may_hold_the_handle() -> None:
    assert check_password("the cat of hannah sleeps", "hannah")
    assert check_password("four plain words here", "o")


def test_a_code_is_read_however_it_is_typed() -> None:
    code = new_code()
    assert len(code) == 19
    assert plain_code(code) == code
    assert plain_code(f" {code.upper().replace('-', ' ').replace('0', 'O').replace('1', 'l')}\n") == code
    assert plain_code("7k2m-9xqd-wj4t") == plain_code("7k2m-9xqd-wj4t-0bnü") == ""
    assert len({digest(new_code()) for _ in range(100)}) == 100


def test_ten_thousand_guesses_are_looked_at_for_months() -> None:
    state, now, looked_at = OPEN, 1000.0, 0
    waits = []
    while looked_at < 10_000:
        if wait := state.wait_s(now):
            waits.append(wait)
            now += wait
        state = state.failed(now)
        looked_at += 1
    assert waits[:7] == [60, 120, 240, 480, 900, 900, 900]
    assert now > 100 * 86_400
    assert Attempts(4).wait_s(now) == 0


def test_a_role_is_the_later_of_here_and_everywhere() -> None:
    viewer = Viewer("ann", "gold", "author", (("cup", "organiser"), ("ko", "spectator")))
    assert [viewer.role_in(league) for league in ("cup", "ko", "other")] == ["organiser", "author", "author"]
    assert viewer.highest == "organiser"
    assert viewer.owns("gold")
    assert not viewer.owns("ann")
    assert not Viewer().owns("")
