"""The service that joins camera, reader, rules and panel, and its command line."""

import os

# It is read as NumPy is loaded. The products here are small, and other threads of OpenBLAS would wait for
# them in a loop, which took a fifth of the processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
