"""The table's settings: one TOML file, checked whole before anything starts; units are in the names.

Each table of the file is a `Section`, and file.py loads them all. The same models make the operator's form
(form.py) and docs/config.md (docs/make_config.py); drivers.py makes cameras and panels from them.
"""
