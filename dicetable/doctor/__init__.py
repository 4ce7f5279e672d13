"""Looks at every part of a table and says how it is and what would help. It changes nothing."""
