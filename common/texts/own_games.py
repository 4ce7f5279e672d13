"""Games from a folder: why a file is left out, and what to do."""

from typing import Final

from common.texts.catalogue import tr

NO_GAME: Final = tr("it has no GAME")
REMEDY: Final = tr("correct the file or take it away, then restart the table")

RULES_REMEDY: Final = tr("correct the house rules in the settings, then restart the table")


def left_out(file: str, why: str) -> str:
    return tr("{file} is left out: {why}").format(file=file, why=why)


def no_folder(why: str) -> str:
    return tr("the folder can't be read: {why}").format(why=why)


def unreadable(why: str) -> str:
    return tr("it can't be read: {why}").format(why=why)


def foreign(path: str) -> str:
    return tr("{path} belongs to another user: `sudo chown root {path}`").format(path=path)


def writable(path: str) -> str:
    return tr("other users can write {path}: `chmod go-w {path}`").format(path=path)


def syntax(line: int, why: str) -> str:
    return tr("line {line} is not Python: {why}").format(line=line, why=why)


def raised(why: str) -> str:
    return tr("it can't be loaded: {why}").format(why=why)


def no_game_but(kind: str) -> str:
    return tr("its GAME is of the type {kind}, not Game").format(kind=kind)


def taken(name: str) -> str:
    return tr("there is already a game named {name}").format(name=name)


def broken(fault: str) -> str:
    return tr("it breaks a promise in a random game: {fault}").format(fault=fault)


def too_long(seconds: int) -> str:
    return tr("its random games take over {seconds} seconds").format(seconds=seconds)


def endless(seed: str, seconds: int) -> str:
    """`seed` is that of the game that did not end; empty if the file did not get that far."""
    if not seed:
        return tr("loading it takes over {seconds} seconds").format(seconds=seconds)
    return tr("seed {seed}: a game takes over {seconds} seconds").format(seed=seed, seconds=seconds)


def ended(seed: str) -> str:
    if not seed:
        return tr("loading it ends the program")
    return tr("seed {seed}: a game ends the program").format(seed=seed)


def rule_fails(title: str, why: str) -> str:
    return tr("{title} has a fault: {why}").format(title=title, why=why)


def gone(title: str) -> str:
    return tr("{title} isn't among the games now.").format(title=title)


# The doctor.
def usable(names: str) -> str:
    return tr("usable: {names}").format(names=names)


NONE: Final = tr("no games in it")


# `dicetable engine --check`.
def promises_kept(name: str, games: int) -> str:
    return tr("{name}: {games} random games, no promise broken").format(name=name, games=games)
