"""Devices are chosen by their names in a list of what is attached; no path is ever taken from the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dicetable.config import devices, form
from dicetable.config.file import load, read
from dicetable.config.form import changed, form_of, save, version_of
from dicetable.config.mistakes import ConfigError
from hardware import attached
from hardware.attached import Attached
from tests.dicetable.config.forms import asked
from tests.gateway.serving import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CAMERA = "/dev/v4l/by-id/usb-Maker_Camera-video-index0"
BOARD = "/dev/serial/by-id/usb-Maker_Board-if00"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The config of four seats, at a machine with another camera and another board."""
    from pathlib import Path as Attach

    monkeypatch.setattr(attached, "usb_cameras", lambda _: [Attached(Attach(CAMERA), "Maker Camera")])
    monkeypatch.setattr(attached, "serial_ports", lambda _: [Attached(Attach(BOARD), "Maker Board")])
    made = tmp_path / "table.toml"
    made.write_text((ROOT / "examples" / "four-seats.toml").read_text())
    return made


def test_a_listed_camera_is_saved_and_the_rest_of_its_settings_stay(file: Path) -> None:
    found = save(file, {}, version_of(file), {"camera": f"usb:{CAMERA}"})
    assert found.mistakes == ()
    assert found.diff[0] == "[camera]"
    assert found.diff[2:] == (f'+device = "{CAMERA}"',)
    text = file.read_text()
    assert "exposure_ms = 10.0              # locked" in text
    assert load(file).camera.model_dump()["focus"] == 30


def test_another_driver_takes_the_old_one_s_own_settings_out(file: Path) -> None:
    save(file, {}, version_of(file), {"camera": "pi:1", "panel": "web"})
    after = read(file)
    assert after["camera"] == {
        "driver": "pi", "number": 1, "width_px": 1920, "height_px": 1080, "frames_per_s": 30,
        "exposure_ms": 10.0, "mains_hz": 50,
    }  # fmt: skip
    assert after["panel"] == {"driver": "web"}
    save(file, {}, version_of(file), {"panel": f"serial:{BOARD}"})
    assert read(file)["panel"] == {"driver": "serial", "device": BOARD}
    assert load(file).panel.driver == "serial"


def test_pins_of_the_pi_are_left_for_phones(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text((ROOT / "examples" / "two-seats.toml").read_text())
    found = save(file, {}, version_of(file), {"panel": "web"})
    assert found.mistakes == ()
    assert read(file)["panel"] == {"driver": "web", "screen": "/dev/tty1"}


def test_enrolled_dice_are_those_in_the_ledger_s_folder(file: Path) -> None:
    save(file, {}, version_of(file), {"dice": "own"})
    assert str(load(file).eye.dice) == "/var/lib/dicetable/dice.npz"
    save(file, {}, version_of(file), {"dice": "any"})
    assert load(file).eye.dice is None


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("camera", "usb:/dev/sda"), ("camera", "usb:/dev/v4l/by-id/../../sda"), ("camera", "usb:"),
        ("camera", "pi:8"), ("camera", "pi:-1"), ("camera", "pi:1\n"), ("camera", "simulated"),
        ("camera", f"serial:{BOARD}"), ("camera", "web"), ("panel", f"usb:{CAMERA}"), ("panel", "pi:0"),
        ("panel", "serial:/dev/tty1"), ("panel", "keyboard"), ("dice", "/etc/shadow"), ("dice", ""),
        ("ledger", "own"), ("web", "web"), ("", ""),
    ],
)  # fmt: skip
def test_what_is_not_listed_is_refused(file: Path, part: str, name: str) -> None:
    before = file.read_text()
    with pytest.raises(ConfigError, match="is not attached"):
        save(file, {}, version_of(file), {part: name})
    assert file.read_text() == before


def test_only_settings_whose_model_says_so_are_written(file: Path) -> None:
    """What goes with the old driver goes; nothing else is set by a choice."""
    for example in ("two-seats.toml", "four-seats.toml", "laptop.toml"):
        settings = read(ROOT / "examples" / example)
        for choice in devices.choices(settings, [(0, "imx708")]):
            file.write_text((ROOT / "examples" / example).read_text())
            found = changed(file, {}, version_of(file), {choice.part: choice.name})
            assert found.mistakes == (), choice
            file.write_text(found.after)
            fields = {each["key"]: each for table in form_of(read(file)) for each in table["fields"]}
            set_to = {key for key, value in choice.changes(settings).items() if value is not None}
            assert all(fields[key]["chosen"] and fields[key]["read_only"] for key in set_to)


def test_what_is_chosen_already_is_known_by_where_it_leads(tmp_path: Path) -> None:
    node = tmp_path / "video0"
    node.touch()
    link = tmp_path / "link"
    link.symlink_to(node)
    choice = devices.usb(Attached(link, "Maker Camera"))
    assert choice.is_in({"camera": {"driver": "usb", "device": str(node)}})
    assert not choice.is_in({"camera": {"driver": "usb", "device": "/dev/video7"}})
    assert not choice.is_in({"camera": {"driver": "usb"}})
    assert devices.pi(2).is_in({"camera": {"driver": "pi", "number": 2}})
    assert devices.pi(0).is_in({"camera": {"driver": "pi"}})


@pytest.mark.parametrize(
    "bad",
    ['{"camera": 1}', *(pytest.param(bad, marks=pytest.mark.slow) for bad in ("[1]", '"pi:0"', "null"))],
)
def test_root_s_helper_takes_names_alone(file: Path, bad: str) -> None:
    line = f'{{"changes": {{}}, "version": "{version_of(file)}", "chosen": {bad}}}\n'
    assert "error" in asked(file, "save", line.encode())
    assert form.request(line.replace(bad, '{"camera": "pi:0"}').encode())[2] == {"camera": "pi:0"}


def test_a_program_lists_what_there_is(file: Path) -> None:
    from dicetable.service.devices import listed

    told: dict[str, Any] = listed(read(file))
    assert [each["name"] for each in told["camera"]["choices"]] == [f"usb:{CAMERA}"]
    assert [each["name"] for each in told["panel"]["choices"]] == ["web", f"serial:{BOARD}"]
    assert told["panel"]["now"] == "serial /dev/dicetable-panel"
    assert [each["chosen"] for each in told["dice"]["choices"]] == [True, False]
