"""The league server: tables send their rows, everyone sees standings. It knows no camera and no panel.

A table is known by its Ed25519 key, a row by (table, epoch, row). Standings are folds of rows: results
come from the engine that the tables run, and can be computed again from nothing. Leagues rank results; there
is no money.
"""
