"""The rules of five dice games: pure, standard library only, no clock, no I/O, no randomness but a seed."""
