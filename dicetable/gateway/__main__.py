"""`python -m dicetable.gateway`: the gateway as a small process of its own; standard input has its settings.

`dicetable gateway` becomes this and `--web` starts it, so that it holds no more than it needs: no numpy, no
pydantic.
"""

import sys
from pathlib import Path

from dicetable.texts import language


def main() -> int:
    """Serves until it is stopped, in the language of the environment."""
    language.speak()
    from dicetable.gateway.settings import GatewaySettings

    settings = GatewaySettings.received()
    if settings.games:
        from dicetable.game_folder import add_games

        add_games(Path(settings.games))
    from dicetable.gateway.app import serve

    return serve(settings)


if __name__ == "__main__":
    sys.exit(main())
