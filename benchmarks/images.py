"""Peaks of reading hostile, odd and very large image files: memory of all processes, processor time.

python -m benchmarks.images            # the files of tests/hardware/odd_images.py
python -m benchmarks.images FILE…      # others
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.hardware.odd_images import NAMES, make
from tests.hardware.reading_cost import costs

MOST_MB, MOST_S = 300, 10


def main() -> int:
    """One line an image, the most at the end; 1 if one was over the bounds."""
    Image.MAX_IMAGE_PIXELS = None
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for path in [Path(name) for name in sys.argv[1:]] or [Path(folder, name) for name in NAMES]:
            (cost,) = costs([path if path.exists() or path.is_symlink() else make(Path(folder), path.name)])
            found.append(cost)
            print(f"{cost.name:34} {cost.peak_mb:4.0f} MB {cost.processor_s:6.2f} s  {cost.said}", flush=True)
            if path.parent == Path(folder) and path.is_file():
                path.unlink()
    peak = max(found, key=lambda cost: cost.peak_mb)
    longest = max(found, key=lambda cost: cost.processor_s)
    print(
        f"{len(found)} images: at most {peak.peak_mb:.0f} MB ({peak.name}), "
        f"{longest.processor_s:.1f} s ({longest.name})"
    )
    return int(peak.peak_mb > MOST_MB or longest.processor_s > MOST_S)


if __name__ == "__main__":
    sys.exit(main())
