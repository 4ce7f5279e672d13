"""Every family of /metrics, out of what the table has counted and what the gateway knows itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dicetable.gateway.metrics.text import Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Broker:
    """How the broker is reached."""

    connected: bool
    published: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Target:
    """How the webhooks of one host go."""

    host: str
    delivered: int
    dropped: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Own:
    """What the gateway knows itself."""

    version: str
    screens: int
    resident_bytes: int
    temperature_c: float | None
    broker: Broker | None = None
    targets: Sequence[Target] = ()


def families(meters: Mapping[str, Any] | None, state: Mapping[str, Any] | None, own: Own) -> Iterator[Family]:
    """All of them; `meters` and `state` are None while the table is away."""
    yield Family("dicetable", "info", "The program.").sample(1, version=own.version)
    yield Family("dicetable_up", "gauge", "Whether the table answers.").sample(int(meters is not None))
    if meters is not None:
        yield from of_table(meters)
    if state is not None:
        playing = Family("dicetable_playing", "gauge", "Whether this game is being played.")
        yield playing.sample(int(state["phase"] == "play"), game=state["game"] or "none")
        yield Family("dicetable_troubles", "gauge", "Parts that do not work now.").sample(
            len(state["troubles"])
        )
    memory = Family("dicetable_resident_memory_bytes", "gauge", "Memory held.", "bytes")
    gauges: Mapping[str, Any] = meters["gauges"] if meters is not None else {}
    memory.sample(gauges.get("table_bytes"), process="table").sample(gauges.get("eye_bytes"), process="eye")
    yield memory.sample(own.resident_bytes, process="gateway")
    hottest = Family(
        "dicetable_temperature_celsius", "gauge", "The hottest sensor of the computer.", "celsius"
    )
    yield hottest.sample(own.temperature_c)
    yield Family("dicetable_screens", "gauge", "Browsers that follow the game.").sample(own.screens)
    yield from of_signals(own.broker, own.targets)


COUNTS = {
    "throws": "Throws that were accepted.",
    "dice": "Dice of these throws.",
    "by_hand": "Throws that were entered at the panel.",
    "asked": "Throws that were asked for again.",
    "void": "Of these, throws that were void as a whole.",
    "confirmed": "Dice whose value another seat confirmed.",
    "vouched": "Dice that count although they were not seen to roll.",
    "cocked": "Cocked dice among what was asked for again.",
}


def of_table(meters: Mapping[str, Any]) -> Iterator[Family]:
    """What the table has counted and timed since it started."""
    for name, about in COUNTS.items():
        yield Family(f"dicetable_{name}", "counter", about).sample(meters[name])
    degraded = Family("dicetable_part_troubles", "counter", "How often a part has failed.")
    for part in sorted({"camera", "panel", *meters["degraded"]}):
        degraded.sample(meters["degraded"].get(part, 0), part=part)
    yield degraded
    about = "Damaged frames on the panel's link since it was opened."
    yield Family("dicetable_link_errors", "counter", about).sample(whole(meters["gauges"]["link_errors"]))
    about = "Eyes that were lost and replaced."
    yield Family("dicetable_eye_restarts", "counter", about).sample(meters["gauges"]["eye_restarts"])
    about = "Damaged frames that the camera has sent since the eye started."
    yield Family("dicetable_bad_frames", "counter", about).sample(whole(meters["gauges"]["bad_frames"]))
    stages = Family("dicetable_stage_milliseconds", "histogram", "How long each stage took.", "milliseconds")
    for stage, told in meters["stages"].items():
        stages.histogram(meters["bounds_ms"], told["counts"], float(told["sum_ms"]), stage=stage)
    yield stages


def of_signals(broker: Broker | None, targets: Sequence[Target]) -> Iterator[Family]:
    """How broker and webhooks go."""
    if broker is not None:
        connected = Family("dicetable_broker_connected", "gauge", "Whether the broker is connected.")
        yield connected.sample(int(broker.connected))
        yield Family("dicetable_broker_messages", "counter", "Messages published.").sample(broker.published)
        yield Family("dicetable_broker_dropped", "counter", "Events dropped.").sample(broker.dropped)
    delivered = Family("dicetable_webhook_deliveries", "counter", "Webhooks delivered.")
    dropped = Family("dicetable_webhook_dropped", "counter", "Webhooks given up.")
    waiting = Family("dicetable_webhook_waiting", "gauge", "Webhooks that wait.")
    for number, target in enumerate(targets):
        delivered.sample(target.delivered, host=target.host, hook=str(number))
        dropped.sample(target.dropped, host=target.host, hook=str(number))
        waiting.sample(target.waiting, host=target.host, hook=str(number))
    yield from (delivered, dropped, waiting)


def whole(value: float | None) -> int | None:
    """A count without its fraction."""
    return None if value is None else int(value)
