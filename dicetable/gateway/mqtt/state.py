"""A snapshot of the table as the JSON object of the state topic."""

from __future__ import annotations

import json
from typing import Any, Final

LONGEST: Final = 255
"""Characters of a state that Home Assistant keeps."""


def payload(state: dict[str, Any], seats: int, temperature_c: float | None) -> str:
    """Version 1 of the state; null is unknown, or nobody, or nothing."""
    told = {
        "v": 1,
        "phase": state["phase"],
        "paused": state["paused"],
        "game": state["game"],
        "title": state["title"] or None,
        "turn": state["asked"],
        "todo": short(state["todo"] or state["wrong"]),
        "last_throw": short(dice(state["throws"][0]["dice"])) if state["throws"] else None,
        "thrower": state["throws"][0]["seat"] or None if state["throws"] else None,
        "winners": short(", ".join(state["winners"])),
        "scores": by_seat(state["seats"], "score", seats),
        "names": by_seat(state["seats"], "name", seats),
        "troubles": state["troubles"],
        "trouble_text": short("; ".join(f"{each['part']}: {each['what']}" for each in state["troubles"])),
        "temperature": None if temperature_c is None else round(temperature_c, 1),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def by_seat(seats: list[dict[str, Any]], key: str, count: int) -> dict[str, str | None]:
    """What each seat of the panel has, by its number; null where nobody plays."""
    found = {str(seat["place"]): short(str(seat[key])) for seat in seats}
    return {str(seat): found.get(str(seat)) for seat in range(1, count + 1)}


def dice(thrown: list[dict[str, Any]]) -> str:
    """Such as `6 6 1` or `d8:3 d20:17`: kinds are named unless all are d6."""
    named = any(die["kind"] != "d6" for die in thrown)
    return " ".join(f"{die['kind']}:{die['value']}" if named else str(die["value"]) for die in thrown)


def short(text: str) -> str | None:
    """The text as far as Home Assistant keeps it; null if it is empty."""
    return (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…") or None
