"""Makes the reader's two nets from nothing; needs requirements.txt; no table runs it."""
