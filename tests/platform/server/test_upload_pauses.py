"""How long checks of uploads pause: after games on a busy machine, and after failures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from botleague_server.uploads import upload_service
from botleague_server.uploads.upload_service import rest_s, retry_s


@given(st.floats(0.0, 100.0))
def test_games_take_a_share_of_a_processor_or_rest_for_as_long_as_a_check_may(taken_s: float) -> None:
    rest = rest_s("games", 1, taken_s, is_rush=False)
    assert (
        rest == upload_service.MAX_REST_S or taken_s <= upload_service.GAMES_SHARE * (taken_s + rest) + 1e-9
    )
    assert 0.0 <= rest <= upload_service.MAX_REST_S < rest_s("games", 1, taken_s, is_rush=True)


def test_languages_are_gathered_in_a_rush_unless_more_wait_than_are_taken_at_a_time() -> None:
    most = upload_service.AT_A_TIME["language"]
    rests = [rest_s("language", checked, 0.1, is_rush=True) for checked in (1, most - 1, most)]
    assert rests == [upload_service.GATHERING_S, upload_service.GATHERING_S, 0.0]
    assert rest_s("language", 1, 0.1, is_rush=False) == 0.0


def test_a_second_failure_hardly_delays_a_verdict_and_a_machine_has_seconds_to_recover() -> None:
    pauses = [retry_s(failures) for failures in range(1, upload_service.MAX_TRIES)]
    assert pauses[:2] == [0.0, 0.5]
    assert sum(pauses) >= 3.0
    assert retry_s(10_000) == upload_service.MAX_RETRY_S
