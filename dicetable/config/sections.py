"""The base class of the config file's sections; [table], [house], [ledger] and [eye]."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema
from pydantic_core import PydanticCustomError

from common.texts.plain import ascii_letters
from hardware.ports import COLUMNS, SEATS

ON_PAGE: Final[dict[str, JsonValue]] = {"on_page": True}
"""Marks a setting that the operator page may change. All others are for the machine itself, so that no
one at the page opens a way in or sends a secret elsewhere."""
CHOSEN: Final[dict[str, JsonValue]] = {"chosen": True}
"""Marks a setting that the operator page writes only by choosing one of the devices that are attached."""
SECRET: Final[dict[str, JsonValue]] = {"secret": True}
"""Marks a setting whose value no page, log or bundle shows."""
LONGEST_NAME = COLUMNS // 2


class Section(BaseModel):
    """A section of the config file: frozen, no unknown keys, no silent conversions.

    The docstring below a field is its description in docs/config.md; `examples` are shown beside a mistake.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


def path_of(value: Any) -> Any:
    return Path(value).expanduser() if isinstance(value, str) and value else value


FilePath = Annotated[Path, BeforeValidator(path_of), WithJsonSchema({"type": "string", "format": "path"})]


def panel_name(name: str) -> str:
    """Returns the name if it fits beside a number on the panel. Raises PydanticCustomError."""
    return name_on_panel(name, LONGEST_NAME)


def name_on_panel(name: str, longest: int) -> str:
    """Returns the name if the panel can show all of it without its accents. Raises PydanticCustomError."""
    on_panel = ascii_letters(name)
    if not on_panel or on_panel != " ".join(on_panel.split()):
        raise PydanticCustomError(
            "name", "must be a name without spaces around it, with one space between words"
        )
    if len(on_panel) > longest:
        raise PydanticCustomError("name", f"must be at most {longest} characters on the panel")
    if not (on_panel.isascii() and on_panel.isprintable()):
        raise PydanticCustomError("name", "must be Latin letters, digits and signs: a panel shows no others")
    return name


Name = Annotated[
    str,
    AfterValidator(panel_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}),
]


class TableSection(Section):
    """Who sits at the table, and what language it speaks."""

    seats: int = Field(default=4, ge=1, le=SEATS, examples=[4], json_schema_extra=ON_PAGE)
    """The number of seats; each has its controls on the panel."""
    names: list[Name] = Field(
        default=[], max_length=SEATS, examples=[["Ann", "Bob"]], json_schema_extra=ON_PAGE
    )
    """The names of the seats in order, all different, at most ten characters each; a seat without one is
    called by its number. Latin letters may have accents; the panel leaves them out."""
    language: Literal["en", "de", "es"] = Field(default="en", examples=["de"], json_schema_extra=ON_PAGE)
    """The language of panel, pages and commands: English, German or Spanish. A phone can choose its own."""


class HouseSection(Section):
    """How strict the house is about throws."""

    throws: Literal["strict", "friendly"] = Field(default="strict", json_schema_extra=ON_PAGE)
    """`strict`: a die that a hand moved or turned after it lay makes the whole throw void, and another seat
    vouches with one press for dice that the camera didn't see roll (below 7 frames per second it sees none
    roll). `friendly`: everything that comes into the tray counts; only a die that can't count is thrown
    again, and the ledger marks dice that the camera didn't see roll. Throws from a folder of photographs are
    always friendly."""


class LedgerSection(Section):
    """The record of every game, and the pictures of its throws."""

    folder: FilePath = Field(default=Path("/var/lib/dicetable"), examples=["/var/lib/dicetable"])
    """The folder, writable by the service. It is created if its parent exists."""

    @property
    def calibration(self) -> Path:
        """Where the files of the calibrated rig are."""
        return self.folder / "calibration"


class EyeSection(Section):
    """How dice are read."""

    dice: FilePath | None = Field(
        default=None, examples=["/var/lib/dicetable/dice.npz"], json_schema_extra=CHOSEN
    )
    """The file of your enrolled dice, from `dicetable enrol`; no other dice count. Leave it out to play with
    any dice."""
    models: FilePath | None = Field(default=None, examples=["/var/lib/dicetable/models"])
    """A folder of your own models, with the file names of `vision/models`. Leave it out to use the program's,
    which are checked: a modified one is rejected."""
