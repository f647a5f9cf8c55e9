"""What is sent to a server: read up to a limit while it arrives, and for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

FORM_BYTES = 16 * 1024
FORM_S = 20.0

GRACE_S = 5.0
LEAST_BYTES_S = 2000
"""Whoever has sent fewer bytes than this per second, after the first seconds, is cut off."""

DRAINED_BYTES = 32 * 1024 * 1024
DRAINED_S = 10.0
"""Of what is too large, so much is read and dropped before it is refused."""

KINDS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def fields(request: Request) -> dict[str, str]:
    """Return the fields of a small form; of several of one name the last.

    Raises:
        HTTPException: it is too large, comes too slowly, or is no form.
    """
    async with reading_form(request, FORM_BYTES, FORM_S, files=0) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


@asynccontextmanager
async def reading_form(
    request: Request, most_bytes: int, most_s: float, *, files: int, overhead: int = 0
) -> AsyncIterator[FormData]:
    """Give a form, with its files for as long as it is read.

    Args:
        most_bytes: of all that is sent, but the overhead. What says that it is longer is not read at all.
        overhead: bytes for what a form says beside its files.
        most_s: for sending it.
        files: at most.

    Raises:
        HTTPException: it is too large, comes too slowly, or is no form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in KINDS:
        raise HTTPException(415, "Send a form: application/x-www-form-urlencoded or multipart/form-data.")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most_bytes + overhead:
        await _drain(request)
        raise _TooLarge(most_bytes)
    begun = asyncio.get_running_loop().time()
    got = 0

    async def receive() -> Message:
        nonlocal got
        message = await request.receive()
        got += len(message.get("body", b""))
        if got > most_bytes + overhead:
            raise _TooLarge(most_bytes)
        patience.reschedule(begun + min(most_s, GRACE_S + got / LEAST_BYTES_S))
        return message

    bounded = Request(request.scope, receive)
    try:
        async with asyncio.timeout_at(begun + min(most_s, GRACE_S)) as patience:
            form = await bounded.form(max_files=files, max_fields=50, max_part_size=most_bytes)
    except TimeoutError:
        taken_s = asyncio.get_running_loop().time() - begun
        said = (
            f"This arrived too slowly: {got} bytes in {taken_s:.0f} seconds. At least {LEAST_BYTES_S // 1000} kB per "
            f"second are needed, and all of it within {most_s:.0f} seconds. Nothing was stored. Send it again."
        )
        raise HTTPException(408, said, {"Connection": "close"}) from None
    except _TooLarge:
        await _drain(request)
        raise
    except (UnicodeError, LookupError):  # a charset that is none of texts
        raise HTTPException(400, "The form is not text in UTF-8.") from None
    except OSError as error:  # large files wait in the folder for temporary files
        raise HTTPException(
            503, f"The server cannot store this now ({error.strerror}). Nothing was stored. Try again later."
        ) from error
    except ClientDisconnect:
        raise HTTPException(400, "The form did not arrive whole. Nothing of it was kept.") from None
    try:
        yield form
    finally:
        await form.close()


class _TooLarge(HTTPException):
    """More was sent than is read."""

    def __init__(self, most_bytes: int) -> None:
        said = (
            f"This is larger than the {most_bytes // 1000} kB that can be sent here. Nothing of it was kept."
        )
        super().__init__(413, said, {"Connection": "close"})


async def _drain(request: Request) -> None:
    """Let go of what is still sent, for a while: whoever is cut off while sending never reads the answer."""
    dropped, is_more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAINED_S):
            while is_more and dropped < DRAINED_BYTES:
                message = await request.receive()
                dropped += len(message.get("body", b""))
                is_more = message.get("more_body", False)
