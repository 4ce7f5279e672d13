"""When hands came into the tray and left it, and whether one came over dice that had just been thrown.

Knows no clock but the frames' times.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vision.motion.patches import EDGE_OF_MM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.hands import Labels
    from vision.motion.patches import Patch
    from vision.motion.settings import FlightSettings
    from vision.motion.stillness import Area


class Seen(NamedTuple):
    """What was followed in one frame: its time, the patches, their labels, and which are at the edge."""

    time_s: float
    patches: list[Patch]
    labels: Labels
    at_rim: set[int]


@dataclass
class HandVisits:
    """The visits of hands, one after the other.

    Args:
        limits: what was thrown, and how far back to look for a hand before it was recognised.
        finger_s: how long something that may be a finger stays before it counts as a hand.

    Attributes:
        since_s: when the hand that is in the tray now was recognised; None if there is none.
        left_s: when the last one was there …
        free_s: … and the one before this visit.
        interfered: one came over dice that had been thrown and were not yet read.
        recent: the frames without a hand since the last visit, as far back as one may have gone unrecognised.
        exposed: the dice that had been thrown when the hand of this visit came in.
    """

    limits: FlightSettings
    finger_s: float
    since_s: float | None = None
    left_s: float = -np.inf
    free_s: float = -np.inf
    interfered: bool = False
    recent: deque[Seen] = field(default_factory=deque)
    exposed: list[Patch] = field(default_factory=list)

    def no_hand(self, seen: Seen, pace_s: float) -> None:
        """A frame without a hand; frames come every `pace_s`."""
        self.recent.append(seen)
        while len(self.recent) > 1 and pace_s * len(self.recent) > self.limits.approach_s:
            self.recent.popleft()
        self.since_s = None

    def hand(
        self, near: Area, before: Sequence[Patch], time_s: float, settled_s: float, pace_s: float
    ) -> None:
        """A frame with a hand.

        Args:
            near: where it reaches.
            before: the patches of the frame before.
            time_s: of the frame.
            settled_s: when all was settled last.
            pace_s: between two frames.
        """
        if self.since_s is None:
            self.free_s, self.since_s = self.left_s, time_s
            self.exposed = self.thrown_before(self.since_s - self.unrecognised_s(pace_s), settled_s)
            rolled = []
        else:
            rolled = self.rolled(before, self.since_s - self.unrecognised_s(pace_s), time_s)
        self.left_s = time_s
        for patch in (*self.exposed, *rolled):
            column, row = round(patch.at[0]), round(patch.at[1])
            in_time = self.since_s - max(patch.moved_s, self.free_s) < self.limits.unread_s
            if in_time and near[row, column] and patch.is_dice(self.limits):
                self.interfered = True
        self.recent.clear()

    def unrecognised_s(self, pace_s: float) -> float:
        """How long a hand may have been there before it was recognised."""
        return self.finger_s + 1.5 * pace_s

    def thrown_before(self, hand_s: float, settled_s: float) -> list[Patch]:
        """The dice that had been thrown and not yet read when a hand came in that has just been recognised.

        Those count that were there before it came in, at `hand_s`; what has been one with something across
        the edge since may be a die that was read and that the hand touches or pulls away. A die that rolled
        over old ones may be mistaken for one of them, and counts if it lies still. Where they lay still and
        free of hands for long before this hand's visit, the table could not read them for reasons of its
        own, and somebody has to take them up.
        """
        return [
            patch
            for i, seen in enumerate(self.recent)
            for patch in seen.patches
            if patch.free_s < hand_s
            and (i == 0 or seen.time_s <= hand_s or patch.edge_s < hand_s)
            and (patch.path_mm >= self.limits.rolled_mm or self.came_by_itself(patch, settled_s))
            and (not patch.old or seen.time_s - patch.moved_s >= self.limits.looked_s)
        ]

    def came_by_itself(self, patch: Patch, settled_s: float) -> bool:
        """Whether a patch came into sight long after the last hand had left, however far it was followed."""
        return not patch.old and patch.free_s - max(self.free_s, settled_s) >= self.limits.looked_s

    def rolled(self, patches: Sequence[Patch], hand_s: float, time_s: float) -> list[Patch]:
        """The dice that came to rest beside a hand after they had been thrown."""
        return [
            one
            for one in patches
            if not one.old
            and min(one.edge_s, one.moved_s) < hand_s
            and one.flew(EDGE_OF_MM["d6"], 0.0, self.limits)
            and time_s - one.moved_s >= self.limits.looked_s
        ]

    def way_in(self, shape: tuple[int, ...]) -> Area:
        """Where a newly recognised hand was in the frames before: what crossed the edge and was no dice."""
        been = np.zeros(shape, np.bool_)
        for seen in self.recent:
            for patch in seen.patches:
                if patch.label in seen.at_rim and not patch.is_dice(self.limits):
                    been |= seen.labels == patch.label
        return been

    def settle(self, seen: Seen | None) -> None:
        """All dice lie still and were read; `seen` is what is there."""
        self.interfered = False
        self.recent.clear()
        if seen is not None:
            self.recent.append(seen)
