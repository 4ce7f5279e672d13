"""Pictures in a terminal: their colours, and that only what changes is drawn."""

from __future__ import annotations

import numpy as np

from hardware.terminal_picture import TerminalPicture, of_256


def test_a_picture_is_drawn_in_its_colours_and_only_where_it_changes() -> None:
    picture = TerminalPicture(32, 9, every_colour=True)
    pixels = np.zeros((720, 1280, 3), np.uint8)
    pixels[:, 640:] = (0, 0, 200)
    drawn = picture.draw(pixels, 1)
    assert drawn.count("▀") == 32 * 9
    assert "38;2;200;0;0" in drawn
    assert picture.draw(pixels + np.uint8(3), 1) == ""
    pixels[:80, :40] = 255
    assert picture.draw(pixels, 1).count("▀") == 1
    few = TerminalPicture(32, 9, every_colour=False).draw(pixels, 1)
    assert "38;5;160" in few


def test_256_colours_mix_to_the_right_one_and_use_the_grey_ramp() -> None:
    grey = of_256(np.full((16, 16, 3), 98, np.int16))
    assert set(np.unique(grey)) <= {*range(232, 256), 59}  # 59 is the cube's own grey of level 95
    green = of_256(np.full((16, 16, 3), (60, 120, 40), np.int16))
    levels = np.array([0, 95, 135, 175, 215, 255])
    shown = np.array(
        [
            [8 + 10 * (n - 232)] * 3
            if n >= 232
            else levels[[(n - 16) % 6, (n - 16) // 6 % 6, (n - 16) // 36]]
            for n in green.ravel()
        ]
    )
    assert np.abs(shown.mean(axis=0) - (60, 120, 40)).max() < 20
