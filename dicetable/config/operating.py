"""`python -m dicetable.config.operating show|plain|check|save FILE`: the config for the operator page.

It is a separate program so that the gateway need not load what it needs, and so that root's helper runs the
same code. `plain` prints the file without secrets. `check` and `save` read one JSON object
`{"changes": {…}, "version": …, "chosen": {…}}` from standard input; `chosen` names a device for each part
that gets another one. The answer is one JSON object on standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from dicetable import network, texts
from dicetable.config.change import Changed, changed, save, version_of
from dicetable.config.file import read
from dicetable.config.form import form_of, without_secrets
from dicetable.config.mistakes import ConfigError, Mistake

LONGEST_REQUEST: Final = 64 * 1024


def main(what: str, path: Path) -> dict[str, Any]:
    """The answer; if it fails, `mistakes` or `error` say why."""
    try:
        if what == "show":
            return form_and_version(path)
        if what == "plain":
            return dict(without_secrets(read(path)))
        changes, version, chosen = request(sys.stdin.buffer.readline(LONGEST_REQUEST + 1))
        does = save if what == "save" else changed
        return outcome(does(path, changes, version, chosen), saved=what == "save")
    except ConfigError as error:
        return {"saved": False, "mistakes": [words(mistake) for mistake in error.mistakes]}
    except OSError as error:
        return {"saved": False, "error": texts.operator.not_saved(texts.health.not_written(error, path))}
    except ValueError:
        return {"saved": False, "error": texts.operator.MALFORMED}


def form_and_version(path: Path) -> dict[str, Any]:
    """The form and the version of the file."""
    return {"file": str(path), "version": version_of(path), "tables": form_of(read(path))}


def request(line: bytes) -> tuple[dict[str, Any], str, dict[str, str]]:
    """The changes, the version of the file that they apply to, and the devices that were chosen.

    Raises ValueError if the request is invalid.
    """
    if len(line) > LONGEST_REQUEST:
        raise ValueError("too long")
    match network.parse_json(line):
        case {"changes": dict(changes), "version": str(version), **rest}:
            chosen = rest.get("chosen", {})
            if isinstance(chosen, dict) and all(isinstance(name, str) for name in chosen.values()):
                return changes, version, chosen
    raise ValueError("no changes")


def outcome(found: Changed, *, saved: bool) -> dict[str, Any]:
    """The outcome of the changes."""
    mistakes = [words(mistake) for mistake in found.mistakes]
    return {"saved": saved and not mistakes, "mistakes": mistakes, "diff": found.diff}


def words(mistake: Mistake) -> dict[str, str]:
    """A mistake as the page shows it."""
    return {"where": mistake.where, "text": str(mistake)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], Path(sys.argv[2])), default=str) + "\n")
