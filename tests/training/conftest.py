"""Which tests of training are collected."""

from __future__ import annotations

from importlib.util import find_spec

# These need training/requirements.txt, which only one step of CI installs, into an environment of its own.
# Elsewhere they are not collected: skipped they would fail a run with --no-skips.
collect_ignore = (
    []
    if find_spec("torch")
    else [
        "test_stages.py",
        "test_learn_attitude.py",
        "test_learn_segmentation.py",
    ]
)
