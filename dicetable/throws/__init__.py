"""Decides whether a reading is the throw that the prompt waits for."""
