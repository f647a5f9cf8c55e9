"""Forms in requests: read up to a limit of size and time while they arrive."""

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
MIN_BYTES_PER_S = 2000
"""Bytes per second below which a sender is disconnected, after the first seconds."""

DRAINED_BYTES = 32 * 1024 * 1024
DRAINED_S = 10.0
"""Limits for reading and dropping the rest of a form that is too large."""

KINDS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def fields(request: Request) -> dict[str, str]:
    """Return the fields of a small form; the last one of several with the same name.

    Raises:
        HTTPException: the request is too large or too slow, or is not a form.
    """
    async with reading_form(request, FORM_BYTES, FORM_S, files=0) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


@asynccontextmanager
async def reading_form(
    request: Request, most_bytes: int, most_s: float, *, files: int, overhead: int = 0
) -> AsyncIterator[FormData]:
    """Yield a form, whose files exist until the end.

    Args:
        most_bytes: of the request without overhead. A request with a greater length is not read.
        overhead: bytes of the form other than its files.
        most_s: seconds for sending it.
        files: maximum number.

    Raises:
        HTTPException: the request is too large or too slow, or is not a form.
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
        patience.reschedule(begun + min(most_s, GRACE_S + got / MIN_BYTES_PER_S))
        return message

    bounded = Request(request.scope, receive)
    try:
        async with asyncio.timeout_at(begun + min(most_s, GRACE_S)) as patience:
            form = await bounded.form(max_files=files, max_fields=50, max_part_size=most_bytes)
    except TimeoutError:
        taken_s = asyncio.get_running_loop().time() - begun
        text = (
            f"The request was too slow: {got} bytes in {taken_s:.0f} seconds. At least {MIN_BYTES_PER_S // 1000} kB "
            f"per second are needed, within {most_s:.0f} seconds in total. Nothing was stored. Send it again."
        )
        raise HTTPException(408, text, {"Connection": "close"}) from None
    except _TooLarge:
        await _drain(request)
        raise
    except (UnicodeError, LookupError):  # an unknown charset
        raise HTTPException(400, "The form is not text in UTF-8.") from None
    except OSError as error:  # large files wait in the folder for temporary files
        raise HTTPException(
            503, f"The server cannot store this now ({error.strerror}). Nothing was stored. Try again later."
        ) from error
    except ClientDisconnect:
        raise HTTPException(400, "The form was incomplete. Nothing was stored.") from None
    try:
        yield form
    finally:
        await form.close()


class _TooLarge(HTTPException):
    """Request that is larger than its limit."""

    def __init__(self, most_bytes: int) -> None:
        text = f"This is larger than the {most_bytes // 1000} kB allowed here. Nothing was stored."
        super().__init__(413, text, {"Connection": "close"})


async def _drain(request: Request) -> None:
    """Drop the rest of a request for a while: a sender that is cut off while sending never reads the answer."""
    dropped, is_more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAINED_S):
            while is_more and dropped < DRAINED_BYTES:
                message = await request.receive()
                dropped += len(message.get("body", b""))
                is_more = message.get("more_body", False)
