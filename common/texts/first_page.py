"""The first page in the browser: whether the camera will do, and what to do next."""

from typing import Final

from common.texts.catalogue import tr

PAGE: Final = {
    "heading": tr("Your camera"),
    "which": tr("Camera"),
    "go_on": tr("Go on to the table"),
    "away": tr("No game runs under a camera here: start `dicetable roll --web`."),
    "refused": tr("The camera refuses:"),
}
"""The texts by the names that start.html and start.js use."""
NO_PICTURE: Final = tr("Waiting for the camera's first picture …")
EMPTY_IT: Final = tr("Take all dice and your hands out of the picture.")
THROW: Final = tr("Now throw.")
SHARP: Final = tr("The picture is sharp.")
NOT_SHARP: Final = tr("The picture is blurred: clean the lens, or move the camera until it is sharp.")
BRIGHT: Final = tr("The light is right.")
TOO_DARK: Final = tr("It's too dark: switch a lamp on.")
TOO_BRIGHT: Final = tr("It's too bright: turn the lamp away.")
STEADY: Final = tr("Nothing moves.")
NOT_STEADY: Final = tr("Something moves, or the camera shakes: let all come to rest.")
TOO_SLOW: Final = tr("Too few pictures a second to see dice roll: add light, or close other programs.")
NO_SUCH_CAMERA: Final = tr("That camera isn't attached any more.")
ONLY_HERE: Final = tr(
    "Only the machine itself shows the camera's picture. On another one open the address at its terminal."
)


def mode(width: int, height: int, rate: float) -> str:
    return tr("{width} × {height} pixels, {rate:.0f} pictures a second.").format(
        width=width, height=height, rate=rate
    )


def reads(dice: str) -> str:
    return tr("The table reads: {dice}.").format(dice=dice)


def look_first(url: str) -> str:
    return tr("Look at the camera's picture first: {url}").format(url=url)


def refuses(notes: str) -> str:
    return tr("The camera refuses: {notes}").format(notes=notes)
