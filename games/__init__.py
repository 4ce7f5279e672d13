"""The rules of five dice games: standard library only, no clock, no I/O, no randomness except a seed."""
