"""The operator page, `/operator`: for whoever runs the table, after a login that proves presence at it."""
