"""Times a league: rows in, again, over HTTP, results, standings, growth; SQLite beside PostgreSQL in one run.

    python -m benchmarks.league [--tables N] [--games N] [--processes N] [--most-tables N]

PostgreSQL (Debian's) is started in a private folder, with fsync on. Rows are those of whole games of
simulated players, chained and signed before the clock starts, in batches of 100. `take` is called as the
server calls it, in as many processes as are said; the processor time is that of all these and PostgreSQL's.

On a busy machine the wall clock says little: rows for each second of processor time, times the number of
cores, is what the machine does when it has nothing else to do.
"""

from __future__ import annotations

import argparse
import http.client
import multiprocessing
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from nacl.signing import SigningKey

from common.statements import Row, table_name
from dicetable.ledger.entries import dump
from dicetable.ledger.players import Players
from dicetable.ledger.stored_rows import chained
from league import ingestion, results
from league.database import connect, prepare
from league.ingestion import read_batch
from league.registry import GameTable
from tests.league.bars import GAMES, batch, entries
from tests.league.postgres import Cluster, children_of
from tests.league.serving import Server

NOW_S = 1_800_000_000
BATCH = 100
CLIENTS = 4
"""Connections to each server."""
TICKS = os.sysconf("SC_CLK_TCK")
PLACES = 4
SEASON = (1, "Season", "", 0, 2**53, "season")


@dataclass
class TableBatches:
    """What a table sends."""

    table: GameTable
    batches: list[bytes]
    rows: int


def made(number: int, games: int) -> TableBatches:
    """A table that has played `games` games."""
    chance, key, players = random.Random(number), SigningKey.generate(), Players()
    rows: list[Row] = []
    for game in range(games):
        names = [f"player {number} {each}" for each in range(3)]
        for place, entry in enumerate(entries(GAMES[game % len(GAMES)], names, chance.randrange(2**32))):
            body = players.to_ids(dump(entry))
            before = rows[-1] if rows else None
            rows.append(chained(before, place == 0, "2026-11-21T12:00:00.000+00:00", body))
    table = GameTable(number, f"table {number}", bytes(key.verify_key))
    pieces = [rows[first : first + BATCH] for first in range(0, len(rows), BATCH)]
    return TableBatches(table, [batch(key, number, piece) for piece in pieces], len(rows))


def send(url: str, sent: Sequence[TableBatches], times: list[float]) -> None:
    """Takes everything in, a batch of each table in turn; appends the milliseconds of each."""
    league = connect(url)
    for turn in range(max(len(each.batches) for each in sent)):
        for each in sent:
            if turn < len(each.batches):
                began = time.perf_counter()
                ingestion.ingest(league, each.table, each.batches[turn], NOW_S)
                times.append(1000 * (time.perf_counter() - began))
    league.close()


def process(
    url: str, sent: Sequence[TableBatches], answers: multiprocessing.Queue[tuple[float, list[float]]]
) -> None:
    """Runs it in a process of its own, and tells its processor time."""
    times: list[float] = []
    began = time.process_time()
    send(url, sent, times)
    answers.put((time.process_time() - began, times))


def cpu_of(pids: Sequence[int]) -> float:
    """Processor seconds of processes and of their children that have ended."""
    found = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += sum(map(int, fields[11:15])) / TICKS
    return found


def server_cpu(cluster: Cluster | None) -> float:
    """Processor seconds that PostgreSQL has used so far."""
    if cluster is None or cluster.server is None:
        return 0.0
    return cpu_of([cluster.server.pid, *children_of(cluster.server.pid)])


def timed(url: str, sent: Sequence[TableBatches], processes: int, cluster: Cluster | None) -> str:
    """One line: rows a second by the clock, and for each second of processor time."""
    answers: multiprocessing.Queue[tuple[float, list[float]]] = multiprocessing.Queue()
    before, began = server_cpu(cluster), time.perf_counter()
    running = [
        multiprocessing.Process(target=process, args=(url, sent[part::processes], answers))
        for part in range(processes)
    ]
    for each in running:
        each.start()
    told = [answers.get() for _ in running]
    wall_s = time.perf_counter() - began
    for each in running:
        each.join()
    rows = sum(each.rows for each in sent)
    cpu_s = sum(used for used, _ in told) + server_cpu(cluster) - before
    median = statistics.median(each for _, times in told for each in times)
    return f"{rows / wall_s:8.0f} rows/s  {rows / cpu_s:8.0f} rows per CPU second  {median:6.1f} ms a batch"


def over_http(url: str, sent: Sequence[TableBatches], processes: int, cluster: Cluster | None) -> str:
    """Sends them over HTTP to several server processes, as behind a balancer, with CLIENTS connections."""
    league = connect(url)
    with league.transaction() as session:
        session.insert(
            "game_table", [(each.table.table, each.table.name, each.table.key, NOW_S) for each in sent]
        )
    league.close()
    servers = [Server(url) for _ in range(processes)]
    for each in servers:
        each.alive()
    pids = [each.process.pid for each in servers]
    before, began = server_cpu(cluster) + cpu_of(pids), time.perf_counter()
    parts = [sent[part :: CLIENTS * processes] for part in range(CLIENTS * processes)]
    with ThreadPoolExecutor(len(parts)) as pool:
        told = list(pool.map(post, [servers[part % processes].port for part in range(len(parts))], parts))
    wall_s = time.perf_counter() - began
    cpu_s = server_cpu(cluster) + cpu_of(pids) - before
    for each in servers:
        each.close()
    rows = sum(each.rows for each in sent)
    median = statistics.median(each for times in told for each in times)
    return f"{rows / wall_s:8.0f} rows/s  {rows / cpu_s:8.0f} rows per CPU second  {median:6.1f} ms a batch"


def post(port: int, sent: Sequence[TableBatches]) -> list[float]:
    """Posts everything over one connection; the milliseconds of each batch."""
    times = []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for each in sent:
        for data in each.batches:
            began = time.perf_counter()
            connection.request("POST", f"/v1/tables/{table_name(each.table.table)}/rows", data)
            response = connection.getresponse()
            response.read()
            times.append(1000 * (time.perf_counter() - began))
            if response.status != 200:
                raise RuntimeError(f"the server answers {response.status}")
    connection.close()
    return times


def folded(url: str) -> str:
    """One line: matches and rows folded a second."""
    league = connect(url)
    with league.reading() as session:
        ((rows,),) = session.rows("SELECT count(*) FROM entry")
    began, cpu = time.perf_counter(), time.process_time()
    matches = results.fold_waiting(league, NOW_S)
    wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    league.close()
    return (
        f"{matches / wall_s:8.0f} matches/s  {rows / wall_s:8.0f} rows/s  "
        f"{rows / cpu_s:8.0f} rows per CPU second of the server"
    )


def bytes_per_row(url: str) -> str:
    """One line: what a row takes on the disk, with its index, and all a table's results."""
    league = connect(url)
    with league.reading() as session:
        ((rows,),) = session.rows("SELECT count(*) FROM entry")
        ((bodies,),) = session.rows("SELECT sum(length(body)) FROM entry")
        if league.dialect == "sqlite":
            ((size,),) = session.rows(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
        else:
            ((size,),) = session.rows(
                "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relname ~ '^entry_[0-9]+$'"
            )
    league.close()
    return f"{int(size) / rows:8.0f} bytes a row, {int(bodies) / rows:.0f} of them the entry"


def season_of(url: str, tables: int) -> str:
    """One line: the standings of a season with `tables` tables, four players each."""
    league = connect(url)
    chance = random.Random(1)
    with league.transaction() as session:
        session.execute("DELETE FROM tally")
        session.insert(
            "tally",
            [
                (table, 1, table * PLACES + place, 30, chance.randrange(10), chance.randrange(20))
                for table in range(tables)
                for place in range(PLACES)
            ],
        )
    times = []
    for _ in range(5):
        began = time.perf_counter()
        with league.reading() as session:
            found = results.standings(session, 1)
        times.append(1000 * (time.perf_counter() - began))
    league.close()
    return f"{len(found):8} players  {statistics.median(times):8.1f} ms"


def populate(url: str, tables: int, like: TableBatches) -> None:
    """Fills the database up to `tables` tables, each with the first rows of another."""
    rows = read_batch(like.batches[0]).rows[:40]
    league = connect(url)
    with league.transaction() as session:
        for table in range(1000, 1000 + tables):
            session.insert("entry", [ingestion.columns(table, 1, row) for row in rows])
        last = rows[-1]
        session.insert(
            "stream",
            [(table, 1, last.number, last.checksum, NOW_S) for table in range(1000, 1000 + tables)],
        )
    league.close()


def new_league(url: str) -> None:
    league = connect(url)
    prepare(league)
    with league.transaction() as session:
        session.insert("season", [SEASON])
    league.close()


def say(what: str, measure: Callable[[], str]) -> None:
    print(f"{what:46} {measure()}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--games", type=int, default=12, help="of each table")
    parser.add_argument("--processes", type=int, default=2, help="servers on PostgreSQL")
    parser.add_argument("--most-tables", type=int, default=10_000, help="for growth")
    args = parser.parse_args()
    sent = [made(number, args.games) for number in range(1, args.tables + 1)]
    print(f"{args.tables} tables, {sum(each.rows for each in sent)} rows; load {os.getloadavg()[0]:.1f}")
    cluster = Cluster()
    with tempfile.TemporaryDirectory() as folder:
        for url, processes, server in (
            (f"sqlite:///{folder}/league.sqlite3", 1, None),
            (cluster.url, args.processes, cluster),
        ):
            kind = url.partition(":")[0]
            new_league(url)
            say(f"{kind}: new rows, {processes} processes", lambda: timed(url, sent, processes, server))  # noqa: B023 - it is called at once
            say(f"{kind}: the same again", lambda: timed(url, sent, processes, server))  # noqa: B023 - it is called at once
            say(f"{kind}: results", lambda: folded(url))  # noqa: B023 - it is called at once
            say(f"{kind}: disk", lambda: bytes_per_row(url))  # noqa: B023 - it is called at once
            more = [made(10**6 + number, args.games) for number in range(args.tables)]
            say(f"{kind}: rows and results over HTTP", lambda: over_http(url, more, processes, server))  # noqa: B023 - it is called at once
            for tables in sorted({1, 100, args.most_tables}):
                say(f"{kind}: standings over {tables} tables", lambda: season_of(url, tables))  # noqa: B023 - it is called at once
        for tables in sorted({1, 100, args.most_tables}):
            populate(cluster.url, tables, sent[0])
            fresh = [made(10**9 + 100 * tables + number, 1) for number in range(20)]
            say(f"postgresql: new tables beside {tables}", lambda: timed(cluster.url, fresh, 1, cluster))  # noqa: B023 - it is called at once
    cluster.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
