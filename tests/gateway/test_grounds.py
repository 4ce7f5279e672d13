"""The colour and ground of each game: all texts on screens can be read on them."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from games.registry import GAMES
from gateway.pages import static_files

RGB = tuple[float, float, float]
BLACK = (0.0, 0.0, 0.0)
TEXTS = ("--text", "--dim", "--gold", "--game")
READABLE = 4.5
"""The contrast that WCAG asks of text at level AA."""
LAMP = "#ffffff11"
"""The light in the middle of a felt."""


def sheet(name: str) -> str:
    return static_files("gateway")[name][0].decode()


def colours_of(game: str) -> dict[str, str]:
    """The properties that the style sheet gives a game; `--print` is its pattern."""
    rule = re.search(rf'\[data-game="{game}"\] {{ (.*) }}', sheet("grounds.css"))
    assert rule is not None, game
    plain = re.search(r":root \{(.*?)\}", sheet("guest.css"), re.DOTALL)
    assert plain is not None
    return dict(re.findall(r"(--[a-z]+): ([^;]+);", plain[1]) + re.findall(r"(--[a-z]+): ([^;]+);", rule[1]))


def over(colour: str, ground: RGB) -> RGB:
    """A colour on a ground; `#rrggbbaa` lets the ground through."""
    red, green, blue, alpha = bytes.fromhex(colour[1:].ljust(8, "f"))
    part = alpha / 255
    mixed = [part * own + (1 - part) * below for own, below in zip((red, green, blue), ground, strict=True)]
    return (mixed[0], mixed[1], mixed[2])


def light(colour: RGB) -> float:
    """The relative luminance as WCAG defines it."""
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (each / 255 for each in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: RGB, other: RGB) -> float:
    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def printed(ground: RGB, patterns: list[str]) -> list[RGB]:
    """The ground, each pattern on it, and where two of them cross."""
    crossed = [over(one, over(other, ground)) for one, other in combinations(patterns, 2)]
    return [ground, *(over(each, ground) for each in patterns), *crossed]


@pytest.mark.parametrize("game", GAMES)
def test_every_text_can_be_read_on_the_ground_of_each_game(game: str) -> None:
    colours = colours_of(game)
    seats = re.findall(r"--mine: (#[0-9a-f]{6});", sheet("seats.css"))
    assert len(seats) == 8
    texts = [over(each, BLACK) for each in [*(colours[name] for name in TEXTS), *seats]]
    patterns = re.findall(r"#[0-9a-f]{8}", colours["--print"])
    assert patterns
    for name in ("--ground", "--card"):
        for ground in printed(over(colours[name], BLACK), patterns):
            assert min(contrast(text, ground) for text in texts) >= READABLE, name
    felt = over(colours["--felt"], BLACK)
    for ground in (felt, over(LAMP, felt)):
        assert contrast(over(colours["--text"], BLACK), ground) >= READABLE


def test_no_two_games_look_alike() -> None:
    looks = [tuple(colours_of(game)[name] for name in ("--game", "--card", "--felt")) for game in GAMES]
    prints = [colours_of(game)["--print"] for game in GAMES]
    assert len(set(looks)) == len(set(prints)) == len(GAMES)
