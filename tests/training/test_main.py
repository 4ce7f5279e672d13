"""The one command that makes the nets goes on where it was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from training import __main__ as training

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def test_all_stages_are_run_and_those_that_were_finished_before_a_cut_are_not_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run: list[str] = []
    cut = ["symbols"]

    def stage(name: str, _args: argparse.Namespace) -> None:
        if name in cut:
            raise KeyboardInterrupt
        run.append(name)

    monkeypatch.setattr(training, "_run", stage)
    monkeypatch.setattr("sys.argv", ["training", "--work", str(tmp_path / "work"), "--photos", "photos"])
    with pytest.raises(KeyboardInterrupt):
        training.main()
    assert run == list(training.STAGES[: training.STAGES.index("symbols")])
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
    argv = ["training", "symbols", "export", "--work", str(tmp_path), "--photos", "photos"]
    monkeypatch.setattr("sys.argv", argv)
    training.main()
    training.main()
    assert run == ["symbols", "export"] * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bake"], "no such stage: bake"),
        (["scenes", "--part", "2/2"], "'2/2': K/N is meant"),
        (["scenes", "--part", "x"], "'x': K/N is meant"),
        (["tops", "--without", "catan"], "invalid choice: 'catan'"),
        (["--without"], "name one source at least"),
        (["calibrate", "--without"], "name one source at least"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(training, "_run", lambda *_: pytest.fail("a stage was run"))
    monkeypatch.setattr("sys.argv", ["training", *arguments, "--work", "work", "--photos", "photos"])
    with pytest.raises(SystemExit) as ended:
        training.main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "torch is not installed: pip install"),
        (
            FileNotFoundError(2, "No such file or directory", "shots"),
            "shots is not there: run the stages that make it",
        ),
        (FileNotFoundError("too few fonts: install them"), "training: too few fonts: install them\n"),
    ],
)
def test_what_a_stage_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, said: str
) -> None:
    def lacking(*_: object) -> None:
        raise error

    monkeypatch.setattr(training, "_run", lacking)
    monkeypatch.setattr("sys.argv", ["training", "calibrate", "--work", "work", "--photos", "photos"])
    with pytest.raises(SystemExit) as ended:
        training.main()
    assert ended.value.code == 1
    assert said in capsys.readouterr().err
