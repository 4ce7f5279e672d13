"""`python -m gateway`: the gateway as a small process of its own; standard input has its settings.

`dicetable gateway` becomes this and `--web` starts it, so that it holds no more than it needs: no numpy, no
pydantic.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Final

from common.texts import speaking

PARENT_DEATH_SIGNAL: Final = 1


def main() -> int:
    """Serves until it is stopped, in the language of the environment."""
    speaking.speak()
    from gateway.settings import GatewaySettings

    settings = GatewaySettings.received()
    if settings.parent:
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != settings.parent:  # it has ended already
            return 0
    if settings.games:
        from common.game_folder import add_games

        add_games(Path(settings.games))
    from gateway.app import serve

    return serve(settings)


if __name__ == "__main__":
    sys.exit(main())
