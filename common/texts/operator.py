"""The operator's pages, `/operator`: why they refuse, and their words.

PAGE goes by the names in the HTML, SCRIPT by those in the scripts.
"""

from typing import Final

from common.texts.catalogue import tr

# Why something is refused.
NEEDS_TLS: Final = tr(
    "From other machines this page needs TLS: set tls_cert and tls_key in [web], "
    "or operator_plain_http = true on a network that you trust."
)
FOREIGN: Final = tr("This request didn't come from one of this table's pages: reload the page.")
MALFORMED: Final = tr("The table can't understand this request: reload the page and try again.")
TOO_LARGE: Final = tr("This request is too large.")
LOGO_KIND: Final = tr("This is no picture as PNG, JPEG or WebP.")
LOGO_LARGE: Final = tr("The picture is larger than 4 MB: choose a smaller one.")
LOGO_PIXELS: Final = tr("The picture has more than 12 megapixels: choose a smaller one.")
LOGO_DAMAGED: Final = tr("The picture is damaged.")
TOO_OFTEN: Final = tr("Too many requests at once: wait a moment and try again.")
LOGGED_OUT: Final = tr("You are logged out: log in again.")
REPLAYED: Final = tr("This was already sent, or the page is out of date: nothing was done. Try again.")
NOTHING: Final = tr("Not found.")
NO_PHONE_CAMERA: Final = tr('No phone is the camera of this table: write driver = "phone" in [camera] first.')
TABLE_AWAY: Final = tr("The table isn't answering: its service may be starting.")
TOO_MANY_CODES: Final = tr("Too many codes were asked for. Wait two minutes, or use an invitation.")
NOWHERE_TO_SHOW: Final = tr(
    "There is nowhere to show a code: the table has no working display of its own. "
    "Type this on the machine that the table runs on: sudo dicetable gateway invite"
)
WRONG_CODE: Final = tr("This code is wrong or has expired: ask for a new one.")
WRONG_BOTH: Final = tr("Code or passphrase is wrong, or the code has expired.")
PASSPHRASE_DUE: Final = tr("Choose a passphrase first: reload the page.")
PASSPHRASE_CHOSEN: Final = tr("A passphrase has already been chosen. Log in with it.")
UNPAIRED: Final = tr("No display is paired any more.")
NO_FILE: Final = tr("The table runs without a config file, so there is nothing to change.")
NO_HELPER: Final = tr(
    "The helper that saves settings isn't answering: systemctl start dicetable-settings.socket, or change "
    "the file on the machine itself."
)
TOO_SLOW: Final = tr("This took too long and was stopped: try again.")
TOO_MUCH: Final = tr("The answer is too large to show.")
FAILED: Final = tr("Something broke inside the table. The log on the page Health says more.")
NO_JOURNAL: Final = tr("This machine has no system journal: see the terminal in which the table runs.")

# What the table refuses.
GAME_RUNS: Final = tr("A game is being played: end it first, or wait until it is over.")
JUST_STARTED: Final = tr("The table has just started: wait a moment.")
NO_GAME: Final = tr("No game is being played.")
NOT_PAUSED: Final = tr("The game is not paused.")
MENU_OPEN: Final = tr("A player has a menu open: wait until it is closed.")
NO_SUCH_GAME: Final = tr("There is no such game, or no such seat: reload the page.")
NO_SUCH_DIE: Final = tr("One of these dice has no such face.")
NOT_WRITTEN: Final = tr("The ledger couldn't save it; the panel says why.")
NOT_CONFIRMED: Final = tr("No seat at the table has confirmed it: nothing was changed.")

# What the eye refuses, and its meters.
NO_EYE: Final = tr("The camera's process isn't answering: it may be starting.")
EYE_BUSY: Final = tr("The camera's process is still busy with the previous request: try again in a moment.")
LOOK_FIRST: Final = tr("Check the empty tray first and fix any problems.")
NO_FOLDER: Final = tr("This table has no folder to save it in.")
EMPTY_FIRST: Final = tr("Start with the empty tray.")
NO_PREVIOUS: Final = tr("There is no previous one to put back.")
NO_FACES: Final = tr("No face has been captured yet.")
SURE: Final = tr("the reading is sure")
MARKERS_SEEN: Final = tr("all four markers are in view")
METERS: Final = {"focus": tr("Focus"), "light": tr("Light"), "glare": tr("Glare"), "size": tr("Size")}
DONE: Final = {
    "start": tr("The game has begun."),
    "pause": tr("The game is paused."),
    "resume": tr("The game continues."),
    "end": tr("The game has ended."),
    "correct": tr("Confirmed at the table: the throw is corrected."),
    "restart": tr("The service is restarting."),
    "off": tr("The table is being switched off."),
}


def brightness(mean: float) -> str:
    return tr("mean brightness {mean:.0f} of 255").format(mean=mean)


def on_panel(code: str) -> str:
    """The last line of the panel during a login: twenty characters."""
    return tr("Operator: {code}").format(code=code)


def eye_failed(why: str) -> str:
    return tr("That didn't work: {why}.").format(why=why[:120])


def no_program(name: str, why: str) -> str:
    return tr("{name} cannot be started: {why}.").format(name=name, why=why)


# Saving the config.
FILE_CHANGED: Final = (tr("has changed in the meantime"), tr("reload the page to see it"))
TOO_MANY_CHANGES: Final = (tr("has too many changes at once"), tr("save some of them first"))
MEND_BY_HAND: Final = tr("change it in the file, on the machine itself")


def no_such_setting(key: str) -> tuple[str, str]:
    return tr("{key!r} is not a setting").format(key=key[:60]), tr("reload the page")


def read_only_setting(key: str) -> tuple[str, str]:
    return tr("{key} cannot be changed on this page").format(key=key), MEND_BY_HAND


def not_attached(name: str) -> tuple[str, str]:
    return tr("{name!r} is not attached to this machine").format(name=name[:80]), tr(
        "plug it in and look again"
    )


def pi_camera(number: int) -> str:
    return tr("Raspberry Pi camera {number}").format(number=number)


NOT_YET: Final = tr("nothing yet")
NO_THERMOMETER: Final = tr("no thermometer")
PHONES: Final = tr("Phones")
PHONES_DETAIL: Final = tr("each player's own phone, or one tablet: nothing to solder")
ANY_DICE: Final = tr("Any dice")
OWN_DICE: Final = tr("Only the enrolled dice")


def logo_not_saved(why: str) -> str:
    return tr("The logo could not be saved: {why}.").format(why=why)


def not_saved(why: str) -> str:
    return tr("The config could not be saved: {why}. Nothing was changed.").format(why=why)


# At a terminal.
PAIRED: Final = tr("The display is paired and will show the codes of free seats.")
UNKNOWN_CODE: Final = tr("dicetable gateway: no display shows this code now: show a new one")
NO_GATEWAY: Final = tr(
    "dicetable gateway: no gateway runs on this machine: systemctl start dicetable-gateway, or `dicetable "
    "run --web` as the same user"
)
AS_ROOT: Final = tr("dicetable gateway: only root may do this with the installed table: use sudo")
INVITED: Final = tr(
    "For the operator alone: scan the code with a phone, or open the address, within ten minutes. It "
    "works once. The phone is then logged in, and its guest page shows the codes of free seats."
)
ONLY_HERE: Final = tr(
    'Only a browser on this machine can open it: for phones, set listen = "0.0.0.0:8080" in [web].'
)
FIRST_TIME: Final = tr("Passphrase: ")
AGAIN: Final = tr("Repeat it: ")
NOT_THE_SAME: Final = tr("dicetable gateway: the two differ: try again")
FORGOTTEN: Final = tr(
    "The passphrase is forgotten and everybody is logged out: the next operator chooses one."
)
PASSPHRASE_IN_CONFIG: Final = tr(
    "dicetable gateway: the passphrase stands in the config: remove operator_passphrase there"
)


def foreign_socket(place: str) -> str:
    return tr(
        "dicetable gateway: other users can listen at {place}, so it doesn't count: remove it, as root"
    ).format(place=place)


def no_screen(screen: str, why: str) -> str:
    return tr("dicetable gateway: {screen}: {why}: name a terminal, such as /dev/tty1").format(
        screen=screen, why=why
    )


def passphrase_short(least: int) -> str:
    return tr("The passphrase must have at least {least} characters.").format(least=least)


def passphrase_not_saved(why: str) -> str:
    return tr("The passphrase could not be saved: {why}.").format(why=why)


def passphrase_kept(why: str) -> str:
    return tr("dicetable gateway: the passphrase could not be forgotten: {why}").format(why=why)


def passphrase_length(least: int, most: int) -> str:
    return tr(
        "dicetable gateway: a passphrase must have {least} to {most} characters: choose another"
    ).format(least=least, most=most)


# The pages.
MENU_LABEL: Final = tr("Pages")
LOG_OUT: Final = tr("Log out")
MENU: Final = {
    "overview": tr("Table"),
    "set_up": tr("Set up"),
    "camera": tr("Camera"),
    "calibrate": tr("Calibrate"),
    "enrol": tr("Enrol dice"),
    "health": tr("Health"),
    "ledger": tr("Ledger"),
    "settings": tr("Settings"),
}
PAGE: Final = {
    "title": tr("Dice table: operator"),
    "login_heading": tr("Operator"),
    "login_how": tr("You must be at the table to log in: ask for a code there, and type it here."),
    "login_ask": tr("Show a code at the table"),
    "login_code": tr("Code"),
    "login_passphrase": tr("Passphrase"),
    "login_go": tr("Log in"),
    "passphrase_heading": tr("Choose a passphrase"),
    "passphrase_why": tr(
        "Guests can read the codes at the table too. From now on logging in takes a code and this "
        "passphrase, so that nobody but you becomes the operator."
    ),
    "passphrase_first": tr("Passphrase, at least 8 characters"),
    "passphrase_again": tr("Repeat it"),
    "passphrase_go": tr("Keep this passphrase"),
    "passphrase_lost": tr(
        "If you forget it, or if somebody else chose it, type this on the machine that the table runs "
        "on (with sudo if the table is installed there): dicetable gateway passphrase --forget"
    ),
    "pair_heading": tr("Pair this display"),
    "pair_how": tr(
        "Pair a display that only people at the table can see, such as the television above it. It "
        "then shows the codes of free seats."
    ),
    "pair_ask": tr("Pair this display"),
    "pair_type": tr("Type this on the machine that the table runs on, within two minutes:"),
    "pair_done": tr("This display is paired and shows the codes of free seats on the guest page."),
    "refused_heading": tr("Not from here"),
    "refused_text": tr(
        "This page is not available over an unencrypted network. It works on the machine itself."
    ),
    "refused_how": tr("For other machines, name a certificate in the config and restart the gateway:"),
    "refused_else": tr("Or, on a network that you trust, set operator_plain_http = true."),
    "now_heading": tr("Now"),
    "start_heading": tr("Start a game"),
    "start_game": tr("Game"),
    "start_who": tr("Who plays"),
    "start_options": tr("Options"),
    "start_go": tr("Start"),
    "pause": tr("Pause"),
    "resume": tr("Resume"),
    "end": tr("End this game"),
    "machine_heading": tr("Machine"),
    "restart": tr("Restart the service"),
    "restart_waits": tr("A game is in progress: end it before you restart the service."),
    "off": tr("Power off"),
    "sessions_heading": tr("Sessions"),
    "everywhere": tr("Log out everywhere"),
    "unpair": tr("Forget all paired displays"),
    "camera_heading": tr("Camera"),
    "camera_alt": tr("What the camera sees now"),
    "grid": tr("Grid of 20 mm"),
    "meters_heading": tr("Focus and exposure"),
    "filming_heading": tr("Your phone is the camera"),
    "filming_how": tr(
        "Scan the code with the phone that will be the camera. It works once, within ten minutes."
    ),
    "filming_go": tr("Show a code"),
    "filming_alt": tr("The QR code for the phone"),
    "throw_heading": tr("Test throw"),
    "throw_how": tr("Throw some dice into the tray. Each one is explained here once they lie still."),
    "throw_go": tr("Explain the dice in the tray"),
    "calibrate_heading": tr("Calibrate the camera"),
    "step_1": tr("1. Empty the tray"),
    "calibrate_1": tr(
        "Take everything out of the tray. All four markers must be in view and uncovered, "
        "the light as it is during play."
    ),
    "step_2": tr("2. Look"),
    "calibrate_2": tr("The camera takes a picture of the still tray and measures it."),
    "look": tr("Look at the empty tray"),
    "step_3": tr("3. Save"),
    "calibrate_3": tr("The table uses the new calibration from now on."),
    "keep": tr("Save this calibration"),
    "rig_alt": tr("The empty tray with its markers and a grid"),
    "enrol_heading": tr("Enrol the table's own dice"),
    "enrol_why": tr(
        "The table learns what each face of your own dice looks like. If only these may be used, it "
        "rejects any other die."
    ),
    "enrol_1": tr("Take everything out of the tray, then begin."),
    "begin": tr("Begin"),
    "enrol_step_2": tr("2. Show each face"),
    "enrol_2": tr(
        "Choose a die, put it alone in the tray with the requested face up, and capture it. "
        "For a d4 that is the number that counts."
    ),
    "enrol_kind": tr("Die"),
    "take": tr("Capture this face"),
    "skip": tr("Skip"),
    "again": tr("Back"),
    "enrol_step_throw": tr("Or throw them"),
    "enrol_throw": tr(
        "Throw all your dice and press the button; do this ten times. You are asked only about dice "
        "that the camera can't read for sure."
    ),
    "enrol_throw_go": tr("Take this throw"),
    "enrol_step_3": tr("3. Keep"),
    "enrol_3": tr("Save the pictures. Two of each face are better than one."),
    "keep_dice": tr("Save these dice"),
    "enrol_add": tr("add them to the dice already saved"),
    "enrol_step_4": tr("4. Use and try"),
    "enrol_4": tr("Throw some of them into the tray, and see how each one is read."),
    "dice_unused": tr(
        "The table uses these dice until it restarts. To keep using only these dice, choose them:"
    ),
    "health_heading": tr("Health"),
    "examine": tr("Check now"),
    "logs_heading": tr("Log"),
    "logs_again": tr("Refresh"),
    "link_heading": tr("Panel's serial line"),
    "bundle_heading": tr("Diagnostics bundle"),
    "bundle_how": tr(
        "A zip file with the doctor's findings, the log, the config without its secrets and the "
        "state, to send to a person who helps you."
    ),
    "bundle_pictures": tr("with the pictures of the last throws"),
    "bundle_go": tr("Make the bundle"),
    "ledger_heading": tr("Ledger"),
    "search": tr("Search"),
    "search_hint": tr("Player, game, date (2026-11-24) or number"),
    "export_all": tr("Export all (JSON lines)"),
    "older": tr("Older games"),
    "bar_heading": tr("Your bar"),
    "advanced": tr("Advanced"),
    "settings_heading": tr("Settings"),
    "settings_how": tr(
        "The table reads its settings when it starts. Settings that name files or users, or open "
        "a way in, can only be changed on the machine itself."
    ),
    "rules_heading": tr("House rules"),
    "rules_how": tr(
        "Options of a game under a name. The list of games offers them beside the game, the ledger and the "
        "screens name them, and statistics keep them apart. Leave a field empty for the game's own value."
    ),
    "rules_add": tr("Add house rules"),
    "loading": tr("Reading the settings …"),
    "check": tr("Check the changes"),
    "save": tr("Save"),
    "diff_heading": tr("What would change"),
    "history_heading": tr("This evening"),
    "history_how": tr("Counted every ten minutes since the table started, for up to twelve hours."),
    "plot_throws": tr("Throws that counted"),
    "plot_asked": tr("Throws the table asked about"),
    "plot_void": tr("Void throws"),
    "plot_celsius": tr("Temperature"),
    "new_table": tr("This table has not been calibrated yet. The set-up takes you through everything."),
    "set_up_heading": tr("Set up"),
    "set_up_how": tr(
        "From the camera to the first game, step by step. You can leave at any time and go on later."
    ),
    "devices_heading": tr("Choose camera, panel and dice"),
    "devices_camera": tr("Camera"),
    "devices_camera_how": tr(
        "Choose a camera and look at its picture. The table uses it only after you save it."
    ),
    "devices_panel": tr("Panel"),
    "devices_panel_how": tr("Players decide on their phones, or with the buttons of a panel's board."),
    "devices_dice": tr("Which dice count"),
    "devices_dice_how": tr("Any dice, or only those that you have enrolled."),
    "devices_found": tr("Attached now"),
    "devices_choose": tr("Dice"),
    "devices_saved": tr("Saved"),
    "look_again": tr("Look again"),
    "use_camera": tr("Use this camera"),
    "use_panel": tr("Use this panel"),
    "use_dice": tr("Save"),
    "try_panel": tr("Try it"),
    "preview_alt": tr("What this camera sees"),
    "markers_heading": tr("Print the markers"),
    "markers_how": tr(
        'Print the sheet at true size (100 %, not "fit to page") on matt white paper. '
        "Its ruler must measure 100 mm."
    ),
    "markers_a4": tr("Markers on A4"),
    "markers_letter": tr("Markers on Letter"),
    "markers_glue": tr(
        "Cut the four markers out with their white borders. Glue them flat into the corners of the tray: "
        "0 far left, then 1, 2, 3 clockwise, all upright for the player."
    ),
    "lens_heading": tr("Measure the lens"),
    "lens_why": tr(
        "The table then knows how the lens bends straight lines. It reads dice without this too, but "
        "places them less exactly near the rim."
    ),
    "lens_step_1": tr("1. Print the lens sheet"),
    "lens_1": tr("Print it at true size (100 %) and glue it onto something flat and stiff."),
    "lens_a4": tr("Lens sheet on A4"),
    "lens_letter": tr("Lens sheet on Letter"),
    "lens_step_2": tr("2. Show it to the camera"),
    "lens_2": tr(
        "Hold the sheet still for a moment, then tilt it to each side and move it near each edge of the "
        "picture. A green outline marks each view that counts."
    ),
    "lens_begin": tr("Begin"),
    "lens_part": tr("Views taken"),
    "lens_3": tr("Save the lens. Then calibrate the empty tray again."),
    "lens_keep": tr("Save this lens"),
}
SCRIPT: Final = {
    "no_answer": tr("The gateway isn't answering. Try again in a moment."),
    "cancel": tr("Cancel"),
    "code_shown": tr("The code is shown {where} for {minutes} minutes."),
    "on_panel": tr("on the panel"),
    "on_this_display": tr("here (this is the table's own machine)"),
    "not_the_same": tr("The two differ: type it again."),
    "passphrase_alone": tr("The table has no display for a code: the passphrase is enough."),
    "phase": {
        "idle": tr("No game is running."),
        "set_up": tr("A game is being set up."),
        "play": tr("A game is being played."),
        "over": tr("A game is over."),
        "off": tr("The table is being switched off."),
    },
    "paused": tr("Paused."),
    "in_menu": tr("A player has the menu open."),
    "person": tr("a person"),
    "house": tr("the house"),
    "seat": tr("Seat {seat}"),
    "sure_end": tr("End this game without winners?"),
    "sure_off": tr("Switch the table off? The game is kept."),
    "sure_restart": tr("Restart the service? It takes a few seconds."),
    "sure_everywhere": tr("Log out all operators, including you?"),
    "sure_unpair": tr("Forget all paired displays?"),
    "yes_end": tr("End it"),
    "yes_off": tr("Switch off"),
    "yes_restart": tr("Restart"),
    "yes_everywhere": tr("Log out everywhere"),
    "yes_unpair": tr("Forget"),
    "restarting": tr("The service is restarting …"),
    "still_restarting": tr("The service is still restarting: this page comes back as soon as it answers …"),
    "no_picture": tr("No picture: {why}"),
    "frames_a_second": tr("{n} frames per second"),
    "waiting_throw": tr("Waiting for the dice to lie still …"),
    "confidence": tr("confidence {n} %"),
    "position": tr("at {x}, {y} mm"),
    "tilt": tr("tilt {n}°"),
    "not_calibrated": tr("the rig is not calibrated"),
    "sure": tr("sure"),
    "doubtful": tr("doubtful"),
    "looking": tr("Looking: keep hands out …"),
    "kept": tr("Saved in {kept}."),
    "usable": tr("This picture is good enough to calibrate."),
    "not_usable": tr("Something is wrong in this picture: fix it and look again."),
    "lay": tr("Put the {kind} in the tray so that {value} counts."),
    "face_alt": tr("{kind}, {value} counting"),
    "which_value": tr("Which value counts?"),
    "leave_out": tr("Leave it out"),
    "thrown": tr("Taken. Name the dice that are shown, if there are any, then throw again."),
    "enrol_kind": tr("Die"),
    "faces_taken": tr("{kind}: {taken} of {all} faces, {n} pictures"),
    "sure_missing": tr("Some faces are missing: {faces}. The table won't know them. Save the others anyway?"),
    "yes_keep": tr("Save them"),
    "all_taken": tr("Every face of this die is captured. Show another die, or save them."),
    "dice_kept": tr("{faces} faces saved in {kept}."),
    "examining": tr("The doctor is checking every part …"),
    "well": tr("All is well."),
    "unwell": tr("Something is wrong:"),
    "no_link": tr("This panel has no serial line."),
    "damaged": tr("{n} damaged frames"),
    "load": tr("load"),
    "memory": tr("memory"),
    "memory_free": tr("{available} of {total} MB free"),
    "to": tr("to the board"),
    "from": tr("from the board"),
    "bundling": tr("The bundle is being made …"),
    "bundled": tr("The bundle is ready."),
    "searching": tr("Searching the ledger …"),
    "no_games": tr("No games found."),
    "entries": tr("{n} entries"),
    "correct": tr("Correct"),
    "correct_what": tr("What did the throw really show?"),
    "correct_go": tr("Ask the table"),
    "correct_waits": tr("The panel asks: any seat confirms with OK within 30 seconds …"),
    "was_corrected": tr("corrected: {dice}"),
    "export": tr("Export this game"),
    "back": tr("Back to the games"),
    "picture_of": tr("The tray at entry {number}"),
    "no_evidence": tr("The picture is no longer stored, or stays hidden until all cups are lifted."),
    "own_colour": tr("our own colour"),
    "logo": tr("What is your logo?"),
    "logo_hint": tr("A PNG, JPEG or WebP picture. The television shows it once its page is loaded anew."),
    "logo_now": tr("Your logo"),
    "logo_remove": tr("Remove the logo"),
    "logo_sent": tr("The logo is saved."),
    "logo_removed": tr("The logo is removed."),
    "bar": {
        "screen.name": [tr("What is your bar called?"), tr("The television shows it between games.")],
        "screen.colour": [
            tr("What is its colour?"),
            tr("For headings and numbers. It must be light: the pages are dark."),
        ],
        "house.throws": [
            tr("How strict is the table?"),
            tr("Dice that were placed by hand count only at a friendly table."),
            {
                "strict": tr("Strict: it wants to see the dice roll"),
                "friendly": tr("Friendly: what lies in the tray counts"),
            },
        ],
        "games.favourites": [tr("Which games come first?"), tr("The list of games begins with them.")],
        "screen.volume": [
            tr("How loud is the television?"),
            tr("In percent. The slider on its page changes it for the evening."),
        ],
        "screen.quiet": [
            tr("When are your quiet hours?"),
            tr("Such as 23:00-08:00: the television makes no sound then."),
        ],
        "screen.pause": [
            tr("How long does a throw fill the television?"),
            tr("In seconds. 0 turns it off."),
        ],
        "web.odds": [tr("Does everyone see the odds?"), tr("On the television and on the phones.")],
        "web.unnamed": [
            tr("Who wants no name in the records?"),
            tr("A number stands there in place of the name. The ledger keeps their games as they are."),
        ],
        "table.seats": [tr("How many can play?"), tr("From one to eight.")],
        "table.names": [
            tr("Who are your regulars?"),
            tr("The names of the seats, at most ten letters each. Phones bring their own."),
        ],
        "table.language": [
            tr("What does the table speak?"),
            tr("Each phone can choose its own language."),
        ],
    },
    "read_only": tr("only on the machine itself"),
    "left_out": tr("default: {value}"),
    "nothing": tr("nothing"),
    "on": tr("yes"),
    "off_choice": tr("no"),
    "one_a_line": tr("one per line"),
    "no_changes": tr("There are no changes."),
    "all_right": tr("The changes are valid."),
    "saved": tr("Saved. The previous file is kept as {file}.bak."),
    "restart_offer": tr("Restart the service now to apply the changes"),
    "restart_later": tr("The changes apply after a restart of the service; a game is being played now."),
    "choose_device": tr("choose it here"),
    "rules_name": tr("Name"),
    "rules_game": tr("Game"),
    "rules_delete": tr("Delete"),
    "rules_none": tr("There are no house rules yet."),
    "rules_open": tr("change them here"),
    "step_of": tr("Step {n} of {all}: {title}"),
    "step_back": tr("Back"),
    "step_next": tr("Next step"),
    "step_leave": tr("Leave the set-up"),
    "step_open": tr("Open"),
    "step_done": tr("done"),
    "step_optional": tr("optional"),
    "progress": tr("Progress of the set-up"),
    "steps": {
        "camera": [tr("Choose the camera"), tr("Pick the camera over the tray, then save and restart.")],
        "aim": [
            tr("Aim the camera"),
            tr("Move the camera until the whole tray fills the picture, then focus it."),
        ],
        "markers": [
            tr("Glue the markers in"),
            tr("Print four markers. Go on when all four are in view."),
        ],
        "lens": [tr("Measure the lens"), tr("Worth ten minutes, but you may skip it.")],
        "tray": [tr("Calibrate the tray"), tr("Look at the empty tray, fix what is wrong, and save.")],
        "panel": [tr("Choose the panel"), tr("Phones, or a board with buttons.")],
        "dice": [
            tr("Enrol your dice"),
            tr("Your own dice are read best. You may skip this and play with any."),
        ],
        "throw": [
            tr("Test throw"),
            tr("Throw some dice and see how each one is read. All should be sure."),
        ],
        "play": [tr("Play"), tr("Start the first game.")],
    },
    "camera_starts": tr("The camera is starting …"),
    "camera_sees": tr("{name}: {width} × {height} pixels"),
    "camera_live": tr("The camera in use, live"),
    "nothing_attached": tr("Nothing is attached. Plug it in and look again."),
    "device_now": tr("chosen"),
    "device_configured": tr("The config has: {now}"),
    "device_saved": tr("{name} is saved. The table uses it after a restart."),
    "phones_need": tr(
        "With phones as the panel, only a browser on the table's own machine shows login codes: "
        "invite a phone, or set a passphrase, first."
    ),
    "panel_tried": tr("Waiting for the board to answer …"),
    "panel_answers": tr("It answers: {text}"),
    "lens_views": tr("{views} of {of} views"),
    "lens_taken": tr("Got it. Now hold it another way."),
    "lens_still": tr("Hold it still, and in another way than before."),
    "lens_unseen": tr("The camera can't see the sheet: show all of it, in good light."),
    "lens_enough": tr("That's enough: save the lens."),
    "put_back": tr("Put the previous one back ({date})"),
    "put_back_done": tr("The previous one is back. Press again to swap the two."),
    "lens_kept": tr("Saved in {kept}. The views agree to {error_px} pixels."),
}
