"""The program that serves the page of a phone camera, at addresses of its own."""

from __future__ import annotations

START = """
import sys
from dicetable.commands import phone_source
phone_source.LISTEN, phone_source.SECURE = sys.argv[1:3]
from dicetable.__main__ import main
sys.exit(main(sys.argv[3:]))
"""
