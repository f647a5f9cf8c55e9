"""Records from anywhere: what is none is refused in one sentence."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botleague.errors import PluginError, RecordError
from botleague.referee import Player, Recorder, conduct, config_digest, read_record, recorded_variant, replay
from botleague.rules import Move, Variant


@pytest.fixture
def content(guessing: Variant, scripted: Any) -> bytes:
    recorder = Recorder(guessing, 3, [Player("ann", "a" * 64, {}, ""), Player("bob", "b" * 64, {}, "")])
    for event in conduct(guessing, 3, scripted(["", ""], [{0: Move(1), 1: Move(2)}] * 6)):
        recorder.note(event)
    return recorder.record().encode()


def test_a_match_without_an_opening_has_the_bytes_that_format_1_always_had(content: bytes) -> None:
    # Computed by the release that knew no openings.
    of_format_1 = "5cfc4588e43277626f3e16b714e11bd5fcf2c96e5c5c24b0b5b87a6ecf073563"
    assert hashlib.sha256(content).hexdigest() == of_format_1


@given(junk=st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_random_bytes_are_no_record(junk: bytes) -> None:
    with pytest.raises(RecordError):
        read_record(junk)


def test_every_truncation_is_refused(content: bytes) -> None:
    for size in range(0, len(content), 7):
        with pytest.raises(RecordError, match="not a record of a match"):
            read_record(content[:size])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in nested plain data, as container and key."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@given(data=st.data())
# The record that the fixture made is the same for all examples.
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_record_that_somebody_changed_is_replayed_or_refused(
    content: bytes, guessing: Variant, data: st.DataObject
) -> None:
    plain = msgspec.msgpack.decode(content)
    container, key = data.draw(st.sampled_from(list(places(plain))))
    if isinstance(container, list) and data.draw(st.booleans()):
        del container[key]
    else:
        junk: st.SearchStrategy[object] = st.one_of(
            st.none(), st.integers(-(2**63), 2**64 - 1), st.text(max_size=3), st.floats(), st.just([])
        )
        container[key] = data.draw(junk | st.sampled_from(["timeout", [0], [[0], [{}]], {}]))
    with contextlib.suppress(RecordError, PluginError):
        for _ in replay(read_record(msgspec.msgpack.encode(plain)), guessing):
            pass


def test_a_record_of_a_newer_format_says_so(content: bytes) -> None:
    newer = msgspec.msgpack.encode({**msgspec.msgpack.decode(content), "format": 99})
    with pytest.raises(RecordError, match="format 99"):
        read_record(newer)


def test_a_record_of_another_configuration_cannot_be_replayed(content: bytes, guessing: Variant) -> None:
    other = dataclasses.replace(guessing, config={"turns": 7}, configured=None)
    with pytest.raises(RecordError, match="differs from the installed guessing"):
        list(replay(read_record(content), other))


def test_a_configuration_that_the_rules_can_make_again_is_replayed(content: bytes, guessing: Variant) -> None:
    record = read_record(content)
    other = guessing.with_config({"turns": 7})
    with pytest.raises(RecordError, match=r"config\.turns: must be a whole number from 1 to 1000, not 0"):
        recorded_variant(msgspec.structs.replace(record, config={"turns": 0}), other)
    played_with = msgspec.structs.replace(record, config={"turns": 9})
    made = recorded_variant(played_with, other)
    assert (made.name, made.config, made.rules.turns) == ("guessing", {"turns": 9}, 9)  # type: ignore[attr-defined]  # its own
    assert list(replay(record, other)) == list(replay(record, guessing))
    renamed = msgspec.structs.replace(played_with, variant="guessing-other")
    with pytest.raises(RecordError, match="it cannot be replayed"):
        recorded_variant(renamed, other)


def test_a_changed_reply_is_noticed(content: bytes, guessing: Variant) -> None:
    plain = msgspec.msgpack.decode(content)
    plain["turns"] = plain["turns"][:3]
    with pytest.raises(RecordError, match="ends before the match does"):
        list(replay(read_record(msgspec.msgpack.encode(plain)), guessing))
    plain = msgspec.msgpack.decode(content)
    plain["outcome"]["places"] = [2, 1] if plain["outcome"]["places"] != [2, 1] else [1, 2]
    with pytest.raises(RecordError, match="another outcome"):
        list(replay(read_record(msgspec.msgpack.encode(plain)), guessing))
    plain = msgspec.msgpack.decode(content)
    plain["turns"][0]["replies"][0]["value"] = "text"
    with pytest.raises(RecordError, match="a move that is invalid for this variant"):
        list(replay(read_record(msgspec.msgpack.encode(plain)), guessing))


@given(
    st.dictionaries(
        st.text(max_size=5), st.integers(-9, 9) | st.lists(st.integers(0, 3), max_size=3), max_size=5
    )
)
def test_the_digest_of_a_configuration_ignores_the_order_of_keys(config: dict[str, object]) -> None:
    assert config_digest(config) == config_digest(dict(reversed(config.items())))
    tuples = {key: tuple(item) if isinstance(item, list) else item for key, item in config.items()}
    assert config_digest(config) == config_digest(tuples)
