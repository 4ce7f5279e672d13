"""Buttons and one-colour lamps on the pins of a Raspberry Pi: one panel over two ways to reach pins."""
