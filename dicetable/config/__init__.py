"""The table's settings: one TOML file, checked whole before anything starts; units are in the names.

Each table of the file is a `Section` in a module of its own; file.py joins and loads them.
"""
