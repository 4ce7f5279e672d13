"""The panel's screens. Each sees the table as a `TableControl`, handles keys and renders the view."""
