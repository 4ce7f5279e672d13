"""Every row is stored once, in order, or nothing of a batch is; over SQLite and PostgreSQL."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from nacl.signing import SigningKey

from common.statements import Missing
from dicetable.ledger import store
from league import ingestion, registry
from league.database import Refusal
from tests.league.bars import Bar, batch, columns
from tests.league.sending import changed, everything, expected, refused, sent, stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from league.database import Database


def test_rows_come_in_pieces_and_are_all_there(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    for _ in range(4):
        table.play()
    rows = table.rows()
    for first in range(0, len(rows), 7):
        piece = rows[first : first + 7]
        taken = sent(league, table, table.batch(piece))
        assert ingestion.answer(taken.acknowledged) == {"v": 1, "epoch": 1, "row": piece[-1].number}
        assert taken.new == len(piece)
    assert stored(league, table) == expected(rows)
    assert ingestion.answer(ingestion.acknowledged(league, table.table))["row"] == rows[-1].number


def test_sent_again_nothing_changes(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play()
    rows = table.rows()
    sent(league, table, table.batch(rows[:9]))
    before = everything(league)
    for again in (rows[:9], rows[2:5], rows[8:9]):
        taken = sent(league, table, table.batch(again))
        assert (taken.new, taken.acknowledged.number) == (0, 9)
    assert everything(league) == before
    assert sent(league, table, table.batch(rows[4:])).new == len(rows) - 9
    assert stored(league, table) == expected(rows)


def test_many_servers_at_once_store_each_row_once(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    for _ in range(3):
        table.play()
    rows = table.rows()
    pieces = [table.batch(rows[: 5 * number]) for number in range(1, len(rows) // 5)] * 2

    def send(data: bytes) -> int:
        try:
            return sent(league, table, data).new
        except Refusal as refusal:  # two first batches at once: one is told to come again
            return 0 if refusal.cause == "away" else -1

    with ThreadPoolExecutor(6) as pool:
        new = sum(pool.map(send, pieces))
    last = sent(league, table, table.batch(rows))
    assert new + last.new == len(rows)
    assert stored(league, table) == expected(rows)


def test_a_server_whose_first_rows_came_second_has_them_sent_again(
    league: Database, bar: Callable[..., Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = bar()
    table.play()
    rows = table.rows()
    sent(league, table, table.batch(rows[:8]))
    monkeypatch.setattr(ingestion, "lock_stream", lambda *_: None)  # the other server's are not there yet
    assert refused(league, table, table.batch(rows[:5])) == "away"


def test_words_in_a_row_do_not_make_it_another_kind_of_entry(bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play()
    row, mark = table.rows()[0], b'"entry":"sat"'
    for body, entry in (
        (b'{"entry":"sat","seat":"ann"}', {"entry": "sat", "seat": "ann"}),
        (b'{"entry":"said","text":{"entry":"sat"}}', None),
        (b'[{"entry":"sat"}]', None),
    ):
        assert ingestion.entry_of(changed(row, body=body), mark) == entry


def test_a_fork_is_kept_apart_and_never_merged(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play()
    rows = table.rows()
    sent(league, table, table.batch(rows[:8]))
    other = changed(rows[5], body=b'{"entry":"sat"}')
    assert refused(league, table, table.batch([other])) == "fork"
    with league.reading() as session:
        forks = session.rows("SELECT number, body FROM fork")
    assert forks == [(other.number, '{"entry":"sat"}')]
    assert stored(league, table) == expected(rows[:8])
    follows_another = changed(rows[8], previous=other.checksum)
    assert refused(league, table, table.batch([follows_another])) == "fork"
    assert sent(league, table, table.batch(rows[8:])).new == len(rows) - 8


def test_rows_that_do_not_follow_are_refused(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play()
    table.play()
    rows = table.rows()
    assert refused(league, table, table.batch(rows[1:4])) == "gap"
    sent(league, table, table.batch(rows[:4]))
    assert refused(league, table, table.batch(rows[5:8])) == "gap"
    assert refused(league, table, table.batch(rows[6:8], missing=Missing(6, 6, "lost"))) == "gap"
    assert refused(league, table, table.batch(rows[4:6], epoch=2)) == "epoch"
    assert refused(league, table, table.batch([rows[5], rows[4]])) == "reordered"
    assert refused(league, table, table.batch([rows[4], rows[6]])) == "reordered"


def test_forged_batches_are_refused(league: Database, bar: Callable[..., Bar]) -> None:
    one, other = bar(), bar()
    one.play()
    rows = one.rows()
    assert refused(league, one, batch(SigningKey.generate(), one.table, rows)) == "forged"
    assert refused(league, other, one.batch(rows)) == "forged"  # somebody else's rows
    assert refused(league, one, one.batch([*rows[:-1], replace(rows[-1], body=b"{}")])) == "forged"
    swapped = [*rows[:3], changed(rows[3], body=b"{}"), *rows[4:]]
    assert refused(league, one, one.batch(swapped)) == "forged"
    assert refused(league, one, altered(one.batch(rows), epoch=2)) == "forged"
    second = one.batch(rows[3:], missing=Missing(1, 3, "lost"))
    assert refused(league, one, altered(second, missing=[2, 3, "lost"])) == "forged"


def altered(data: bytes, **fields: object) -> bytes:
    return json.dumps({**json.loads(data), **fields}).encode()


BROKEN: list[tuple[int, object]] = [
    *((0, value) for value in (-1, 2**53, True, "1", 1.0, None)),
    (1, 10**6),
    *((2, value) for value in ("é" * 30, "x" * 41, 7)),
    *((3, value) for value in ("[]", "no", '{"a":1}\n', "\ud800", '{"a":"\0"}', "[" * 100_000)),
    (3, '{"a":"' + "x" * 140_000 + '"}'),
    *((4, value) for value in ("00", "A")),
    (5, "zz" * 32),
    *((6, value) for value in ("AB" * 32, None)),
]


def test_malformed_rows_are_refused(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play("six_by_6", ("Ann", "Bob"))
    good = table.rows()[:1]
    for column, value in BROKEN:
        broken = columns(good[0])
        broken[column] = value
        assert refused(league, table, altered(table.batch(good), rows=[broken])) == "malformed"


NO_BATCHES = {
    b"": "malformed",
    b"\xff": "malformed",
    b"[" * 200_000: "malformed",
    b'"rows"': "malformed",
    b"{}": "malformed",
    b'{"v":2}': "version",
    b'{"v":true}': "version",
    b'{"v":1,"epoch":1,"missing":null,"rows":[],"signature":"00"}': "malformed",
    b" " * 524_289: "too_large",
}


def test_what_is_no_batch_is_refused(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    for data, cause in NO_BATCHES.items():
        assert refused(league, table, data) == cause


def test_fields_of_a_batch_are_checked(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    table.play()
    good = table.batch(table.rows()[:3])
    fields: list[dict[str, object]] = [
        {"epoch": 0},
        {"epoch": "1"},
        {"missing": [1, 2, "lost"]},
        {"missing": [0, 0, "lost"]},
        {"missing": [1, 1, "eaten"]},
        {"signature": "00"},
        {"signature": None},
        {"more": 1},
        {"rows": {}},
        {"rows": [1] * 1001},
    ]
    for each in fields:
        assert refused(league, table, altered(good, **each)) == "malformed"


def test_an_unknown_table_is_refused(league: Database) -> None:
    for name in ("", "0", "zz", "-000000000000001", "f" * 17, "00000000000000AB"):
        with pytest.raises(Refusal, match="hexadecimal"):
            registry.table_of(name)
    with pytest.raises(Refusal) as error:
        registry.Tables(league).find(registry.table_of("00000000000000ab"))
    assert error.value.cause == "unknown_table"


def test_rows_that_are_gone_are_written_down(league: Database, bar: Callable[..., Bar]) -> None:
    table = bar()
    firsts = []
    for _ in range(3):
        firsts.append(len(table.rows()) + 1)
        table.play("six_by_6", ("Ann", "Bob"))
    _, second, third = firsts
    rows = table.rows()
    sent(league, table, table.batch(rows[: second - 1]))
    gone = Missing(second, third - 1, "pruned")
    sent(league, table, table.batch(rows[third - 1 :], missing=gone))
    with league.reading() as session:
        assert session.rows("SELECT first, last, why FROM loss") == [(second, third - 1, "pruned")]
    assert refused(league, table, table.batch(rows[second - 1 : third - 1])) == "withdrawn"
    other = bar()
    other.play("six_by_6", ("Ann", "Bob"))
    first = len(other.rows()) + 1
    other.play("six_by_6", ("Ann", "Bob"))
    sent(league, other, other.batch(other.rows(first), missing=Missing(1, first - 1, "pruned")))
    with league.reading() as session:
        assert (1, first - 1) in session.rows("SELECT first, last FROM loss")


def test_a_restore_begins_an_epoch_that_the_organiser_sees(
    league: Database, bar: Callable[..., Bar], tmp_path: Path
) -> None:
    table = bar()
    table.play("six_by_6", ("Ann", "Bob"))
    copy = tmp_path / "copy.sqlite3"
    assert table.ledger.connection is not None
    table.ledger.connection.execute("VACUUM INTO ?", (str(copy),))
    kept = len(table.rows())
    table.play("six_by_6", ("Ann", "Bob"))
    used = len(table.rows())
    sent(league, table, table.batch(table.rows()))
    store.restore(table.ledger, copy)
    table.play("six_by_6", ("Ann", "Bob"))
    new = table.rows(used + 1)
    assert new[0].number == used + 1
    assert new[0].previous == table.row(kept).checksum
    assert refused(league, table, table.batch(new)) == "fork"
    assert refused(league, table, table.batch(new, epoch=3)) == "epoch"
    sent(league, table, table.batch(new, epoch=2))
    with league.reading() as session:
        ((epoch, number, body),) = session.rows("SELECT epoch, number, body FROM begun_epoch")
    assert (epoch, number) == (2, used + 1)
    assert json.loads(body)["lost"] == [[kept + 1, used]]
    assert json.loads(body)["head"]["number"] == used
    assert refused(league, table, table.batch(new[1:2], epoch=1)) == "fork"


def test_a_code_serves_one_table_for_a_day(league: Database, tmp_path: Path) -> None:
    one, other = Bar(tmp_path / "one"), Bar(tmp_path / "other")
    code = registry.new_code(league, "Left", 0)
    assert len(code) == 19
    answer = registry.register(league, one.registration(code), 10)
    assert answer["name"] == "Left"
    assert answer["league"] == "Test league"
    assert registry.register(league, one.registration(code.lower()), 10**9) == answer
    for bar, with_code, cause in (
        (other, code, "code"),
        (other, "WRONG", "code"),
        (one, registry.new_code(league, "Right", 0), "conflict"),
    ):
        with pytest.raises(Refusal) as error:
            registry.register(league, bar.registration(with_code), 10)
        assert error.value.cause == cause
    late = registry.new_code(league, "Late", 0)
    with pytest.raises(Refusal, match="too old"):
        registry.register(league, other.registration(late), 86_401)
    stolen = altered(one.registration(late), key=bytes(other.key.verify_key).hex())
    with pytest.raises(Refusal) as error:
        registry.register(league, stolen, 10)
    assert error.value.cause == "forged"
    for bar in (one, other):
        bar.close()


@pytest.mark.parametrize("data", [b"", b"[]", b'{"v":1}', b'{"v":9}', b"x" * 5000, b'{"v":1,"code":1}'])
def test_what_is_no_registration_is_refused(league: Database, data: bytes) -> None:
    with pytest.raises(Refusal):
        registry.register(league, data, 0)
