"""What the panel says of a throw keeps its sense when it is said shorter."""

from __future__ import annotations

from dicetable.texts import throws


def test_a_void_throw_says_which_die_is_wrong_and_what_is_due() -> None:
    one, more = throws.wrong_kind("d8", ["d6"]), throws.wrong_kind("second d20", ["d6", "d20"])
    assert throws.void(one, 3) == "Void: I see a d8; I need d6. Take all 3 out, throw again."
    assert throws.void(more, 1) == "Void: I see a second d20; I need d6 d20. Take it out, throw again."
