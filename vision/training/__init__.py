"""Makes the reader's two nets from nothing; needs the extra `train`; no table runs it."""
