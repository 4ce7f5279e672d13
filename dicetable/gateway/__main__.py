"""`python -m dicetable.gateway HOST PORT STATE_SOCKET [NAME…]`: the gateway as a small process of its own.

`dicetable gateway` becomes this and `--web` starts it, so that it holds no more than it needs: no numpy, no
pydantic.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dicetable.gateway.serving import serve

if __name__ == "__main__":
    host, port, state, *hosts = sys.argv[1:]
    sys.exit(serve(host, int(port), Path(state), hosts))
