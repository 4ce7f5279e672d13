"""What the throws say about the dice and the players: pure folds and estimators.

Knows no file, no clock and no picture: entries of the journal or lists of faces in, numbers out. The same
throws always give the same numbers, also where these are drawn by chance (Monte Carlo with a fixed seed).
"""
