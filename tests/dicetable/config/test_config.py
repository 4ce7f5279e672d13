"""The config file: valid examples, and every mistake of a bad file reported at once with its remedy."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dicetable.__main__ import main
from dicetable.config.file import Config, config_of, load
from dicetable.config.mistakes import ConfigError, Mistake, mistakes_of, sections_in
from dicetable.config.panel import PinsSection, SerialPanelSection

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.toml"))
CAMERA = '[camera]\ndriver = "simulated"\n'
PINS = """
[panel]
driver = "rpi"
controls.seat1.minus = "gpio:5"
controls.seat1.plus = "gpio:6"
controls.seat1.ok = "gpio:13"
controls.table.menu = "gpio:26"
lamps.seat1 = "gpio:17"
[table]
seats = 1
"""


def loaded(folder: Path, text: str) -> Config:
    file = folder / "table.toml"
    file.write_text(text, encoding="utf-8")
    return load(file)


def mistakes(folder: Path, text: str) -> dict[str, Mistake]:
    with pytest.raises(ConfigError) as told:
        loaded(folder, text)
    return {mistake.where: mistake for mistake in told.value.mistakes}


@pytest.mark.parametrize("example", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_the_examples_are_right(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", str(example)]) == 0
    assert "is correct" in capsys.readouterr().out


def test_there_is_an_example_for_each_build_and_one_for_a_laptop() -> None:
    assert [path.stem for path in EXAMPLES] == ["eight-seats", "four-seats", "laptop", "two-seats", "webcam"]
    laptop = load(EXAMPLES[2])
    assert (laptop.camera.driver, laptop.panel.driver) == ("simulated", "simulated")


def test_pins_without_a_screen_are_right_and_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seat = 'controls.seat1 = { minus = "gpio:5", plus = "gpio:6", ok = "gpio:13" }'
    pins = f'driver = "rpi"\n{seat}\ncontrols.table.menu = "gpio:26"\n'
    file = tmp_path / "table.toml"
    for screen, noted in (("", True), ('screen = "/dev/tty1"\n', False)):
        file.write_text(f'[camera]\ndriver = "simulated"\n[panel]\n{pins}{screen}[table]\nseats = 1\n')
        assert main(["check-config", str(file)]) == 0
        assert ("players can't read what the table says" in capsys.readouterr().out) == noted


def test_what_is_no_pin_map_is_told_with_a_right_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as told:
        loaded(tmp_path, CAMERA + '[panel]\ndriver = "rpi"\ncontrols = 3\n')
    assert 'controls = { seat1.ok = "gpio:13" }' in {mistake.right for mistake in told.value.mistakes}


def test_pins_are_named_with_or_without_quotes(tmp_path: Path) -> None:
    dotted = loaded(tmp_path, CAMERA + PINS)
    quoted = loaded(
        tmp_path,
        CAMERA + PINS.replace("controls.seat1.ok", 'controls."seat1.ok"'),
    )
    assert isinstance(dotted.panel, PinsSection)
    assert isinstance(quoted.panel, PinsSection)
    assert dotted.panel.wiring == quoted.panel.wiring
    assert dotted.panel.wiring.controls["seat1.ok"] == 13


def test_all_mistakes_are_told_at_once_each_with_its_place_and_an_example(tmp_path: Path) -> None:
    found = mistakes(
        tmp_path,
        """
        colour = 3
        [camera]
        driver = "usb"
        width_px = "wide"
        heigth_px = 720
        [panel]
        driver = "rpi"
        bounce_ms = 0
        controls.seat1.minus = "gpio:17"
        controls.seat1.plus = "gpio:17"
        controls.seat1.okk = "gpio:1"
        controls.seat2.minus = "gpio:0"
        controls.seat2.plus = "link:3"
        controls.seat2.ok = "gpio:28"
        lamps.seat1 = "gpio:17"
        lamps.seat9 = "gpio:4"
        [table]
        seats = 8
        names = ["", "a"]
        """,
    )
    assert {where: mistake.what for where, mistake in found.items()} == {
        "camera.device": "is missing",
        "camera.heigth_px": "there is no such setting",
        "camera.width_px": "must be a whole number, and is 'wide'",
        "colour": "there is no such setting",
        "panel.bounce_ms": "must be at least 1, and is 0",
        "panel.controls.seat1.ok": "is missing: a seat has minus, plus and ok",
        "panel.controls.seat1.okk": "there is no such control",
        "panel.controls.seat1.plus": "gpio:17 is already taken by controls.seat1.minus",
        "panel.controls.seat2.minus": "gpio:0 is reserved for the identification of add-on boards",
        "panel.controls.seat2.plus": "link:3: this driver has no link numbers",
        "panel.controls.seat2.ok": "gpio:28: the header has gpio:2 to gpio:27",
        "panel.controls.table.menu": "is missing: without it players can't open the menu",
        "panel.lamps.seat1": "gpio:17 is already taken by controls.seat1.minus",
        "panel.lamps.seat9": "there is no such lamp",
        "table.names.0": "must be a name without spaces around it, with one space between words, and is ''",
        "table.seats": "8 seats, but the panel has controls for 2",
    }
    assert found["camera.heigth_px"].right == "height_px"
    assert found["camera.width_px"].right == "width_px = 1280"
    assert found["panel.controls.seat1.plus"].right == 'seat1.plus = "gpio:2"'
    assert found["table.seats"].right == "seats = 2"


@pytest.mark.parametrize(
    ("panel", "what", "right"),
    [
        ("", "is missing", "[panel] with driver = one of keyboard, rpi, serial, simulated, web"),
        (
            "[panel]",
            "has no driver",
            'driver = one of "serial", "rpi", "keyboard", "simulated", "web"',
        ),
        (
            '[panel]\ndriver = "usb"',
            "there is no driver 'usb'",
            'driver = one of "serial", "rpi", "keyboard", "simulated", "web"',
        ),
    ],
)
def test_a_panel_without_a_driver(tmp_path: Path, panel: str, what: str, right: str) -> None:
    (told,) = mistakes(tmp_path, CAMERA + panel).values()
    assert (told.what, told.right) == (what, right)


@pytest.mark.parametrize(
    "value", ["17", "true", '"17"', '"gpio:"', '"gpio:1_7"', '"gpio:٣"', "[]", '"GPIO:17"']
)
def test_what_is_no_pin(tmp_path: Path, value: str) -> None:
    text = CAMERA + PINS.replace('"gpio:17"', value)
    assert "is not a pin" in mistakes(tmp_path, text)["panel.lamps.seat1"].what


def test_two_names_cannot_have_one_number_on_the_link(tmp_path: Path) -> None:
    text = CAMERA + PINS.replace("gpio", "link").replace(
        'driver = "rpi"', 'driver = "serial"\ndevice = "/dev/x"'
    )
    text = text.replace("link:26", "link:24").replace("link:17", "link:5")
    assert isinstance(
        loaded(tmp_path, text).panel, SerialPanelSection
    )  # a lamp and an input may have the same number
    told = mistakes(tmp_path, text.replace("link:24", "link:5"))
    assert told["panel.controls.table.menu"].what == "link:5 is already taken by controls.seat1.minus"


def test_a_pin_map_is_refused_also_by_the_model_itself() -> None:
    with pytest.raises(ValueError, match="impossible"):
        PinsSection(driver="rpi", controls={"seat1.ok": "gpio:99"})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"[camera", 'write settings like this: device = "/dev/video0"'),
        (b"\xff", "byte 0 is not UTF-8: save the file as UTF-8"),
        (b"a = " + b"[" * 5000, "nested too deeply"),
        (b"#" * 1_000_001, "is larger than 100 kB"),
        (b"[panel]\n[web]\n[panel]\n", "has the section [panel] twice, again in line 3: keep one of them"),
    ],
)
def test_what_is_no_config_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, told: str
) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(data)
    assert main(["check-config", str(file)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{file}: ")
    assert told in error
    assert error.count("\n") == 1


JUNK: tuple[object, ...] = ("banana", -1, 10**9, "", 1.5, True, None, [], {}, "x" * 500, ["a"] * 200, "../x")
PROGRAMMERS = (
    "Input",
    "Value error",
    "fromhex",
    "unpack",
    "instance",
    "valid ",
    "pattern",
    "items",
    "List",
    "^",
)


def test_every_mistake_in_a_setting_is_said_in_a_users_words() -> None:
    basis = {"camera": {"driver": "simulated"}, "panel": {"driver": "simulated"}}
    checked = 0
    for name, field in Config.model_fields.items():
        for driver, model in sections_in(field).items():
            for setting, junk in product(model.model_fields, JUNK):
                section = {"driver": driver} if driver else basis.get(name, {})
                try:
                    Config.model_validate({**basis, name: {**section, setting: junk}})
                except ValidationError as error:
                    for mistake in mistakes_of(error, Config):
                        what = mistake.what.partition(", and is ")[0]
                        assert not [word for word in PROGRAMMERS if word in what], mistake
                        checked += 1
    assert checked > 500


@pytest.mark.parametrize(("user", "right"), [(1000, "put `sudo` before the command, or"), (0, "name a TOML")])
def test_a_config_that_only_root_may_read_is_answered_with_sudo(
    user: int, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("dicetable.config.file.first_bytes", refused)
    monkeypatch.setattr("os.geteuid", lambda: user)
    with pytest.raises(ConfigError, match=f"cannot be read: Permission denied: {right}"):
        load(tmp_path / "table.toml")


@pytest.mark.parametrize("name", ["", "absent.toml"])
def test_a_file_that_cannot_be_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["check-config", str(tmp_path / name)]) == 1
    assert "cannot be read" in capsys.readouterr().err


names = st.sampled_from(
    [
        "driver",
        "device",
        "controls",
        "lamps",
        "seat1",
        "seat1.ok",
        "ok",
        "seats",
        "names",
        "width_px",
        "x",
        "",
    ]
)
scalars = st.sampled_from(
    [True, -1, 3, 1e300, float("nan"), "usb", "rpi", "serial", "gpio:3", "link:3", "\0"]
)
tables = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["camera", "panel", "table", "ledger"]), tables))
def test_no_content_of_any_kind_brings_more_than_mistakes(settings: dict[str, object]) -> None:
    config, wrong = config_of(settings)
    assert (config is None) == bool(wrong)
    assert all(mistake.what and mistake.right for mistake in wrong)


@pytest.mark.parametrize(
    "crop", ["[0.5, 0, 0.6, 1]", "[0, 0, 0, 1]", "[0, 0, 1]", "[0, 0, 1, 2]", "[nan, 0, 1, 1]", '"all"']
)
def test_a_crop_that_cannot_be(tmp_path: Path, crop: str) -> None:
    text = f'[camera]\ndriver = "pi"\ncrop = {crop}\n[panel]\ndriver = "simulated"\n'
    ((_, mistake),) = mistakes(tmp_path, text).items()
    assert mistake.where.startswith("camera.crop")
    assert mistake.right == "crop = [0.25, 0.25, 0.5, 0.5]"


def test_the_mains_have_one_of_two_frequencies(tmp_path: Path) -> None:
    text = '[camera]\ndriver = "usb"\ndevice = 0\nmains_hz = 55\n[panel]\ndriver = "simulated"\n'
    assert mistakes(tmp_path, text)["camera.mains_hz"].what == "must be 50 or 60, and is 55"


@pytest.mark.parametrize(
    "listen",
    ["8080", "localhost:8080", "0.0.0.0", "0.0.0.0:0", "1.2.3.4.5:80", "[::g]:80", "::1:80"],
)
def test_what_is_no_address_is_told_with_a_right_one(tmp_path: Path, listen: str) -> None:
    text = f'{CAMERA}[panel]\ndriver = "simulated"\n[web]\nlisten = "{listen}"\n'
    told = mistakes(tmp_path, text)["web.listen"]
    assert str(told) == (
        f"web.listen: must be an IP address and a port, and is {listen!r} "
        '(for example: listen = "0.0.0.0:8080")'
    )


def test_there_are_no_screens_unless_they_are_set(tmp_path: Path) -> None:
    text = f'{CAMERA}[panel]\ndriver = "simulated"\n'
    assert loaded(tmp_path, text).web is None
    for listen in ("0.0.0.0:8080", "[::1]:80"):
        web = loaded(tmp_path, f'{text}[web]\nlisten = "{listen}"\n').web
        assert web is not None
        assert web.listen == listen
