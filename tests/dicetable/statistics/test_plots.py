"""Pictures of dice: which there are, that they show what they should, and that any name will do."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dicetable.__main__ import main
from dicetable.statistics import plots
from dicetable.statistics.players import Luck, PlayerStatistics
from dicetable.statistics.report import reports
from tests.dicetable.statistics.throwing import one_face_at, rolled, taped

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from games.dice import Kind


def drawn(
    kind: Kind, faces: list[int], asked: tuple[int, ...] = (), name: str = "my die"
) -> dict[str, Figure]:
    tape = taped(kind, faces, asked)
    (report,) = reports({name: tape})
    return plots.pictures(report, tape)


def test_the_bars_are_as_high_as_the_shares() -> None:
    axes = drawn("d4", [1, 2, 2, 4], asked=(3,))["faces"].axes[0]
    heights = [patch.get_height() for patch in axes.patches]  # type: ignore[attr-defined]
    assert heights[:4] == pytest.approx([25, 50, 0, 0])
    assert heights[4:] == pytest.approx([0, 0, 0, 25])
    assert axes.get_title().splitlines()[0] == "my die (d4): 4 throws"


def test_the_curve_of_a_loaded_die_crosses_the_line() -> None:
    curve, line, _ = (
        drawn("d6", rolled("d6", 1500, one_face_at("d6", 0.25), seed=3))["evidence"].axes[0].lines
    )
    assert np.max(curve.get_ydata()) > np.log10(20)
    assert np.asarray(line.get_ydata())[0] == pytest.approx(np.log10(20))
    assert list(np.asarray(curve.get_xdata())[[0, -1]]) == [0, 1500]


def test_a_long_curve_has_few_points() -> None:
    curve = drawn("d6", rolled("d6", 20_000))["evidence"].axes[0].lines[0]
    assert len(np.asarray(curve.get_xdata())) <= plots.MOST_POINTS


def test_a_single_throw_has_no_pairs() -> None:
    assert list(drawn("d20", [7])) == ["faces", "evidence"]


def test_any_name_can_be_drawn_and_always_gives_the_same_bytes() -> None:
    first, again = (drawn("d6", rolled("d6", 50), name="$x^ a/b \U0001f3b2") for _ in range(2))
    svg, svg_again = (plots.encoded(figures["faces"], "svg") for figures in (first, again))
    assert ET.fromstring(svg).tag.endswith("svg")
    assert svg == svg_again
    assert plots.encoded(first["pairs"], "png").startswith(b"\x89PNG")


def test_the_command_writes_a_picture_of_each_in_both_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "encoded", lambda _, kind: kind.encode())
    table = tmp_path / "throws.csv"
    table.write_text("die,kind,value\na/b,d4,1\na/b,d4,3\na_b,d4,1\n")
    folder = tmp_path / "new" / "pictures"
    assert main(["stats", "--csv", str(table), "--plot", str(folder)]) == 0
    names = {path.name for path in folder.iterdir()}
    stems = ["d4-faces", "d4-evidence", "d4-pairs", "a_b-faces", "a_b-evidence", "a_b-pairs"]
    stems += ["a_b_-faces", "a_b_-evidence"]
    assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("png", "svg")}
    assert all(path.read_text() == path.suffix[1:] for path in folder.iterdir())
    assert capsys.readouterr().err == f"16 pictures in {folder}\n"


def test_an_evening_shows_wins_and_luck() -> None:
    luck = Luck(times=4, expected=2.0, actual=4.0, variance=1.0)
    ann = PlayerStatistics("ann $", {"sixes": 3}, {"sixes": 2}, luck={"six_shooter": luck})
    figure = plots.recap("The evening", [ann, PlayerStatistics("bob", {"sixes": 3}, {"sixes": 1})])
    above, below = figure.axes
    assert [patch.get_width() for patch in above.patches] == [3, 3, 2, 1]  # type: ignore[attr-defined]
    assert [patch.get_width() for patch in below.patches] == [2.0]  # type: ignore[attr-defined]
    assert [label.get_text() for label in below.get_yticklabels()] == ["ann $, Six Shooter"]
    assert ET.fromstring(plots.encoded(figure, "svg")).tag.endswith("svg")


def test_an_evening_without_luck_shows_wins_alone() -> None:
    figure = plots.recap("The evening", [PlayerStatistics("bob", {"sixes": 3}, {"sixes": 0})])
    assert not figure.axes[1].get_visible()
