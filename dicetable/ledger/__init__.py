"""The ledger: every accepted entry of every match, on disk before the table shows it. Append-only SQLite.

It knows no rule of any game: an entry is a row of JSON, and a match is its rows from one that opens it to the
next that does.
"""
