"""What the nets say is put together so that any doubt stays a doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from vision.detection.detections import PLAIN, Candidate
from vision.reading import DieReading
from vision.recognition import doubts
from vision.recognition.die_classifier import Mark
from vision.recognition.doubts import (
    DOT,
    FAINT,
    OBSCURE,
    PRINTED,
    TOKEN,
    doubtful,
    judge,
    of_usual_size,
    read_any_dice,
)
from vision.recognition.enrolled import OwnDice
from vision.recognition.fusion import Opinion, together
from vision.recognition.recognizer import Find

FRAME = np.zeros((200, 300, 3), np.uint8)
MARK = Mark(56, 56, 30, 0.9, ())
Held = dict[str, bool]


def opinion(best: float, kind: int = 1, value: int = 4) -> Opinion:
    joint = np.zeros((6, 21))
    joint[kind, value] = best
    return Opinion(joint, MARK, 0.9, 0.8, 0.0, 0.01, 0.02, 0.03)


def test_views_that_agree_stay_as_sure() -> None:
    whole = together([opinion(1.0), opinion(1.0)])
    assert whole.best == (1, 4)
    assert whole.confidence == pytest.approx(1.0, abs=0.02)


def test_views_that_differ_leave_nothing_sure() -> None:
    assert together([opinion(1.0), opinion(1.0, value=5)]).confidence < 0.55
    assert together([opinion(1.0), opinion(1.0, kind=2)]).confidence < 0.55


def test_views_that_say_nothing_say_nothing_together() -> None:
    assert together([opinion(0.0), opinion(0.0)]).confidence == 0


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Whether kinds hold when dice are looked at turned; the net itself is not asked."""
    told: Held = {"holds": True}
    monkeypatch.setattr(doubts, "holds_turned", lambda _crop, _kind: told["holds"])
    return told


def lying(said: Opinion, *, leans: bool = False, holds: bool = False, x: float = 100) -> Find:
    return Find(Candidate(x, 80, 40, 40, 0.9), said, leans, holds)


def scored(said: Opinion, score: float) -> Find:
    return Find(Candidate(100, 80, 40, 40, score), said, leans=False, holds=False)


def test_only_a_whole_flat_die_may_be_sure() -> None:
    said = opinion(1.0, kind=2)
    assert not doubtful(FRAME, lying(said))
    assert doubtful(FRAME, lying(said, leans=True))
    assert doubtful(FRAME, lying(said, holds=True))
    assert doubtful(FRAME, lying(said, x=-10))
    assert doubtful(FRAME, lying(opinion(0.0)))


@pytest.mark.parametrize("value", [2, 4])
def test_a_face_that_may_hide_its_middle_pip_must_be_plain(
    monkeypatch: pytest.MonkeyPatch, value: int
) -> None:
    covered, plain = (replace(opinion(best, value=value), upright=0.3) for best in (0.99, 0.998))
    assert not doubtful(FRAME, lying(covered))
    monkeypatch.setattr(doubts, "bare_middle", lambda _crop, _mark: False)
    assert doubtful(FRAME, lying(covered))
    assert not doubtful(FRAME, lying(plain))


def test_a_six_has_no_pip_to_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "bare_middle", lambda _crop, _mark: False)
    assert not doubtful(FRAME, lying(replace(opinion(0.99, value=6), upright=0.3)))


def test_what_may_be_covered_or_strange_is_doubtful() -> None:
    said = opinion(1.0, kind=2)
    assert doubtful(FRAME, lying(replace(said, unreadable=1.1 * OBSCURE)))
    assert not doubtful(FRAME, lying(replace(said, unreadable=0.9 * OBSCURE)))


def test_what_may_be_the_picture_of_a_die_is_doubtful() -> None:
    said = opinion(1.0, kind=2)
    assert doubtful(FRAME, lying(replace(said, no_die=1.1 * PRINTED)))
    assert not doubtful(FRAME, lying(replace(said, no_die=0.9 * PRINTED)))


def test_a_kind_that_does_not_hold_when_the_die_is_turned_is_doubtful(held: Held) -> None:
    numeral = lying(opinion(1.0, kind=2))
    assert not doubtful(FRAME, numeral)
    held["holds"] = False
    assert doubtful(FRAME, numeral)


def test_a_face_of_pips_tells_its_kind_by_itself(held: Held) -> None:
    held["holds"] = False
    assert not doubtful(FRAME, lying(replace(opinion(1.0, value=5), upright=0.3)))


@dataclass
class Trusting:
    """Trusts every reading as much."""

    trust: float

    def of(self, _told: object) -> float:
        return self.trust


@pytest.mark.parametrize(("trust", "sure"), [(0.85, False), (0.91, True)])
def test_a_die_is_sure_from_a_high_trust_alone(
    monkeypatch: pytest.MonkeyPatch, trust: float, sure: bool
) -> None:
    monkeypatch.setattr(doubts, "fitted", lambda: Trusting(trust))
    told = judge(FRAME, lying(opinion(1.0, kind=2)))
    assert told is not None
    assert (told.value, told.confidence, told.sure) == (4, trust, sure)


def test_what_is_neither_sure_nor_plainly_a_die_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "fitted", lambda: Trusting(0.5))
    said = opinion(1.0, kind=2)
    assert judge(FRAME, scored(said, 0.95 * PLAIN)) is None
    assert judge(FRAME, scored(said, 1.05 * PLAIN)) is not None


def test_what_looks_cocked_is_told_so_without_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "fitted", lambda: Trusting(0.5))
    told = judge(FRAME, lying(replace(opinion(1.0, kind=2), cocked=0.6)))
    assert told is not None
    assert (told.kind, told.value, told.sure, told.cocked) == (None, None, False, True)


@pytest.mark.parametrize(("leans", "clear"), [(False, True), (True, False)])
def test_only_a_whole_flat_die_may_be_known_again(
    monkeypatch: pytest.MonkeyPatch, leans: bool, clear: bool
) -> None:
    asked: list[bool] = []

    def again(*given: object, clear: bool) -> object:
        asked.append(clear)
        return given[3]

    monkeypatch.setattr(
        doubts,
        "finds",
        lambda _frame, _progress: [lying(opinion(1.0, kind=2), leans=leans)],
    )
    monkeypatch.setattr(doubts, "known_again", again)
    own = OwnDice((("d8", 4),), np.ones((1, 1600), np.float32), np.zeros((1, 3), np.float32))
    assert len(read_any_dice(FRAME, own)) == 1
    assert asked == [clear]


def test_a_die_whose_value_is_not_where_the_others_let_it_be_comes_back_leaning() -> None:
    said = opinion(1.0, kind=2)
    flat, leaning = judge(FRAME, lying(said)), judge(FRAME, lying(said, leans=True))
    assert flat is not None
    assert leaning is not None
    assert (flat.kind, flat.value, flat.sure, flat.cocked) == ("d8", 4, True, False)
    assert (leaning.kind, leaning.value, leaning.sure, leaning.cocked) == ("d8", None, False, True)


@pytest.mark.parametrize(
    ("kind", "value", "doubt"), [(3, 6, True), (4, 9, True), (3, 5, False), (2, 6, False)]
)
def test_a_6_or_9_that_is_legible_upside_down_is_doubtful_where_both_are_found(
    kind: int, value: int, doubt: bool
) -> None:
    said = replace(opinion(1.0, kind=kind, value=value), turned=0.9)
    assert doubtful(FRAME, lying(said)) is doubt


def test_a_dot_on_what_hardly_looks_like_a_die_may_be_that_of_a_coin() -> None:
    one, five = (replace(opinion(1.0, value=value), upright=0.3, no_die=1.1 * DOT) for value in (1, 5))
    assert doubtful(FRAME, scored(one, 0.95 * FAINT))
    assert not doubtful(FRAME, scored(replace(one, no_die=0.9 * DOT), 0.95 * FAINT))
    assert not doubtful(FRAME, scored(one, 1.05 * FAINT))
    assert not doubtful(FRAME, scored(five, 0.95 * FAINT))


@pytest.mark.parametrize(("kind", "doubt"), [(1, True), (4, True), (2, False), (5, False)])
def test_a_numeral_on_what_hardly_looks_like_a_d6_or_d12_may_be_that_of_a_coin(
    kind: int, doubt: bool
) -> None:
    said = replace(opinion(1.0, kind=kind), no_die=1.1 * TOKEN)
    assert doubtful(FRAME, scored(said, 0.95 * FAINT)) is doubt
    assert not doubtful(FRAME, scored(replace(said, no_die=0.9 * TOKEN), 0.95 * FAINT))
    assert not doubtful(FRAME, scored(said, 1.05 * FAINT))


def die(size: int, *, sure: bool) -> DieReading:
    return DieReading("d6", 3, 0.5, sure=sure, box=(0, 0, size, size))


def test_a_doubtful_find_of_another_size_than_the_sure_dice_is_no_die() -> None:
    kept = [die(40, sure=True), die(44, sure=True), die(30, sure=False), die(75, sure=False)]
    assert of_usual_size([*kept, die(19, sure=False), die(90, sure=False)], [("d6", 3)]) == kept
    doubted = [die(10, sure=False), die(90, sure=False)]
    assert of_usual_size(doubted) == doubted


@pytest.mark.parametrize("size", [19, 81])
def test_a_sure_die_of_another_size_than_the_others_is_asked_about_unless_it_is_known(size: int) -> None:
    others = [die(40, sure=True)] * 3
    assert of_usual_size([*others, die(size, sure=True)]) == [*others, die(size, sure=False)]
    assert of_usual_size([*others, die(size, sure=True)], [("d6", 4)])[3] == die(size, sure=False)
    assert of_usual_size([*others, die(size, sure=True)], [("d6", 3)])[3] == die(size, sure=True)


@pytest.mark.parametrize(("shows", "sure"), [(None, False), (3, False), (4, True)])
def test_only_own_dice_may_be_of_any_size(
    monkeypatch: pytest.MonkeyPatch, shows: int | None, sure: bool
) -> None:
    small = lying(opinion(1.0, kind=2))
    large = small._replace(candidate=Candidate(150, 80, 90, 90, 0.9))
    own = shows and OwnDice((("d8", shows),), np.ones((1, 1600), np.float32), np.zeros((1, 3), np.float32))
    monkeypatch.setattr(doubts, "finds", lambda _frame, _progress: [small, small, large])
    monkeypatch.setattr(doubts, "judge", lambda _frame, seen: read_as(seen))
    monkeypatch.setattr(doubts, "known_again", lambda *given, clear: given[3])  # noqa: ARG005
    assert [die.sure for die in read_any_dice(FRAME, own or None)] == [True, True, sure]


def read_as(seen: Find) -> DieReading:
    size = int(seen.candidate.longer)
    return DieReading("d8", 4, 0.9, sure=True, box=(0, 0, size, size))


def test_of_two_dice_neither_is_odd_that_is_not_three_times_as_large() -> None:
    pair = [die(20, sure=True), die(55, sure=True)]
    assert of_usual_size(pair) == pair
