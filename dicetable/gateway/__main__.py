"""`python -m dicetable.gateway SETTINGS`: the gateway as a small process of its own.

`dicetable gateway` becomes this and `--web` starts it, so that it holds no more than it needs: no numpy, no
pydantic.
"""

from __future__ import annotations

import sys

from dicetable.gateway.serving import serve
from dicetable.gateway.settings import GatewaySettings

if __name__ == "__main__":
    sys.exit(serve(GatewaySettings.from_json(sys.argv[1])))
