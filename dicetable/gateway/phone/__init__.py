"""`/phone`: follow the game, look up rules and odds, and press for a seat where phones are the panel."""
