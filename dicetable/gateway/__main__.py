"""`python -m dicetable.gateway`: the gateway as a small process of its own; standard input has its settings.

`dicetable gateway` becomes this and `--web` starts it, so that it holds no more than it needs: no numpy, no
pydantic.
"""

import sys

from dicetable.texts import language


def main() -> int:
    """Serves until it is stopped, in the language of the environment."""
    language.speak()
    from dicetable.gateway.app import serve
    from dicetable.gateway.settings import GatewaySettings

    return serve(GatewaySettings.received())


if __name__ == "__main__":
    sys.exit(main())
