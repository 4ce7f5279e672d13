"""What a bad line does to bytes, from a seed: frames or bytes lost, flipped, doubled, inserted, cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def none(data: bytes) -> bytes:
    return data


def all_lost(data: bytes) -> bytes:
    return data[:0]


def one_byte(data: bytes, at: int, random: Random) -> bytes:
    """``data`` with the byte there lost, flipped, doubled, or a random one inserted before it."""
    kind = random.randrange(4)
    if kind == 0:
        return data[:at] + data[at + 1 :]
    if kind == 1:
        return data[:at] + bytes((data[at] ^ random.randrange(1, 256),)) + data[at + 1 :]
    inserted = data[at : at + 1] if kind == 2 else random.randbytes(1)
    return data[:at] + inserted + data[at:]


def bytes_at(rate: float, random: Random) -> Callable[[bytes], bytes]:
    """Damages each byte independently with this probability (by drawing the gaps between damaged ones)."""
    scale = 1 / math.log(1 - rate)
    gap = int(math.log(1 - random.random()) * scale)

    def damage(data: bytes) -> bytes:
        nonlocal gap
        if gap >= len(data):
            gap -= len(data)
            return data
        hits = []
        at = gap
        while at < len(data):
            hits.append(at)
            at += 1 + int(math.log(1 - random.random()) * scale)
        gap = at - len(data)
        for hit in reversed(hits):
            data = one_byte(data, hit, random)
        return data

    return damage


def frames_at(rate: float, random: Random) -> Callable[[bytes], bytes]:
    """Damages each frame with this probability: lost, a byte damaged, doubled, noise before it, or cut."""

    def frame(wire: bytes) -> bytes:
        if random.random() >= rate:
            return wire
        kind = random.randrange(5)
        if kind == 0:
            return b""
        if kind == 1:
            return one_byte(wire, random.randrange(len(wire)), random)
        if kind == 2:
            return wire + wire
        if kind == 3:
            return random.randbytes(random.randrange(1, 20)) + wire
        return wire[: random.randrange(len(wire))]

    def damage(data: bytes) -> bytes:
        pieces = data.split(b"\x00")
        return b"".join(frame(piece + b"\x00") for piece in pieces[:-1]) + pieces[-1]

    return damage
