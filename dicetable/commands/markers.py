"""`dicetable markers`: the four markers of the tray, or the lens sheet, to print at true size."""

import argparse
import sys
from pathlib import Path

from common import files, texts
from dicetable.commands.usage import CommandError, Commands, named_path
from dicetable.eye.sheets import PAPERS, lens_sheet, marker_sheet, pdf, svg


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("markers", help=text, description=text)
    parser.add_argument(
        "file",
        type=named_path,
        metavar="FILE",
        help="the file to write; its name ends in .pdf or .svg; - is standard output, as PDF",
    )
    parser.add_argument("--paper", choices=("a4", "letter"), default="a4", help="the paper size; default a4")
    help_text = "the tray's markers (default), or the sheet for `dicetable calibrate --lens`"
    parser.add_argument("--sheet", choices=("tray", "lens"), default="tray", help=help_text)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the page; 1 if that is not possible, 2 for another kind of file."""
    writers = {".pdf": pdf, ".svg": svg}
    piped = args.file == Path("-")
    ending = ".pdf" if piped else args.file.suffix.lower()
    if ending not in writers:
        raise CommandError(f"dicetable markers: {args.file}: name a file that ends in .pdf or .svg", 2)
    shapes, title = marker_sheet(), texts.rig.MARKER_SHEET[0]
    if args.sheet == "lens":
        shapes, title = lens_sheet(), texts.rig.LENS_SHEET[0]
    page = writers[ending](PAPERS[args.paper], shapes, title)
    if piped:
        sys.stdout.buffer.write(page)
        return 0
    try:
        files.atomic_write(args.file, page)
    except OSError as error:
        raise CommandError(f"dicetable markers: {texts.health.not_written(error, args.file)}") from None
    print(texts.commands.print_it(str(args.file), args.paper))
    return 0
