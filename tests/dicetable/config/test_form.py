"""The config as a form, and its changes: validated as a whole, comments kept, secrets hidden."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from common import files
from dicetable.config import form
from dicetable.config.file import Config, load, read
from dicetable.config.form import (
    HIDDEN,
    changed,
    form_of,
    save,
    version_of,
    without_secrets,
)
from dicetable.config.mistakes import ConfigError
from gateway.operator.passphrase import hash_passphrase
from tests.dicetable.config.forms import HOSTILE, TEXT, WHOLE, asked
from tests.gateway.serving import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


def fields(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {field["key"]: field for table in form_of(settings) for field in table["fields"]}


def read_only_keys(settings: dict[str, Any]) -> set[str]:
    return {key for key, field in fields(settings).items() if field["read_only"]}


@cache
def secret() -> str:
    """Costs a twentieth of a second."""
    return hash_passphrase("correct horse")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "table.toml"
    made.write_text(TEXT.format(secret=secret()))
    return made


def test_every_setting_of_the_models_is_on_the_form_with_its_help() -> None:
    for example in EXAMPLES:
        found = fields(read(example))
        assert all(field["help"] or field["name"] == "driver" for field in found.values())
        assert {table["name"] for table in form_of(read(example))} == set(Config.model_fields)
        for key, field in found.items():
            assert field["type"] in (
                "integer",
                "number",
                "text",
                "boolean",
                "choice",
                "list",
                "tables",
                "path",
                "map",
            ), key


def test_units_limits_and_choices_are_told(file: Path) -> None:
    found = fields(read(file))
    exposure = found["camera.exposure_ms"]
    assert (exposure["unit"], exposure["value"], exposure["least"], exposure["most"]) == ("ms", 8.0, 0.1, 200)
    assert found["house.throws"]["choices"] == ["strict", "friendly"]
    assert found["table.names"]["value"] == ["Ann", "Bob"]


def test_what_names_files_devices_and_users_is_read_only(file: Path) -> None:
    barred = read_only_keys(read(file))
    assert {
        "camera.driver",
        "camera.device",
        "ledger.folder",
        "eye.dice",
        "panel.screen",
        "web.tls_key",
    } <= barred
    assert "table.seats" not in barred
    for example in EXAMPLES:
        found = fields(read(example)).values()
        assert all(field["read_only"] for field in found if field["type"] in ("path", "map"))


def test_a_change_keeps_comments_and_a_backup(file: Path) -> None:
    before = file.read_text()
    file.chmod(0o640)
    found = save(
        file, {"camera.exposure_ms": 5, "table.names": ["Cleo"], "house.throws": "strict"}, version_of(file)
    )
    assert found.mistakes == ()
    after = load(file)
    assert (after.house.throws, after.table.names) == ("strict", ["Cleo"])
    assert "exposure_ms = 5   # short" in file.read_text()
    assert file.with_name("table.toml.bak").read_text() == before
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.with_name("table.toml.bak").stat().st_mode & 0o777 == 0o640
    assert found.diff == (
        "[camera]", "-exposure_ms = 8.0", "+exposure_ms = 5",
        "[house]", '+throws = "strict"',
        "[table]", '-names = ["Ann", "Bob"]', '+names = ["Cleo"]',
    )  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file to a group needs root")
def test_whoever_read_the_file_by_its_group_still_can(file: Path) -> None:
    os.chown(file, -1, 12345)
    file.chmod(0o640)
    save(file, {"table.seats": 3}, version_of(file))
    for each in (file, file.with_name("table.toml.bak")):
        assert (each.stat().st_gid, each.stat().st_mode & 0o777) == (12345, 0o640)


def test_a_group_that_cannot_be_kept_leaves_the_file_as_it_is(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_text()
    about = file.stat()
    monkeypatch.setattr(type(file), "stat", lambda *_, **__: stat_with_group(about, 12345))

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refused)
    with pytest.raises(PermissionError):
        save(file, {"table.seats": 3}, version_of(file))
    monkeypatch.undo()
    assert file.read_text() == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def stat_with_group(about: os.stat_result, group: int) -> os.stat_result:
    """The same, of a file of another group."""
    return os.stat_result((*about[:5], group, *about[6:]))


@pytest.mark.parametrize("key", HOSTILE)
def test_what_opens_a_way_in_or_sends_a_secret_away_is_for_the_machine_itself(file: Path, key: str) -> None:
    file.write_text(file.read_text() + WHOLE)
    before = file.read_text()
    with pytest.raises(ConfigError, match="cannot be changed on this page"):
        save(file, {key: HOSTILE[key]}, version_of(file))
    assert file.read_text() == before


def test_a_setting_is_closed_until_its_model_opens_it(file: Path) -> None:
    file.write_text(file.read_text() + WHOLE)
    sections = {"camera", "panel", "table", "house", "games", "screen", "web"}
    opened = set(fields(read(file))) - read_only_keys(read(file))
    assert {key.partition(".")[0] for key in opened} <= sections
    assert {key for key in opened if key.startswith("web.")} == {"web.odds", "web.unnamed"}
    assert {key for key in opened if key.startswith("games.")} == {"games.favourites", "games.house_rules"}
    assert "screen.logo" not in opened  # the gateway reads that file


def test_no_secret_is_in_the_form_the_plain_file_the_difference_or_a_mistake(file: Path) -> None:
    file.write_text(file.read_text() + WHOLE)
    passphrase = read(file)["web"]["operator_passphrase"]
    version = version_of(file)
    found = changed(file, {"web.odds": False, "table.names": ["Cleo"]}, version)
    assert found.mistakes == ()
    told = [json.dumps(form_of(read(file))), json.dumps(without_secrets(read(file))), "\n".join(found.diff)]
    file.write_text(file.read_text().replace("https://hooks.example/TOKEN", "ftp:/TOKEN") + "\n[web.x]\n")
    with pytest.raises(ConfigError) as raised:
        load(file)
    told.append(str(raised.value))
    file.write_text(
        file.read_text()
        .replace("[web.x]", "")
        .replace("scrypt$", "plain$")
        .replace("[web]", '[web]\ntls_cert = "/x"')
    )
    with pytest.raises(ConfigError) as raised:
        load(file)
    told.append(str(raised.value))
    for each in told:
        assert "TOKEN" not in each
        assert passphrase.removeprefix("scrypt$") not in each


PLAIN_TEXTS = {
    "panel.board_id", "web.listen", "web.origins", "camera.listen", "mqtt.username", "metrics.allow",
}  # fmt: skip
"""Free texts that the page and the log may show."""


def free_texts(path: str, field: dict[str, Any], schema: dict[str, Any], *, shown: bool) -> Iterator[str]:
    """The settings that hold any text, and that are neither secret nor open on the page."""
    inner = schema["$defs"][field["$ref"].rpartition("/")[2]] if "$ref" in field else field
    shown = shown and not field.get("secret") and not field.get("on_page")
    parts = [*inner.get("anyOf", ()), *inner.get("oneOf", ())]
    parts += [inner["items"]] if inner.get("type") == "array" else []
    for part in parts:
        yield from free_texts(path, part, schema, shown=shown)
    for key, part in inner.get("properties", {}).items():
        yield from free_texts(f"{path}.{key}".lstrip("."), part, schema, shown=shown)
    if shown and inner.get("type") == "string" and not inner.keys() & {"enum", "const", "pattern", "format"}:
        yield path


def test_a_new_free_text_is_a_secret_until_it_is_known_to_be_none() -> None:
    schema = Config.model_json_schema()
    assert set(free_texts("", schema, schema, shown=True)) == PLAIN_TEXTS


def test_a_setting_is_left_out_again(file: Path) -> None:
    save(file, {"camera.exposure_ms": None}, version_of(file))
    assert "exposure_ms" not in file.read_text()


@pytest.mark.parametrize(
    "change",
    [
        {"table.seats": 99},
        {"table.seats": "2"},
        {"table.names": ["Ann", "Ann"]},
        {"table.names": ["<b>", "a" * 50]},
        {"house.throws": "generous"},
        {"camera.exposure_ms": -1},
    ],
)
def test_what_check_config_refuses_is_not_saved(file: Path, change: dict[str, Any]) -> None:
    before = file.read_text()
    found = save(file, change, version_of(file))
    assert found.mistakes
    other = file.with_name("other.toml")
    other.write_text(found.after)
    with pytest.raises(ConfigError) as told:
        load(other)
    assert [str(each) for each in told.value.mistakes] == [str(each) for each in found.mistakes]
    assert file.read_text() == before
    assert not file.with_name("table.toml.bak").exists()


@pytest.mark.parametrize(
    "key",
    ["camera.device", "camera.driver", "ledger.folder", "web.tls_key", "web.operator_passphrase",
     "web.listen", "panel.screen", "nothing.at_all", "table", "table.seats.x", "camera.driver.x", ""],
)  # fmt: skip
def test_what_may_not_be_changed_is_refused_by_name(file: Path, key: str) -> None:
    before = file.read_text()
    with pytest.raises(ConfigError, match=r"cannot be changed on this page|is not a setting"):
        save(file, {key: "/etc/shadow"}, version_of(file))
    assert file.read_text() == before


def test_a_file_that_was_changed_meanwhile_is_left_alone(file: Path) -> None:
    version = version_of(file)
    file.write_text(file.read_text() + "\n")
    with pytest.raises(ConfigError, match="has changed in the meantime"):
        changed(file, {"table.seats": 1}, version)


def test_the_second_operator_to_save_must_reload(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, version = files.atomic_write, version_of(file)

    def slowly(*about: Any) -> None:
        time.sleep(0.2)
        write(*about)

    monkeypatch.setattr(files, "atomic_write", slowly)
    wanted = [{"table.seats": 3}, {"table.seats": 4}]
    with ThreadPoolExecutor(2) as pool:
        saves = [pool.submit(save, file, change, version) for change in wanted]
    (refused,) = [str(each.exception()) for each in saves if each.exception()]
    assert "has changed in the meantime" in refused
    (kept,) = [change for each, change in zip(saves, wanted, strict=True) if not each.exception()]
    assert read(file)["table"]["seats"] == kept["table.seats"]


def test_values_with_markup_and_quotes_stay_values(file: Path) -> None:
    evil = 'x"]\n[ledger]\nfolder = "/"'
    found = changed(file, {"table.names": [evil]}, version_of(file))
    assert found.mistakes
    file.write_text(found.after)
    assert read(file)["table"]["names"] == [evil]
    assert "ledger" not in read(file)


def test_no_secret_is_shown(file: Path) -> None:
    settings = read(file)
    secret = settings["web"]["operator_passphrase"]
    for told in (json.dumps(form_of(settings)), json.dumps(without_secrets(settings))):
        assert secret not in told
        assert HIDDEN in told
    odd = {"webhooks": [{"url": "y"}], "mqtt": {"password": "x", "port": 1}, "unknown": {"a": None}, "web": 1}
    assert without_secrets(odd) == {
        "webhooks": HIDDEN,
        "mqtt": {"password": HIDDEN, "port": 1},
        "unknown": HIDDEN,
        "web": HIDDEN,
    }
    assert "web.operator_passphrase" in fields(settings)


def test_root_s_helper_saves_and_refuses_as_the_page_is_told(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({"changes": {"table.seats": 3}, "version": version_of(file)}).encode() + b"\n"
    assert asked(file, "save", line)["saved"] is True
    assert load(file).table.seats == 3
    assert asked(file, "save", line)["saved"] is False, "sent again"
    for bad in (b"", b"\n", b"[]\n", b'{"changes": 1, "version": ""}\n', b"x" * 100_000, b"\xff\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bad)))
        told = form.main("save", file)
        assert told["saved"] is False
        assert told["error"]
    assert load(file).table.seats == 3


def test_house_rules_are_written_as_tables_and_taken_away_again(file: Path) -> None:
    before = file.read_text()
    rules = [
        {"name": "The Anchor's", "game": "ten_thousand", "options": {"target": 5000}},
        {"name": "Short", "game": "yacht", "options": {"rounds": 3}},
    ]
    assert save(file, {"games.house_rules": rules}, version_of(file)).mistakes == ()
    assert [each.name for each in load(file).games.house_rules] == ["The Anchor's", "Short"]
    wrong = [{**rules[0], "options": {"target": 0}}]
    (mistake,) = save(file, {"games.house_rules": wrong}, version_of(file)).mistakes
    assert mistake.where == "games.house_rules.0.options.target"
    assert [each.name for each in load(file).games.house_rules] == ["The Anchor's", "Short"]
    assert save(file, {"games.house_rules": None}, version_of(file)).mistakes == ()
    assert load(file).games.house_rules == []
    assert file.read_text().startswith(before.rstrip())
