"""The table itself, from power-on to the winners: presses and messages of the eye in, its view out."""
