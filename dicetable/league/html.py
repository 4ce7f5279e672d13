"""Pieces of HTML. Titles, names and values are escaped; `content` and cells are HTML already."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NUMBER: Final = " class=number"


def section(title: str, content: str) -> str:
    """A part of a page; without content it says that there is none."""
    shown = content or f"<p class=none>{escape(texts.league.NOTHING_YET)}</p>"
    return f"<section><h2>{escape(title)}</h2>{shown}</section>"


def link(path: str, name: str) -> str:
    """A link with a name."""
    return f'<a href="{escape(path)}">{escape(name)}</a>'


def table_of(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table of at least one row; cells are HTML, or numbers, which stand to the right."""
    head = "".join(
        f"<th scope=col{NUMBER if isinstance(value, int) else ''}>{escape(each)}</th>"
        for each, value in zip(heads, rows[0], strict=True)
    )
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def cell(value: Any) -> str:
    """One cell of a table."""
    return f"<td{NUMBER if isinstance(value, int) else ''}>{value}</td>"


def button(path: str, name: str, values: Mapping[str, str], content: str = "") -> str:
    """A form that sends the values, and what the fields in it hold."""
    hidden = "".join(
        f'<input type=hidden name="{escape(key)}" value="{escape(each)}">' for key, each in values.items()
    )
    inside = f"{hidden}{content}<button>{escape(name)}</button>"
    return f'<form method=post action="{escape(path)}">{inside}</form>'


def field(name: str, label: str, *, box: bool = False) -> str:
    """A field that has to be filled in, or a box that has to be ticked."""
    kind = (
        'type=checkbox value="yes"'
        if box
        else "type=text maxlength=40 autocomplete=off autocapitalize=characters"
    )
    made = f"<input name={name} {kind} required>"
    return f"<label>{made} {escape(label)}</label>" if box else f"<label>{escape(label)} {made}</label>"


def facts(values: Mapping[str, Any]) -> str:
    """Names with their values."""
    return f"<dl>{''.join(f'<dt>{escape(k)}</dt><dd>{escape(str(v))}</dd>' for k, v in values.items())}</dl>"
