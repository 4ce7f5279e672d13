"""`/records`, `/players/NAME` and `/dice`: what the ledger says of players and dice, for guests."""
