"""How long checks of uploads pause: after games on a busy machine, and after failures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from botleague.application import upload_checks
from botleague.application.upload_checks import rest_s, retry_s


@given(st.floats(0.0, 100.0))
def test_games_take_a_share_of_a_processor_or_rest_for_as_long_as_a_check_may(taken_s: float) -> None:
    rest = rest_s(taken_s)
    assert rest == upload_checks.MOST_REST_S or taken_s <= upload_checks.GAMES_SHARE * (taken_s + rest) + 1e-9
    assert 0.0 <= rest <= upload_checks.MOST_REST_S


def test_a_second_failure_hardly_delays_a_verdict_and_a_machine_has_seconds_to_recover() -> None:
    pauses = [retry_s(failures) for failures in range(1, upload_checks.MOST_TRIES)]
    assert pauses[:2] == [0.0, 0.5]
    assert sum(pauses) >= 3.0
    assert retry_s(10_000) == upload_checks.LONGEST_RETRY_S
