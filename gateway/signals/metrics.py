"""/metrics: what the table has counted and what the gateway knows itself, for Prometheus."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import Metric
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from common.network import parse_address
from common.snapshot import Contents, Phase
from gateway.link import BusyError, TableLink

if TYPE_CHECKING:
    from gateway.signals.mqtt import MqttPublisher
    from gateway.signals.webhooks import Hook

REFUSED: Final = "this address is not in `allow` of [metrics]\n"
COUNTS: Final = {
    "throws": "Throws that were accepted.",
    "dice": "Dice of these throws.",
    "by_hand": "Throws that were entered at the panel.",
    "asked": "Throws that were asked for again.",
    "void": "Of these, throws that were void as a whole.",
    "confirmed": "Dice whose value another seat confirmed.",
    "vouched": "Dice that count although they were not seen to roll.",
    "cocked": "Cocked dice among what was asked for again.",
}


@dataclass(frozen=True, slots=True)
class GatewayStats:
    """What the gateway measures itself; it may have a broker and webhooks."""

    version: str
    screens: int
    resident_bytes: int
    temperature_c: float | None
    broker: MqttPublisher | None
    hooks: Sequence[Hook]


class MetricsPage:
    """Answers the networks in `allow`."""

    def __init__(
        self,
        link: TableLink,
        allow: Iterable[str],
        screens: Callable[[], int],
        broker: MqttPublisher | None,
        hooks: Sequence[Hook],
    ) -> None:
        self.link = link
        self.networks = [ipaddress.ip_network(network) for network in allow]
        self.screens = screens
        self.broker = broker
        self.hooks = hooks

    async def answer(self, request: Request) -> Response:
        """Metrics for Prometheus; while the table is away without what it counts."""
        address = parse_address(request.client.host) if request.client is not None else None
        if address is None or not any(address in network for network in self.networks):
            return PlainTextResponse(REFUSED, 403)
        meters: dict[str, Any] | None = None
        with suppress(BusyError):
            meters = json.loads(await self.link.body("meters", {})) or None
        own = (version("dicetable"), self.screens(), resident_bytes(), temperature_c())
        stats = GatewayStats(*own, self.broker, self.hooks)
        body = exposition(families(meters, self.link.snapshot(), stats))
        return Response(body, headers={"content-type": CONTENT_TYPE_LATEST, "cache-control": "no-store"})


def families(
    meters: Mapping[str, Any] | None, state: Contents | None, stats: GatewayStats
) -> Iterator[Metric]:
    """All families; `meters` and `state` are None while the table is away."""
    yield InfoMetricFamily("dicetable", "The program.", {"version": stats.version})
    yield GaugeMetricFamily("dicetable_up", "Whether the table answers.", int(meters is not None))
    if meters is not None:
        yield from table_families(meters)
    if state is not None:
        playing = GaugeMetricFamily(
            "dicetable_playing", "Whether this game is being played.", labels=["game"]
        )
        playing.add_metric([state["game"] or "none"], int(state["phase"] == Phase.PLAY))
        yield playing
        yield GaugeMetricFamily("dicetable_troubles", "Parts that do not work now.", len(state["troubles"]))
    gauges: Mapping[str, Any] = meters["gauges"] if meters is not None else {}
    held = {
        "table": gauges.get("table_bytes"),
        "eye": gauges.get("eye_bytes"),
        "gateway": stats.resident_bytes,
    }
    memory = GaugeMetricFamily(
        "dicetable_resident_memory_bytes", "Memory held.", labels=["process"], unit="bytes"
    )
    for process, size in held.items():
        if size is not None:
            memory.add_metric([process], size)
    yield memory
    about = "The hottest sensor of the computer."
    yield GaugeMetricFamily("dicetable_temperature_celsius", about, stats.temperature_c, unit="celsius")
    yield GaugeMetricFamily("dicetable_screens", "Browsers that follow the game.", stats.screens)
    if stats.broker is not None:
        about = "Whether the broker is connected."
        yield GaugeMetricFamily("dicetable_broker_connected", about, int(stats.broker.connected))
        yield CounterMetricFamily("dicetable_broker_messages", "Messages published.", stats.broker.published)
        yield CounterMetricFamily("dicetable_broker_dropped", "Events dropped.", stats.broker.dropped)
    labels = ["host", "hook"]
    delivered = CounterMetricFamily("dicetable_webhook_deliveries", "Webhooks delivered.", labels=labels)
    dropped = CounterMetricFamily("dicetable_webhook_dropped", "Webhooks given up.", labels=labels)
    waiting = GaugeMetricFamily("dicetable_webhook_waiting", "Webhooks that wait.", labels=labels)
    for number, hook in enumerate(stats.hooks):
        delivered.add_metric([hook.host, str(number)], hook.outbox.delivered)
        dropped.add_metric([hook.host, str(number)], hook.outbox.dropped)
        waiting.add_metric([hook.host, str(number)], len(hook.outbox.waiting))
    yield from (delivered, dropped, waiting)


def table_families(meters: Mapping[str, Any]) -> Iterator[Metric]:
    for name, about in COUNTS.items():
        yield CounterMetricFamily(f"dicetable_{name}", about, meters[name])
    about = "How often a part has failed."
    degraded = CounterMetricFamily("dicetable_part_troubles", about, labels=["part"])
    for part in sorted({"camera", "panel", *meters["degraded"]}):
        degraded.add_metric([part], meters["degraded"].get(part, 0))
    yield degraded
    gauges = meters["gauges"]
    about = "Damaged frames on the panel's link since it was opened."
    yield CounterMetricFamily("dicetable_link_errors", about, gauges["link_errors"])
    about = "Eyes that were lost and replaced."
    yield CounterMetricFamily("dicetable_eye_restarts", about, gauges["eye_restarts"])
    about = "Damaged frames that the camera has sent since the eye started."
    yield CounterMetricFamily("dicetable_bad_frames", about, gauges["bad_frames"])
    stages = HistogramMetricFamily(
        "dicetable_stage_milliseconds", "How long each stage took.", labels=["stage"], unit="milliseconds"
    )
    for stage, timed in meters["stages"].items():
        stages.add_metric([stage], buckets(meters["bounds_ms"], timed["counts"]), float(timed["sum_ms"]))
    yield stages


def buckets(bounds: Sequence[float], counts: Sequence[int]) -> list[tuple[str, float]]:
    """A histogram's buckets; `counts` has one more than `bounds`, for what is beyond all of them."""
    return list(zip([*(str(float(bound)) for bound in bounds), "+Inf"], accumulate(counts), strict=True))


def exposition(families: Iterable[Metric]) -> str:
    """The families that have samples, as OpenMetrics text."""
    registry = SimpleNamespace(collect=lambda: (family for family in families if family.samples))
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]  # it has no types
    return text.decode()


def temperature_c() -> float | None:
    """The hottest thermal zone of this machine, °C; None if it has no sensor."""
    temperatures = []
    for zone in Path("/sys/class/thermal").glob("thermal_zone*/temp"):
        try:
            temperatures.append(int(zone.read_text()) / 1000)
        except (OSError, ValueError):
            continue
    return max(temperatures, default=None)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
