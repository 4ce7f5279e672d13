"""Phones as the panel: nobody presses for a seat that is not theirs, and a lost phone is replaced."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import CONTROLS, PanelView
from hardware.simulated.clock import VirtualClock
from hardware.web_panel import (
    ALL,
    AWAY_S,
    HELD_S,
    LONGEST_S,
    NEXT,
    OUT_OF_REACH,
    TAP_S,
    ClaimError,
    Gesture,
    SeatClaims,
    WebPanel,
)


class Bench:
    def __init__(self, seats: int = 3) -> None:
        self.clock = VirtualClock()
        self.claims = SeatClaims(seats)
        self.panel = WebPanel(self.clock, self.claims)
        self.panel.start(lambda: None)
        self.panel.reach(True)  # noqa: FBT003 - as its name says

    def claim(self, seat: int, token: str = "") -> str:
        now_s = self.clock.now_s()
        return self.claims.claim(self.claims.codes(now_s)[seat], token, now_s)[0]

    def after(self, seconds: float) -> list[tuple[str, bool]]:
        self.clock.sleep(seconds)
        return [(press.control, press.down) for press in self.panel.presses()]


def test_a_code_gives_its_seat_once() -> None:
    bench = Bench()
    codes = bench.claims.codes(0.0)
    assert set(codes) == {NEXT, ALL, 1, 2, 3}
    assert len(set(codes.values())) == 5
    token, seats = bench.claims.claim(codes[2], "", 0.0)
    assert seats == {2} == bench.claims.seats_of(token)
    assert set(bench.claims.codes(0.0)) == {NEXT, ALL, 1, 3}
    with pytest.raises(ClaimError, match="wrong"):
        bench.claims.claim(codes[2], "", 0.0)


def test_no_code_dies_because_another_phone_sits_down() -> None:
    claims = SeatClaims(5)
    before = claims.codes(0.0)
    assert claims.claim(before[3], "", 1.0)[1] == {3}
    after = claims.codes(1.0)
    assert {seat: before[seat] for seat in (NEXT, ALL, 1, 2, 4, 5)} == after
    assert [claims.claim(before[seat], "", 2.0)[1] for seat in (2, 5)] == [{2}, {5}]


@pytest.mark.parametrize("kind", ["codes", "secrets"])
def test_friends_who_read_the_table_s_code_at_once_all_get_a_seat(kind: str) -> None:
    claims = SeatClaims(4)
    code = getattr(claims, kind)(0.0)[NEXT]
    assert [claims.claim(code, "", float(second))[1] for second in range(4)] == [{1}, {2}, {3}, {4}]
    assert claims.codes(5.0) == {}
    with pytest.raises(ClaimError, match="wrong"):
        claims.claim(code, "", 5.0)


def test_a_phone_that_reads_the_table_s_code_again_keeps_its_seat() -> None:
    claims = SeatClaims(3)
    token, _ = claims.claim(claims.codes(0.0)[2], "", 0.0)
    again, seats = claims.claim(claims.secrets(0.0)[NEXT], token, 1.0)
    assert seats == claims.seats_of(again) == {2}


def test_the_table_s_code_takes_no_seat_whose_phone_is_silent() -> None:
    claims = SeatClaims(2)
    claims.claim(claims.codes(0.0)[1], "", 0.0)
    claims.away(1, 0.0)
    assert claims.claim(claims.codes(100.0)[NEXT], "", 100.0)[1] == {2}
    assert set(claims.codes(100.0)) == {ALL, 1}


def test_a_code_is_valid_for_six_minutes_and_shown_for_five() -> None:
    claims = SeatClaims(2)
    first = claims.codes(0.0)[NEXT]
    assert claims.codes(299.0)[NEXT] == first
    assert claims.codes(300.0)[NEXT] != first
    assert claims.claim(first, "", 359.0)[1] == {1}
    with pytest.raises(ClaimError, match="wrong"):
        claims.claim(first, "", 360.0)


def test_a_secret_has_128_bits_and_no_guess_shuts_it_out() -> None:
    claims = SeatClaims(2)
    secret = claims.secrets(0.0)[NEXT]
    assert len(secret) == 22
    for _ in range(1000):
        with pytest.raises(ClaimError):
            claims.claim("wrong", "", 0.0)
    assert claims.claim(secret, "", 0.0)[1] == {1}


def test_only_the_holder_of_a_seat_presses_for_it() -> None:
    bench = Bench()
    one, two = bench.claim(1), bench.claim(2)
    for token, control, may in (
        (one, "seat1.ok", True),
        (one, "seat2.ok", False),
        (one, "table.menu", True),
        (two, "seat2.plus", True),
        (two, "seat1.plus", False),
        ("", "seat3.ok", False),
        ("x" * 32, "seat3.ok", False),
        ("x" * 32, "table.menu", False),
    ):
        assert bench.panel.press(token, control, Gesture.TAP) == may
    assert {control for control, _ in bench.after(1.0)} == {"seat1.ok", "table.menu", "seat2.plus"}


@given(st.text(max_size=70), st.sampled_from(CONTROLS), st.sampled_from(Gesture))
def test_no_other_token_presses(token: str, control: str, how: Gesture) -> None:
    bench = Bench()
    bench.claim(ALL)
    assert not bench.panel.press(token, control, how)
    assert bench.after(20.0) == []


def test_a_lost_phone_is_replaced_and_finds_out() -> None:
    bench = Bench()
    lost = bench.claim(2)
    bench.claim(1)
    assert 2 not in bench.claims.codes(0.0)
    bench.clock.sleep(AWAY_S)
    now_s = bench.clock.now_s()
    assert bench.claims.away(2, now_s)
    bench.claim(2)
    assert bench.claims.heard(lost, now_s) == frozenset()
    assert not bench.panel.press(lost, "seat2.ok", Gesture.TAP)


def test_a_phone_that_is_silent_and_comes_back_in_time_keeps_its_seat() -> None:
    bench = Bench()
    phone = bench.claim(2)
    bench.clock.sleep(100.0)
    assert bench.claims.away(2, bench.clock.now_s())
    assert bench.panel.press(phone, "seat2.ok", Gesture.TAP)
    assert not bench.claims.away(2, bench.clock.now_s())


def test_a_phone_has_one_seat_and_a_tablet_all_that_are_free() -> None:
    bench = Bench()
    phone = bench.claim(1)
    moved = bench.claim(3, phone)
    assert bench.claims.seats_of(phone) == frozenset()
    assert bench.claims.seats_of(moved) == {3}
    tablet = bench.claim(ALL)
    assert bench.claims.seats_of(tablet) == {1, 2}
    assert bench.claims.leave(tablet) == {1, 2}
    assert set(bench.claims.codes(0.0)) == {NEXT, ALL, 1, 2}


def test_codes_cannot_be_guessed_fast() -> None:
    claims = SeatClaims(2, draw=iter(f"{n:06}" for n in range(10**6)).__next__)
    wrong = refused = 0
    for second in range(100):
        for _ in range(50):
            with pytest.raises(ClaimError) as found:
                claims.claim("999999", "", float(second))
            wrong += str(found.value) == "wrong"
            refused += str(found.value) == "too_many"
    assert wrong <= 31.0
    assert refused > 4900
    assert claims.claim(claims.codes(1000.0)[1], "", 1000.0)


def test_who_holds_which_seat_outlives_the_table_and_tokens_are_not_kept() -> None:
    kept: list[bytes] = []
    claims = SeatClaims(3, keep=kept.append)
    token, _ = claims.claim(claims.codes(0.0)[2], "", 0.0)
    assert token.encode() not in kept[-1]
    again = SeatClaims(3, kept[-1])
    assert again.heard(token, 0.0) == {2}
    assert SeatClaims(1, kept[-1]).seats_of(token) == frozenset()


@pytest.mark.parametrize("kept", [b"", b"\xff", b"[]", b'{"x":1}', b'{"1": 5}', b"[" * 100_000, b"null"])
def test_damaged_claims_free_all_seats_and_say_so(kept: bytes) -> None:
    claims = SeatClaims(3, kept)
    assert claims.holders == {}
    assert claims.damaged


def test_damage_is_over_once_a_phone_has_a_seat_again() -> None:
    claims = SeatClaims(2, b"")
    claims.claim(claims.codes(0.0)[1], "", 0.0)
    assert not claims.damaged


def test_a_table_without_claims_has_no_damage() -> None:
    assert not SeatClaims(3).damaged


def test_a_seat_left_for_ten_minutes_forgets_what_its_phone_chose() -> None:
    claims = SeatClaims(2)
    token, _ = claims.claim(claims.codes(0.0)[1], "", 0.0)
    claims.choose(1, name="Maximilian", colour=3)
    claims.heard(token, 100.0)
    assert claims.forget(100.0, ()) == []
    claims.leave(token)
    assert claims.forget(101.0, ()) == []
    assert claims.forget(700.0, ()) == []
    assert claims.forget(701.0, ()) == [1]
    assert claims.choices == {}


def test_a_phone_that_sleeps_in_a_game_keeps_its_name() -> None:
    claims = SeatClaims(2)
    claims.claim(claims.codes(0.0)[1], "", 0.0)
    claims.choose(1, name="Ann")
    claims.away(1, 0.0)
    assert claims.forget(100.0, {1}) == claims.forget(5000.0, {1}) == []
    assert claims.forget(5001.0, ()) == []
    assert claims.forget(5601.0, ()) == [1]


def test_damaged_seats_are_left_out() -> None:
    assert SeatClaims(2, json.dumps({"9": "0" * 64}).encode()).holders == {}


def test_a_tap_goes_down_and_up_and_two_taps_are_two() -> None:
    bench = Bench()
    phone = bench.claim(1)
    bench.panel.press(phone, "seat1.plus", Gesture.TAP)
    bench.panel.press(phone, "seat1.plus", Gesture.TAP)
    assert bench.after(0.0) == [("seat1.plus", True)]
    assert bench.after(TAP_S) == [("seat1.plus", False)]
    assert bench.after(TAP_S) == [("seat1.plus", True)]
    assert bench.after(TAP_S) == [("seat1.plus", False)]
    bench.panel.press(phone, "seat1.plus", Gesture.TAP)
    assert bench.after(0.0) == []
    assert bench.after(TAP_S) == [("seat1.plus", True)]


def test_a_hold_lasts_and_a_finger_that_vanished_lets_go() -> None:
    bench = Bench()
    phone = bench.claim(1)
    bench.panel.press(phone, "seat1.ok", Gesture.HOLD)
    bench.panel.press(phone, "seat1.minus", Gesture.DOWN)
    assert bench.after(0.0) == [("seat1.minus", True), ("seat1.ok", True)]
    assert bench.after(HELD_S) == [("seat1.ok", False)]
    assert bench.after(LONGEST_S) == [("seat1.minus", False)]
    bench.panel.press(phone, "seat1.plus", Gesture.DOWN)
    bench.after(1.0)
    bench.panel.press(phone, "seat1.plus", Gesture.UP)
    assert bench.after(0.0) == [("seat1.plus", False)]
    assert bench.after(60.0) == []


def test_a_tap_while_the_release_was_lost_ends_the_hold_first() -> None:
    bench = Bench()
    phone = bench.claim(1)
    bench.panel.press(phone, "seat1.plus", Gesture.DOWN)
    bench.after(1.0)
    bench.panel.press(phone, "seat1.plus", Gesture.TAP)
    assert bench.after(0.2) == [("seat1.plus", False), ("seat1.plus", True), ("seat1.plus", False)]


def test_without_a_gateway_it_says_what_to_do() -> None:
    bench = Bench()
    phone = bench.claim(1)
    bench.panel.reach(False)  # noqa: FBT003 - as its name says
    assert bench.panel.degraded == OUT_OF_REACH
    assert not bench.panel.press(phone, "seat1.ok", Gesture.TAP)
    bench.panel.show(PanelView({}, ["x"], stays=True))
    bench.panel.stop()
    assert bench.panel.view.lines == ["x"]
