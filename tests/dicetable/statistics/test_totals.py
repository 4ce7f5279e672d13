"""Daily totals: what they say with the rows that are left is what all rows say."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from common import texts
from dicetable.__main__ import main
from dicetable.ledger.entries import Corrected, DieDetails, Entry, Opened, Thrown, dump
from dicetable.ledger.reader import Reader
from dicetable.ledger.store import Bounds, Ledger
from dicetable.statistics import totals
from dicetable.statistics.fold import Folded, fold, fold_into
from dicetable.statistics.report import reports
from dicetable.table.bias import log_e_curve
from tests.dicetable.ledger.books import noon
from tests.dicetable.ledger.scripts import script
from tests.dicetable.oddities import ODDITIES, put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dicetable.statistics.totals import Numbered
    from games.dice import Die


def six(*faces: int) -> tuple[Die, ...]:
    return tuple(("d6", face) for face in faces)


def evening(seed: int) -> list[Entry]:
    """Games with corrections, dice with names, dice by hand, and dice that people confirmed."""
    opened = Opened("six_by_6", ("ann", "bob"), {}, seed, (), (1, 2), ())
    named = (DieDetails(die_id="red"), DieDetails(confirmed_by=2, proposed=3), *[DieDetails()] * 4)
    return [
        *script("six_shooter", seed),
        opened,
        Thrown(six(1, 2, 3, 4, 5, 5), (), details=named),
        Corrected(1, six(1, 2, 3, 4, 5, 1), (1,)),
        Thrown(six(1, 2, 3, 4, 5, 5), (), by_hand=True, by=(1, 2)),
        *script("sixes", seed),
    ]


def numbered(entries: list[Entry]) -> list[Numbered]:
    """Three rows an hour."""
    return [
        (number, f"2026-11-{10 + number // 72:02}T{number // 3 % 24:02}:00:00.000+00:00", dump(entry))
        for number, entry in enumerate(entries, 1)
    ]


def said(folded: Folded) -> dict[str, Any]:
    """All that totals keep."""
    tallies = {name: getattr(folded, name) for name in totals.TALLIES}
    dice = {
        name: (tape.kind, len(tape), *tape.counts, *tape.asked, sorted(tape.proposed.elements()))
        for name, tape in folded.tapes.all().items()
    }
    return {**tallies, "dice": dice, "strays": folded.tapes.strays()}


def together(gone: totals.Totals, rows: list[Numbered], day: str = "", since: str = "") -> Folded:
    folded = gone.since(day)
    left = ((at, body) for number, at, body in rows if number > gone.reached)
    fold_into(lambda at: folded if at >= since else None, left)
    return folded


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def test_totals_and_the_rows_that_are_left_say_what_all_rows_say() -> None:
    rows = numbered([entry for seed in (1, 2) for entry in evening(seed)])
    openings = [number for number, _, body in rows if body.endswith(b'"opened"}')]
    everything = said(fold((at, body) for _, at, body in rows))
    chance = Random(7)
    for _ in range(3):
        gone = totals.Totals()
        for first in sorted(chance.sample(openings, 2)):
            gone.count(row for row in rows if row[0] < first)
            gone = totals.load(totals.dump(gone))
        assert gone.reached == first - 1
        assert said(together(gone, rows)) == everything
    assert everything["corrected"] == 2
    assert everything["hidden"] > 0


def test_since_takes_the_days_that_are_gone_from_the_totals() -> None:
    rows = numbered([entry for seed in (1, 2) for entry in evening(seed)])
    first = [number for number, _, body in rows if body.endswith(b'"opened"}')][-1]
    gone = totals.Totals()
    gone.count(row for row in rows if row[0] < first)
    assert len(gone.days) > 2
    for day in list(gone.days)[1:]:
        assert said(together(gone, rows, day, day)) == said(fold(((at, body) for _, at, body in rows), day))


def test_rows_that_count_already_do_not_count_twice() -> None:
    """A power cut after the totals were written, before the rows went."""
    rows = numbered(evening(3))
    gone = totals.Totals()
    gone.count(rows)
    once = said(gone.since())
    gone.count(rows)
    assert said(gone.since()) == once


def test_only_days_of_the_rows_that_go_are_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table counts between two turns of its loop, also after a thousand days."""
    gone = totals.Totals()
    gone.count(numbered(evening(3)))
    day = next(iter(gone.days.values()))
    begin = datetime(2020, 1, 1, tzinfo=UTC).date()
    gone.days |= {(begin + timedelta(number)).isoformat(): day for number in range(1000)}
    converted: list[object] = []

    def counting(convert: Callable[[object], object]) -> Callable[[object], object]:
        def counted(of: object) -> object:
            converted.append(of)
            return convert(of)

        return counted

    for name in ("as_day", "as_folded"):
        monkeypatch.setattr(totals, name, counting(getattr(totals, name)))
    opened = Opened("six_by_6", ("ann", "bob"), {}, 1, (), (1, 2), ())
    at = "2026-12-24T12:00:00.000+00:00"
    gone.count([(901, at, dump(opened)), (902, at, dump(Thrown(six(1, 2, 3, 4, 5, 5), ())))])
    gone.count([(903, at, dump(opened)), (904, at, dump(Thrown(six(1, 2, 3, 4, 5, 5), ())))])
    assert list(gone.days)[-1] == "2026-12-24"
    assert gone.days["2026-12-24"].tallies == {"throws": 2}
    assert len(converted) == 4


def test_the_file_has_every_field() -> None:
    gone = totals.Totals()
    gone.count(numbered(evening(3)))
    _, body = totals.dump(gone).splitlines()
    assert json.loads(body) == {"v": totals.VERSION, **json.loads(json.dumps(asdict(gone)))}


@pytest.mark.parametrize("oddity", [each for each in ODDITIES if each != "dangling link"])
def test_what_is_no_file_of_totals_is_set_aside(oddity: str, tmp_path: Path) -> None:
    """No ledger opens beside a link."""
    put(tmp_path / totals.NAME, oddity)
    rows = numbered(short_evening())
    totals.count_pruned(tmp_path, rows)
    assert totals.read(tmp_path).reached == len(rows)
    assert os.path.lexists(tmp_path / totals.DAMAGED)


def test_a_file_larger_than_any_totals_is_not_read(tmp_path: Path) -> None:
    (tmp_path / totals.NAME).touch()
    os.truncate(tmp_path / totals.NAME, 67_108_865)
    with pytest.raises(totals.TotalsError, match="cannot be read"):
        totals.read(tmp_path)


def test_rows_that_nobody_understands_are_counted_as_such() -> None:
    rows = numbered(evening(3))
    strange = [(900, rows[-1][1], dump(evening(1)[0])), (901, rows[-1][1], b'{"dice":1,"entry":"thrown"}')]
    gone = totals.Totals()
    gone.count([*rows, *strange])
    assert gone.unreadable == 2
    assert said(gone.since())["throws"] == said(fold((at, body) for _, at, body in rows))["throws"]


def test_the_highest_e_of_days_that_are_gone_is_that_of_their_ends() -> None:
    rows = numbered([Opened("six_by_6", ("ann", "bob"), {}, 1, (), (1, 2), ())])
    rows += [(number, "2026-11-21T12:00:00.000+00:00", dump(Thrown(six(6), ()))) for number in range(2, 60)]
    rows += [
        (number, "2026-11-22T12:00:00.000+00:00", dump(Thrown(six(1 + number % 6), ())))
        for number in range(60, 300)
    ]
    gone = totals.Totals()
    gone.count(rows)
    (report,) = reports(gone.since().tapes.all())
    curve = log_e_curve(fold((at, body) for _, at, body in rows).tapes.kinds["d6"].faces, np.zeros(6, int))
    assert report.log_e == pytest.approx(curve[-1])
    assert report.log_e < report.log_e_highest == pytest.approx(curve.max())


def short_evening() -> list[Entry]:
    """A game with a correction and ten throws more."""
    opened = Opened("six_by_6", ("ann", "bob"), {}, 1, (), (1, 2), ())
    named = (DieDetails(die_id="red"), DieDetails(confirmed_by=2, proposed=3), *[DieDetails()] * 4)
    first: list[Entry] = [opened, Thrown(six(1, 2, 3, 4, 5, 5), (), details=named)]
    return [*first, Corrected(1, six(1, 2, 3, 4, 5, 1), (1,)), *[Thrown(six(1, 2, 3, 4, 5, 5), ())] * 10]


def filled(folder: Path, rows: int) -> Path:
    """A ledger that keeps at most `rows` rows, after four short evenings."""
    with closing(Ledger(folder, Bounds(days=0, rows=rows), noon, totals.count_pruned)) as ledger:
        for entry in short_evening() * 4:
            ledger.append(entry)
    return folder


def test_a_ledger_that_lets_go_of_rows_still_counts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [filled(tmp_path / f"{rows}", rows) for rows in (50_000, 30)]
    with closing(Reader(folders[1])) as reader:
        assert next(reader.lines()).row.number > 13
    shown = []
    for folder in folders:
        assert main(["stats", "--json", "--folder", str(folder)]) == 0
        shown.append(json.loads(capsys.readouterr().out))
    whole, left = shown
    counts = [[[face["count"] for face in die["faces"]] for die in each["dice"]] for each in shown]
    assert counts[0] == counts[1]
    assert [die["name"] for die in left["dice"]] == [die["name"] for die in whole["dice"]] == ["d6", "red"]
    assert whole["corrected"] == left["corrected"] == 4
    assert main(["stats", "--folder", str(folders[1])]) == 0
    assert "rows that are no longer in the ledger" in capsys.readouterr().out


def test_rows_that_went_uncounted_are_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path, 30)
    reached = totals.read(tmp_path).reached
    monkeypatch.setattr(totals, "count_pruned", lambda *_: None)
    filled(tmp_path, 30)
    monkeypatch.undo()
    with closing(Reader(tmp_path)) as reader:
        first = reader.first()
    assert first > reached + 1
    assert main(["stats", "--folder", str(tmp_path)]) == 0
    assert texts.statistics.gone_between(reached + 1, first - 1) in capsys.readouterr().out
    (tmp_path / totals.NAME).unlink()
    assert main(["stats", "--folder", str(tmp_path)]) == 0
    assert texts.statistics.gone_before(first) in capsys.readouterr().out


def test_totals_that_are_damaged_are_told_and_the_table_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path, 30)
    path = tmp_path / totals.NAME
    path.write_bytes(path.read_bytes().replace(b"throws", b"throwz", 1))
    assert main(["stats", "--folder", str(tmp_path)]) == 0
    assert f"{path}: it is not what was written" in capsys.readouterr().out
    filled(tmp_path, 30)
    assert totals.read(tmp_path).first > 1
    assert (tmp_path / totals.DAMAGED).exists()
    assert main(["stats", "--folder", str(tmp_path)]) == 0
    assert "before daily totals were kept" in capsys.readouterr().out
