"""A phone as the camera: its page, the page before it, and what the terminal says of it."""

from typing import Final

from common.texts.catalogue import tr

PAGE: Final = {
    "heading": tr("Your phone is the table's camera"),
    "wait": tr("One moment …"),
    "place": tr("Lay the phone flat above the tray, its rear camera down, so that the tray fills the frame."),
    "start": tr("Start the camera"),
    "again": tr("Try again"),
    "running": tr("The table sees the tray: {rate} pictures a second."),
    "slow": tr(
        "Only {rate} pictures a second reach the table: strict throws will need a vouch. "
        "Move closer to the access point."
    ),
    "table_away": tr("The table isn't taking the pictures. This page keeps trying."),
    "network": tr("The table can't be reached. This page keeps trying; check the phone's network."),
    "refused": tr(
        "The browser may not use the camera: allow it in the settings of this page, then try again."
    ),
    "no_camera": tr("This browser gives no picture from the rear camera: close other apps that use it."),
    "ended": tr("The camera was taken away, by a call or another app. It starts again by itself."),
    "unlocked": tr("Focus and exposure stay automatic on this phone: keep the light steady."),
    "locked": tr("Focus and exposure are locked."),
    "damaged": tr("The table can't read these pictures. Try another browser."),
    "awake": tr("Keep this page open, and the screen on."),
    "steps_heading": tr("Make your phone the camera"),
    "steps_text": tr(
        "Browsers lend a camera to encrypted pages alone. This table made its own certificate, which your "
        "browser can't know, so it warns you once. This is how you go on:"
    ),
    "step_1": tr("Open the camera's page with the button below. The browser warns you."),
    "step_1_picture": tr("Your connection is not private"),
    "step_2": tr("Choose Advanced, or Show Details."),
    "step_2_picture": tr("Advanced"),
    "step_3": tr("Choose Proceed, or visit this website. Then allow the camera."),
    "step_3_picture": tr("Proceed"),
    "compare": tr(
        "To be certain, compare this fingerprint (SHA-256) with the one in the browser's certificate details:"
    ),
    "open": tr("Open the camera's page"),
    "or_photograph": tr("Or, without a warning: send a photograph of each throw"),
    "photograph_heading": tr("A photograph of each throw"),
    "photograph_text": tr(
        "Throw and let the dice lie. Then photograph them from above: only the dice of this throw, so that "
        "they fill the picture. The table takes it as a throw that nobody saw roll, by friendly rules."
    ),
    "take": tr("Photograph the throw"),
    "sending": tr("Sending …"),
    "sent": tr("The table has read it."),
    "no_picture": tr("This browser can't open that picture. Take another one."),
    "trust": tr(
        "Pictures go to this table alone. They pass through its gateway, which the table then trusts."
    ),
}
"""The texts by the names that the pages of the camera and their scripts use."""
WRONG_CODE: Final = tr("The code is used up or too old: scan a new one at the table.")
ANOTHER: Final = tr("Another phone is the camera: close its page first, then try again.")
NOT_PAIRED: Final = tr("This phone isn't the camera, or no longer: scan a new code at the table.")
TOO_FAST: Final = tr("More pictures came than the table takes.")
TOO_LARGE: Final = tr("The picture is larger than 400 kB.")
NOT_TAKEN: Final = tr("The table isn't taking pictures now. Try again in a moment.")
TOO_SLOW: Final = tr("The picture took too long to arrive.")


# At a terminal.
NOT_CHOSEN: Final = tr(
    'dicetable gateway: no phone is the camera of this table: write driver = "phone" in [camera] first'
)
SCAN: Final = tr("Scan this with the phone that will be the camera. The code works once, within ten minutes.")
WAITING: Final = tr("Waiting for the phone's pictures; Ctrl-C ends.")
TRUSTS: Final = tr("A table with a phone as its camera trusts the gateway, and plays in no league.")


def fingerprint(sha256: str) -> str:
    return tr("Fingerprint of the certificate (SHA-256): {sha256}").format(sha256=sha256)


def cannot_serve(host: str, port: int, why: str) -> str:
    return tr("dicetable gateway: {host} port {port}: {why}: choose another `listen` in [camera]").format(
        host=host, port=port, why=why
    )


def no_certificate(folder: str, why: str) -> str:
    return tr(
        "dicetable gateway: no certificate can be made in {folder}: {why}: make the folder writable, or name "
        "tls_cert and tls_key in [web]"
    ).format(folder=folder, why=why)


def did_not_start(port: int, secure: int) -> str:
    return tr("the gateway does not start: end the program that uses port {port} or {secure}").format(
        port=port, secure=secure
    )
