"""A game at a terminal: simulated throws or photographs."""
