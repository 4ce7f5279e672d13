"""/metrics beside a whole simulated table, as Prometheus's own parser reads it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from dicetable.ledger.entries import Revealed, Thrown
from dicetable.table.meters import BOUNDS_MS, STAGES, Meters
from gateway.settings import Metrics, Signals
from gateway.signals.metrics import (
    GatewayStats,
    buckets,
    exposition,
    families,
)
from tests.dicetable.service.evenings import Evening
from tests.gateway.serving import Served, until
from tests.gateway.signals.signalling import connected, told

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("cheap_throws")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "signals"
CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
LOCAL = Signals(metrics=Metrics(("127.0.0.0/8", "::1")))
OWN = GatewayStats("1.2.3", 3, 1000, None, *connected())


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path, "six_shooter")
    yield made
    made.close()


@pytest.fixture
def served(evening: Evening) -> Iterator[Served]:
    with Served(evening.path, signals=LOCAL) as made:
        yield made


def families_in(text: str) -> list[Any]:
    """What Prometheus's own parser finds."""
    return list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def parsed(text: str) -> dict[str, float]:
    """Every sample by its name with its labels."""
    assert text.endswith("# EOF\n")
    return {
        sample.name + "".join(f"|{key}={value}" for key, value in sorted(sample.labels.items())): sample.value
        for family in families_in(text)
        for sample in family.samples
    }


def turned(evening: Evening) -> bool:
    """The table has had a turn."""
    evening.service.turn()
    return True


def is_connected(evening: Evening, served: Served) -> bool:
    """Whether the gateway has heard of the table, which has had a turn."""
    return turned(evening) and served.get("/health")[0] == 200


def scrape(evening: Evening, served: Served) -> dict[str, float]:
    """Every sample; the table goes on while a thread asks."""
    answers: list[tuple[int, dict[str, str], bytes]] = []
    asking = Thread(target=lambda: answers.append(served.get("/metrics")))
    asking.start()
    until(lambda: turned(evening) and bool(answers))
    asking.join()
    status, headers, body = answers[0]
    assert (status, headers["content-type"]) == (200, CONTENT_TYPE)
    return parsed(body.decode())


def own_memory() -> int:
    """Resident memory of this process, bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_game_is_counted_and_timed(evening: Evening, served: Served) -> None:
    until(lambda: is_connected(evening, served))
    before = scrape(evening, served)
    assert before["dicetable_up"] == 1
    assert before["dicetable_throws_total"] == 0
    while evening.service.parts.ledger.count < 25:
        evening.turn()
    found = scrape(evening, served)
    ledger = evening.service.parts.ledger.ledger
    assert ledger is not None
    thrown = [entry for entry in ledger.entries() if isinstance(entry, Thrown | Revealed)]
    assert found["dicetable_throws_total"] == len(thrown) > 0
    assert found["dicetable_dice_total"] == sum(len(entry.dice) for entry in thrown)
    assert found["dicetable_playing|game=six_shooter"] == 1
    assert found["dicetable_troubles"] == 0
    for stage in ("accept", "save"):
        assert found[f"dicetable_stage_milliseconds_count|stage={stage}"] == len(thrown)
    assert found["dicetable_stage_milliseconds_count|stage=read"] >= len(thrown)
    turns = found["dicetable_stage_milliseconds_count|stage=turn"]
    assert turns > 100
    assert found["dicetable_stage_milliseconds_bucket|le=+Inf|stage=turn"] == turns
    assert 0 < found["dicetable_stage_milliseconds_sum|stage=save"] < 30_000
    resident = {p: found[f"dicetable_resident_memory_bytes|process={p}"] for p in ("table", "gateway")}
    assert resident["table"] == pytest.approx(own_memory(), rel=0.2)  # it runs in this process
    assert 10e6 < resident["gateway"] < 1e9


def test_nobody_else_may_ask_and_without_the_table_it_still_answers(tmp_path: Path) -> None:
    for allow, status in (("127.0.0.0/8", 200), ("10.0.0.0/8", 403)):
        with Served(tmp_path / "none.sock", signals=Signals(metrics=Metrics((allow,)))) as served:
            found, _, body = served.get("/metrics")
            assert found == status
            if status == 200:
                assert parsed(body.decode())["dicetable_up"] == 0
            else:
                assert b"not in `allow`" in body


def test_without_the_setting_there_is_none(tmp_path: Path) -> None:
    with Served(tmp_path / "none.sock") as served:
        assert served.get("/metrics")[0] == 404


def test_every_family_has_a_type_help_and_a_value() -> None:
    meters = Meters()
    meters.degraded["ledger"] = 2
    meters.stages["read"].note(31.0)
    meters.stages["read"].note(9999.0)
    meters.gauges = {
        "table_bytes": lambda: 7,
        "eye_bytes": lambda: 8,
        "eye_restarts": lambda: 1,
        "link_errors": lambda: 4.0,
        "bad_frames": lambda: 7.0,
    }
    text = exposition(families(meters.to_json(), json.loads(told()), OWN))
    found = {family.name: family for family in families_in(text)}
    assert all(family.documentation and family.samples for family in found.values())
    samples = parsed(text)
    assert samples["dicetable_link_errors_total"] == 4
    assert samples["dicetable_bad_frames_total"] == 7
    assert samples["dicetable_part_troubles_total|part=ledger"] == 2
    assert samples["dicetable_stage_milliseconds_bucket|le=20.0|stage=read"] == 0
    assert samples["dicetable_stage_milliseconds_bucket|le=50.0|stage=read"] == 1
    assert samples["dicetable_stage_milliseconds_bucket|le=5000.0|stage=read"] == 1
    assert samples["dicetable_stage_milliseconds_count|stage=read"] == 2
    assert samples["dicetable_stage_milliseconds_sum|stage=read"] == 10030
    assert samples["dicetable_webhook_dropped_total|hook=0|host=a"] == 2
    assert samples["dicetable_broker_connected"] == 1
    assert {name.split("=")[-1] for name in samples if "_count|stage" in name} == set(STAGES)


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text(), min_size=1), st.floats(allow_nan=False))
def test_whatever_a_label_holds_is_read_back(labels: dict[str, str], value: float) -> None:
    gauge = GaugeMetricFamily("x", "Anything.\nOf two lines.", labels=list(labels))
    gauge.add_metric(list(labels.values()), value)
    (family,) = families_in(exposition([gauge]))
    (sample,) = family.samples
    assert (sample.labels, sample.value) == (labels, value)


@given(st.lists(st.floats(0, 1e5), max_size=50))
def test_a_histogram_counts_what_is_within_each_bound(durations: list[float]) -> None:
    meters = Meters()
    for ms in durations:
        meters.stages["read"].note(ms)
    told_stage: dict[str, Any] = meters.to_json()["stages"]["read"]
    counted = buckets(BOUNDS_MS, told_stage["counts"])
    family = HistogramMetricFamily("x", "x", counted, sum_value=told_stage["sum_ms"])
    samples = parsed(exposition([family]))
    for bound in BOUNDS_MS:
        assert samples[f"x_bucket|le={float(bound)}"] == sum(ms <= bound for ms in durations)
    assert samples["x_count"] == len(durations)


def test_the_board_of_grafana_asks_for_what_is_there() -> None:
    board = json.loads((EXAMPLES / "grafana.json").read_text())
    meters = Meters()
    meters.gauges = dict.fromkeys(
        ("table_bytes", "eye_bytes", "eye_restarts", "bad_frames", "link_errors"), lambda: 1.0
    )
    own = replace(OWN, temperature_c=40.0)
    text = exposition(families(meters.to_json(), json.loads(told()), own))
    there = {sample.name for family in families_in(text) for sample in family.samples}
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    for expression in asked:
        names = set(re.findall(r"dicetable_\w+", expression))
        assert names, expression
        assert names <= there, expression
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    places = [panel["gridPos"] for panel in board["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)


def test_the_docs_name_every_family() -> None:
    page = (EXAMPLES.parents[1] / "docs" / "signals.md").read_text()
    meters = Meters()
    meters.gauges = dict.fromkeys(
        ("table_bytes", "eye_bytes", "eye_restarts", "bad_frames", "link_errors"), lambda: 1.0
    )
    names = [family.name for family in families(meters.to_json(), json.loads(told()), OWN)]
    short = {"dicetable_broker": "messages dropped", "dicetable_webhook": "dropped waiting"}
    for name in names:
        stem, _, last = name.rpartition("_")
        assert name in page or (f"…_{last}" in page and last in short.get(stem, "")), name
