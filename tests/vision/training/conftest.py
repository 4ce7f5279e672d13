"""Which tests of training are collected."""

from __future__ import annotations

from importlib.util import find_spec

# The stages need the extra `train`, which only one step of CI installs, into an environment of its own.
# Elsewhere their test is not collected: skipped it would fail a run with --no-skips.
collect_ignore = [] if find_spec("torch") else ["test_stages.py"]
