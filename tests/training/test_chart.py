"""The picture of how far readings may be trusted."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from training.calibrate import FEWEST, Series, chart, reliability, risks

SVG = "{http://www.w3.org/2000/svg}"


def test_trust_that_is_right_as_often_as_it_says_has_no_error() -> None:
    trust = np.repeat([0.25, 0.75], 400)
    right = np.concatenate([np.arange(400) % 4 == 0, np.arange(400) % 4 != 0])
    error, rows = reliability(trust, right)
    assert error == pytest.approx(0)
    assert rows == [(0.25, 0.25, 400), (0.75, 0.75, 400)]


def test_trust_that_says_too_much_shows_by_how_much() -> None:
    error, rows = reliability(np.full(100, 0.95), np.arange(100) < 60)
    assert error == pytest.approx(0.35)
    assert rows == [(0.95, 0.6, 100)]


def test_a_source_that_is_surely_right_has_no_risk_and_one_that_is_not_does() -> None:
    trust = np.linspace(0.99, 0.5, 100)
    good_cover, good_risk = risks(Series("good", trust, np.ones(100, bool), 200))
    bad_cover, bad_risk = risks(Series("bad", trust, np.arange(100) % 50 != 49, 200))
    assert len(good_risk) == len(bad_risk) == 100 - FEWEST + 1
    assert np.ptp(good_risk) == 0
    assert (bad_risk[0], bad_risk[-1]) == (0, 2)
    assert (good_cover[0], good_cover[-1], bad_cover[-1]) == (10, 50, 49)


def test_the_picture_names_every_source_and_is_the_same_each_time() -> None:
    trust = np.linspace(0.99, 0.5, 100)
    series = [Series("good", trust, np.ones(100, bool), 200), Series("unread", trust[:0], trust[:0], 7)]
    picture = chart(series)
    assert picture == chart(series)
    texts = ["".join(text.itertext()) for text in ET.fromstring(picture).iter(f"{SVG}text")]
    assert {"good", "unread", "confidence", "wrong, % of the sure"} <= set(texts)
