"""What else than its numeral tells the value of a top: a line or dot by a 6 or 9, and the numerals beside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.neighbours import D20, likelihoods, read_beside
from vision.recognition.outputs import VALUES
from vision.recognition.symbols import NINE, SIX, TWO_WAYS

if TYPE_CHECKING:
    from vision.recognition.crops import Pixels
    from vision.recognition.die_classifier import Symbol
    from vision.recognition.fusion import Prediction
    from vision.recognition.six_nine import SixNineClassifier
    from vision.recognition.symbol_classifier import SymbolClassifier
    from vision.settings import CorroborationSettings

Floats: TypeAlias = npt.NDArray[Any]

SIX_NINE: Final = (SIX, NINE)
D10: Final = KINDS.index("d10")
D12: Final = KINDS.index("d12")
UPSIDE_DOWN: Final = {D10: tuple(range(1, VALUES)), D12: SIX_NINE}
"""What a numeral upside down may be: makers differ in the way up of a d10's numerals, and a 6 or 9 of a d12
may be worn or blotted so that it is legible upside down alone."""


class Corroborators(NamedTuple):
    """The nets that look at a top again, and the settings."""

    symbols: SymbolClassifier
    six_nine: SixNineClassifier
    settings: CorroborationSettings

    def corroborated(self, prediction: Prediction, crop: Pixels) -> Prediction:
        """The prediction in the light of what stands by the symbol and beside the top."""
        if prediction.symbol is None:
            return prediction
        joint = self._by_line_or_dot(prediction, crop)
        like = self._beside(prediction, crop)
        differs = like is not None and self._differs(joint, like)
        if like is not None:
            joint[D20, 1:] *= like
            joint /= joint.sum()
        kind, value = np.unravel_index(int(joint.argmax()), joint.shape)
        both = joint[kind, list(SIX_NINE)].sum()
        six_nine = float(joint[kind, value] / both) if kind in TWO_WAYS and value in SIX_NINE else 1.0
        told = like is not None and kind == D20
        beside = float(np.log(like[value - 1])) if told and like is not None else 0.0
        return replace(
            prediction,
            joint=joint,
            six_nine=six_nine,
            upside_down=self._upside_down(prediction, crop, (int(kind), int(value))),
            beside=beside,
            beside_differs=differs,
        )

    def _upside_down(self, prediction: Prediction, crop: Pixels, best: tuple[int, int]) -> float:
        """The probability of another value by the symbol upside down; 0 where no maker sets it so."""
        kind, value = best
        others = [other for other in UPSIDE_DOWN.get(kind, ()) if other != value]
        if prediction.symbol is None or not others or value in SIX_NINE:
            return 0.0
        view = (prediction.symbol, prediction.up_deg + 180)
        return float(self.symbols.predict_all(crop, [view])[0][others].max())

    def _differs(self, joint: Floats, like: Floats) -> bool:
        """Whether what stands beside the top of a d20 belongs to a value that its own numeral rules out."""
        kind, value = np.unravel_index(int(joint.argmax()), joint.shape)
        other = int(like.argmax())
        ruled_out = float(joint[D20, other + 1]) < self.settings.ruled_out
        fits = float(like[other]) > self.settings.other_beside * float(like[value - 1])
        return bool(kind == D20 and ruled_out and fits)

    def _by_line_or_dot(self, prediction: Prediction, crop: Pixels) -> Floats:
        """The joint probabilities, those of 6 and 9 shared out anew by the way up and by the line or dot."""
        joint = prediction.joint.copy()
        both = joint[:, SIX] + joint[:, NINE]
        if both[list(TWO_WAYS)].sum() < self.settings.read_again or prediction.symbol is None:
            return joint
        logit = self._six(prediction, prediction.symbol, crop) if prediction.read_as in SIX_NINE else 0.0
        for kind in TWO_WAYS:
            least = self.settings.d10_reversed if kind == D10 else self.settings.reversed
            told = 0.0 if kind == D12 and abs(logit) < self.settings.d12_line else logit
            six = float(np.clip(joint[kind, SIX] / max(both[kind], 1e-12), least, 1 - least))
            six = 1 / (1 + (1 - six) / six * float(np.exp(-told)))
            joint[kind, SIX], joint[kind, NINE] = both[kind] * six, both[kind] * (1 - six)
        return joint

    def _six(self, prediction: Prediction, symbol: Symbol, crop: Pixels) -> float:
        """The logit of a 6 by the line or dot; 0 if the numeral, set upright so, is no plain one."""
        logit = self.six_nine.upright(crop, symbol, prediction.up_deg)
        stands = logit > 0
        value = prediction.read_as if stands else SIX + NINE - prediction.read_as
        up_deg = prediction.up_deg + (0 if stands else 180)
        upright, reverse = self.symbols.predict_all(crop, [(symbol, up_deg), (symbol, up_deg + 180)])
        either = float(upright[list(SIX_NINE)].sum())
        plain = max(self.settings.legible_shape, self.settings.plain_shape * either)
        if upright[value] < plain or reverse[value] >= self.settings.same_both_ways:
            return 0.0
        return logit if prediction.read_as == SIX else -logit

    def _beside(self, prediction: Prediction, crop: Pixels) -> Floats | None:
        """How likely what stands beside the top is for each value of a d20; None where it may be none."""
        if prediction.symbol is None or prediction.joint[D20].sum() < self.settings.read_again:
            return None
        read = read_beside(crop, prediction.symbol, prediction.up_deg, self.symbols, self.settings.off_middle)
        return None if read is None else likelihoods(read, self.settings.standard, self.settings.misread)
