"""Forms of the organiser pages, with a field for each labelled field of a decision.

The ``extra`` of a field may contain ``kind`` (a "bot" is completed; a "text" may have several lines; the number alone
of a "match" is one of the league, since pages show no ids), ``list`` (id of the list that completes a bot, by default
the entrants), ``hint`` (shown in the empty field), ``empty`` (the value of an empty field) and ``refusal`` (the message
for a number out of range).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from botleague.application.decisions import Decision, command_text, organiser_decisions
from botleague.errors import UsageError
from botleague.struct_fields import StructField, struct_fields
from botleague_server.accounts import account_decisions
from botleague_server.uploads import limit_decision


class Form(msgspec.Struct, frozen=True):
    """Form of a decision."""

    decision: Decision[Any]

    @property
    def fields(self) -> list[StructField]:
        """Its fields: those of the decision with a label."""
        return [one for one in struct_fields(self.decision.fields) if one.label]

    def read(self, values: Mapping[str, str], league: str) -> Any:
        """Return the values of a form as fields of the decision.

        Args:
            league: of the page with the form.

        Raises:
            UsageError: a value is not valid.
        """
        values_by_name = self._preset(league)
        for one in self.fields:
            empty = one.extra.get("empty", "") if one.key in values else ""
            text = values.get(one.key, "").strip() or empty
            if text or not one.may_be_empty:
                values_by_name[one.name] = _read(one, text, league)
        return self.decision.fields(**values_by_name)

    def example(self, league: str) -> str:
        """Return the command, with placeholders for required fields."""
        required = {one.name: one.key.upper() for one in self.fields if not one.may_be_empty}
        return command_text(self.decision, self.decision.fields(**self._preset(league), **required))

    def _preset(self, league: str) -> dict[str, Any]:
        has_league = "league" in self.decision.fields.__struct_fields__
        return {**({"league": league} if has_league else {}), **self.decision.preset}


def _read(field: StructField, text: str, league: str) -> Any:
    if field.choices and text not in field.choices:
        raise UsageError(f"Choose a {field.label.lower()}: {', '.join(field.choices)}.")
    if field.is_number:
        if not (text.isascii() and text.isdecimal() and len(text) < 19):
            raise UsageError(f"{field.label}: {text[:40]!r} is not a whole number.")
        least, most = field.range
        number = field.type(text)
        if not (least is None or least <= number) or not (most is None or number <= most):
            raise UsageError(field.extra.get("refusal") or f"{field.label}: give {least} to {most}.")
        return number
    if field.extra.get("kind") == "match" and text.isascii() and text.isdecimal():
        return f"{league}/{text}"
    return field.read(text)


FORMS: Mapping[str, Form] = {
    one.name: Form(one)
    for module in (organiser_decisions, limit_decision, account_decisions)
    for one in vars(module).values()
    if isinstance(one, Decision) and one.title
}
"""Forms by the last part of their address."""
