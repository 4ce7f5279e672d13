"""Prints the types of the snapshot for the checker of the pages' scripts, from `common.snapshot`.

python -m tests.javascript.snapshot_types > tests/javascript/snapshot.d.ts
"""

from __future__ import annotations

import inspect
import sys
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from common import snapshot

PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def script_type(hint: Any) -> str:
    """The TypeScript of a type. Raises KeyError for one that JSON doesn't have."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " | ".join(map(script_type, parts))
    if origin is Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin is NotRequired:
        return script_type(parts[0])
    if origin is list:
        return f"Array<{script_type(parts[0])}>"
    if origin is tuple:
        return f"[{', '.join(map(script_type, parts))}]"
    if origin is dict:
        return f"Record<{', '.join(map(script_type, parts))}>"
    if is_typeddict(hint):
        return str(hint.__name__)
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return " | ".join(f'"{member.value}"' for member in hint)
    return PLAIN[hint]


def interface(shape: Any) -> str:
    """A typed dictionary as an interface."""
    hints = get_type_hints(shape, include_extras=True)
    lines = [
        f"  {name}{'?' if get_origin(hint) is NotRequired else ''}: {script_type(hint)};"
        for name, hint in hints.items()
    ]
    return "\n".join((f"interface {shape.__name__} {{", *lines, "}"))


def declarations() -> str:
    shapes = [shape for shape in vars(snapshot).values() if is_typeddict(shape)]
    return "\n\n".join(map(interface, shapes)) + "\n"


if __name__ == "__main__":
    sys.stdout.write(f"// Written by `make check-pages` from common/snapshot.py.\n{declarations()}")
