"""Stage `calibrate`: fits the confidence on frames that no net was trained on, and its threshold."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from games.dice import KINDS
from training import Array
from training.photos import labelled_pictures
from vision.detection import iou
from vision.reader import DiceReader
from vision.reading import Detection
from vision.recognition.classifiers import logistic
from vision.recognition.doubts import LEAST_CONFIDENCE, first_doubt
from vision.recognition.evidence import CONFIDENCE_FEATURES, features_of

INCHES = (8.5, 4.6)
MOST_RISK = 5.0
"""Percent of wrong readings among the sure at the top of the right-hand panel."""
FEWEST = 20
"""Readings from which on a risk is drawn: of fewer a single one is several percent."""


@dataclass(frozen=True)
class Series:
    """One source: each reading's confidence (n,), whether it is right (n,), and how many dice lay there."""

    name: str
    confidence: Array
    right: Array
    dice: int


def chart(series: list[Series]) -> str:
    """The picture: how often readings of each tenth of confidence are right, and the risk that is left.

    On the left the part that is right against the confidence; on the right the percentage of wrong readings
    among the sure against the percentage of the dice that are sure and right. The same series make the same
    text.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "", "svg.fonttype": "none"}):
        figure = Figure(INCHES, layout="constrained")
        left, right = figure.subplots(1, 2)
        left.axline((0, 0), (1, 1), color="silver", linestyle="dashed")
        left.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="part that is right")
        right.set(xlim=(0, 100), ylim=(0, MOST_RISK))
        right.set(xlabel="sure and right, % of the dice", ylabel="wrong, % of the sure")
        for one in series:
            stated, true, counts = np.array(reliability(one.confidence, one.right)[1]).reshape(-1, 3).T
            area = 10 + 200 * counts / len(one.confidence)
            dots = left.scatter(stated, true, area, alpha=0.7, label=one.name, clip_on=False, zorder=3)
            right.plot(*risks(one), color=dots.get_facecolor()[0], alpha=1.0)
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def reliability(confidence: Array, right: Array) -> tuple[float, list[tuple[float, float, int]]]:
    """Expected calibration error, and for each tenth the mean confidence, the part right and the count."""
    rows, error = [], 0.0
    tenth = np.minimum((confidence * 10).astype(int), 9)
    for k in range(10):
        inside = tenth == k
        if inside.any():
            stated, true = float(confidence[inside].mean()), float(right[inside].mean())
            rows.append((round(stated, 3), round(true, 3), int(inside.sum())))
            error += abs(true - stated) * float(inside.mean())
    return error, rows


def risks(one: Series) -> tuple[Array, Array]:
    """Risk against coverage as confidence falls: % of the dice sure and right, % wrong among the sure."""
    right = np.cumsum(one.right[np.argsort(-one.confidence)])[FEWEST - 1 :]
    count = np.arange(FEWEST, FEWEST + len(right))
    return 100 * right / one.dice, 100 * (count - right) / count


RISK: Final = 0.01
"""The part of the sure readings of flat dice that may be wrong."""
CERTAINTY: Final = 0.95
"""The confidence with which `RISK` holds."""
THRESHOLDS: Final = (0.5, 0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96)
RENDERS: Final = "renders"
"""The one source that is not of photographs."""
BEGIN: Final = "<!-- written by the stage calibrate: begin -->\n"
END: Final = "<!-- end -->\n"


def most_risk(wrong: int, sure: int) -> float:
    """The part that is wrong at most, with CERTAINTY: the upper end of the exact binomial interval."""
    from scipy.stats import beta

    return 1.0 if wrong == sure else float(beta.ppf(CERTAINTY, wrong + 1, sure - wrong))


def counts(series: Sequence[Series], threshold: float) -> tuple[int, int]:
    """How many readings are sure from a threshold on, right and wrong ones."""
    sure = [one.confidence >= threshold for one in series]
    right = sum(int((of_one & one.right).sum()) for of_one, one in zip(sure, series, strict=True))
    return right, sum(int(of_one.sum()) for of_one in sure) - right


def least_threshold(series: Sequence[Series]) -> float | None:
    """The lowest of THRESHOLDS from which the risk is at most RISK with CERTAINTY; None if none is.

    Learn then test, by a fixed sequence: the thresholds are tested from the highest down and the first that
    fails ends it, so CERTAINTY holds for whichever is chosen.
    """
    least = None
    for threshold in sorted(THRESHOLDS, reverse=True):
        right, wrong = counts(series, threshold)
        if most_risk(wrong, right + wrong) > RISK:
            break
        least = threshold
    return least


def table(series: Sequence[Series], flat: Sequence[Series], odd: Sequence[float]) -> str:
    """The risk at each threshold, Markdown.

    `series` has each source, its confidence from a fit on the other ones, `flat` the same without what was
    found where no die lies, `odd` the percentage of the odd renders that are sure, at each of THRESHOLDS.
    """
    photographs = [one for one in flat if one.name != RENDERS]
    names = [f"{one.name} right / wrong" for one in series]
    head = ["sure from", *names, "odd renders, sure", "wrong of sure flat dice", "of photographs"]
    lines = [head, ["---"] * len(head)]
    for threshold, of_odd in zip(THRESHOLDS, odd, strict=True):
        each = [counts([one], threshold) for one in series]
        parts = [
            f"{100 * right / one.dice:.1f} / {100 * wrong / one.dice:.1f}"
            for (right, wrong), one in zip(each, series, strict=True)
        ]
        bounds = [bound(*counts(some, threshold)) for some in (flat, photographs)]
        lines.append([f"{threshold:.2f}", *parts, f"{of_odd:.1f}", *bounds])
    errors = [f"{reliability(one.confidence, one.right)[0]:.3f}" for one in series]
    lines.append(["expected calibration error", *errors, "", "", ""])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def bound(right: int, wrong: int) -> str:
    """The part of the sure ones that is wrong, and at most how large it is, in percent: `0.2 (0.6)`."""
    sure = right + wrong
    return f"{100 * wrong / max(1, sure):.2f} ({100 * most_risk(wrong, sure):.2f})"


def write_table(card: Path, text: str) -> None:
    """Puts the table into the model card, in place of the one before."""
    before, _, rest = card.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    card.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")


log = logging.getLogger(__name__)
SAME = 0.2
"""IoU from which a detection and a label are one die."""
MOST_PICTURES = 250
"""How many pictures of each source are judged, drawn by chance."""
STIFFNESS = 0.001
"""Weight of the squared weights in the fit."""
UNLABELLED = ("catan_pips", "burks_black_tray")
"""Sources that leave dice unlabelled: what is found where nothing is labelled is not judged."""
BARRELS = {"burks_black_tray": "d4"}
"""A kind that a source has in a shape that is none of ours: counted apart."""


@dataclass(frozen=True)
class Judged:
    """What the detections in a source's pictures are.

    `cues` (n, cues) has one row for each detection. `right` (n,): its kind and value are right. `free` (n,):
    nothing but its confidence can keep it from being sure; `free_thrown` (n,) the same if it was seen to be
    thrown. `labelled` (n,): a die is labelled there. `dice` is their number. `odd_cues` and `odd_dice` are
    the same of dice that are cocked, covered or of a kind that is not read.
    """

    cues: Array
    right: Array
    free: Array
    free_thrown: Array
    labelled: Array
    dice: int
    odd_cues: Array
    odd_dice: int


def judge(folder: Path, most: int, reader: DiceReader) -> Judged:
    """What the exported nets say of what they detect in the labelled pictures of a folder."""
    rows, right, free, free_thrown, labelled, odd_rows = [], [], [], [], [], []
    dice = odd_dice = 0
    chosen = np.random.default_rng(4).permutation
    for frame, labels in labelled_pictures(folder, lambda count: chosen(count)[:most]):
        odd = [_is_odd(die, folder.name) for die in labels]
        odd_dice, dice = odd_dice + sum(odd), dice + len(odd) - sum(odd)
        for found in reader.recognize(frame):
            seen = found._replace(confidence=1.0)
            doubtful = first_doubt(seen) is not None
            die = _labelled(labels, seen.detection, seen.prediction.best)
            if die is None and folder.name in UNLABELLED:
                continue
            if die is None or not _is_odd(die, folder.name):
                rows.append(features_of(seen))
                right.append(die is not None and _same(die, seen.prediction.best))
                free.append(not doubtful)
                free_thrown.append(first_doubt(seen._replace(thrown=True)) is None)
                labelled.append(die is not None)
            elif not doubtful:
                odd_rows.append(features_of(seen))
    none = np.zeros((0, len(CONFIDENCE_FEATURES)))
    return Judged(
        np.array(rows or none), np.array(right, bool), np.array(free, bool), np.array(free_thrown, bool),
        np.array(labelled, bool), dice, np.array(odd_rows or none), odd_dice,
    )  # fmt: skip


def _is_odd(die: dict[str, Any], source: str) -> bool:
    return bool(die.get("cocked")) or BARRELS.get(source) == die["type"]


def _same(die: dict[str, Any], best: tuple[int, int]) -> bool:
    return (die["type"], die["value"]) == (KINDS[best[0]], best[1])


def _labelled(
    labels: list[dict[str, Any]], detection: Detection, best: tuple[int, int]
) -> dict[str, Any] | None:
    """The label of a detection: the one it overlaps most, else one without a box that says the same."""
    boxed = [(iou(detection, _boxed(*die["bbox"])), i) for i, die in enumerate(labels) if die["bbox"]]
    most, i = max(boxed, default=(0.0, 0))
    if most > SAME:
        return labels[i]
    return next((die for die in labels if not die["bbox"] and _same(die, best)), None)


def _boxed(x: float, y: float, w: float, h: float) -> Detection:
    return Detection(x, y, w, h, 1.0)


def fit(cues: Array, right: Array) -> Array:
    """Weights and bias (cues + 1,) of the logistic regression; all of them are kept small, also the bias."""
    from sklearn.linear_model import LogisticRegression

    x = np.hstack([cues, np.ones((len(cues), 1))])
    model = LogisticRegression(C=1 / (STIFFNESS * len(x)), fit_intercept=False, tol=1e-8, max_iter=1000)
    return np.asarray(model.fit(x, right).coef_[0])


def calibrate(work: Path, models: Path, photos: Path, held: tuple[str, ...]) -> None:
    """Fits the confidence on rendered shots and held-out sources; writes it, its picture and its table.

    The chart and table of a source come from a fit without that source. Odd dice are not fitted: one picture
    cannot show a slight tilt, and how many dice are cocked depends on the table.
    """
    sources = {RENDERS: work / "shots", **{name: photos / "train" / name for name in held}}
    reader = DiceReader()
    judged = {name: judge(folder, MOST_PICTURES, reader) for name, folder in sources.items()}
    others = {name: [j for other, j in judged.items() if other != name] for name in judged}
    series, flat, thrown = [], [], []
    for name, mine in judged.items():
        p = logistic(mine.cues, fit_of(others[name]))
        log.info("%s: %d dice, %d detections", name, mine.dice, len(p))
        series.append(Series(name, p[mine.free], mine.right[mine.free], mine.dice))
        on_dice = mine.free & mine.labelled
        flat.append(Series(name, p[on_dice], mine.right[on_dice], mine.dice))
        on_dice = mine.free_thrown & mine.labelled
        p = logistic(of_thrown(mine.cues), fit_of_thrown(others[name]))
        thrown.append(Series(name, p[on_dice], mine.right[on_dice], mine.dice))
    renders = judged[RENDERS]
    p = logistic(renders.odd_cues, fit_of(others[RENDERS]))
    odd = [100 * float((p >= threshold).sum()) / max(1, renders.odd_dice) for threshold in THRESHOLDS]
    log.info(
        "of the flat dice that are sure from %s, at most %.1f %% are wrong, with %.0f %% confidence",
        least_threshold(flat), 100 * RISK, 100 * CERTAINTY,
    )  # fmt: skip
    log.info(
        "if they were thrown from %s; from %s on, %s of them are right and %s wrong",
        least_threshold(thrown), LEAST_CONFIDENCE, *counts(thrown, LEAST_CONFIDENCE),
    )  # fmt: skip
    drawn = chart(series)
    fitted = json.loads((models / "fitted.json").read_text(encoding="utf-8"))
    weights = np.round(fit_of(list(judged.values())), 4)
    fitted["confidence"] = dict(zip((*CONFIDENCE_FEATURES, "bias"), weights.tolist(), strict=True))
    weights = np.round(fit_of_thrown(list(judged.values())), 4)
    fitted["thrown"] = dict(zip(("joint", "bias"), weights.tolist(), strict=True))
    (models / "fitted.json").write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    (models / "confidence.svg").write_text(drawn, encoding="utf-8")
    write_table(models / "README.md", table(series, flat, odd))


def fit_of(judged: list[Judged]) -> Array:
    return fit(np.concatenate([j.cues for j in judged]), np.concatenate([j.right for j in judged]))


def of_thrown(cues: Array) -> Array:
    """What the confidence of a thrown die weighs (n, 1), of all `cues` (n, cues)."""
    return cues[:, [CONFIDENCE_FEATURES.index("joint")]]


def fit_of_thrown(judged: list[Judged]) -> Array:
    """The fit on dice alone: what was seen to be thrown is hardly anything else."""
    cues = np.concatenate([of_thrown(j.cues[j.labelled]) for j in judged])
    return fit(cues, np.concatenate([j.right[j.labelled] for j in judged]))
