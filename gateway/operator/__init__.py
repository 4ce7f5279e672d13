"""The operator page, `/operator`: for the person who runs the table, after a login at the table."""
