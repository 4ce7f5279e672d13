"""Statistics of dice and players, folded from the ledger.

The same throws always give the same numbers, also where these are drawn by chance (Monte Carlo with a fixed
seed).
"""
