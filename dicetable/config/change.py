"""Changes settings in a config file: keeps comments and order, checks the result, makes a backup.

Callers name settings and values, never the text of a file. They cannot name settings that the page may not
change, except by choosing one of the devices that are attached (devices.py).
"""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from dicetable import texts
from dicetable.config import devices
from dicetable.config.file import MOST_BYTES, config_of, read
from dicetable.config.form import known_keys, read_only_keys
from dicetable.config.mistakes import ConfigError, Mistake, toml
from dicetable.files import atomic_write, first_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BACKUP: Final = ".bak"
MOST_CHANGES: Final = 100
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Changed:
    """A config file after a change.

    Attributes:
        before, after: the whole text of the file.
        diff: each setting that differs, before with a minus and after with a plus. It has nothing else of the
            file, in whose lines and comments secrets may stand.
        mistakes: why the new text cannot be used; empty if it can.
    """

    before: str
    after: str
    diff: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()


def difference(before: Mapping[str, Any], changes: Mapping[str, Any]) -> Iterator[str]:
    """The settings that differ, by section."""
    told = ""
    for key, value in sorted(changes.items()):
        section, _, name = key.partition(".")
        old = before.get(section, {}).get(name)
        if old == value:
            continue
        if section != told:
            told = section
            yield f"[{section}]"
        if old is not None:
            yield f"-{name} = {toml(old)}"
        if value is not None:
            yield f"+{name} = {toml(value)}"


def version_of(path: Path) -> str:
    """A hash of the file's content. Raises OSError."""
    return hashlib.sha256(first_bytes(path, MOST_BYTES + 1)).hexdigest()


def changed(
    path: Path, changes: Mapping[str, Any], version: str, chosen: Mapping[str, str] = NOTHING
) -> Changed:
    """The file with these settings changed: maps `section.name` to a value, or to None to remove the setting.

    `chosen` names a device for each part that gets another one.

    Raises:
        ConfigError: the file cannot be read, has changed meanwhile, or a setting may not be changed here.
    """
    settings = read(path)
    before = first_bytes(path, MOST_BYTES + 1).decode("utf-8")
    if hashlib.sha256(before.encode()).hexdigest() != version:
        raise ConfigError(path, [Mistake("", *texts.operator.FILE_CHANGED)])
    if len(changes) > MOST_CHANGES:
        raise ConfigError(path, [Mistake("", *texts.operator.TOO_MANY_CHANGES)])
    known, barred = known_keys(settings), read_only_keys(settings)
    wrong = [Mistake("", *texts.operator.no_such_setting(key)) for key in changes if key not in known]
    wrong += [Mistake("", *texts.operator.read_only_setting(key)) for key in changes if key in barred]
    found = {part: devices.chosen(settings, part, name) for part, name in chosen.items()}
    wrong += [
        Mistake("", *texts.operator.not_attached(chosen[part])) for part, each in found.items() if not each
    ]
    if wrong:
        raise ConfigError(path, wrong)
    for each in found.values():
        changes = {**changes, **(each.changes(settings) if each else {})}
    try:
        document = tomlkit.parse(before)
        for key, value in changes.items():
            put(document, key, value)
        after = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, TypeError) as error:
        raise ConfigError(path, [Mistake("", f"{error}", texts.operator.MEND_BY_HAND)]) from None
    diff = tuple(difference(settings, changes))
    return Changed(before, after, diff, tuple(mistakes_in(after)))


def put(document: tomlkit.TOMLDocument, key: str, value: Any) -> None:
    """Sets or removes one setting."""
    table, _, name = key.partition(".")
    section = document.get(table)
    if value is None:
        if section is not None and name in section:
            del section[name]
        return
    if section is None:
        section = document[table] = tomlkit.table()
    section[name] = value


def mistakes_in(text: str) -> list[Mistake]:
    """The mistakes in the text of a config file, as `dicetable check-config` reports them."""
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        file.write(text.encode())
        file.flush()
        try:
            _, mistakes = config_of(read(Path(file.name)))
        except ConfigError as error:
            return error.mistakes
    return mistakes


def save(
    path: Path, changes: Mapping[str, Any], version: str, chosen: Mapping[str, str] = NOTHING
) -> Changed:
    """Writes the changed file if it has no mistakes; keeps the previous file beside it.

    Raises:
        ConfigError: see `changed`.
        OSError: the file cannot be written; the old one is unchanged.
    """
    found = changed(path, changes, version, chosen)
    if not found.mistakes and found.after != found.before:
        about = path.stat()
        atomic_write(path.with_name(path.name + BACKUP), found.before.encode(), about)
        atomic_write(path, found.after.encode(), about)
    return found
