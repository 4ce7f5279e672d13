"""Which crops are drawn from the packs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from training.packs import PARTS, Shelf

if TYPE_CHECKING:
    from pathlib import Path

    from training import Array


def pack(count: int, value: int) -> dict[str, Array]:
    return {
        "crops": np.zeros((count, 2, 2, 3), np.uint8),
        "bodies": np.ones(count, np.int16),
        "values": np.full(count, value, np.int16),
        "symbols": np.zeros((count, 3, 4), np.float32),
        "pips": np.zeros(count, bool),
        "told": np.ones(count, bool),
        "turnable": np.ones(count, bool),
    }


def test_path_traced_crops_are_drawn_more_often_than_their_number() -> None:
    shelf, rng = Shelf(rendered=True), np.random.default_rng(1)
    shelf.add(pack(3000, 1))
    shelf.add(pack(1000, 2))
    shelf.add(pack(10, 3), part="traced")
    shelf.add(pack(20, 4), part="raster")
    drawn = np.bincount([shelf.draw(rng).value for _ in range(4000)]) / 4000
    assert drawn[3] == pytest.approx(PARTS["traced"], abs=0.02)
    assert drawn[4] == pytest.approx(PARTS["raster"], abs=0.02)
    assert drawn[1] / drawn[2] == pytest.approx(3, rel=0.15)


def test_path_traced_crops_alone_are_all_that_is_drawn() -> None:
    shelf = Shelf(rendered=True)
    shelf.add(pack(10, 3), part="traced")
    assert shelf.draw(np.random.default_rng(1)).value == 3


def test_a_pack_without_crops_is_none() -> None:
    shelf = Shelf(rendered=False)
    shelf.add(pack(0, 1))
    assert not shelf.packs
    shelf.add(pack(10, 3))
    shelf.add(pack(0, 1))
    assert shelf.draw(np.random.default_rng(1)).value == 3


@pytest.mark.parametrize(
    ("name", "boxed"),
    [("render012", True), ("traced003", True), ("render900", False), ("photo_rune_pips_grey", False)],
)
def test_only_crops_cut_about_true_boxes_tell_boxes(name: str, boxed: bool, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.npz"
    with file.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **pack(3, 1))
    shelf = Shelf(rendered=True)
    shelf.take(file)
    assert shelf.draw(np.random.default_rng(1)).boxed is boxed
