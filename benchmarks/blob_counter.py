"""The well-known recipe for reading pips: blobs of the right shape, clustered by distance, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.reading import Image

REACH = 2.2
"""Blobs nearer than this many blob widths belong to one die."""


def detector() -> cv2.SimpleBlobDetector:
    """OpenCV's blob detector set to round spots, as the tutorials have it."""
    params = cv2.SimpleBlobDetector.Params()
    params.filterByInertia = True
    params.minInertiaRatio = 0.6
    return cv2.SimpleBlobDetector.create(params)


def count_pips(frame: Image, blobs: cv2.SimpleBlobDetector) -> list[int]:
    """How many pips each cluster of blobs has, in a frame (uint8, H×W×3, BGR)."""
    grey = cv2.medianBlur(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), 3)
    found = blobs.detect(grey)
    if not found:
        return []
    places = np.array([spot.pt for spot in found])
    widths = np.array([spot.size for spot in found])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    near = apart < REACH * np.minimum.outer(widths, widths)
    cluster = np.arange(len(found))
    while True:
        lowest = np.where(near, cluster[None], len(found)).min(1)
        if (lowest == cluster).all():
            break
        cluster = lowest
    return [int(count) for count in np.unique(cluster, return_counts=True)[1]]
