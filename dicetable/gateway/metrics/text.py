"""OpenMetrics 1.0 text out of families of samples. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(slots=True)
class Family:
    """Samples of one name. `kind` is counter, gauge, histogram or info; `unit` is the end of the name."""

    name: str
    kind: str
    about: str
    unit: str = ""
    lines: list[str] = field(default_factory=list)

    def sample(self, value: float | None, **labels: str) -> Family:
        """One value more; None, which is unknown, is left out."""
        suffix = {"counter": "_total", "info": "_info"}.get(self.kind, "")
        if value is not None:
            self.lines.append(f"{self.name}{suffix}{shown(labels)} {number(value)}")
        return self

    def histogram(
        self, bounds: Sequence[float], counts: Sequence[int], total: float, **labels: str
    ) -> Family:
        """One histogram more; `counts` has one more than `bounds`, for what is beyond all of them."""
        reached = 0
        for bound, count in zip([*map(number, map(float, bounds)), "+Inf"], counts, strict=True):
            reached += count
            self.lines.append(f"{self.name}_bucket{shown({**labels, 'le': bound})} {reached}")
        self.lines += [
            f"{self.name}_count{shown(labels)} {reached}",
            f"{self.name}_sum{shown(labels)} {number(total)}",
        ]
        return self

    def text(self) -> str:
        """The family with its descriptors; empty without samples."""
        if not self.lines:
            return ""
        unit = [f"# UNIT {self.name} {self.unit}"] if self.unit else []
        about = self.about.translate(ESCAPES)
        return "\n".join(
            [f"# TYPE {self.name} {self.kind}", *unit, f"# HELP {self.name} {about}", *self.lines, ""]
        )


def exposition(families: Iterable[Family]) -> str:
    """The whole text."""
    return "".join(family.text() for family in families) + "# EOF\n"


def shown(labels: Mapping[str, str]) -> str:
    """Labels in braces; nothing if there are none."""
    inner = ",".join(f'{name}="{value.translate(ESCAPES)}"' for name, value in labels.items())
    return f"{{{inner}}}" if inner else ""


def number(value: float) -> str:
    """A number as the text has it."""
    return str(int(value)) if isinstance(value, int) else repr(float(value))
