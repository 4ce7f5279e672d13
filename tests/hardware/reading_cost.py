"""The cost of reading one image, as the kernel counts it: memory of all processes, processor time.

Run as a program it reads the images that it is given and prints a line of JSON for each.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hardware.photograph import PhotographError, load_photograph, stop_decoder

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]


class Cost(NamedTuple):
    """One image: what came of it, the peaks of caller and decoding process added, their processor time."""

    name: str
    said: str
    peak_mb: float
    processor_s: float


def costs(paths: Sequence[Path], *, alone: bool = True) -> list[Cost]:
    """Reads images in another process; in one for each, or in one for all, whose peak is then theirs."""
    found = []
    for group in [[path] for path in paths] if alone else [paths]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.hardware.reading_cost", *map(str, group)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
        assert not done.stderr, done.stderr
        found += [Cost(*json.loads(line)) for line in done.stdout.splitlines()]
    return found


def main() -> None:
    """Reads each with a decoding process of its own."""
    for path in map(Path, sys.argv[1:]):
        before = processor_s()
        try:
            photograph = load_photograph(path)
            height, width, _ = photograph.pixels.shape
            said = f"{width}×{height} at 1:{photograph.scale}"
        except PhotographError as error:
            said = str(error)
        stop_decoder()
        child_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        peak_mb = (own_peak_kb() + child_kb) * 1024 / 1e6
        print(json.dumps([path.name, said, peak_mb, processor_s() - before]))  # noqa: T201


def own_peak_kb() -> int:
    """Not as getrusage has it, which counts what the process was forked from."""
    return int(Path("/proc/self/status").read_text(encoding="ascii").split("VmHWM:")[1].split()[0])


def processor_s() -> float:
    """Of this process and those that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


if __name__ == "__main__":
    main()
