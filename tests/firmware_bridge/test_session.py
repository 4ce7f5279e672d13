"""Both sessions against each other on the fake clock and a clean line: states, times, refusals."""

from __future__ import annotations

from random import Random

import pytest

from firmware_bridge.host_session import InputChanged, InputsReported, Linked, LossCause, Lost
from firmware_bridge.messages import BoardLamp, BoardLampMode, Lamps, Message, Text, session_key, to_body
from firmware_bridge.protocol import encode_frame
from tests.firmware_bridge import damage
from tests.firmware_bridge.board_session import BoardEvent, HostFound, HostLeft, HostLost, LampsSet, LineSet
from tests.firmware_bridge.golden_messages import REFUSED, checked
from tests.firmware_bridge.world import LAMPS, NewWorld, World

RED = (BoardLamp(BoardLampMode.BLINK, 255, 0, 0),) * LAMPS
GREEN = (BoardLamp(BoardLampMode.ON, 0, 255, 0),) * LAMPS
LINES = ("Six By 6", "throw six dice", "", "OK = roll")


def linked_world(new_world: NewWorld) -> World:
    world = new_world()
    world.run_until(lambda: world.linked, 1)
    return world


def test_they_link_within_the_time_of_three_frames(new_world: NewWorld) -> None:
    world = new_world()
    assert world.run_until(lambda: world.linked, 1) < 0.02
    world.run(0.1)
    assert isinstance(world.host_events[0], Linked)
    assert world.host_events[1:] == [InputsReported(world.boot_id, 1, frozenset(), 0)]
    assert world.board_events == [HostFound()]


def test_the_view_is_shown_lamps_first(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.board_events.clear()
    world.show(RED, LINES)
    world.run_until(lambda: world.host.shown, 1)
    world.assert_panel_shows(RED, LINES)
    assert [type(event).__name__ for event in world.board_events] == ["LampsSet"] + ["LineSet"] * 4


def test_lamps_overtake_text_that_waits(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.show(RED, LINES)
    world.run_until(lambda: world.panel_lines[0] is not None, 1)
    world.board_events.clear()
    world.show(GREEN, LINES)
    world.run_until(lambda: world.panel_lamps == GREEN, 1)
    assert len(world.board_events) <= 2, "at most the line under way came before the lamps"


def test_only_what_changed_is_sent_again(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.show(RED, LINES)
    world.run_until(lambda: world.host.shown, 1)
    world.board_events.clear()
    world.show(RED, (LINES[0], "throw again", *LINES[2:]))
    world.run_until(lambda: world.host.shown, 1)
    assert len(world.board_events) == 1
    world.show(RED, (LINES[0], "throw again", *LINES[2:]))
    assert world.host.shown


def test_the_last_of_many_views_in_a_row_stays(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    for n in range(200):
        world.show((BoardLamp(BoardLampMode.ON, n, 0, 0),) * LAMPS, (f"{n}", f"{n // 2}", f"{n // 3}", ""))
        world.run(0.003)
    world.run_until(lambda: world.host.shown, 1)
    world.assert_panel_shows((BoardLamp(BoardLampMode.ON, 199, 0, 0),) * LAMPS, ("199", "99", "66", ""))


def said_to_board(world: World, message: Message) -> list[BoardEvent]:
    """What a board makes of a message of its session that comes out of the blue."""
    key = session_key(world.host._boot_id, world.boot_id, 1)
    return world.board.receive(encode_frame(to_body(message, key)), world.now)


def test_a_board_shows_no_view_older_than_its_newest(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    assert said_to_board(world, Text(10, 0, "a" * 20)) == [LineSet(0, "a" * 20)]
    assert said_to_board(world, Text(9, 0, "b" * 20)) == []
    assert said_to_board(world, Lamps(9, RED)) == []
    assert said_to_board(world, Lamps(10, RED)) == [LampsSet(RED)]
    assert said_to_board(world, Text(10 + 0x7FFF, 1, "c" * 20)) == [LineSet(1, "c" * 20)]
    assert said_to_board(world, Text(11, 1, "d" * 20)) == []


DOWN_TYPES = ("02", "03", "04", "05")


@pytest.mark.parametrize("plain", [plain for plain in REFUSED.values() if plain[:2] in DOWN_TYPES])
def test_a_board_refuses_what_is_no_message(new_world: NewWorld, plain: str) -> None:
    world = linked_world(new_world)
    key = session_key(world.host._boot_id, world.boot_id, 1)
    assert world.board.receive(encode_frame(checked(bytes.fromhex(plain), key)), world.now) == []
    assert said_to_board(world, Text(10, 0, "a" * 20)) == [LineSet(0, "a" * 20)]


def test_view_numbers_go_round(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.host._views._view = 65_000
    for n in range(65_000, 70_000):
        world.host.show((BoardLamp(BoardLampMode.ON, n % 256, n >> 8 & 255, n >> 16),) * LAMPS, LINES)
        if n % 1000 == 0:
            world.run(0.1)
            assert world.host.shown
    world.run(0.1)
    assert world.host.shown
    assert world.panel_lamps == (BoardLamp(BoardLampMode.ON, 69_999 % 256, 69_999 >> 8 & 255, 1),) * LAMPS


@pytest.mark.parametrize(
    "lines", [("a",) * 3, ("x" * 21, "", "", ""), ("tab\t", "", "", ""), ("ü", "", "", "")]
)
def test_a_view_the_display_cannot_show_is_refused_whole(new_world: NewWorld, lines: tuple[str, ...]) -> None:
    world = linked_world(new_world)
    world.show(RED, LINES)
    with pytest.raises(ValueError, match=r"display|printable"):
        world.show(GREEN, lines)
    world.run_until(lambda: world.host.shown, 1)
    world.assert_panel_shows(RED, LINES)


@pytest.mark.parametrize("colour", [(256, 0, 0), (0, -1, 0)])
def test_a_colour_that_no_lamp_has_is_refused(new_world: NewWorld, colour: tuple[int, int, int]) -> None:
    world = linked_world(new_world)
    with pytest.raises(ValueError, match="0 to 255"):
        world.show((BoardLamp(BoardLampMode.ON, *colour),) * LAMPS, LINES)


def test_events_arrive_once_in_order_with_their_time(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.run(1)
    world.change(7, pressed=True)
    pressed_at = world.now
    world.run(0.1)
    world.change(7, pressed=False)
    world.run_until(lambda: world.all_told, 1)
    changes = [event for event in world.host_events if isinstance(event, InputChanged)]
    assert [(c.input, c.pressed, c.number) for c in changes] == [(7, True, 2), (7, False, 3)]
    assert abs(changes[0].time_s - pressed_at) < 0.02


def test_events_made_without_a_host_are_counted_not_delivered(new_world: NewWorld) -> None:
    world = new_world()
    world.unplug()
    world.change(3, pressed=True)
    world.change(4, pressed=True)
    world.change(4, pressed=False)
    world.plug()
    world.run_until(lambda: world.all_told, 1)
    assert world.host_events[-1] == InputsReported(world.boot_id, 4, frozenset({3}), 3)


def test_an_interrupted_link_delivers_what_was_pressed_meanwhile(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.run(0.1)
    world.unplug()
    world.run(5)
    for which in range(10):
        world.change(which, pressed=True)
    world.run(1)
    world.plug()
    world.run_until(lambda: world.all_told, 1)
    assert (world.received, world.lost_reported) == (10, 0)
    last = world.host_events[-1]
    assert isinstance(last, InputChanged)
    assert 0.9 < world.now - last.time_s < 1.1


def test_an_overflow_is_reported_with_what_is_held(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.run(0.1)
    world.up.damage = damage.all_lost
    for n in range(41):
        world.change(n % 25, pressed=n < 25)
    world.run(0.5)
    world.up.damage = damage.none
    world.run_until(lambda: world.all_told, 2)
    assert (world.received, world.lost_reported) == (32, 9)
    world.change(0, pressed=True)
    world.run_until(lambda: world.all_told, 1)
    assert world.received == 33


def test_both_ends_declare_loss_after_1500_ms(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.run(2)
    world.up.damage = world.down.damage = damage.all_lost
    world.run(1.24)
    assert world.times(Lost) == 0
    assert HostLost() not in world.board_events
    world.run(0.27)
    assert world.host_events[-1] == Lost(LossCause.SILENCE)
    assert world.board_events[-1] == HostLost()


def test_last_words_stay_when_the_host_has_gone_and_only_then(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    words = ("", "safe to unplug", "", "")
    world.host.show((BoardLamp(),) * LAMPS, words, stays=True)
    world.run(1)
    world.assert_panel_shows((BoardLamp(),) * LAMPS, words)
    world.unplug()
    world.run(1.6)
    assert world.board_events[-1:] == [HostLeft()]
    world.plug()
    world.host.show((BoardLamp(),) * LAMPS, words)
    world.run_until(lambda: world.linked, 2)
    world.run(1)
    world.unplug()
    world.run(1.6)
    assert world.board_events[-1:] == [HostLost()], "the next session starts anew"


def test_last_words_stay_over_a_bad_line(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.down.damage = damage.bytes_at(0.01, Random(1))
    world.host.show((BoardLamp(),) * LAMPS, ("", "safe to unplug", "", ""), stays=True)
    world.run(4)
    world.unplug()
    world.run(1.6)
    assert world.board_events[-1:] == [HostLeft()]


def test_an_idle_link_lives(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.run(600)
    assert world.times(Lost) == 0
    assert world.board_events == [HostFound()]
    assert world.down.bytes_sent < 600 * 50, "an idle link must stay nearly silent"


def test_a_line_dead_one_way_down_is_lost_to_both(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.down.damage = damage.all_lost
    world.run(1.6)
    assert world.host_events[-1] == Lost(LossCause.BOARD_LOST_HOST)
    assert world.board_events[-1] == HostLost()
    world.down.damage = damage.none
    world.run_until(lambda: world.linked, 1)


def test_a_line_dead_one_way_up_is_lost_to_both(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.up.damage = damage.all_lost
    world.run(3.1)
    assert world.host_events[-1] == Lost(LossCause.SILENCE)
    assert HostLost() in world.board_events
    world.board_events.clear()
    world.run(10)
    assert HostFound() not in world.board_events, "HELLOs that nobody confirms must not wake the panel"
    world.up.damage = damage.none
    world.run_until(lambda: world.linked, 1)
    world.run(0.1)
    assert world.board_events[-1] == HostFound()


def test_the_view_comes_back_after_a_reset_of_the_board(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.show(RED, LINES)
    world.run_until(lambda: world.host.shown, 1)
    world.reboot_board()
    assert world.run_until(lambda: world.linked and world.panel_lines[3] is not None, 1) < 0.1
    world.assert_panel_shows(RED, LINES)
    assert Lost(LossCause.BOARD_RESET) in world.host_events


def test_a_held_button_is_known_after_a_reset_of_the_host(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.change(5, pressed=True)
    world.run(0.1)
    world.reboot_host()
    world.run_until(lambda: world.all_told, 1)
    last = world.host_events[-1]
    assert isinstance(last, InputsReported)
    assert (last.held, last.lost) == (frozenset({5}), 0)


def test_a_board_taken_away_and_brought_back_starts_anew(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    world.change(1, pressed=True)
    world.run(0.1)
    first, first_boot_id = world.board, world.boot_id
    world.unplug()
    world.reboot_board()
    world.plug()
    world.run_until(lambda: world.linked, 1)
    world.unplug()
    world.board, world.boot_id = first, first_boot_id
    world.plug()
    world.run_until(lambda: world.linked, 1)
    world.change(2, pressed=True)
    world.run_until(lambda: world.all_told, 1)
    assert (world.received, world.lost_reported) == (2, 0)


def test_two_boards_that_happen_to_share_a_boot_id_are_told_apart(new_world: NewWorld) -> None:
    world = linked_world(new_world)
    for which in range(5):
        world.change(which, pressed=True)
    world.run(0.1)
    world.swap_board()
    world.run(0.1)
    world.change(9, pressed=True)
    world.run_until(lambda: world.all_told, 1)
    assert (world.received, world.lost_reported) == (6, 0)
