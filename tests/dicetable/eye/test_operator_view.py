"""What is drawn onto the operator's live picture."""

from __future__ import annotations

from itertools import combinations

from dicetable.eye.operator_view import free_place


def test_no_caption_lies_over_another() -> None:
    placed: list[tuple[int, int, int, int]] = []
    for box in (
        (10, 100, 80, 18),
        (40, 104, 80, 18),
        (70, 110, 80, 18),
        (300, 104, 80, 18),
        (20, 99, 80, 18),
    ):
        placed.append(free_place(box, placed))
    assert placed[0] == (10, 100, 80, 18)
    assert placed[3] == (300, 104, 80, 18)
    for (x, y, wide, tall), (u, v, w, h) in combinations(placed, 2):
        assert x + wide <= u or u + w <= x or y + tall <= v or v + h <= y
