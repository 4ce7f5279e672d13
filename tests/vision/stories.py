"""Makes the clips: one function a kind of story, all of it from a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from games.dice import KINDS
from tests.vision.clips import (
    FPS,
    Clip,
    Die,
    Floats,
    Hand,
    Motion,
    View,
    at_rest,
    cloth,
    draw_hand,
    lying,
    moves_until,
    nudged,
    rocking,
    rolling,
)

Story = Callable[[np.random.Generator], Clip]


def scene(rng: np.random.Generator, name: str, motions: list[Motion] | None = None, wide: int = 640) -> Clip:
    """A tray with these dice (or one to six that lie still), seen by some camera in some light."""
    view = View(wide, wide * 9 // 16, float(rng.uniform(380, 480)), *rng.uniform(-0.12, 0.12, 2).tolist())
    floor = cloth(rng, view)
    scale = float(rng.uniform(0.85, 1.2))
    dice = []
    for motion in resting(rng) if motions is None else motions:
        body = rng.uniform(15, 245, 3)
        while np.abs(body - floor[180, 320]).max() < 40:
            body = rng.uniform(15, 245, 3)
        mark = np.full(3, 235.0 if body.mean() < 128 else 20.0)
        kind = KINDS[int(rng.integers(6))]
        dice.append(Die(kind, scale, tuple(body.tolist()), tuple(mark.tolist()), motion))
    lamp = np.array([*rng.uniform(-0.5, 0.5, 2), 1.0])
    jpeg = int(rng.integers(70, 92)) if rng.random() < 0.3 else None
    noise = float(rng.uniform(0.5, 4.0))
    return Clip(
        name,
        floor,
        view,
        dice,
        2.0,
        [],
        rng,
        noise=noise,
        jpeg=jpeg,
        lamp=lamp / np.linalg.norm(lamp),
    )


def places(rng: np.random.Generator, count: int) -> list[Floats]:
    """Places apart from each other, mm."""
    grid = [np.array([x, y]) for x in (-96.0, -58, -20, 20, 58, 96) for y in (-36.0, 0, 36)]
    return [grid[i] + rng.uniform(-3, 3, 2) for i in rng.permutation(len(grid))[:count]]


def resting(rng: np.random.Generator, least: int = 1) -> list[Motion]:
    """One to six dice at rest."""
    return [at_rest(at, lying(rng, "d6")) for at in places(rng, int(rng.integers(least, 7)))]


def heading(rng: np.random.Generator) -> Floats:
    """Any way along the tray."""
    angle = rng.uniform(0, 2 * np.pi)
    return np.array([np.cos(angle), np.sin(angle)])


def set_kinds(clip: Clip, rng: np.random.Generator) -> None:
    """Gives each die a turn in which its own kind lies flat."""
    for die in clip.dice:
        flat, motion = lying(rng, die.kind), die.motion

        def own(time_s: float, flat: Floats = flat, motion: Motion = motion) -> tuple[Floats, Floats]:
            at, turn = motion(time_s)
            return at, turn @ flat

        die.motion = own


def roll(rng: np.random.Generator) -> Clip:
    """One to six dice roll in and come to rest."""
    motions = []
    for at in places(rng, int(rng.integers(1, 7))):
        lasts = float(rng.uniform(0.5, 1.6))
        motions.append(rolling(at, np.eye(3), heading(rng), 0.7, lasts, float(rng.uniform(60, 400))))
    clip = scene(rng, "roll", motions)
    set_kinds(clip, rng)
    clip.seconds = 3.6
    clip.busy = [(0.7, moves_until(clip.dice, 0.7, 2.5))]
    return clip


def rock(rng: np.random.Generator) -> Clip:
    """One die rocks on for over a second after all have come to rest."""
    motions = resting(rng)
    lasts = float(rng.uniform(1.1, 2.4))
    at, _ = motions[0](0.0)
    arrives = rolling(at, np.eye(3), heading(rng), 0.6, 0.5, 80.0)
    hertz, degrees = float(rng.uniform(1.3, 7.0)), float(rng.uniform(3.0, 14.0))
    motions = [at_rest(m(0.0)[0], np.eye(3)) for m in motions]
    motions[0] = rocking(arrives, heading(rng), 1.1, lasts, hertz, degrees, float(rng.uniform(0.6, 3.0)))
    clip = scene(rng, "rock", motions)
    set_kinds(clip, rng)
    clip.seconds = 1.1 + lasts + 0.9
    clip.busy = [(0.6, moves_until(clip.dice, 0.6, 1.1 + lasts))]
    return clip


def hand_stays(rng: np.random.Generator, fingers: bool = True) -> Clip:
    """A hand reaches in, stays quite still for a second or two, and leaves."""
    clip = scene(rng, "hand stays" if fingers else "sleeve", None)
    set_kinds(clip, rng)
    side = float(rng.uniform(-130, 130))
    start = [
        np.array([side, -230.0]),
        np.array([side, 230.0]),
        np.array([-330.0, side / 3]),
        np.array([330.0, side / 3]),
    ][int(rng.integers(4))]
    tip = rng.uniform([-60, -30], [60, 30])
    stays = float(rng.uniform(0.8, 2.0))
    skin = tuple((np.array([120.0, 150, 200]) * rng.uniform(0.35, 1.15)).tolist())
    sleeve = rng.uniform(10, 230, 3)
    while np.abs(sleeve - clip.floor[180, 320]).max() < 45:
        sleeve = rng.uniform(10, 230, 3)

    def reach(time_s: float) -> Floats | None:
        part = np.interp(time_s, [0.8, 1.2, 1.2 + stays, 1.6 + stays], [0, 1, 1, 0])
        return None if part == 0 else start + (tip - start) * part

    clip.hand = Hand(reach, tip + (start - tip) * 1.4, skin, tuple(sleeve.tolist()), fingers)
    clip.seconds = 1.6 + stays + 0.9
    clip.busy = [in_view(clip)]
    return clip


def in_view(clip: Clip) -> tuple[float, float]:
    """From the frame before the hand is seen first to the one in which it is seen last."""
    seen = []
    for number in range(int(clip.seconds * FPS)):
        blank = np.zeros_like(clip.floor)
        if clip.hand is not None and (tip := clip.hand.reach(number / FPS)) is not None:
            draw_hand(blank, clip.view, clip.hand, tip)
        if blank.any():
            seen.append(number / FPS)
    return seen[0] - 1 / FPS, seen[-1]


def sleeve(rng: np.random.Generator) -> Clip:
    """Only a sleeve hangs into the tray and stays there."""
    return hand_stays(rng, fingers=False)


def lights_out(rng: np.random.Generator) -> Clip:
    """The light is switched off, and on again, at once or as a lamp and a camera warm up."""
    clip = scene(rng, "light off and on", None)
    set_kinds(clip, rng)
    dim = float(rng.uniform(0.0, 0.06))
    warm = float(rng.choice([0.02, 0.5]))
    off, on = 0.8, float(rng.uniform(1.2, 2.2))
    clip.light = lambda time_s: float(np.interp(time_s, [off, off + 0.05, on, on + warm], [1, dim, dim, 1]))
    clip.seconds = on + warm + 0.9
    clip.busy = [(off, on + warm)]
    return clip


def nudge(rng: np.random.Generator) -> Clip:
    """One die of those that lie there is pushed a little."""
    motions = [at_rest(m(0.0)[0], np.eye(3)) for m in resting(rng, 2)]
    by = heading(rng) * float(rng.uniform(1.5, 12.0))
    lasts = float(rng.uniform(0.1, 1.2))
    motions[0] = nudged(motions[0], by, float(rng.uniform(-0.4, 0.4)), 0.8, lasts)
    clip = scene(rng, "nudge", motions)
    set_kinds(clip, rng)
    clip.seconds = 0.8 + lasts + 0.9
    clip.busy = [(0.8, moves_until(clip.dice, 0.8, 0.8 + lasts))]
    return clip


def flicker(rng: np.random.Generator) -> Clip:
    """Lamps flicker in bands or as a whole, and daylight goes: nothing moves."""
    clip = scene(rng, "flicker", None)
    set_kinds(clip, rng)
    depth, hertz = float(rng.uniform(0.01, 0.06)), float(rng.uniform(3, 15))
    drift = float(rng.uniform(-0.02, 0.02))
    rows = np.arange(clip.view.height) * float(rng.uniform(0.0, 0.04))
    clip.bands = lambda time_s: 1 + depth * np.sin(2 * np.pi * hertz * time_s + rows) + drift * time_s
    clip.seconds = 2.5
    return clip


STORIES: dict[str, Story] = {
    "roll": roll,
    "rock": rock,
    "hand stays": hand_stays,
    "sleeve": sleeve,
    "light off and on": lights_out,
    "nudge": nudge,
    "flicker": flicker,
}
