"""How far the reader can be trusted on labelled pictures: the figures of the README and of the model card.

    python -m benchmarks.trust [--part pictures|own] [--shared FOLDER] [--limit N] [--write]

Reads every labelled set of the folder (`photos/dev`, `photos/train`, `thrown/still`), then the own dice of
simulated tables and of some sets (`benchmarks.own_dice`), and counts with the folder's own
`tools/score_photos.py`. `--write` puts the results between the marks in README.md and the model card: run it
whenever a net or a threshold has changed. Each part takes about ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks import own_dice
from benchmarks.own_dice import reader
from dicetable.commands.read import die_json
from hardware.photograph import load_photograph

ROOT: Final = Path(__file__).resolve().parent.parent
README, CARD = ROOT / "README.md", ROOT / "vision" / "models" / "README.md"
BEGIN: Final = "<!-- written by benchmarks.trust: begin -->\n"
END: Final = "<!-- written by benchmarks.trust: end -->\n"
OWN_BEGIN: Final = "<!-- written by benchmarks.trust, own dice: begin -->\n"
OWN_END: Final = "<!-- written by benchmarks.trust, own dice: end -->\n"
SETS: Final = {
    "photos/dev/msd_webcam": "none",
    "photos/dev/colorful_touching": "none",
    "photos/dev/rune_pips_phone": "none (its sibling rune_pips_grey: all)",
    "photos/dev/bartek_cloths": "none",
    "photos/dev/d20_crops": "none",
    "photos/dev/fickett_crops": "none",
    "thrown/still": "none",
    "photos/train/burks_black_tray": "detector",
    "photos/train/catan_pips": "none",
    "photos/train/rune_pips_grey": "all",
}
"""The labelled sets, and which nets were trained on their pictures."""
ROLE_PLAYING: Final = "thrown/still"
THROW: Final = 6
"""Dice of the throw that the README speaks of."""


@dataclass(frozen=True, slots=True)
class Score:
    """How many labelled dice a set has, and how many were read right, asked about, or read wrong."""

    images: int = 0
    dice: int = 0
    right: int = 0
    asked: int = 0
    wrong: int = 0

    def percent(self, count: int) -> float:
        return 100 * count / max(1, self.dice)


def read(folder: Path, image: str) -> dict[str, Any]:
    """The answer to one picture, in the form of `dicetable read --json`."""
    photograph = load_photograph(folder / image)
    return {"dice": [die_json(die, photograph.scale) for die in reader().read(photograph.pixels).dice]}


def scorer(shared: Path) -> Any:
    """The function of the labels' own tool that counts one image."""
    spec = importlib.util.spec_from_file_location("score_photos", shared / "tools" / "score_photos.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(shared)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool.score_image


def score(folder: Path, count: Any, limit: int, pool: ProcessPoolExecutor) -> Score:
    """Reads and counts one set, or `limit` of its images."""
    items = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines() if line.strip()]
    if limit and len(items) > limit:
        items = random.Random(0).sample(items, limit)
    answers = pool.map(partial(read, folder), [item["image"] for item in items], chunksize=8)
    return counted([(item["dice"], answer) for item, answer in zip(items, answers, strict=True)], count)


def counted(pictures: Sequence[tuple[own_dice.Labels, dict[str, Any]]], count: Any) -> Score:
    """The score of some pictures, by their labels and the answers to them."""
    tallies = [count(labels, answer) for labels, answer in pictures]
    totals = {key: sum(tally[key] for tally in tallies) for key in ("dice", "right", "asked", "wrong")}
    return Score(len(tallies), **totals)


def own_scores(shared: Path, count: Any, pool: ProcessPoolExecutor) -> dict[str, dict[str, Score]]:
    """The score of each source of own dice at each stage; prints them as they come."""
    sources = {
        f"{len(own_dice.TABLES)} simulated tables, calibrated": pool.map(own_dice.simulated, own_dice.TABLES)
    }
    for name in own_dice.PHOTOGRAPHS:
        judge = partial(own_dice.photographed, shared / name)
        sources[name] = pool.map(judge, range(own_dice.FOLDS))
    scores = {}
    for name, parts in sources.items():
        judged = own_dice.joined(parts)
        scores[name] = {stage: counted(pictures, count) for stage, pictures in judged.items()}
        print(own_card({name: scores[name]}), flush=True)
    return scores


def own_card(scores: dict[str, dict[str, Score]]) -> str:
    """The model card's table of own dice."""
    rows = [
        "| source | pictures | dice | what the reader knows | right % | asked % | wrong |",
        "| --- " * 7 + "|",
    ]
    for name, stages in scores.items():
        for stage, got in stages.items():
            rows.append(
                f"| {name.removeprefix('photos/')} | {got.images} | {got.dice} | {own_dice.STAGES[stage]} "
                f"| {got.percent(got.right):.1f} | {got.percent(got.asked):.1f} | {got.wrong} |"
            )
    return "\n".join(rows) + "\n"


def own_promise(scores: dict[str, dict[str, Score]]) -> str:
    """The README's table of own dice."""
    rows = ["| your own dice | dice | right | asked | wrong |", "| --- " * 5 + "|"]
    for name, stages in scores.items():
        got = stages["learned"]
        where = f"photographs of one table, {name.rpartition('/')[2]}" if name in SETS else name
        right, asked = (f"{got.percent(part):.1f} %" for part in (got.right, got.asked))
        rows.append(f"| {where} | {got.dice:,} | {right} | {asked} | {got.wrong} |")
    return "\n".join(rows) + "\n"


def card(scores: dict[str, Score]) -> str:
    """The table of the model card."""
    rows = ["| set | seen by | images | dice | right % | asked % | wrong % |", "| --- " * 7 + "|"]
    for name, got in scores.items():
        rows.append(
            f"| {name.removeprefix('photos/')} | {SETS[name]} | {got.images} | {got.dice} "
            f"| {got.percent(got.right):.1f} | {got.percent(got.asked):.1f} | {got.percent(got.wrong):.2f} |"
        )
    return "\n".join(rows) + "\n"


def promise(scores: dict[str, Score]) -> str:
    """The table of the README, and what it means for a throw."""
    own = scores[ROLE_PLAYING]
    photographs = [got for name, got in scores.items() if name.startswith("photos/dev/")]

    def span(part: str, digits: int = 0) -> str:
        shares = [got.percent(getattr(got, part)) for got in photographs]
        return f"{min(shares):.0f} to {max(shares):.{digits}f} %"

    kinds = "photographs of many kinds ([model card](vision/models/README.md#on-photographs))"
    trays = f"{own.images} trays of a role-playing set seen from above, rendered by others, d4 to d20"
    right, asked = f"{own.percent(own.right):.0f} %", f"{own.percent(own.asked):.0f} %"
    lines = [
        "| pictures | dice | right | asked | wrong |",
        "| --- | --- | --- | --- | --- |",
        f"| {trays} | {own.dice} | {right} | {asked} | {own.wrong} |",
        f"| {kinds} | {sum(got.dice for got in photographs):,} "
        f"| {span('right')} | {span('asked')} | {span('wrong', 1)} |",
        "",
    ]
    if own.wrong == 0:
        rate = own.dice // 3
        lines.append(
            f"No error in {own.dice} dice still allows an error rate of one in {rate} (95 % confidence)."
        )
    unread = 10 * (1 - (own.right / own.dice) ** THROW)
    lines.append(
        f"At {right} per die, the table asks about a die in {unread:.0f} of ten throws of {THROW} dice."
    )
    return "\n".join(lines) + "\n"


def put(file: Path, text: str, begin: str = BEGIN, end: str = END) -> None:
    """Puts the text between the marks of a page; raises ValueError if it lacks them."""
    page = file.read_text(encoding="utf-8")
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"{file} lacks the lines {begin.strip()} and {end.strip()}")
    before, _, rest = page.partition(begin)
    file.write_text(before + begin + text + end + rest.partition(end)[2], encoding="utf-8")


def pictures(shared: Path, count: Any, limit: int, pool: ProcessPoolExecutor, *, write: bool) -> None:
    """Reads and counts the labelled sets; prints the results, and puts them into the pages if asked to."""
    scores = {}
    for name in SETS:
        scores[name] = score(shared / name, count, limit, pool)
        print(card({name: scores[name]}).splitlines()[-1], flush=True)
    if write:
        put(README, promise(scores))
        put(CARD, card(scores))
    else:
        print(promise(scores))


def main() -> int:
    summary = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=summary)
    shared = os.environ.get("DICETABLE_SHARED", ROOT.parent / "shared")
    parser.add_argument("--shared", type=Path, default=shared, help="the folder of labelled pictures")
    parser.add_argument(
        "--limit", type=int, default=0, help="at most this many images of a set, a fixed sample"
    )
    parser.add_argument("--part", choices=("pictures", "own"), help="labelled sets alone, or own dice alone")
    parser.add_argument("--write", action="store_true", help="update README.md and the model card")
    args = parser.parse_args()
    if args.write and args.limit:
        parser.error("--write needs all images: leave out --limit")
    if not (args.shared / "tools" / "score_photos.py").exists():
        print(f"{args.shared}: no labelled pictures here; name their folder with --shared", file=sys.stderr)
        return 1
    count = scorer(args.shared)
    with ProcessPoolExecutor() as pool:
        if args.part != "own":
            pictures(args.shared, count, args.limit, pool, write=args.write)
        if args.part != "pictures":
            scores = own_scores(args.shared, count, pool)
            if args.write:
                put(README, own_promise(scores), OWN_BEGIN, OWN_END)
                put(CARD, own_card(scores), OWN_BEGIN, OWN_END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
