"""The one command that makes the nets goes on where it was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vision.training import __main__ as training

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def test_all_stages_are_run_and_those_that_were_finished_before_a_cut_are_not_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run: list[str] = []
    cut = ["marks"]

    def stage(name: str, _args: argparse.Namespace) -> None:
        if name in cut:
            raise KeyboardInterrupt
        run.append(name)

    monkeypatch.setattr(training, "_run", stage)
    monkeypatch.setattr("sys.argv", ["training", "--work", str(tmp_path / "work"), "--photos", "photos"])
    with pytest.raises(KeyboardInterrupt):
        training.main()
    assert run == list(training.STAGES[: training.STAGES.index("marks")])
    cut.clear()
    training.main()
    assert run == list(training.STAGES)
    training.main()
    assert run == list(training.STAGES) * 2


def test_a_stage_that_is_named_is_run_whatever_was_finished(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run: list[str] = []
    monkeypatch.setattr(training, "_run", lambda name, _args: run.append(name))
    argv = ["training", "marks", "export", "--work", str(tmp_path), "--photos", "photos"]
    monkeypatch.setattr("sys.argv", argv)
    training.main()
    training.main()
    assert run == ["marks", "export"] * 2
