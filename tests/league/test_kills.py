"""Kill -9 of gateway, server and database, each as often, at random instants while 20 tables play."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from subprocess import DEVNULL
from typing import TYPE_CHECKING

import pytest

from common import messages
from dicetable.service.league import LeagueOutbox
from league import results
from league.database import connect, prepare
from tests.extent import extent
from tests.league.bars import GAMES, Bar, entries, join
from tests.league.postgres import Cluster, free_port, programs
from tests.league.seasons import by_hand, folded, season, secret_of, tallies
from tests.league.sending import NOW_S
from tests.zygote import Forked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from dicetable.ledger.entries import Entry

ROOT = Path(__file__).resolve().parents[2]
TABLES = 20
KILLS = extent(20, 66)
KILL_EVERY_S = 0.25
CATCHES_UP_WITHIN_S = 240.0


class Sockets(threading.Thread):
    """The tables' ends of their sockets; they are never killed, and answer one question at a time."""

    def __init__(self, bars: list[Bar], folder: Path) -> None:
        super().__init__(daemon=True)
        self.bars = bars
        self.paths = [str(folder / f"{number}.sock") for number in range(len(bars))]
        self.lock = threading.Lock()
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.ended = asyncio.Event()

    def run(self) -> None:
        self.loop.run_until_complete(self.serve())
        self.loop.close()

    async def serve(self) -> None:
        servers = [
            await asyncio.start_unix_server(self.answering(LeagueOutbox(bar.ledger)), path)
            for bar, path in zip(self.bars, self.paths, strict=True)
        ]
        self.ready.set()
        await self.ended.wait()
        for server in servers:
            server.close()
        here = asyncio.current_task()
        answering = [task for task in asyncio.all_tasks() if task is not here]
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.ended.set)
        self.join(30)

    def answering(
        self, outbox: LeagueOutbox
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while line := await reader.readline():
                    asked = json.loads(line)
                    with self.lock:
                        rows = outbox.answer(asked["payload"]["number"])
                    writer.write(messages.Answer(accepted=True, body=rows).to_bytes(asked["id"]))
                    await writer.drain()
            except ConnectionError:
                pass  # the gateway was killed
            finally:
                writer.close()

        return answer


class Victims:
    """Gateway, server and database as real processes; whoever is dead is started again, as systemd does."""

    def __init__(self, cluster: Cluster, sockets: list[str]) -> None:
        self.cluster = cluster
        port = free_port()
        listen = f"127.0.0.1:{port}"
        self.commands = {
            "server": ["dicetable", "league", "serve", "--database", cluster.url, "--listen", listen],
            "gateway": ["tests.league.carrying", f"http://{listen}", *sockets],
        }
        self.running: dict[str, Forked] = {}

    def look(self) -> None:
        """Starts whoever does not run."""
        for name, command in self.commands.items():
            if name not in self.running or self.running[name].poll() is not None:
                self.running[name] = Forked("-m", *command, stdout=DEVNULL, stderr=DEVNULL, cwd=ROOT)
        if self.cluster.server is None or self.cluster.server.poll() is not None:
            self.cluster.begin_server()

    def kill(self, name: str) -> None:
        if name == "database":
            self.cluster.kill()
        elif name in self.running:
            self.running[name].kill()

    def close(self) -> None:
        for name in self.commands:
            self.kill(name)


@pytest.fixture
def durable() -> Iterator[Cluster]:
    """A PostgreSQL whose commits outlive its processes."""
    if programs() is None:
        pytest.skip("no PostgreSQL (apt install postgresql)")
    made = Cluster(options=("-c", "fsync=off"))
    yield made
    made.close()


def playing(bar: Bar, games: int, chance: Random) -> Iterator[Entry]:
    """The entries of so many games."""
    for _ in range(games):
        yield from entries(chance.choice(GAMES), chance.sample(list(bar.names), 3), chance.randrange(2**32))


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_whoever_is_killed(durable: Cluster, tmp_path: Path) -> None:
    chance = Random(27)
    league = connect(durable.url)
    prepare(league)
    season(league, 1)
    bars = [Bar(tmp_path / f"bar{number}", seed=number) for number in range(TABLES)]
    for bar in bars:
        bar.register(league)
        join(bar, bar.table)
    league.close()
    with tempfile.TemporaryDirectory(prefix="dicetable-") as folder:
        sockets = Sockets(bars, Path(folder))
        sockets.start()
        sockets.ready.wait(300)
        victims = Victims(durable, sockets.paths)
        try:
            play_and_kill(bars, sockets, victims, chance)
            caught_up(bars, victims)
        finally:
            victims.close()
            sockets.stop()
    compare(durable, bars)
    for bar in bars:
        bar.close()


def play_and_kill(bars: list[Bar], sockets: Sockets, victims: Victims, chance: Random) -> None:
    """All tables play while each victim is killed KILLS times, in a random order."""
    going = [playing(bar, 6, chance) for bar in bars]
    killed = ["gateway", "server", "database"] * KILLS
    chance.shuffle(killed)
    has = 0
    for count, victim in enumerate(killed, 1):
        next_s = time.monotonic() + chance.uniform(0, 2 * KILL_EVERY_S)
        while time.monotonic() < next_s:
            number = chance.randrange(len(bars))
            entry = next(going[number], None)
            if entry is not None:
                with sockets.lock:
                    bars[number].ledger.append(entry)
            victims.look()
            time.sleep(0.005)
        victims.kill(victim)
        if count % 10 == 0:
            has = progress(bars, victims, has)
    for bar, rest in zip(bars, going, strict=True):
        for entry in rest:
            with sockets.lock:
                bar.ledger.append(entry)


def progress(bars: list[Bar], victims: Victims, has: int) -> int:
    """Waits until the league has more rows than it had, or all: kills must hit a system that works."""
    waited = time.monotonic()
    while (now := sum(bar.ledger.league_has for bar in bars)) <= has and not all(map(has_all, bars)):
        victims.look()
        assert time.monotonic() - waited < CATCHES_UP_WITHIN_S
        time.sleep(0.02)
    return now


def has_all(bar: Bar) -> bool:
    """Whether the league has every row of the table."""
    last = bar.ledger.last
    return last is not None and bar.ledger.league_has == last.number


def caught_up(bars: list[Bar], victims: Victims) -> None:
    """Waits until the league has every row and has folded every match."""
    wanted = {bar.table: bar.ledger.last.number for bar in bars if bar.ledger.last}
    waited = time.monotonic()
    while True:
        victims.look()
        with suppress(Exception):  # the database may be recovering
            league = connect(victims.cluster.url)
            try:
                with league.reading() as session:
                    has: dict[int, int] = dict(session.rows("SELECT table_id, number FROM stream"))
                    if has == wanted and not session.rows("SELECT 1 FROM pending"):
                        return
            finally:
                league.close()
        assert time.monotonic() - waited < CATCHES_UP_WITHIN_S
        time.sleep(0.5)


def compare(cluster: Cluster, bars: list[Bar]) -> None:
    """Every row is there once, and the standings are those of a fold from nothing."""
    league = connect(cluster.url)
    with league.reading() as session:
        for bar in bars:
            found = session.rows(
                "SELECT number, checksum FROM entry WHERE table_id = ? ORDER BY number", (bar.table,)
            )
            assert [(number, bytes(each)) for number, each in found] == [
                (row.number, row.checksum) for row in bar.rows()
            ]
        assert session.rows("SELECT * FROM fork") == session.rows("SELECT * FROM loss") == []
    assert tallies(league) == by_hand(bars, secret_of(league))
    before = folded(league)
    results.rebuild(league, NOW_S)
    after = folded(league)
    assert {name: before[name] for name in ("tally", "result_seat")} == {
        name: after[name] for name in ("tally", "result_seat")
    }
    league.close()
